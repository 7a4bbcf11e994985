package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

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
		drift         func(*env)
		operation     string
		sent          []string
		left          func(*env) any // what the API has in the end
		want          any
	}{
		"a scaling attribute": {
			first:  scalingConfig(mockapi.KafkaPipeID, "replicas = 4\n  replica_memory_gb = 1"+ignoring("replicas")),
			second: scalingConfig(mockapi.KafkaPipeID, "replicas = 4\n  replica_memory_gb = 2"+ignoring("replicas")),
			drift: func(w *env) {
				w.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["scaling"].(mockapi.Object)["replicas"] = 9 })
			},
			operation: "scalePipe",
			sent:      []string{`{"replicaMemoryGb":2}`},
			left: func(w *env) any {
				return w.Object(mockapi.Pipe, mockapi.KafkaPipeID)["scaling"].(mockapi.Object)["replicas"]
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
			drift: func(w *env) {
				w.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
					service["ipAccessList"] = append(service["ipAccessList"].([]any), entry("203.0.113.9", "theirs"))
					service["privateEndpointIds"] = append(service["privateEndpointIds"].([]any), "vpce-8c9d0e1f")
				})
			},
			operation: "updateService",
			sent:      []string{`{"name":"Two"}`},
			left: func(w *env) any {
				service := w.Object(mockapi.Service, mockapi.ServiceID)
				return fmt.Sprintf("%v %v", w.sources(mockapi.Service, mockapi.ServiceID), sorted(service["privateEndpointIds"]))
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
			drift: func(w *env) {
				w.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) {
					key["roles"], key["expireAt"], key["state"] = []any{"admin"}, "2030-01-01T00:00:00Z", "disabled"
				})
			},
			operation: "updateKey",
			sent:      []string{`{"name":"Two"}`},
			left: func(w *env) any {
				key := w.Object(mockapi.Key, mockapi.APIKeyID)
				return fmt.Sprintf("%v %v %v", key["roles"], key["expireAt"], key["state"])
			},
			want: "[admin] 2030-01-01T00:00:00Z disabled",
		},
		"an entry of a service's list": {
			first:  serviceConfig(mockapi.ServiceID, `ip_access_list = { "10.0.0.0/8" = "vpc", "192.0.2.1" = "home" }`+ignoring(`ip_access_list["192.0.2.1"]`)),
			second: serviceConfig(mockapi.ServiceID, `ip_access_list = { "10.0.0.0/8" = "network", "192.0.2.1" = "home" }`+ignoring(`ip_access_list["192.0.2.1"]`)),
			drift: func(w *env) {
				w.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
					service["ipAccessList"] = []any{entry("10.0.0.0/8", "vpc"), entry("192.0.2.1", "theirs")}
				})
			},
			operation: "updateService",
			sent:      []string{`{"ipAccessList":{"add":[{"source":"10.0.0.0/8","description":"network"}]}}`},
			left:      func(w *env) any { return fmt.Sprint(w.sources(mockapi.Service, mockapi.ServiceID)) },
			want:      "map[10.0.0.0/8:network 192.0.2.1:theirs]",
		},
		"an entry of a key's list": {
			first:  keyConfig(mockapi.APIKeyID, `ip_access_list = { "10.0.0.0/8" = "vpc", "192.0.2.1" = "home" }`+ignoring(`ip_access_list["192.0.2.1"]`)),
			second: keyConfig(mockapi.APIKeyID, `ip_access_list = { "10.0.0.0/8" = "network", "192.0.2.1" = "home" }`+ignoring(`ip_access_list["192.0.2.1"]`)),
			drift: func(w *env) {
				w.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["ipAccessList"] = []any{entry("10.0.0.0/8", "vpc")} })
			},
			operation: "updateKey",
			sent:      []string{`{"ipAccessList":[{"source":"10.0.0.0/8","description":"network"}]}`},
			left:      func(w *env) any { return fmt.Sprint(w.sources(mockapi.Key, mockapi.APIKeyID)) },
			want:      "map[10.0.0.0/8:network]",
		},
		"a change of on_destroy alone": {
			first:  keyConfig(mockapi.APIKeyID, "name = \"One\""+ignoring("name")),
			second: keyConfig(mockapi.APIKeyID, "name = \"One\"\n  on_destroy = \"disable\""+ignoring("name")),
			drift: func(w *env) {
				w.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["name"] = "Theirs" })
			},
			operation: "updateKey",
			left:      func(w *env) any { return w.Object(mockapi.Key, mockapi.APIKeyID)["name"] },
			want:      "Theirs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			tf := w.cli(t, test.first)
			tf.must("apply", "-auto-approve")
			test.drift(w)
			tf.change(w, test.second)
			w.ResetRequests()
			says(t, tf.must("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
			w.expectWrites(t, test.operation, test.sent...)
			if left := test.left(w); left != test.want {
				t.Errorf("the API has %v, not %v", left, test.want)
			}
			tf.empty()
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
			w := newEnv(t)
			tf := w.cli(t, test.config(false))
			tf.must("apply", "-auto-approve")
			tf.change(w, test.config(true))
			tf.must("plan", "-out=plan")
			w.Change(mockapi.Pipe, mockapi.KafkaPipeID, test.drift)
			w.ResetRequests()
			says(t, tf.must("apply", "plan"), "0 added, 1 changed, 0 destroyed")
			for _, body := range w.writesTo(test.operation) {
				if test.member != "" && strings.Contains(body, `"`+test.member+`"`) {
					t.Errorf("sent %s", body)
				}
			}
			if left := test.left(w.Object(mockapi.Pipe, mockapi.KafkaPipeID)); left != test.want {
				t.Errorf("the API has %v, not %v", left, test.want)
			}
			says(t, tf.must("plan"), test.shows)
			tf.must("apply", "-auto-approve")
			tf.empty()
		})
	}
}

