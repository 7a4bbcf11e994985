package provider

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An update that is accepted without a result is done once reads show it, at once or later. If they
// never do, the error says what the API said, and the next apply sends it again. TestAcceptedUpdates
// in package api has all forms of such a response.
func TestAcceptedWithoutResult(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]struct {
		status     int
		body, says string
	}{
		"empty":   {204, "", ""},
		"message": {202, `{"status":202,"message":"the change is queued"}`, " Its response was: the change is queued"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				for _, test := range []struct {
					operation string
					config    acctest.Configs
					says      string
				}{
					{"scalePipe", onScaling(map[string]any{"replicas": 4}), "The API accepted the change to replicas but returns 2 instead of 4 after 30s"},
					{"updatePipeSettings", onSettings(map[string]any{"db_max_threads": 5}), "The API accepted the change to db_max_threads but returns 8 instead of 5 after 30s"},
					{"updateService", onService(map[string]any{"name": "Mine"}), `The API accepted the change to name but returns "Orders" instead of "Mine" after 30s`},
					{"updateKey", onKey(map[string]any{"name": "Mine"}), `The API accepted the change to name but returns "Deployment" instead of "Mine" after 30s`},
				} {
					acts, sent := true, 0
					env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
						if !c.Writes() {
							return false
						}
						if sent++; acts {
							c.Record()
						}
						w.Header().Set("Content-Type", "application/json")
						w.WriteHeader(form.status)
						_, _ = io.WriteString(w, form.body)
						return true
					})
					c := env.Core(t, nil)
					acts = false
					_, err := c.Run(test.config)
					acctest.Contains(t, fmt.Sprint(err), "Change not confirmed by the API", test.says, form.says)
					acts = true
					c.Must(test.config)
					c.ExpectNoChanges(test.config)
					if sent != 2 {
						t.Errorf("%s was sent %d times", test.operation, sent)
					}

					c.ForgetAll()
					env.Reset()
					env.SetVariants(mockapi.Variants{"stale_pipes=2s", "stale_services=2s", "stale_keys=2s"})
					c.Must(test.config)
					c.ExpectNoChanges(test.config)
				}
			})
		})
	}
}

// A 404 ends no wait for an accepted change, whether the API or a gateway sends it. If it lasts, it
// is the error, after update_timeout.
func TestMissingWhileAwaited(t *testing.T) {
	t.Parallel()
	later := mockapi.Variants{"late=old", "stale_services=1s", "stale_keys=1s"}
	removal := onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": ""}})
	for name, test := range map[string]struct {
		operation     string
		first, config acctest.Configs
		says          string // if the 404 lasts
	}{
		"scaling": {"getPipe", nil, onScaling(map[string]any{"replicas": 4}), "(404)"},
		"key":     {"updateKey", nil, onKey(map[string]any{"name": "Mine"}), "(404)"},
		"list":    {"updateService", onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "", "192.0.2.7": "office"}}), removal, "has not shown it after 30s"},
	} {
		for _, lost := range []string{"404", "page"} {
			t.Run(name+" "+lost, func(t *testing.T) {
				t.Parallel()
				underTest.InVirtualTime(t, func(t *testing.T) {
					env := underTest.NewVirtualEnv(nil)
					c := env.Core(t, nil)
					c.Must(test.first)
					env.SetVariants(append(later, "lost_read="+lost))
					c.Must(test.config)
					c.ExpectNoChanges(test.config)

					env.Reset()
					env.SetVariants(mockapi.Variants{})
					c.ForgetAll()
					c.Must(test.first)
					plans := c.MustPlan(test.config)
					env.SetVariants(mockapi.Variants{"late=old", "late_reads=1000", "stale_services=1h", "stale_keys=1h"})
					env.ResetRequests()
					failing := mockapi.Fault{Operation: test.operation, Status: 404, Skip: 1}
					if test.operation != "getPipe" {
						failing.Skip = 2 // a read and a write
					}
					if lost == "page" {
						failing.Kind = mockapi.FaultHTML
					}
					defer env.Fail(failing)()
					began := time.Now()
					err := c.ApplyAll(plans)
					acctest.Contains(t, fmt.Sprint(err), test.says)
					if took := time.Since(began); took < 30*time.Second {
						t.Errorf("after %s: %v", took, err)
					}
				})
			})
		}
	}
}

