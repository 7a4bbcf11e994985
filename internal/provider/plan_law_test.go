package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// What lifecycle.ignore_changes covers is never sent.
func TestIgnoredChangesAreNotSent(t *testing.T) {
	t.Parallel()
	ignoring := func(what string) string { return "\n  lifecycle {\n    ignore_changes = [" + what + "]\n  }" }
	entry := func(source, description string) mockapi.Object {
		return mockapi.Object{"source": source, "description": description}
	}
	for name, test := range map[string]struct {
		first, second string // what is applied before and after the drift
		drift         func(*acctest.Env)
		operation     string
		sent          []string
		left          func(*acctest.Env) any // what the API has in the end
		want          any
	}{
		"a scaling attribute": {
			first:  scalingConfig(mockapi.KafkaPipeID, "replicas = 4\n  replica_memory_gb = 1"+ignoring("replicas")),
			second: scalingConfig(mockapi.KafkaPipeID, "replicas = 4\n  replica_memory_gb = 2"+ignoring("replicas")),
			drift: func(env *acctest.Env) {
				env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["scaling"].(mockapi.Object)["replicas"] = 9 })
			},
			operation: "scalePipe",
			sent:      []string{`{"replicaMemoryGb":2}`},
			left: func(env *acctest.Env) any {
				return env.Object(mockapi.Pipe, mockapi.KafkaPipeID)["scaling"].(mockapi.Object)["replicas"]
			},
			want: int64(9),
		},
		"the lists of a service": {
			first: serviceConfig(mockapi.ServiceID, `name = "One"
  ip_access_list       = { "10.0.0.0/8" = "vpc" }
  private_endpoint_ids = ["vpce-0a1b2c3d"]`+ignoring("ip_access_list, private_endpoint_ids")),
			second: serviceConfig(mockapi.ServiceID, `name = "Two"
  ip_access_list       = { "10.0.0.0/8" = "vpc" }
  private_endpoint_ids = ["vpce-0a1b2c3d"]`+ignoring("ip_access_list, private_endpoint_ids")),
			drift: func(env *acctest.Env) {
				env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
					service["ipAccessList"] = append(service["ipAccessList"].([]any), entry("203.0.113.9", "theirs"))
					service["privateEndpointIds"] = append(service["privateEndpointIds"].([]any), "vpce-8c9d0e1f")
				})
			},
			operation: "updateService",
			sent:      []string{`{"name":"Two"}`},
			left: func(env *acctest.Env) any {
				service := env.Object(mockapi.Service, mockapi.ServiceID)
				return fmt.Sprintf("%v %v", env.AccessList(mockapi.Service, mockapi.ServiceID), sorted(service["privateEndpointIds"]))
			},
			want: "map[10.0.0.0/8:vpc 203.0.113.9:theirs] [vpce-0a1b2c3d vpce-8c9d0e1f]",
		},
		"roles, expiry and state of a key": {
			first: keyConfig(mockapi.APIKeyID, `name = "One"
  roles     = ["developer"]
  expire_at = "2032-01-01T00:00:00Z"
  state     = "enabled"`+ignoring("roles, expire_at, state")),
			second: keyConfig(mockapi.APIKeyID, `name = "Two"
  roles     = ["developer"]
  expire_at = "2032-01-01T00:00:00Z"
  state     = "enabled"`+ignoring("roles, expire_at, state")),
			drift: func(env *acctest.Env) {
				env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) {
					key["roles"], key["expireAt"], key["state"] = []any{"admin"}, "2030-01-01T00:00:00Z", "disabled"
				})
			},
			operation: "updateKey",
			sent:      []string{`{"name":"Two"}`},
			left: func(env *acctest.Env) any {
				key := env.Object(mockapi.Key, mockapi.APIKeyID)
				return fmt.Sprintf("%v %v %v", key["roles"], key["expireAt"], key["state"])
			},
			want: "[admin] 2030-01-01T00:00:00Z disabled",
		},
		"an entry of a service's list": {
			first:  serviceConfig(mockapi.ServiceID, `ip_access_list = { "10.0.0.0/8" = "vpc", "192.0.2.1" = "home" }`+ignoring(`ip_access_list["192.0.2.1"]`)),
			second: serviceConfig(mockapi.ServiceID, `ip_access_list = { "10.0.0.0/8" = "network", "192.0.2.1" = "home" }`+ignoring(`ip_access_list["192.0.2.1"]`)),
			drift: func(env *acctest.Env) {
				env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
					service["ipAccessList"] = []any{entry("10.0.0.0/8", "vpc"), entry("192.0.2.1", "theirs")}
				})
			},
			operation: "updateService",
			sent:      []string{`{"ipAccessList":{"add":[{"source":"10.0.0.0/8","description":"network"}]}}`},
			left:      func(env *acctest.Env) any { return fmt.Sprint(env.AccessList(mockapi.Service, mockapi.ServiceID)) },
			want:      "map[10.0.0.0/8:network 192.0.2.1:theirs]",
		},
		"an entry of a key's list": {
			first:  keyConfig(mockapi.APIKeyID, `ip_access_list = { "10.0.0.0/8" = "vpc", "192.0.2.1" = "home" }`+ignoring(`ip_access_list["192.0.2.1"]`)),
			second: keyConfig(mockapi.APIKeyID, `ip_access_list = { "10.0.0.0/8" = "network", "192.0.2.1" = "home" }`+ignoring(`ip_access_list["192.0.2.1"]`)),
			drift: func(env *acctest.Env) {
				env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["ipAccessList"] = []any{entry("10.0.0.0/8", "vpc")} })
			},
			operation: "updateKey",
			sent:      []string{`{"ipAccessList":[{"source":"10.0.0.0/8","description":"network"}]}`},
			left:      func(env *acctest.Env) any { return fmt.Sprint(env.AccessList(mockapi.Key, mockapi.APIKeyID)) },
			want:      "map[10.0.0.0/8:network]",
		},
		"a change of on_destroy alone": {
			first:  keyConfig(mockapi.APIKeyID, "name = \"One\""+ignoring("name")),
			second: keyConfig(mockapi.APIKeyID, "name = \"One\"\n  on_destroy = \"disable\""+ignoring("name")),
			drift: func(env *acctest.Env) {
				env.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Theirs" })
			},
			operation: "updateKey",
			left:      func(env *acctest.Env) any { return env.Object(mockapi.Key, mockapi.APIKeyID)["name"] },
			want:      "Theirs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := env.CLI(t, test.first)
			tf.Apply()
			test.drift(env)
			tf.Configure(test.second)
			env.ResetRequests()
			acctest.Contains(t, tf.Apply(), "0 added, 1 changed, 0 destroyed")
			env.ExpectWrites(t, test.operation, test.sent...)
			if left := test.left(env); left != test.want {
				t.Errorf("the API has %v, not %v", left, test.want)
			}
			tf.ExpectNoChanges()
		})
	}
}

