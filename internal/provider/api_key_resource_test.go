package provider

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

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
	const list = `"ipAccessList":[{"description":"runners","source":"198.51.100.0/24"}]`
	step := func(action plancheck.ResourceActionType, id, body string, sent ...string) resource.TestStep {
		return planned(env, keyAddress, action, keyConfig(id, body), "updateKey", sent...)
	}
	env.Run(t,
		// Adopted, and nothing managed yet. The look-up's test has the other attributes.
		showing(step(plancheck.ResourceActionCreate, id, ""), keyAddress, map[string]knownvalue.Check{
			"expire_at": knownvalue.StringExact("2031-01-01T00:00:00Z"), "state": knownvalue.Null(), "on_destroy": knownvalue.StringExact("keep"),
		}),
		imported(keyAddress, id, "key_id"),
		step(plancheck.ResourceActionUpdate, id, `expire_at = "2031-06-30T00:00:00Z"`, `{"expireAt":"2031-06-30T00:00:00Z"}`),
		step(plancheck.ResourceActionNoop, id, `expire_at = "2031-06-30T02:00:00.000+02:00"`), // the same instant
		step(plancheck.ResourceActionUpdate, id, full, `{"expireAt":"2032-02-29T12:00:00+02:00",`+list+`,"name":"Rotated","roles":["admin","query_endpoints"],"state":"disabled"}`),
		// Somebody took away the expiry, a role and the list.
		drifted(env, step(plancheck.ResourceActionUpdate, id, full, `{"expireAt":"2032-02-29T12:00:00+02:00",`+list+`,"roles":["admin","query_endpoints"]}`), func() {
			env.Change(mockapi.Key, id, func(key mockapi.Object) {
				key["expireAt"], key["roles"], key["ipAccessList"] = nil, []any{"admin"}, []any{}
			})
		}),
		showing(step(plancheck.ResourceActionUpdate, id, `expire_at = ""`, `{"expireAt":null}`), keyAddress, map[string]knownvalue.Check{"expire_at": knownvalue.StringExact("")}),
		step(plancheck.ResourceActionDestroyBeforeCreate, mockapi.OtherAPIKeyID, `expire_at = ""`), // which is so already
	)
	env.ExpectNoDeletes(t)
}

// A destroy sends only what on_destroy asks for. A key that is gone needs
// nothing, and one that cannot be disabled stays in the state.
func TestAPIKeyOnDestroy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		onDestroy string
		refuse    int // the status of the update
		sent      []string
		fails     bool
	}{
		"keep":             {onDestroy: "keep"},
		"disable":          {onDestroy: "disable", sent: []string{`{"state":"disabled"}`}},
		"disable, gone":    {onDestroy: "disable", refuse: 404, sent: []string{`{"state":"disabled"}`}},
		"disable, refused": {onDestroy: "disable", refuse: 403, sent: []string{`{"state":"disabled"}`}, fails: true},
	} {
		env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
			refused := test.refuse != 0 && c.Writes()
			if refused {
				c.Record()
				c.Fail(rw, test.refuse)
			}
			return refused
		})
		c := env.Core(t, nil)
		c.Must(onKey(map[string]any{"on_destroy": test.onDestroy}))
		_, err := c.Run(acctest.Configs{"api_key": nil})
		env.ExpectWrites(t, "updateKey", test.sent...)
		if (err != nil) != test.fails || c.Instance("api_key").State.IsNull() == test.fails {
			t.Errorf("%s: error: %v, state: %s", name, err, c.Instance("api_key").State)
		}
	}
}

// A credential's id in place of the key's is an error that says which one is
// meant.
func TestTwoIDsOfAKey(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	const which = "This is the UUID that identifies the key in the API, not the ID that the provider authenticates with (key_id in the provider block)."
	for _, config := range []string{keyConfig(mockapi.KeyID, ""), lookUpKey(mockapi.KeyID)} {
		out := env.CLI(t, config).Fails("validate")
		acctest.Contains(t, out, "Attribute key_id must be a UUID of 36 characters", which)
	}
	out := env.CLI(t, keyConfig(mockapi.APIKeyID, "")).Fails("import", keyAddress, mockapi.KeyID)
	acctest.Contains(t, out, `"mock-key-id" is not a key_id`, which)

	out, _ = env.CLI(t, serviceConfig("orders", "")).Run("validate")
	acctest.Contains(t, out, "must be a UUID of 36 characters")
	acctest.Lacks(t, out, "identifies the key")
}

// A refresh that finds nothing but another used_at is no drift, nor is the
// first refresh after an adoption. For resources with numbers, Terraform 1.11
// itself takes every refresh for drift.
func TestUsedAtIsNoDrift(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{UsedAtMoves: true}))
	tf := env.CLI(t, keyConfig(mockapi.APIKeyID, `name = "Used"`))
	tf.Apply()
	before := tf.Attributes("dbplatform_api_key")["used_at"]
	for range 2 {
		out, code := tf.Run("plan", "-refresh-only", "-detailed-exitcode")
		if code != 0 {
			t.Errorf("the refresh ended with %d:\n%s", code, out)
		}
	}
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Drifted" })
	acctest.Contains(t, tf.Must("plan", "-refresh-only"), "have changed outside of", `"Used" -> "Drifted"`)
	tf.Apply()
	if after := tf.Attributes("dbplatform_api_key")["used_at"]; before == nil || after == before {
		t.Errorf("used_at stays %v with another change", after)
	}
	tf.ExpectNoChanges()
}
