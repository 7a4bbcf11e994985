package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

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

// With a real CLI: what an update says that it did not make, and what it changed besides.
func TestAlsoChangedInTerraform(t *testing.T) {
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

// Reads show nothing, and responses an old list: always the first one, whose apply fails, or that before their PATCH. The
// mock API adds first, and removes by address: the address that a new description takes is added again.
func TestLateResponses(t *testing.T) {
	t.Parallel()
	for name, always := range map[string]bool{"the first list": true, "the list before": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				setEntries(env, "10.0.0.0/8 old", "192.0.2.1 kept")
				old := env.Object(mockapi.Service, mockapi.ServiceID)["ipAccessList"]
				c := env.Core(t, nil)
				config := func(description string) acctest.Configs {
					return onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": description, "192.0.2.1": "kept"}})
				}
				c.Must(config("old"))
				api.reads = func(o mockapi.Object) { clear(o) }
				api.writes = func(o mockapi.Object) {
					now := o["ipAccessList"]
					clear(o)
					if o["ipAccessList"] = old; !always {
						old = now
					}
				}
				if _, err := c.Run(config("new")); always && err == nil {
					t.Error("no error")
				}
				expectEntries(t, env, "10.0.0.0/8 new", "192.0.2.1/32 kept")
			})
		})
	}
}

// A platform that stores another form than was sent: each of four applies says what the API
// returns and advises to write that. No list ends empty.
func TestAPIStoresAnotherForm(t *testing.T) {
	t.Parallel()
	type (
		list     = map[string]any
		variants = mockapi.Variants
	)
	const entries, endpoints = "ip_access_list", "private_endpoint_ids"
	for name, test := range map[string]struct {
		variants  variants
		attribute string
		one, two  any // two is added to one, or replaces it
		says      string
	}{
		"unspecified": {variants{"stored_addresses=unspecified"}, entries, list{"192.0.2.1": ""}, list{"192.0.2.1": "", "0.0.0.0": "all"}, "returns 0.0.0.0/0 instead of 0.0.0.0"},
		"alone":       {variants{"stored_addresses=unspecified"}, entries, list{"192.0.2.1": ""}, list{"::": ""}, "returns ::/0 instead of ::"},
		"mapped":      {variants{"stored_addresses=mapped"}, entries, list{"192.0.2.1": ""}, list{"::ffff:198.51.100.1": "", "::ffff:203.0.113.0/120": ""}, ""}, // it is known to be the same
		"trimmed":     {variants{"stored_text=trimmed"}, entries, list{"192.0.2.1": "old"}, list{"192.0.2.1": "new\n"}, "does not return 192.0.2.1 as planned"},
		"escaped":     {variants{"stored_text=escaped"}, entries, list{"192.0.2.1": "old"}, list{"192.0.2.1": "a & b"}, "does not return 192.0.2.1 as planned"},
		"a name":      {variants{"stored_text=trimmed"}, "name", "Old", "New\n", `returns "New" instead of "New\n"`},
		"small ids":   {variants{"small_ids"}, endpoints, []any{"vpce-1"}, []any{"vpce-1", "VPCE-NEW"}, ""}, // it is known to be the same
		"opens":       {variants{"open_empty_list"}, entries, list{"192.0.2.1": ""}, list{}, "0.0.0.0/0"},   // instead of the empty list, or besides it
		"opens late":  {variants{"open_empty_list", "stale_keys=2s", "stale_services=2s"}, entries, list{"192.0.2.1": ""}, list{}, "0.0.0.0/0"},
	} {
		for kind, on := range map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey} {
			if kind == "api_key" && name == "small ids" {
				continue
			}
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				underTest.InVirtualTime(t, func(t *testing.T) {
					env := underTest.NewVirtualEnv(nil)
					emptyLists(env)
					c := env.Core(t, nil)
					c.Must(on(map[string]any{test.attribute: test.one}))
					env.SetVariants(test.variants)
					for i := range 4 {
						_, err := c.Run(on(map[string]any{test.attribute: test.two}))
						text := fmt.Sprint(err, c.Warnings)
						if test.says == "" && err != nil {
							t.Errorf("%d: %v", i, err)
						}
						if test.says != "" {
							acctest.Contains(t, text, test.says)
						}
						object := env.Object(mockapi.Service, mockapi.ServiceID)
						if kind == "api_key" {
							object = env.Object(mockapi.Key, mockapi.APIKeyID)
						}
						if list, ok := object[camel(test.attribute)].([]any); ok && len(list) == 0 {
							t.Errorf("%d: the list is empty", i)
						}
					}
				})
			})
		}
	}
}
