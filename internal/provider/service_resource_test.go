package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
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
	env.Run(t,
		resource.TestStep{ // adopted, and nothing managed yet
			PreConfig:        env.ResetRequests,
			Config:           serviceConfig(id, ""),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(plancheck.ExpectResourceAction(serviceAddress, plancheck.ResourceActionCreate)),
			ConfigStateChecks: []statecheck.StateCheck{ // the look-up's test has all of them
				statecheck.ExpectKnownValue(serviceAddress, tfjsonpath.New("name"), knownvalue.StringExact("Orders")),
				statecheck.ExpectKnownValue(serviceAddress, tfjsonpath.New("release_channel"), knownvalue.Null()),
				statecheck.ExpectKnownValue(serviceAddress, tfjsonpath.New("endpoints_enabled"), knownvalue.Null()),
			},
			Check: env.Sends("updateService"),
		},
		resource.TestStep{
			ResourceName:                         serviceAddress,
			ImportState:                          true,
			ImportStateId:                        id,
			ImportStateVerify:                    true,
			ImportStateVerifyIdentifierAttribute: "service_id",
		},
		resource.TestStep{ // one attribute: one line of plan, one member sent
			PreConfig: env.ResetRequests,
			Config:    serviceConfig(id, `name = "Renamed"`),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(serviceAddress, plancheck.ResourceActionUpdate),
				acctest.OnlyChanges(serviceAddress, "name"),
			),
			Check: env.Sends("updateService", `{"name":"Renamed"}`),
		},
		resource.TestStep{ // everything, and what follows from it
			PreConfig: env.ResetRequests,
			Config:    serviceConfig(id, full),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(acctest.OnlyChanges(serviceAddress,
				"name", "ip_access_list", "private_endpoint_ids", "transparent_data_encryption_key_id", "release_channel",
				"endpoints_enabled", "endpoints", "encryption_key", "encryption_assumed_role_identifier", "encryption_role_id",
				"has_transparent_data_encryption")),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(serviceAddress, tfjsonpath.New("release_channel"), knownvalue.StringExact("fast")),
				statecheck.ExpectKnownValue(serviceAddress, tfjsonpath.New("endpoints"), knownvalue.MapExact(map[string]knownvalue.Check{})),
			},
			Check: env.Sends("updateService", `{"endpoints":[{"enabled":false,"protocol":"mysql"}],`+
				`"ipAccessList":{"add":[{"description":"the vpc","source":"10.0.0.0/8"},{"description":"","source":"203.0.113.9"}],`+
				`"remove":[{"description":"office","source":"192.0.2.7"}]},`+
				`"name":"Renamed 2","privateEndpointIds":{"add":["vpce-8c9d0e1f"],"remove":["vpce-0a1b2c3d"]},`+
				`"releaseChannel":"fast","transparentDataEncryptionKeyId":"tde-key-2"}`),
		},
		resource.TestStep{ // drift, of the list and of the endpoint
			PreConfig: func() {
				env.Change(mockapi.Service, id, func(service mockapi.Object) {
					service["ipAccessList"] = []any{mockapi.Object{"source": "0.0.0.0/0", "description": "oops"}}
					service["endpoints"].([]any)[0].(mockapi.Object)["enabled"] = true
				})
				env.ResetRequests()
			},
			Config:           serviceConfig(id, full),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(acctest.OnlyChanges(serviceAddress, "ip_access_list", "endpoints_enabled", "endpoints")),
			Check: env.Sends("updateService", `{"endpoints":[{"enabled":false,"protocol":"mysql"}],`+
				`"ipAccessList":{"add":[{"description":"the vpc","source":"10.0.0.0/8"},{"description":"","source":"203.0.113.9"}],`+
				`"remove":[{"description":"oops","source":"0.0.0.0/0"}]}}`),
		},
		resource.TestStep{ // no longer managed: nothing is sent, nothing is reset
			PreConfig:        env.ResetRequests,
			Config:           serviceConfig(id, ""),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(acctest.OnlyChanges(serviceAddress, "endpoints_enabled", "release_channel")),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(serviceAddress, tfjsonpath.New("name"), knownvalue.StringExact("Renamed 2")),
			},
			Check: env.Sends("updateService"),
		},
		resource.TestStep{ // another service
			Config: serviceConfig(mockapi.OtherServiceID, `name = "Playground"`),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(serviceAddress, plancheck.ResourceActionDestroyBeforeCreate)),
			Check: env.Sends("updateService", `{"name":"Playground"}`),
		},
	)
	env.ExpectNoDeletes(t)
	if name := env.Object(mockapi.Service, id)["name"]; name != "Renamed 2" {
		t.Errorf("the destroy changed the name to %v", name)
	}
}
