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
				env.SetVariants(mockapi.Variants{"late=old", fmt.Sprint("late_reads=", oldReads)})
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
					mockapi.Variants{"late=old", "late_reads=1000"},
					"replicas but returns 2 instead of 7 after " + want + ". If that means the same, write it as the API returns it. Otherwise, it may still show: if the API needs longer, raise update_timeout; if it never shows, leave it out.",
				},
				{ // an update cannot set 0
					nil,
					acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})},
					mockapi.Variants{"late=zero", "late_reads=1000"},
					"replicas but returns 0 instead of 7 after " + want + ". It may still show",
				},
				{
					onService(map[string]any{"ip_access_list": map[string]any{"192.0.2.7": "office", "10.0.0.0/8": ""}}),
					onService(map[string]any{"ip_access_list": map[string]any{"192.0.2.7": "office"}}),
					mockapi.Variants{"stale_services=1h"},
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
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{"late=old", "late_reads=1"}))
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
			env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{"stale_services=1h"}))
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
		"unspecified": {variants{"stored_addresses=unspecified"}, entries, list{"192.0.2.1": ""}, list{"192.0.2.1": "", "0.0.0.0": "all"}, "returns 0.0.0.0/0 instead of 0.0.0.0"},
		"alone":       {variants{"stored_addresses=unspecified"}, entries, list{"192.0.2.1": ""}, list{"::": ""}, "returns ::/0 instead of ::"},
		"mapped":      {variants{"stored_addresses=mapped"}, entries, list{"192.0.2.1": ""}, list{"::ffff:198.51.100.1": "", "::ffff:203.0.113.0/120": ""}, ""}, // it is known to be the same
		"trimmed":     {variants{"stored_text=trimmed"}, entries, list{"192.0.2.1": "old"}, list{"192.0.2.1": "new\n"}, "does not return 192.0.2.1 as planned"},
		"escaped":     {variants{"stored_text=escaped"}, entries, list{"192.0.2.1": "old"}, list{"192.0.2.1": "a & b"}, "does not return 192.0.2.1 as planned"},
		"a name":      {variants{"stored_text=trimmed"}, "name", "Old", "New\n", `returns "New" instead of "New\n"`},
		"small ids":   {variants{"small_ids"}, endpoints, []any{"vpce-1"}, []any{"vpce-1", "VPCE-NEW"}, "returns vpce-new instead of VPCE-NEW"}, // the second plan fails
		"opens":       {variants{"open_empty_list"}, entries, list{"192.0.2.1": ""}, list{}, "0.0.0.0/0"},                                       // instead of the empty list, or besides it
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
