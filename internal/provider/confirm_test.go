package provider

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An object that shows its new values after a while is waited for, also after
// others were waited for without success.
func TestWaits(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		const never, long = 1000, 25 * time.Second
		env := underTest.NewVirtualEnv(nil)
		core, pipes := env.Core(t, nil), env.AddPipes(14)
		// waitFor scales another pipe in the same provider process, whose next reads
		// show old values.
		waitFor := func(oldReads int) time.Duration {
			env.SetVariants(mockapi.Variants{})
			if oldReads > 0 {
				env.SetVariants(mockapi.Variants{Late: "old", LateReads: oldReads})
			}
			c, started := core.Sibling(), time.Now()
			planned, err := c.Plan("pipe_scaling", c.Config("pipe_scaling", onPipe(pipes[0], map[string]any{"replicas": 7})))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Apply("pipe_scaling", planned); (err == nil) != (oldReads < never) {
				t.Errorf("after %d reads with old values: %v", oldReads, err)
			}
			pipes = pipes[1:]
			return time.Since(started)
		}
		if first := waitFor(never); first < long {
			t.Errorf("the first wait took %s", first)
		}
		waitFor(4)
		for n := range 3 {
			waitFor(0)
			if took := waitFor(never); took < long {
				t.Errorf("wait %d without success took %s", n+1, took)
			}
		}
	})
}

// update_timeout bounds each wait for a change to show, that for a list included. The
// error says how long it was.
func TestUpdateTimeout(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[string]string{"": "30s", "2m": "2m0s"} {
		underTest.InVirtualTime(t, func(t *testing.T) {
			settings := map[string]any{}
			if timeout != "" {
				settings["update_timeout"] = timeout
			}
			limit, _ := time.ParseDuration(want)
			for _, test := range []struct {
				before, config acctest.Configs
				variants       mockapi.Variants
				says           string
			}{
				{
					nil,
					acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})},
					mockapi.Variants{Late: "old", LateReads: 1000},
					"replicas but returns 2 instead of 7 after " + want + ". If that means the same, write it as the API returns it. Otherwise, it may still show: if the API needs longer, raise update_timeout; if it never shows, leave it out.",
				},
				{ // an update cannot set 0
					nil,
					acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})},
					mockapi.Variants{Late: "zero", LateReads: 1000},
					"replicas but returns 0 instead of 7 after " + want + ". It may still show",
				},
				{
					onService(map[string]any{"ip_access_list": map[string]any{"192.0.2.7": "office", "10.0.0.0/8": ""}}),
					onService(map[string]any{"ip_access_list": map[string]any{"192.0.2.7": "office"}}),
					mockapi.Variants{StaleServices: time.Hour},
					"but still returns 10.0.0.0/8 after " + want,
				},
			} {
				env := underTest.NewVirtualEnv(nil)
				c := env.Core(t, settings)
				c.Must(test.before)
				plans := c.MustPlan(test.config)
				env.SetVariants(test.variants)
				began := time.Now()
				acctest.Contains(t, fmt.Sprint(c.ApplyAll(plans)), test.says, "update_timeout")
				if took := time.Since(began); took < limit || took > limit+2*time.Second {
					t.Errorf("%v took %s", plans, took)
				}
			}
		})
	}
}

// A failure that ends a wait is what the error is about.
func TestWaitThatEndsEarly(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{Late: "old", LateReads: 1}))
		c := env.Core(t, nil)
		config := acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})}
		plans := c.MustPlan(config)
		failing := fault(403)
		failing.Operation, failing.Skip = "getPipe", 1
		remove := env.Fail(failing)
		acctest.Contains(t, fmt.Sprint(c.ApplyAll(plans)), acctest.ErrorText, acctest.ErrorRequestID)
		env.ExpectWrites(t, "scalePipe", `{"replicas":7}`)
		remove()
		c.Must(config)
		c.ExpectNoChanges(config)
	})
}

// If a read fails after an update was accepted, it is not the way to read that is wrong.
func TestFailedReadAfterAnUpdate(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		for _, status := range []int{403, 404, 405, 422, 500} {
			env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{StaleServices: time.Hour}))
			c := env.Core(t, map[string]any{"unreadable_objects": "error"})
			plans := c.MustPlan(onService(map[string]any{"name": "New"}))
			failing := fault(status)
			failing.Operation, failing.Skip = "updateService", 2
			env.Fail(failing)
			err := fmt.Sprint(c.ApplyAll(plans))
			acctest.Contains(t, err, "Unable to confirm the update of service", strconv.Itoa(status))
		}
	})
}