// What drifts after a plan was saved and is not part of it stays as it is, and
// the next plan shows it.
func TestSavedPlanSendsOnlyItsChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config    func(second bool) string
		drift     func(pipe mockapi.Object)
		operation string
		member    string // that drifts
		shows     string
		left      func(pipe mockapi.Object) any
		want      any
	}{
		"scaling": {
			config: func(second bool) string {
				return scalingConfig(mockapi.KafkaPipeID, fmt.Sprintf("replicas = 4\n  replica_memory_gb = %d", map[bool]int{false: 1, true: 2}[second]))
			},
			drift:     func(pipe mockapi.Object) { pipe["scaling"].(mockapi.Object)["replicas"] = 9 },
			operation: "scalePipe",
			member:    "replicas",
			shows:     "replicas = 9 -> 4",
			left:      func(pipe mockapi.Object) any { return pipe["scaling"].(mockapi.Object)["replicas"] },
			want:      int64(9),
		},
		"settings": {
			config: func(second bool) string {
				return settingsConfig(mockapi.KafkaPipeID, fmt.Sprintf("db_max_threads = 5\n  db_parallel_view_processing = %t", second))
			},
			drift:     func(pipe mockapi.Object) { pipe["settings"].(mockapi.Object)["db_max_threads"] = 7 },
			operation: "updatePipeSettings",
			shows:     "db_max_threads = 7 -> 5",
			left:      func(pipe mockapi.Object) any { return pipe["settings"].(mockapi.Object)["db_max_threads"] },
			want:      int64(7),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := env.CLI(t, test.config(false))
			tf.Apply()
			tf.Configure(test.config(true))
			tf.Must("plan", "-out=plan")
			env.Change(mockapi.Pipe, mockapi.KafkaPipeID, test.drift)
			env.ResetRequests()
			acctest.Contains(t, tf.Must("apply", "plan"), "0 added, 1 changed, 0 destroyed")
			for _, body := range env.Writes(test.operation) {
				if test.member != "" && strings.Contains(body, `"`+test.member+`"`) {
					t.Errorf("sent %s", body)
				}
			}
			if left := test.left(env.Object(mockapi.Pipe, mockapi.KafkaPipeID)); left != test.want {
				t.Errorf("the API has %v, not %v", left, test.want)
			}
			acctest.Contains(t, tf.Must("plan"), test.shows)
			tf.Apply()
			tf.ExpectNoChanges()
		})
	}
}