// An API that is busy with an accepted change, and refuses to read the object meanwhile, ends no wait either.
func TestBusyWhileAwaited(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		operation string
		skip      int // requests until the API is busy
		status    int
		config    acctest.Configs
		write     string
		body      string
	}{
		"scaling": {"getPipe", 1, 409, onScaling(map[string]any{"replicas": 4}), "scalePipe", `{"replicas":4}`},
		"key":     {"updateKey", 2, 423, onKey(map[string]any{"name": "Mine"}), "updateKey", `{"name":"Mine"}`},
		"list": {
			"updateService", 2, 409,
			onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "private network", "192.0.2.7": "office", "203.0.113.7": "ci"}}),
			"updateService", `{"ipAccessList":{"add":[{"source":"203.0.113.7","description":"ci"}]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env := underTest.NewVirtualEnv(nil)
				c := env.Core(t, nil)
				plans := c.MustPlan(test.config)
				env.SetVariants(mockapi.Variants{"late=old", "late_reads=1", "stale_services=1s", "stale_keys=1s"})
				env.ResetRequests()
				busy, began := mockapi.Fault{Operation: test.operation, Status: test.status, Skip: test.skip}, time.Now()
				time.AfterFunc(20*time.Second, env.Fail(busy))
				if err := c.ApplyAll(plans); err != nil {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
				env.ExpectWrites(t, test.write, test.body)
				c.ExpectNoChanges(test.config)
			})
		})
	}
}

// What an update has changed besides is said: that the next plan changes it back only if it is
// configured. What was sent, what is the same, and lists that others change are no news.
func TestAlsoChanged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first, second acctest.Configs
		variants      mockapi.Variants
		besides       func(env *acctest.Env) // what the update changes, too
		reads         func(mockapi.Object)
		says, next    string // "": nothing
	}{
		"a derived value": {
			first: onScaling(map[string]any{"replica_memory_gb": 1.5}), second: onScaling(map[string]any{"replica_memory_gb": 2}),
			variants: mockapi.Variants{"replica_size=derived"}, says: "The API also changed replica_cpu_millicores from 250 to 500",
		},
		"a configured value": {
			first: onScaling(map[string]any{"replicas": 3, "replica_memory_gb": 2}), second: onScaling(map[string]any{"replicas": 4, "replica_memory_gb": 2}),
			besides: func(env *acctest.Env) {
				env.Change(mockapi.Pipe, mockapi.KafkaPipeID, in("scaling", with("replicaMemoryGb", 1.5)))
			},
			says: "The API also changed replica_memory_gb from 2 to 1.5", next: "replica_memory_gb",
		},
		"a creation": {
			second: onScaling(map[string]any{"replicas": 4}),
			besides: func(env *acctest.Env) {
				env.Change(mockapi.Pipe, mockapi.KafkaPipeID, in("scaling", with("concurrency", 9)))
			},
			says: "The API also changed concurrency from 4 to 9",
		},
		"the name of a service": {
			first: onService(map[string]any{"release_channel": "fast", "name": "Mine"}), second: onService(map[string]any{"release_channel": "slow", "name": "Mine"}),
			besides: func(env *acctest.Env) { env.Change(mockapi.Service, mockapi.ServiceID, with("name", "Theirs")) },
			says:    `The API also changed name from "Mine" to "Theirs"`, next: "name",
		},
		"the list of a service": {
			first: onService(map[string]any{"name": "Mine"}), second: onService(map[string]any{"name": "Mine too"}),
			besides: func(env *acctest.Env) { setEntries(env, "192.0.2.99 theirs") },
		},
		"the expiry of a key": {
			first: onKey(map[string]any{"name": "Mine"}), second: onKey(map[string]any{"name": "Mine too"}),
			besides: func(env *acctest.Env) { env.Change(mockapi.Key, mockapi.APIKeyID, with("expireAt", nil)) },
			says:    "The API also changed expire_at from ",
		},
		"the time of use": {
			first: onKey(map[string]any{"name": "Mine"}), second: onKey(map[string]any{"name": "Mine too"}),
			variants: mockapi.Variants{"used_at_moves"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				c := env.Core(t, nil)
				c.Must(test.first)
				env.SetVariants(test.variants)
				api.reads = test.reads
				c.ExpectNoChanges(test.first)
				plans := c.MustPlan(test.second)
				api.before = func() {
					if test.besides != nil {
						test.besides(env)
					}
				}
				if err := c.ApplyAll(plans); err != nil {
					t.Fatal(err)
				}
				warnings := strings.Join(warned(c, "The API also changed "), "\n")
				if !strings.HasPrefix(warnings, test.says) || (test.says == "") != (warnings == "") {
					t.Errorf("the warnings are %q", c.Warnings)
				}
				api.before = nil
				changed := slices.Sorted(maps.Keys(c.MustPlan(test.second)))
				if (len(changed) > 0) != (test.next != "") {
					t.Errorf("the next plan changes %v", changed)
				}
			})
		})
	}
}

// With a real CLI: what an update says that it did not make, and what it changed besides.
func TestAcceptedInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 4"))
	fail := func(kind mockapi.FaultKind, says ...string) {
		t.Helper()
		defer env.Fail(mockapi.Fault{Operation: "scalePipe", Kind: kind})()
		out, code := tf.Run("apply", "-auto-approve")
		if code != 1 {
			t.Errorf("the apply ended with %d", code)
		}
		t.Log(out)
		acctest.Contains(t, strings.ReplaceAll(out, "│", ""), says...)
		acctest.Lacks(t, out, "Apply complete")
	}
	fail(mockapi.FaultErrorStatus, "quota exceeded")
	fail(mockapi.FaultNoResult, "Change not confirmed by the API", "The API accepted the change to replicas but returns 2 instead of 4 after ") // 3s, or more on a busy machine

	env.SetVariants(mockapi.Variants{"update_response=operation", "replica_size=derived", "late_reads=1", "late=old"})
	acctest.Contains(t, tf.Apply(), "Apply complete!")
	tf.ExpectNoChanges()
	tf.Configure(scalingConfig(mockapi.KafkaPipeID, "replicas = 4\n  replica_cpu_millicores = 500"))
	out := tf.Apply()
	t.Log(out)
	acctest.Contains(t, out, "The API also changed replica_memory_gb from 1.5 to 2", "Apply complete!")
	tf.ExpectNoChanges()
	tf.Configure(scalingConfig(mockapi.KafkaPipeID, "replicas = 4\n  replica_cpu_millicores = 750\n  replica_memory_gb = 2"))
	env.ResetRequests()
	acctest.Lacks(t, tf.Apply(), "also changed")
	env.ExpectWrites(t, "scalePipe", `{"replicaCpuMillicores":750,"replicaMemoryGb":2}`)
	tf.ExpectNoChanges()
}

// What was sent and neither the response nor a read shows is a warning with the API's text. A response that shows
// another value, where no read shows any, is an error.
func TestNotConfirmed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body  string
		says  string
		fails bool
	}{
		"nothing of the key": {`{"status":"rejected","message":"over quota"}`, "Not confirmed: state", false},
		"another value":      {`{"status":200,"result":{"id":"` + mockapi.APIKeyID + `","state":"enabled"}}`, `returns "enabled" instead of "disabled"`, true},
		"beside a refusal":   {`{"status":200,"errors":[{"message":"over quota"}],"result":{"id":"` + mockapi.APIKeyID + `"}}`, "over quota", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
					if c.Writes() {
						w.Header().Set("Content-Type", "application/json")
						_, _ = io.WriteString(w, test.body)
					}
					return c.Writes()
				})
				c := env.Core(t, nil)
				_, err := c.Run(onKey(map[string]any{"state": "disabled"}))
				if acctest.Contains(t, fmt.Sprint(err, c.Warnings), test.says); (err != nil) != test.fails {
					t.Errorf("%v, %q", err, c.Warnings)
				}
			})
		})
	}
}

// An adoption of a service that no read shows adds to its lists, and removes nothing.
func TestAdoptionOnlyAdds(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{"refuse_empty_patch=405"}))
	setEntries(env, "10.0.0.0/8 theirs")
	c := env.Core(t, nil)
	c.Must(onService(map[string]any{"ip_access_list": map[string]any{"203.0.113.9": "mine"}}))
	expectEntries(t, env, "10.0.0.0/8 theirs", "203.0.113.9/32 mine")
	acctest.Contains(t, fmt.Sprint(c.Warnings), "Unplanned entries: service …1111", "10.0.0.0/8")
}
