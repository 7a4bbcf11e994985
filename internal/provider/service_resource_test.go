package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const serviceAddress = "dbplatform_service.this"

func serviceConfig(id, body string) string {
	return fmt.Sprintf(`
resource "dbplatform_service" "this" {
  service_id = %q
  %s
}
`, id, body)
}

func TestService(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	id := mockapi.ServiceID
	full := `
  name                               = "Renamed 2"
  ip_access_list                     = { "10.0.0.0/8" = "the vpc", "203.0.113.9" = "" }
  private_endpoint_ids               = ["vpce-4e5f6a7b", "vpce-8c9d0e1f"]
  transparent_data_encryption_key_id = "tde-key-2"
  release_channel                    = "fast"
  endpoints_enabled                  = { mysql = false }
`
	const entries = `{"description":"the vpc","source":"10.0.0.0/8"},{"description":"","source":"203.0.113.9"}`
	const off = `{"endpoints":[{"enabled":false,"protocol":"mysql"}],"ipAccessList":{"add":[` + entries + `],"remove":[`
	step := func(action plancheck.ResourceActionType, id, body string, sent ...string) resource.TestStep {
		return planned(env, serviceAddress, action, serviceConfig(id, body), "updateService", sent...)
	}
	env.Run(t,
		// Adopted, and nothing managed yet. The look-up's test has all attributes.
		showing(step(plancheck.ResourceActionCreate, id, ""), serviceAddress, map[string]knownvalue.Check{
			"name": knownvalue.StringExact("Orders"), "release_channel": knownvalue.Null(), "endpoints_enabled": knownvalue.Null(),
		}),
		imported(serviceAddress, id, "service_id"),
		step(plancheck.ResourceActionUpdate, id, `name = "Renamed"`, `{"name":"Renamed"}`),
		showing(step(plancheck.ResourceActionUpdate, id, full, off+`{"description":"office","source":"192.0.2.7"}]},`+
			`"name":"Renamed 2","privateEndpointIds":{"add":["vpce-8c9d0e1f"],"remove":["vpce-0a1b2c3d"]},`+
			`"releaseChannel":"fast","transparentDataEncryptionKeyId":"tde-key-2"}`), serviceAddress, map[string]knownvalue.Check{
			"release_channel": knownvalue.StringExact("fast"), "endpoints": knownvalue.MapExact(map[string]knownvalue.Check{}),
		}),
		// Drift of the list and of the endpoint.
		drifted(env, step(plancheck.ResourceActionUpdate, id, full, off+`{"description":"oops","source":"0.0.0.0/0"}]}}`), func() {
			env.Change(mockapi.Service, id, func(service mockapi.Object) {
				service["ipAccessList"] = []any{mockapi.Object{"source": "0.0.0.0/0", "description": "oops"}}
				service["endpoints"].([]any)[0].(mockapi.Object)["enabled"] = true
			})
		}),
		// No longer managed: nothing is sent, nothing is reset.
		showing(step(plancheck.ResourceActionUpdate, id, ""), serviceAddress, map[string]knownvalue.Check{
			"name": knownvalue.StringExact("Renamed 2"), "release_channel": knownvalue.Null(), "endpoints_enabled": knownvalue.Null(),
		}),
		step(plancheck.ResourceActionDestroyBeforeCreate, mockapi.OtherServiceID, `name = "Playground"`, `{"name":"Playground"}`),
	)
	env.ExpectNoDeletes(t)
	if name := env.Object(mockapi.Service, id)["name"]; name != "Renamed 2" {
		t.Errorf("the destroy changed the name to %v", name)
	}
}