// A settings PUT repeats what the API shows right before it, not what an
// earlier read of the same run has shown.
func TestSettingsAreReadRightBefore(t *testing.T) {
	t.Parallel()
	var env *acctest.Env
	env = newHookedEnv(t, func(rw http.ResponseWriter, c acctest.Call) bool {
		if c.Operation != "scalePipe" {
			return false
		}
		recorded := c.Record()
		env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
			pipe["settings"].(mockapi.Object)["db_max_insert_threads"] = 11
		})
		acctest.Respond(rw, recorded, recorded.Body.Bytes())
		return true
	})
	c := env.Core(t, nil)
	all := everyKind(4, 9, "", nil, "")
	pipes := acctest.Configs{"pipe_scaling": all["pipe_scaling"], "pipe_settings": all["pipe_settings"]}
	c.Must(pipes)
	if got := env.Object(mockapi.Pipe, mockapi.KafkaPipeID)["settings"].(mockapi.Object)["db_max_insert_threads"]; got != int64(11) {
		t.Errorf("db_max_insert_threads went back from 11 to %v", got)
	}
	var operations []string
	for _, request := range env.Requests() {
		operations = append(operations, request.Operation)
	}
	want := []string{"getPipe", "getPipe", "scalePipe", "getPipe", "updatePipeSettings"}
	if !slices.Equal(operations, want) {
		t.Errorf("an adoption took %v, not %v", operations, want)
	}
	env.ResetRequests()
	c.ExpectNoChanges(pipes)
	if n := len(env.Requests()); n != 1 {
		t.Errorf("a plan took %d requests", n)
	}
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
			key := func(expiry string) acctest.Configs {
				return acctest.Configs{"api_key": {"key_id": mockapi.APIKeyID, "on_destroy": "keep", "expire_at": expiry}}
			}
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

// RFC 3339 allows t and z in lower case.
func TestExpiryInLowerCase(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, keyConfig(mockapi.APIKeyID, `expire_at = "2031-01-01t00:00:00z"`))
	acctest.Lacks(t, tf.Must("plan"), "Adopting") // it is the same instant
	tf.Apply()
	tf.ExpectNoChanges()
}

// An attribute that the API does not return and that leaves the configuration
// leaves the state as well, so that setting it again is a change.
func TestUnreturnedAttributeIsSentAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind, attribute string
		value           any
		object          mockapi.Kind
		id, member      string
		elsewhere       any
		operation, sent string
	}{
		"state": {
			"api_key", "state", "disabled", mockapi.Key, mockapi.APIKeyID, "state", "enabled", "updateKey", `{"state":"disabled"}`,
		},
		"release_channel": {
			"service", "release_channel", "slow", mockapi.Service, mockapi.ServiceID, "releaseChannel", "default", "updateService", `{"releaseChannel":"slow"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			c := env.Core(t, nil)
			ids := map[string]any{"key_id": mockapi.APIKeyID, "on_destroy": "keep"}
			if test.kind == "service" {
				ids = map[string]any{"service_id": mockapi.ServiceID}
			}
			with := maps.Clone(ids)
			with[test.attribute] = test.value
			c.Must(acctest.Configs{test.kind: with})
			env.ResetRequests()
			c.Must(acctest.Configs{test.kind: ids})
			env.ExpectWrites(t, test.operation)
			c.ExpectNoChanges(acctest.Configs{test.kind: ids})
			env.Change(test.object, test.id, func(object mockapi.Object) { object[test.member] = test.elsewhere })

			if changed := c.Must(acctest.Configs{test.kind: with}); len(changed) != 1 {
				t.Errorf("setting it again changes %v", changed)
			}
			env.ExpectWrites(t, test.operation, test.sent)
			if got := env.Object(test.object, test.id)[test.member]; got != test.value {
				t.Errorf("the API has %v", got)
			}
			c.ExpectNoChanges(acctest.Configs{test.kind: with})
		})
	}
}
