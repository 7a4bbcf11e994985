package provider

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A key that leaves one address and comes back at another is enabled only if
// it is known to have been enabled. Otherwise the output says that it is disabled.
func TestDisabledKeyIsToldOf(t *testing.T) {
	t.Parallel()
	const disable = `on_destroy = "disable"`
	const enabled = disable + "\n  state = \"enabled\""
	aliased := func(name, provider, body string) string {
		return fmt.Sprintf("resource \"dbplatform_api_key\" %q {\n  provider = %s\n  key_id = %q\n  %s\n}\n", name, provider, mockapi.APIKeyID, body)
	}
	named := func(name, body string) string { return aliased(name, "dbplatform", body) }
	for name, test := range map[string]struct {
		shown         bool // the API returns the key's state
		before        string
		first, second string // configurations; an empty second one replaces the first
		fails         bool   // the first write of the second configuration
		want          string // the key's state in the end
	}{
		"disabled by an administrator, replaced":            {shown: true, before: "disabled", first: named("this", disable), want: "disabled"},
		"disabled by an administrator, not shown, replaced": {before: "disabled", first: named("this", disable), want: "disabled"},
		"disabled by an administrator, not shown, renamed":  {before: "disabled", first: named("old", disable), second: named("new", disable), want: "disabled"},
		"disabled, renamed to another alias":                {shown: true, before: "disabled", first: named("old", disable), second: aliased("new", "dbplatform.b", disable), want: "disabled"},
		"disabled as configured, replaced":                  {before: "disabled", first: named("this", disable+"\n  state = \"disabled\""), want: "disabled"},
		"enabled, replaced":                                 {shown: true, before: "enabled", first: named("this", disable), want: "enabled"},
		"enabled, not shown, replaced":                      {before: "enabled", first: named("this", disable), want: "enabled"},
		"enabled, created before it is destroyed":           {shown: true, before: "enabled", first: named("this", disable+"\n  lifecycle {\n    create_before_destroy = true\n  }"), want: "enabled"},
		"enabled, renamed to another alias":                 {shown: true, before: "enabled", first: named("old", disable), second: aliased("new", "dbplatform.b", disable), want: "enabled"},
		"enabled as configured, renamed":                    {before: "enabled", first: named("old", enabled), second: aliased("new", "dbplatform.b", enabled), want: "enabled"},
		"renamed, and the create fails":                     {before: "enabled", first: named("old", disable), second: named("new", disable+"\n  name = \"Mine\""), fails: true},
		"renamed to another alias, and the create fails":    {shown: true, before: "enabled", first: named("old", disable), second: aliased("new", "dbplatform.b", disable+"\n  name = \"Mine\""), fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var failing atomic.Bool
			env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
				fails := failing.Load() && strings.Contains(c.Body, `"Mine"`)
				if fails {
					c.Fail(rw, 403)
				}
				return fails
			}, mockapi.WithVariants(mockapi.Variants{EchoWriteOnly: test.shown}))
			alias := strings.Replace(env.ProviderBlock(), "{", "{\n  alias = \"b\"", 1)
			tf := env.CLI(t, alias+test.first)
			tf.Apply()
			env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["state"] = test.before })
			failing.Store(test.fails)

			args := []string{"apply", "-auto-approve"}
			env.ResetRequests()
			if test.second == "" {
				args = append(args, "-replace=dbplatform_api_key.this")
			} else {
				tf.Configure(alias + test.second)
			}
			out, code := tf.Run(args...)
			if (code != 0) != test.fails {
				t.Fatalf("the apply ended with %d:\n%s", code, out)
			}
			if test.second == "" && !strings.Contains(test.first, "state =") {
				env.ExpectWrites(t, "updateKey") // none: Terraform may use this very key
			}
			if test.fails {
				failing.Store(false)
				out += tf.Apply()
			}
			state := env.Object(mockapi.Key, mockapi.APIKeyID)["state"]
			says := regexp.MustCompile(`(?i)stays disabled|to enable it`).MatchString(acctest.Flat(out))
			switch {
			case test.want != "" && state != test.want:
				t.Errorf("the key is %v, not %s:\n%s", state, test.want, out)
			case test.want == "" && state != "enabled" && !says:
				t.Errorf("the key is %v, and nobody says so:\n%s", state, out)
			}
			tf.ExpectNoChanges()
		})
	}
}

// A destroy that disables a key after its new block failed to adopt it says that
// the key stays disabled, because that block no longer can.
func TestKeyStaysDisabledAfterAFailedAdoption(t *testing.T) {
	t.Parallel()
	env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
		fails := strings.Contains(c.Body, `"Mine"`)
		if fails {
			c.Fail(rw, http.StatusForbidden)
		}
		return fails
	})
	before := env.Core(t, nil)
	before.Must(onKey(map[string]any{"on_destroy": "disable"}))
	after := before.Sibling() // another block of the same configuration
	config := onKey(map[string]any{"on_destroy": "disable", "name": "Mine"})["api_key"]

	before.Walk()
	after.Server = before.Server
	destroy, err := before.Plan("api_key", before.Config("api_key", nil))
	if err != nil {
		t.Fatal(err)
	}
	create, err := after.Plan("api_key", after.Config("api_key", config))
	if err != nil {
		t.Fatal(err)
	}
	before.Walk()
	after.Server = before.Server
	if err := after.Apply("api_key", create); err == nil {
		t.Error("the key is adopted")
	}
	if err := before.Apply("api_key", destroy); err != nil {
		t.Error(err)
	}
	acctest.Contains(t, fmt.Sprint(warned(before, "API key left disabled")), "it stays disabled", `set state = "enabled"`)
	expectKey(t, env, mockapi.APIKeyID, "disabled")
}

// With -replace, no plan shows that a key is disabled. An earlier destroy that
// failed does not change that.
func TestReplaceAfterAFailedDestroy(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
		fails := failing.Load() && c.Writes()
		if fails {
			c.Fail(rw, http.StatusForbidden)
		}
		return fails
	})
	tf := env.CLI(t, keyConfig(mockapi.APIKeyID, `on_destroy = "disable"`))
	tf.Apply()
	failing.Store(true)
	acctest.Contains(t, tf.Fails("destroy", "-auto-approve"), "Unable to disable API key")
	failing.Store(false)
	env.ResetRequests()
	tf.Apply("-replace=" + keyAddress)
	env.ExpectWrites(t, "updateKey")
	expectKey(t, env, mockapi.APIKeyID, "enabled")
}
