package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// What lifecycle.ignore_changes covers is never sent: attributes and entries of maps.
// Terraform gives the apply a configuration that still has them.
func TestIgnoredChangesAreNotSent(t *testing.T) {
	t.Parallel()
	ignoring := func(what string) string { return "\n  lifecycle {\n    ignore_changes = [" + what + "]\n  }" }
	config := func(text string, memory int) string {
		return scalingConfig(mockapi.KafkaPipeID, fmt.Sprintf("replicas = 4\n  replica_memory_gb = %d", memory)+ignoring("replicas")) +
			serviceConfig(mockapi.ServiceID, fmt.Sprintf("name = %q", text)+`
  ip_access_list       = { "10.0.0.0/8" = "vpc" }
  private_endpoint_ids = ["vpce-0a1b2c3d"]`+ignoring("ip_access_list, private_endpoint_ids")) +
			keyConfig(mockapi.APIKeyID, fmt.Sprintf(`ip_access_list = { "10.0.0.0/8" = %q, "192.0.2.1" = "home" }`, text)+`
  roles     = ["developer"]
  expire_at = "2032-01-01T00:00:00Z"
  state     = "enabled"`+ignoring(`roles, expire_at, state, ip_access_list["192.0.2.1"]`))
	}
	entry := func(source, description string) mockapi.Object {
		return mockapi.Object{"source": source, "description": description}
	}
	env := newEnv(t)
	tf := env.CLI(t, config("One", 1))
	tf.Apply()
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["scaling"].(mockapi.Object)["replicas"] = 9 })
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
		service["ipAccessList"] = append(service["ipAccessList"].([]any), entry("203.0.113.9", "theirs"))
		service["privateEndpointIds"] = append(service["privateEndpointIds"].([]any), "vpce-8c9d0e1f")
	})
	env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) {
		key["roles"], key["expireAt"], key["state"] = []any{"admin"}, "2030-01-01T00:00:00Z", "disabled"
		key["ipAccessList"] = []any{entry("10.0.0.0/8", "One"), entry("192.0.2.1", "theirs")}
	})
	tf.Configure(config("Two", 2))
	env.ResetRequests()
	acctest.Contains(t, tf.Apply(), "0 added, 3 changed, 0 destroyed")
	env.ExpectWrites(t, "scalePipe", `{"replicaMemoryGb":2}`)
	env.ExpectWrites(t, "updateService", `{"name":"Two"}`)
	env.ExpectWrites(t, "updateKey", `{"ipAccessList":[{"source":"192.0.2.1","description":"theirs"},{"source":"10.0.0.0/8","description":"Two"}]}`)
	tf.ExpectNoChanges()
}

// If a key cannot be read, an attribute that only the response to its adoption
// had is left null: nothing would ever update it.
func TestUnreadableKeyKeepsOnlyWhatIsSet(t *testing.T) {
	t.Parallel()
	c := newEnv(t, mockapi.WithVariants(mockapi.Variants{RefuseEmptyPatch: 400, EchoWriteOnly: true})).Core(t, nil)
	c.Must(onKey(map[string]any{"name": "Named"}))
	if state := acctest.Plain(c.Attribute("api_key", "state")); state != nil {
		t.Errorf("the state is %v", state)
	}
}

// A list that the plan knows only in part keeps the notation of the configuration:
// replaced by the prior one, it would differ from the plan once it is known. Another
// notation sends nothing.
func TestListsKnownInPart(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	config := func(list string, run int) string { // the text is unknown in each plan
		return fmt.Sprintf("resource \"terraform_data\" \"text\" {\n  input            = \"office\"\n  triggers_replace = %d\n}\n", run) +
			keyConfig(mockapi.APIKeyID, "ip_access_list = "+list)
	}
	tf := env.CLI(t, config(`{ "10.0.0.1/32" = "", "10.0.0.2" = "office" }`, 0))
	tf.Apply()
	for run, step := range []struct {
		list string
		sent []string
	}{
		{`{ "10.0.0.1" = null, "10.0.0.2/32" = terraform_data.text.output }`, nil},
		{`{ "10.0.0.1/32" = "home", "10.0.0.2" = terraform_data.text.output }`, []string{`{"ipAccessList":[{"source":"10.0.0.2","description":"office"},{"source":"10.0.0.1/32","description":"home"}]}`}},
		{`{ "10.0.0.1" = "home", "10.0.0.2/32" = terraform_data.text.output }`, nil},
	} {
		env.ResetRequests()
		tf.Configure(config(step.list, run+1))
		tf.Apply()
		tf.ExpectNoChanges()
		env.ExpectWrites(t, "updateKey", step.sent...)
	}
}

// Lists that have drifted since the plan never become empty, and lose nothing that
// should stay.
func TestDriftOfPlannedLists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after, drifted, want []string }{
		"the one that should stay is gone": {[]string{"::1", "::2"}, []string{"::2"}, []string{"::1"}, []string{"::2"}},
		"all are gone":                     {[]string{"::1", "::2"}, []string{"::2"}, nil, []string{"::2"}},
		"all are gone, and one is new":     {[]string{"::1"}, []string{"::1", "::2"}, nil, []string{"::1", "::2"}},
		"another is there":                 {[]string{"::1"}, []string{"::2"}, []string{"::1", "::3"}, []string{"::2", "::3"}},
	} {
		for kind, on := range map[mockapi.Kind]func(map[string]any) acctest.Configs{mockapi.Service: onService, mockapi.Key: onKey} {
			env := newEnv(t)
			c := env.Core(t, nil)
			config := func(sources []string) acctest.Configs {
				list := map[string]any{}
				for _, source := range sources {
					list[source] = ""
				}
				return on(map[string]any{"ip_access_list": list})
			}
			c.Must(config(test.before))
			plans := c.MustPlan(config(test.after))
			id := map[mockapi.Kind]string{mockapi.Service: mockapi.ServiceID, mockapi.Key: mockapi.APIKeyID}[kind]
			env.Change(kind, id, func(object mockapi.Object) {
				drifted := []any{}
				for _, source := range test.drifted {
					drifted = append(drifted, mockapi.Object{"source": source, "description": ""})
				}
				object["ipAccessList"] = drifted
			})
			if err := c.ApplyAll(plans); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			var got []string
			for _, entry := range listOf(env.Object(kind, id)) {
				got = append(got, strings.TrimSuffix(entry, "/128 "))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s, %s: %v", name, kind, got)
			}
			c.Must(config(test.after))
			c.ExpectNoChanges(config(test.after))
		}
	}
}

// What is shown only if it is configured does not get into the state by a failed
// update.
func TestFailedUpdateShowsNothingUnconfigured(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{EchoWriteOnly: true, FrozenRoles: true}))
	c := env.Core(t, nil)
	c.Must(onKey(map[string]any{"name": "One"}))
	_, err := c.Run(onKey(map[string]any{"name": "Two", "roles": []any{"query_endpoints"}}))
	acctest.Contains(t, fmt.Sprint(err), "Change not confirmed by the API")
	if state := acctest.Plain(c.Attribute("api_key", "state")); state != nil {
		t.Errorf("the state is %v", state)
	}
	c.ExpectNoChanges(onKey(map[string]any{"name": "Two"}))
}