// A settings PUT repeats what the API shows right before it, not what an
// earlier read of the same run has shown.
func TestSettingsAreReadRightBefore(t *testing.T) {
	t.Parallel()
	var w *env
	w = newHookedEnv(t, func(rw http.ResponseWriter, c call) bool {
		if c.operation != "scalePipe" {
			return false
		}
		recorded := recordPass(c)
		w.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
			pipe["settings"].(mockapi.Object)["db_max_insert_threads"] = 11
		})
		copyResponse(rw, recorded, recorded.Body.Bytes())
		return true
	})
	c := w.coreOf(t, nil)
	all := everyKind(4, 9, "", nil, "")
	pipes := configs{"pipe_scaling": all["pipe_scaling"], "pipe_settings": all["pipe_settings"]}
	c.must(pipes)
	if got := w.Object(mockapi.Pipe, mockapi.KafkaPipeID)["settings"].(mockapi.Object)["db_max_insert_threads"]; got != int64(11) {
		t.Errorf("db_max_insert_threads went back from 11 to %v", got)
	}
	var operations []string
	for _, request := range w.Requests() {
		operations = append(operations, request.Operation)
	}
	want := []string{"getPipe", "getPipe", "scalePipe", "getPipe", "updatePipeSettings"}
	if !slices.Equal(operations, want) {
		t.Errorf("an adoption took %v, not %v", operations, want)
	}
	w.ResetRequests()
	c.nothing(pipes)
	if n := len(w.Requests()); n != 1 {
		t.Errorf("a plan took %d requests", n)
	}
}

// A change of an expiry that the plan shows is sent, however small.
func TestSmallestChangeOfAnExpiryIsSent(t *testing.T) {
	t.Parallel()
	for name, truncates := range map[string]bool{"kept": false, "to the second": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookedEnv(t, func(rw http.ResponseWriter, c call) bool {
				if !truncates || c.operation != "updateKey" {
					return false
				}
				recorded := recordPass(c)
				copyResponse(rw, recorded, []byte(strings.ReplaceAll(recorded.Body.String(), "00:00:00.5Z", "00:00:00Z")))
				return true
			})
			key := func(expiry string) configs {
				return configs{"api_key": {"key_id": mockapi.APIKeyID, "on_destroy": "keep", "expire_at": expiry}}
			}
			c := w.coreOf(t, nil)
			c.must(key("2031-01-01T00:00:00Z"))
			w.expectWrites(t, "updateKey")
			if changed := c.must(key("2031-01-01T00:00:00.5Z")); len(changed) != 1 {
				t.Errorf("the plan changes %v", changed)
			}
			w.expectWrites(t, "updateKey", `{"expireAt":"2031-01-01T00:00:00.5Z"}`)
			c.nothing(key("2031-01-01T00:00:00.5Z"))
		})
	}
}

// RFC 3339 allows t and z in lower case.
func TestExpiryInLowerCase(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	tf := w.cli(t, keyConfig(mockapi.APIKeyID, `expire_at = "2031-01-01t00:00:00z"`))
	saysNothingOf(t, tf.must("plan"), "Adopting") // it is the same instant
	tf.must("apply", "-auto-approve")
	tf.empty()
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
			w := newEnv(t)
			c := w.coreOf(t, nil)
			ids := map[string]any{"key_id": mockapi.APIKeyID, "on_destroy": "keep"}
			if test.kind == "service" {
				ids = map[string]any{"service_id": mockapi.ServiceID}
			}
			with := maps.Clone(ids)
			with[test.attribute] = test.value
			c.must(configs{test.kind: with})
			w.ResetRequests()
			c.must(configs{test.kind: ids})
			w.expectWrites(t, test.operation)
			c.nothing(configs{test.kind: ids})
			w.Change(test.object, test.id, func(object mockapi.Object) { object[test.member] = test.elsewhere })

			if changed := c.must(configs{test.kind: with}); len(changed) != 1 {
				t.Errorf("setting it again changes %v", changed)
			}
			w.expectWrites(t, test.operation, test.sent)
			if got := w.Object(test.object, test.id)[test.member]; got != test.value {
				t.Errorf("the API has %v", got)
			}
			c.nothing(configs{test.kind: with})
		})
	}
}
