package provider

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// letteredKeyID is an id with an upper and a lower case.
const letteredKeyID = "abcdefab-cdef-4abc-8def-abcdefabcdef"

const disableOnDestroy = `on_destroy = "disable"`

// namedKey is a block of a key.
func namedKey(name, id, body string) string {
	return fmt.Sprintf("resource \"dbplatform_api_key\" %q {\n  key_id = %q\n  %s\n}\n", name, id, body)
}

// A plan never disables a key that the configuration still manages: it fails
// at the key's id, and sends nothing but reads.
func TestManagedKeyIsNotDisabled(t *testing.T) {
	t.Parallel()
	const key, other = letteredKeyID, mockapi.OtherAPIKeyID
	rotated := func(outgoing, incoming string) string {
		return fmt.Sprintf("locals {\n  keys = {\n    old = %q\n    new = %q\n  }\n}\n", outgoing, incoming) +
			"resource \"dbplatform_api_key\" \"these\" {\n  for_each = local.keys\n  key_id = each.value\n  on_destroy = \"disable\"\n}\n"
	}
	imported := fmt.Sprintf("import {\n  to = dbplatform_api_key.new\n  id = %q\n}\n", key)
	for name, test := range map[string]struct {
		first, second string
		args          []string // of the plan
		fine          bool     // the plan succeeds
	}{
		"entries that swap their keys":   {first: rotated(key, other), second: rotated(other, mockapi.APIKeyID)},
		"renamed":                        {first: namedKey("old", key, disableOnDestroy), second: namedKey("new", key, disableOnDestroy)},
		"renamed, without a refresh":     {first: namedKey("old", key, disableOnDestroy), second: namedKey("new", key, disableOnDestroy), args: []string{"-refresh=false"}},
		"renamed, in another case":       {first: namedKey("old", key, disableOnDestroy), second: namedKey("new", strings.ToUpper(key), "")},
		"one of two blocks":              {first: namedKey("a", key, disableOnDestroy) + namedKey("b", key, ""), second: namedKey("b", key, "")},
		"one of two blocks, and updated": {first: namedKey("a", key, disableOnDestroy) + namedKey("b", key, ""), second: namedKey("b", key, `name = "Kept"`)},
		"imported into another block":    {first: namedKey("old", key, disableOnDestroy), second: namedKey("new", key, "") + imported},
		"created before it is destroyed": {first: namedKey("old", key, disableOnDestroy+"\n  lifecycle {\n    create_before_destroy = true\n  }"), second: namedKey("new", key, "")},
		"renamed, with a moved block":    {first: namedKey("old", key, disableOnDestroy), second: namedKey("new", key, disableOnDestroy) + "moved {\n  from = dbplatform_api_key.old\n  to = dbplatform_api_key.new\n}\n", fine: true},
		"renamed, kept on destroy":       {first: namedKey("old", key, ""), second: namedKey("new", key, ""), fine: true},
		"another key":                    {first: namedKey("old", key, disableOnDestroy), second: namedKey("new", other, ""), fine: true},
		"replaced":                       {first: namedKey("this", key, disableOnDestroy), second: namedKey("this", key, disableOnDestroy), args: []string{"-replace=dbplatform_api_key.this"}, fine: true},
		"only one of them is planned":    {first: namedKey("old", key, disableOnDestroy), second: namedKey("new", key, ""), args: []string{"-target=dbplatform_api_key.old"}, fine: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			env.AddKey(mockapi.Object{"id": letteredKeyID, "name": "Lettered"})
			tf := env.CLI(t, test.first)
			tf.Apply()
			tf.Configure(test.second)
			env.ResetRequests()
			out, code := tf.Run(append([]string{"plan", "-out=saved"}, test.args...)...)
			env.ExpectOnlyReads(t)
			if (code == 0) != test.fine {
				t.Errorf("the plan ended with %d:\n%s", code, out)
			}
			if !test.fine {
				acctest.Contains(t, acctest.Flat(out), "Plan would disable API key …", "that another block manages", "add a moved block",
					`first apply on_destroy = "keep" there`, "removed block", `set state = "disabled" in the block that stays`)
			}
		})
	}
}

