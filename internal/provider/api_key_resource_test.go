package provider

import (
	"net/http"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

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