// If the API no longer returns the object once it has accepted a change, nothing can be waited for, and the change is
// the only error.
func TestHiddenWhileAwaited(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{UpdateResponse: "204"}))
		c, config := env.Core(t, map[string]any{"unreadable_objects": "warn"}), onKey(map[string]any{"name": "New"})
		c.Must(onKey(nil))
		plans := c.MustPlan(config)
		env.ResetRequests()
		remove := env.Fail(mockapi.Fault{Operation: "updateKey", Status: 405, Skip: 2})
		began := time.Now()
		err := fmt.Sprint(c.ApplyAll(plans))
		acctest.Contains(t, err, "The API accepted the change to name, but no longer returns the attribute.")
		acctest.Lacks(t, err, "Unable to confirm")
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %s", took)
		}
		remove()
		c.Must(config)
		env.ExpectWrites(t, "updateKey", `{"name":"New"}`)
		c.ExpectNoChanges(config)
	})
}

// An entry that was accepted, and that neither the response nor a read shows, is a warning with the API's text.
func TestEntryNotConfirmed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hidden bool // else reads show no more than id and name
		writes func(mockapi.Object)
		warns  int
	}{
		"hidden":              {true, func(object mockapi.Object) { clear(object); object["message"] = "queued" }, 1},
		"not shown":           {false, func(object mockapi.Object) { clear(object); object["message"] = "queued" }, 1},
		"hidden, responds":    {true, nil, 0},
		"not shown, response": {false, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env, api := newSilentEnv()
				if api.reads = showsNothing; test.hidden {
					env.SetVariants(mockapi.Variants{RefuseEmptyPatch: 405})
				}
				api.writes = test.writes
				c := env.Core(t, nil)
				began := time.Now()
				c.Must(onEntry("203.0.113.9", "mine"))
				if found := warned(c, "Not confirmed: description, source: The API accepted the update of access list entry 203.0.113.9 of service "+mockapi.ServiceID); len(found) != test.warns || time.Since(began) > 0 {
					t.Errorf("after %s: %q", time.Since(began), c.Warnings)
				}
				env.ExpectWrites(t, "updateService", addMine)
				c.ExpectNoChanges(onEntry("203.0.113.9", "mine"))
			})
		})
	}
}

// A platform that stores another form than was sent: each of four applies says what the API
// returns and advises to write that. No list ends empty.
func TestOtherForms(t *testing.T) {
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
		"unspecified": {variants{StoredAddresses: "unspecified"}, entries, list{"192.0.2.1": ""}, list{"192.0.2.1": "", "0.0.0.0": "all"}, "returns 0.0.0.0/0 instead of 0.0.0.0"},
		"alone":       {variants{StoredAddresses: "unspecified"}, entries, list{"192.0.2.1": ""}, list{"::": ""}, "returns ::/0 instead of ::"},
		"mapped":      {variants{StoredAddresses: "mapped"}, entries, list{"192.0.2.1": ""}, list{"::ffff:198.51.100.1": "", "::ffff:203.0.113.0/120": ""}, ""}, // it is known to be the same
		"trimmed":     {variants{StoredText: "trimmed"}, entries, list{"192.0.2.1": "old"}, list{"192.0.2.1": "new\n"}, "does not return 192.0.2.1 as planned"},
		"escaped":     {variants{StoredText: "escaped"}, entries, list{"192.0.2.1": "old"}, list{"192.0.2.1": "a & b"}, "does not return 192.0.2.1 as planned"},
		"a name":      {variants{StoredText: "trimmed"}, "name", "Old", "New\n", `returns "New" instead of "New\n"`},
		"small ids":   {variants{SmallIDs: true}, endpoints, []any{"vpce-1"}, []any{"vpce-1", "VPCE-NEW"}, "returns vpce-new instead of VPCE-NEW"}, // the second plan fails
		"opens":       {variants{OpenEmptyList: true}, entries, list{"192.0.2.1": ""}, list{}, "0.0.0.0/0"},                                        // instead of the empty list, or besides it
		"opens late":  {variants{OpenEmptyList: true, StaleKeys: 2 * time.Second, StaleServices: 2 * time.Second}, entries, list{"192.0.2.1": ""}, list{}, "0.0.0.0/0"},
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
