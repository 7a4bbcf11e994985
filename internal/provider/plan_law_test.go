package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// What lifecycle.ignore_changes covers is never sent: attributes, entries of
// maps, and an attribute beside a change of on_destroy alone.
func TestIgnoredChangesAreNotSent(t *testing.T) {
	t.Parallel()
	ignoring := func(what string) string { return "\n  lifecycle {\n    ignore_changes = [" + what + "]\n  }" }
	entry := func(source, description string) mockapi.Object {
		return mockapi.Object{"source": source, "description": description}
	}
	other := func(config string) string { return strings.Replace(config, `"this"`, `"other"`, 1) }
	for name, test := range map[string]struct {
		config func(text string, number int, onDestroy string) string
		drift  func(*acctest.Env)
		sent   map[string][]string // by operation
		left   string              // what the API has then
	}{
		"attributes": {
			config: func(text string, number int, _ string) string {
				return scalingConfig(mockapi.KafkaPipeID, fmt.Sprintf("replicas = 4\n  replica_memory_gb = %d", number)+ignoring("replicas")) +
					serviceConfig(mockapi.ServiceID, fmt.Sprintf("name = %q", text)+`
  ip_access_list       = { "10.0.0.0/8" = "vpc" }
  private_endpoint_ids = ["vpce-0a1b2c3d"]`+ignoring("ip_access_list, private_endpoint_ids")) +
					keyConfig(mockapi.APIKeyID, fmt.Sprintf("name = %q", text)+`
  roles     = ["developer"]
  expire_at = "2032-01-01T00:00:00Z"
  state     = "enabled"`+ignoring("roles, expire_at, state"))
			},
			drift: func(env *acctest.Env) {
				env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["scaling"].(mockapi.Object)["replicas"] = 9 })
				env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
					service["ipAccessList"] = append(service["ipAccessList"].([]any), entry("203.0.113.9", "theirs"))
					service["privateEndpointIds"] = append(service["privateEndpointIds"].([]any), "vpce-8c9d0e1f")
				})
				env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) {
					key["roles"], key["expireAt"], key["state"] = []any{"admin"}, "2030-01-01T00:00:00Z", "disabled"
				})
			},
			sent: map[string][]string{"scalePipe": {`{"replicaMemoryGb":2}`}, "updateService": {`{"name":"Two"}`}, "updateKey": {`{"name":"Two"}`}},
			left: "9 map[10.0.0.0/8:vpc 203.0.113.9:theirs] [vpce-0a1b2c3d vpce-8c9d0e1f] " +
				"map[198.51.100.0/24:runners 2001:db8::1:bastion] [admin] 2030-01-01T00:00:00Z disabled Dashboards",
		},
		"entries of maps, and a change of on_destroy alone": {
			config: func(text string, _ int, onDestroy string) string {
				list := fmt.Sprintf(`ip_access_list = { "10.0.0.0/8" = %q, "192.0.2.1" = "home" }`, text) + ignoring(`ip_access_list["192.0.2.1"]`)
				return serviceConfig(mockapi.ServiceID, list) + keyConfig(mockapi.APIKeyID, list) +
					other(keyConfig(mockapi.OtherAPIKeyID, fmt.Sprintf("name = \"Mine\"\n  on_destroy = %q", onDestroy)+ignoring("name")))
			},
			drift: func(env *acctest.Env) {
				env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
					service["ipAccessList"] = []any{entry("10.0.0.0/8", "One"), entry("192.0.2.1", "theirs")}
				})
				env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["ipAccessList"] = []any{entry("10.0.0.0/8", "One")} })
				env.Change(mockapi.Key, mockapi.OtherAPIKeyID, func(key mockapi.Object) { key["name"] = "Theirs" })
			},
			sent: map[string][]string{
				"updateService": {`{"ipAccessList":{"add":[{"source":"10.0.0.0/8","description":"Two"}]}}`},
				"updateKey":     {`{"ipAccessList":[{"source":"10.0.0.0/8","description":"Two"}]}`},
			},
			left: "2 map[10.0.0.0/8:Two 192.0.2.1:theirs] [vpce-0a1b2c3d vpce-4e5f6a7b] " +
				"map[10.0.0.0/8:Two] [admin developer] 2031-01-01T00:00:00Z enabled Theirs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := env.CLI(t, test.config("One", 1, "keep"))
			tf.Apply()
			test.drift(env)
			tf.Configure(test.config("Two", 2, "disable"))
			env.ResetRequests()
			acctest.Contains(t, tf.Apply(), "0 added, 3 changed, 0 destroyed")
			for _, operation := range []string{"scalePipe", "updateService", "updateKey"} {
				env.ExpectWrites(t, operation, test.sent[operation]...)
			}
			service, key := env.Object(mockapi.Service, mockapi.ServiceID), env.Object(mockapi.Key, mockapi.APIKeyID)
			left := fmt.Sprint(env.Object(mockapi.Pipe, mockapi.KafkaPipeID)["scaling"].(mockapi.Object)["replicas"], " ",
				env.AccessList(mockapi.Service, mockapi.ServiceID), " ", sorted(service["privateEndpointIds"]), " ",
				env.AccessList(mockapi.Key, mockapi.APIKeyID), " ", sorted(key["roles"]), " ", key["expireAt"], " ", key["state"], " ",
				env.Object(mockapi.Key, mockapi.OtherAPIKeyID)["name"])
			if left != test.left {
				t.Errorf("the API has\n%s\nnot\n%s", left, test.left)
			}
			tf.ExpectNoChanges()
		})
	}
}

