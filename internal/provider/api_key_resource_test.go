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

const keyAddress = "dbplatform_api_key.this"

func keyConfig(id, body string) string {
	return fmt.Sprintf(`
resource "dbplatform_api_key" "this" {
  key_id = %q
  %s
}
`, id, body)
}

func TestAPIKey(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	id := mockapi.APIKeyID
	full := `
  name           = "Rotated"
  roles          = ["query_endpoints", "admin"]
  expire_at      = "2032-02-29T12:00:00+02:00"
  state          = "disabled"
  ip_access_list = { "198.51.100.0/24" = "runners" }
  on_destroy     = "disable"
`
	is := func(name string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(keyAddress, tfjsonpath.New(name), check)
	}
	env.Run(t,
		resource.TestStep{ // adopted, and nothing managed yet
			PreConfig:        env.ResetRequests,
			Config:           keyConfig(id, ""),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(plancheck.ExpectResourceAction(keyAddress, plancheck.ResourceActionCreate)),
			ConfigStateChecks: []statecheck.StateCheck{
				is("expire_at", knownvalue.StringExact("2031-01-01T00:00:00Z")), // the look-up's test has the others
				is("state", knownvalue.Null()),
				is("on_destroy", knownvalue.StringExact("keep")),
			},
			Check: env.Sends("updateKey"),
		},
		acctest.EmptyPlan(keyConfig(id, "")),
		resource.TestStep{
			ResourceName:                         keyAddress,
			ImportState:                          true,
			ImportStateId:                        id,
			ImportStateVerify:                    true,
			ImportStateVerifyIdentifierAttribute: "key_id",
		},
		resource.TestStep{ // one attribute
			PreConfig:        env.ResetRequests,
			Config:           keyConfig(id, `expire_at = "2031-06-30T00:00:00Z"`),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(acctest.OnlyChanges(keyAddress, "expire_at")),
			Check:            env.Sends("updateKey", `{"expireAt":"2031-06-30T00:00:00Z"}`),
		},
		resource.TestStep{ // the same instant in another notation is no change
			PreConfig:        env.ResetRequests,
			Config:           keyConfig(id, `expire_at = "2031-06-30T02:00:00.000+02:00"`),
			ConfigPlanChecks: acctest.PreApply(plancheck.ExpectEmptyPlan()),
			Check:            env.Sends("updateKey"),
		},
		resource.TestStep{ // everything
			PreConfig:        env.ResetRequests,
			Config:           keyConfig(id, full),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(acctest.OnlyChanges(keyAddress, "name", "roles", "expire_at", "state", "ip_access_list", "on_destroy")),
			Check: env.Sends("updateKey", `{"expireAt":"2032-02-29T12:00:00+02:00",`+
				`"ipAccessList":[{"description":"runners","source":"198.51.100.0/24"}],`+
				`"name":"Rotated","roles":["admin","query_endpoints"],"state":"disabled"}`),
		},
		acctest.EmptyPlan(keyConfig(id, full)),
		resource.TestStep{ // drift: somebody took away the expiry, the roles and the list
			PreConfig: func() {
				env.Change(mockapi.Key, id, func(key mockapi.Object) {
					key["expireAt"], key["roles"], key["ipAccessList"] = nil, []any{"admin"}, []any{}
				})
				env.ResetRequests()
			},
			Config:           keyConfig(id, full),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(acctest.OnlyChanges(keyAddress, "expire_at", "roles", "ip_access_list")),
			Check: env.Sends("updateKey", `{"expireAt":"2032-02-29T12:00:00+02:00",`+
				`"ipAccessList":[{"description":"runners","source":"198.51.100.0/24"}],"roles":["admin","query_endpoints"]}`),
		},
		resource.TestStep{ // never expires
			PreConfig:         env.ResetRequests,
			Config:            keyConfig(id, `expire_at = ""`),
			ConfigPlanChecks:  acctest.PreApplyThenEmpty(acctest.OnlyChanges(keyAddress, "expire_at", "on_destroy", "state")),
			ConfigStateChecks: []statecheck.StateCheck{is("expire_at", knownvalue.StringExact(""))},
			Check:             env.Sends("updateKey", `{"expireAt":null}`),
		},
		resource.TestStep{ // another key, which already never expires: nothing to send
			PreConfig: env.ResetRequests,
			Config:    keyConfig(mockapi.OtherAPIKeyID, `expire_at = ""`),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(keyAddress, plancheck.ResourceActionDestroyBeforeCreate)),
			Check: env.Sends("updateKey"),
		},
		acctest.EmptyPlan(keyConfig(mockapi.OtherAPIKeyID, `expire_at = ""`)),
	)
	env.ExpectNoDeletes(t)
}