// A plan that is refused does not warn that it would disable the key.
func TestRefusedDestroyDoesNotWarn(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	config := onKey(map[string]any{"on_destroy": "disable"})
	c.Must(config)
	for does, other := range map[string]acctest.Configs{"keeps": config, "updates": onKey(map[string]any{"on_destroy": "keep"})} {
		c.Walk()
		if _, err := c.Plan("api_key", c.Config("api_key", other["api_key"])); err != nil {
			t.Fatal(err)
		}
		_, err := c.Plan("api_key", c.Config("api_key", nil))
		acctest.Contains(t, fmt.Sprint(err), "destroys one block of API key "+mockapi.APIKeyID+" and "+does+" another.")
		if len(c.Warnings) > 0 {
			t.Errorf("the refused plan warns: %s", c.Warnings)
		}
	}
}

// A change of on_destroy is Terraform's alone: nothing is sent, not even where
// the API refuses to be read.
func TestOnDestroyIsNotSent(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, map[string]any{"unreadable_objects": "error"})
	c.Must(onKey(map[string]any{"name": "Deploy"}))
	env.SetVariants(mockapi.Variants{RefuseEmptyPatch: http.StatusMethodNotAllowed})
	env.ResetRequests()
	applyWithoutRefresh(t, c, onKey(map[string]any{"name": "Deploy", "on_destroy": "disable"}))
	if sent := env.Requests(); len(sent) > 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
	if got := acctest.Plain(c.Attribute("api_key", "on_destroy")); got != "disable" {
		t.Errorf("on_destroy is %v", got)
	}
}

// A destroy whose response shows the key as enabled has failed, unless the next
// reads show it as disabled.
func TestDestroyIsConfirmed(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		for _, carriedOut := range []bool{true, false} {
			env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
				disables := strings.Contains(c.Body, "disabled")
				if disables {
					recorded := httptest.NewRecorder()
					if carriedOut {
						recorded = c.Record()
					}
					acctest.Respond(w, recorded, []byte(`{"status":200,"result":{"id":"`+mockapi.APIKeyID+`","state":"enabled"}}`))
				}
				return disables
			}, mockapi.WithVariants(mockapi.Variants{EchoWriteOnly: true}))
			c := env.Core(t, nil)
			c.Must(onKey(map[string]any{"on_destroy": "disable"}))
			_, err := c.Run(acctest.Configs{"api_key": nil})
			if (err == nil) != carriedOut || c.Instance("api_key").State.IsNull() != carriedOut {
				t.Errorf("carried out is %v: %v, state %s", carriedOut, err, c.Instance("api_key").State)
			}
			if !carriedOut {
				acctest.Contains(t, fmt.Sprint(err), "Change not confirmed by the API", `still returns "enabled"`)
			}
		}
	})
}

// With -replace, no destroy is planned and the key is not disabled, also if
// Terraform destroys the old resource last.
func TestReplaceCreatedBeforeDestroyed(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, namedKey("this", mockapi.APIKeyID, disableOnDestroy+"\n  lifecycle {\n    create_before_destroy = true\n  }"))
	tf.Apply()
	env.ResetRequests()
	tf.Apply("-replace=dbplatform_api_key.this")
	env.ExpectOnlyReads(t)
	tf.ExpectNoChanges()
}

// A plan that destroys a key and has a block whose key is known only after apply
// cannot tell whether they are one, so it fails.
func TestUnknownKeyMayBeTheDestroyedOne(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, namedKey("old", mockapi.APIKeyID, disableOnDestroy))
	tf.Apply()
	unknown := fmt.Sprintf("resource \"terraform_data\" \"id\" {\n  input = %q\n}\n", mockapi.APIKeyID) +
		"resource \"dbplatform_api_key\" \"new\" {\n  key_id = terraform_data.id.output\n}\n"
	tf.Configure(unknown)
	acctest.Contains(t, acctest.Flat(tf.Fails("plan")), "Plan may disable an API key that another block manages", "whose key_id is known only after apply")
	tf.Configure(strings.Replace(unknown, `"new"`, `"old"`, 1)) // the block itself may get the same key again
	acctest.Contains(t, acctest.Flat(tf.Fails("plan")), "Plan may disable an API key", "key_id = terraform_data.id.output")
	tf.Configure(unknown)
	tf.Apply("-target=terraform_data.id")
	acctest.Contains(t, acctest.Flat(tf.Fails("plan")), "Plan would disable API key …1111")
	expectKey(t, env, mockapi.APIKeyID, "enabled")
}