// What drifts after a plan was saved and is not part of it stays as it is, and
// the next plan shows it.
func TestSavedPlanSendsOnlyItsChanges(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	config := func(memory int, parallel bool) string {
		return scalingConfig(mockapi.KafkaPipeID, fmt.Sprintf("replicas = 4\n  replica_memory_gb = %d", memory)) +
			settingsConfig(mockapi.KafkaPipeID, fmt.Sprintf("db_max_threads = 5\n  db_parallel_view_processing = %t", parallel))
	}
	tf := env.CLI(t, config(1, false))
	tf.Apply()
	tf.Configure(config(2, true))
	tf.Must("plan", "-out=plan")
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		pipe["scaling"].(mockapi.Object)["replicas"] = 9
		pipe["settings"].(mockapi.Object)["db_max_threads"] = 7
	})
	env.ResetRequests()
	acctest.Contains(t, tf.Must("apply", "plan"), "0 added, 2 changed, 0 destroyed")
	env.ExpectWrites(t, "scalePipe", `{"replicaMemoryGb":2}`)
	pipe := env.Object(mockapi.Pipe, mockapi.KafkaPipeID)
	if threads := pipe["settings"].(mockapi.Object)["db_max_threads"]; threads != int64(7) {
		t.Errorf("db_max_threads goes from 7 to %v", threads)
	}
	acctest.Contains(t, tf.Must("plan"), "replicas = 9 -> 4", "db_max_threads = 7 -> 5")
	tf.Apply()
	tf.ExpectNoChanges()
}

// A change of an expiry that the plan shows is sent, however small.
func TestSmallestChangeOfAnExpiryIsSent(t *testing.T) {
	t.Parallel()
	for name, truncates := range map[string]bool{"kept": false, "to the second": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
				if !truncates || c.Operation != "updateKey" {
					return false
				}
				recorded := c.Record()
				acctest.Respond(rw, recorded, []byte(strings.ReplaceAll(recorded.Body.String(), "00:00:00.5Z", "00:00:00Z")))
				return true
			})
			key := func(expiry string) acctest.Configs { return onKey(map[string]any{"expire_at": expiry}) }
			c := env.Core(t, nil)
			c.Must(key("2031-01-01T00:00:00Z"))
			env.ExpectWrites(t, "updateKey")
			if changed := c.Must(key("2031-01-01T00:00:00.5Z")); len(changed) != 1 {
				t.Errorf("the plan changes %v", changed)
			}
			env.ExpectWrites(t, "updateKey", `{"expireAt":"2031-01-01T00:00:00.5Z"}`)
			c.ExpectNoChanges(key("2031-01-01T00:00:00.5Z"))
		})
	}
}

// An attribute that the API does not return and that leaves the configuration
// leaves the state as well, so that setting it again is a change.
func TestUnreturnedAttributeIsSentAgain(t *testing.T) {
	t.Parallel()
	for attribute, test := range map[string]struct {
		on               func(map[string]any) acctest.Configs
		value, elsewhere string
		object           mockapi.Kind
		id, member       string
		operation, sent  string
	}{
		"state":           {onKey, "disabled", "enabled", mockapi.Key, mockapi.APIKeyID, "state", "updateKey", `{"state":"disabled"}`},
		"release_channel": {onService, "slow", "default", mockapi.Service, mockapi.ServiceID, "releaseChannel", "updateService", `{"releaseChannel":"slow"}`},
	} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			c := env.Core(t, nil)
			with, without := test.on(map[string]any{attribute: test.value}), test.on(nil)
			c.Must(with)
			env.ResetRequests()
			c.Must(without)
			env.ExpectWrites(t, test.operation)
			c.ExpectNoChanges(without)
			env.Change(test.object, test.id, func(object mockapi.Object) { object[test.member] = test.elsewhere })

			c.Must(with)
			env.ExpectWrites(t, test.operation, test.sent)
			if got := env.Object(test.object, test.id)[test.member]; got != test.value {
				t.Errorf("the API has %v", got)
			}
			c.ExpectNoChanges(with)
		})
	}
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
