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
		"empty":         {204, "", ""},
		"a word":        {200, "OK", " Its response was: OK"},
		"true":          {200, "true", ""},
		"a quoted word": {200, `"Updated"`, ""},
		"a true result": {200, `{"result":true}`, ""},
		"message":       {202, `{"status":202,"message":"the change is queued"}`, " Its response was: the change is queued"},
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
					{"updateService", onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "private network", "192.0.2.7": "office", "203.0.113.9": ""}}), "The API accepted the change to ip_access_list but does not return 203.0.113.9 as planned after 30s"},
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
					acctest.Contains(t, fmt.Sprint(err), "Change not confirmed by the API", test.says)
					if test.operation != "updateService" || !strings.Contains(test.says, "ip_access_list") { // whose update ends with a read
						acctest.Contains(t, fmt.Sprint(err), form.says)
					}
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
		"nothing of the key":    {`{"status":"rejected","message":"over quota"}`, "Not confirmed: state", false},
		"the key, but no state": {`{"status":200,"result":{"id":"` + mockapi.APIKeyID + `","roles":["admin"]}}`, "<nil>", false},
		"another value":         {`{"status":200,"result":{"id":"` + mockapi.APIKeyID + `","state":"enabled"}}`, `returns "enabled" instead of "disabled"`, true},
		"beside a refusal":      {`{"status":200,"errors":[{"message":"over quota"}],"result":{"id":"` + mockapi.APIKeyID + `"}}`, "over quota", true},
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
				acctest.Contains(t, fmt.Sprint(err, c.Warnings), test.says)
				isWarned := len(warned(c, "Not confirmed")) > 0
				if (err != nil) != test.fails || isWarned != strings.HasPrefix(test.says, "Not confirmed") {
					t.Errorf("%v, %q", err, c.Warnings)
				}
			})
		})
	}
}

// The response to an update shows what reads do not. If that is another value than was sent, the update fails; if it was
// not sent, nothing shows that it has changed.
func TestOnlyResponsesShow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config, next  acctest.Configs
		reads, writes func(mockapi.Object)
		says          string // of the error; "": none
	}{
		"another state":           {onKey(map[string]any{"state": "disabled"}), nil, without("state"), with("state", "enabled"), `"enabled" instead of "disabled"`},
		"another release channel": {onService(map[string]any{"release_channel": "slow"}), nil, without("releaseChannel"), with("releaseChannel", "fast"), `"fast" instead of "slow"`},
		"other replicas":          {onScaling(map[string]any{"replicas": 4}), nil, in("scaling", without("replicas")), in("scaling", with("replicas", 2)), "2 instead of 4"},
		"unmanaged state":         {onKey(map[string]any{"name": "One"}), onKey(map[string]any{"name": "Two"}), without("state"), with("state", "enabled"), ""},
		"unmanaged channel":       {onService(map[string]any{"name": "One"}), onService(map[string]any{"name": "Two"}), without("releaseChannel"), with("releaseChannel", "slow"), ""},
		"unmanaged replicas":      {onScaling(map[string]any{"replica_memory_gb": 2}), onScaling(map[string]any{"replica_memory_gb": 3}), in("scaling", without("replicas")), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				api.reads, api.writes = test.reads, test.writes
				c := env.Core(t, nil)
				_, err := c.Run(test.config)
				if test.says != "" {
					acctest.Contains(t, fmt.Sprint(err), test.says)
					return
				}
				c.Must(test.next)
				if warnings := warned(c, "The API also changed"); err != nil || len(warnings) > 0 {
					t.Errorf("%v, %q", err, warnings)
				}
			})
		})
	}
}

// What a response shows of other attributes is not taken for true: a read is.
func TestZerosInAResponse(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env, api := newSilentEnv()
		api.writes = in("scaling", func(scaling mockapi.Object) {
			scaling["replicaCpuMillicores"], scaling["replicaMemoryGb"] = 0, 0
		})
		c := env.Core(t, nil)
		config := onScaling(map[string]any{"replicas": 4})
		c.Must(config)
		if cpu := c.Attribute("pipe_scaling", "replica_cpu_millicores"); cpu.String() != `tftypes.Number<"250">` || len(warned(c, "The API also changed")) > 0 {
			t.Errorf("cpu %v, %q", cpu, c.Warnings)
		}
		c.ExpectNoChanges(config)
	})
}

// The read of an apply, and no other, leaves a list out. What the plan removes is sent all the same: it would keep its
// access, and be in no state.
func TestRemovalAfterAnIncompleteRead(t *testing.T) {
	t.Parallel()
	whole := func(list map[string]any) acctest.Configs { return onService(map[string]any{"ip_access_list": list}) }
	for name, test := range map[string]struct{ before, after acctest.Configs }{
		"an entry": {onEntry("10.0.0.0/8", "mine"), acctest.Configs{entryKind: nil}},
		"the list": {whole(map[string]any{"10.0.0.0/8": "mine"}), whole(map[string]any{})},
		"a key's":  {onKey(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "mine"}}), onKey(map[string]any{"ip_access_list": map[string]any{}})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				emptyLists(env)
				c := env.Core(t, nil)
				c.Must(test.before)
				plans := c.MustPlan(test.after)
				api.reads = without("ipAccessList")
				err := c.ApplyAll(plans)
				api.reads = nil
				service, key := env.Object(mockapi.Service, mockapi.ServiceID), env.Object(mockapi.Key, mockapi.APIKeyID)
				if lists := fmt.Sprint(service["ipAccessList"], key["ipAccessList"]); err != nil || lists != "[] []" {
					t.Errorf("%s, %v", lists, err)
				}
			})
		})
	}
}

// Reads show nothing, and responses a list that is one change late. The mock API adds first, and removes by address: the
// address that a new description takes is added again, and the apply fails.
func TestLateResponses(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env, api := newSilentEnv()
		setEntries(env, "10.0.0.0/8 old", "192.0.2.1 kept")
		c := env.Core(t, nil)
		config := func(description string) acctest.Configs {
			return onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": description, "192.0.2.1": "kept"}})
		}
		c.Must(config("old"))
		api.reads = func(o mockapi.Object) { clear(o) }
		old := []any{mockapi.Object{"source": "10.0.0.0/8", "description": "old"}, mockapi.Object{"source": "192.0.2.1", "description": "kept"}}
		api.writes = func(o mockapi.Object) { clear(o); o["ipAccessList"] = old }
		if _, err := c.Run(config("new")); err == nil {
			t.Error("no error")
		}
		expectEntries(t, env, "10.0.0.0/8 new", "192.0.2.1/32 kept")
	})
}

// A removal does not show in time, and the read after that shows nothing at all: that does not make it a success.
func TestOverdueAndThenNothing(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env, api := newSilentEnv()
		setEntries(env, "10.0.0.0/8 old", "192.0.2.1 kept")
		c := env.Core(t, nil)
		c.Must(onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "old", "192.0.2.1": "kept"}}))
		plans := c.MustPlan(onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "new", "192.0.2.1": "kept"}}))
		began := time.Now()
		old := []any{mockapi.Object{"source": "10.0.0.0/8", "description": "old"}, mockapi.Object{"source": "192.0.2.1", "description": "kept"}}
		isOver := false
		api.reads = func(o mockapi.Object) {
			if o["ipAccessList"] = old; isOver {
				clear(o)
			}
			isOver = time.Since(began) >= 30*time.Second
		}
		api.writes = api.reads
		acctest.Contains(t, fmt.Sprint(c.ApplyAll(plans)), "it still shows: 10.0.0.0/8; check ip_access_list, which may be missing: 10.0.0.0/8")
	})
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
