package provider

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An object that shows its new values after a while is waited for, also after
// others were waited for without success. Each of those waits takes the whole time.
func TestLateChangesAreAwaited(t *testing.T) {
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

// What was sent and neither the response nor a read shows is a warning with the API's text. A response that shows
// another value, where no read shows any, is an error.
func TestNotConfirmed(t *testing.T) {
	t.Parallel()
	const silent = `{"status":"rejected","message":"over quota"}`
	result := func(id, members string) string { return `{"status":200,"result":{"id":"` + id + `",` + members + `}}` }
	disabled := onKey(map[string]any{"state": "disabled"})
	switchedOff := onService(map[string]any{"endpoints_enabled": map[string]any{"mysql": false}})
	for name, test := range map[string]struct {
		config acctest.Configs
		isDone bool // the API has carried it out
		body   string
		says   string
		fails  bool
	}{
		"nothing of the key":    {disabled, false, silent, "Not confirmed: state", false},
		"a bare key":            {disabled, false, result(mockapi.APIKeyID, `"name":"x"`), "Not confirmed: state", false},
		"the key, but no state": {disabled, false, result(mockapi.APIKeyID, `"roles":["admin"]`), "<nil>", false},
		"another value":         {disabled, false, result(mockapi.APIKeyID, `"state":"enabled"`), `returns "enabled" instead of "disabled"`, true},
		"beside a refusal":      {disabled, false, `{"status":200,"errors":[{"message":"over quota"}],"result":{"id":"` + mockapi.APIKeyID + `"}}`, "over quota", true},
		"a bare service":        {onService(map[string]any{"release_channel": "fast"}), false, result(mockapi.ServiceID, `"name":"x"`), "Not confirmed: release_channel", false},
		"a name that was sent":  {onService(map[string]any{"release_channel": "fast", "name": "x"}), true, result(mockapi.ServiceID, `"name":"x"`), "<nil>", false},
		"a switch":              {switchedOff, false, silent, "Not confirmed: endpoints_enabled", false},
		"a bare switch":         {switchedOff, false, result(mockapi.ServiceID, `"name":"x"`), "Not confirmed: endpoints_enabled", false},
		"an endpoint that goes": {switchedOff, true, silent, "<nil>", false},
		"another switch":        {switchedOff, false, result(mockapi.ServiceID, `"isPrimary":true,"endpoints":[{"protocol":"mysql","enabled":true}]`), "does not return mysql as planned", true},
		"no entry":              {onEntry("203.0.113.9", "mine"), false, silent, "Its response was: over quota", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				env := underTest.NewVirtualEnv(func(w http.ResponseWriter, c acctest.Call) bool {
					if !c.Writes() {
						return false
					}
					if test.isDone {
						c.Record()
					}
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, test.body)
					return true
				})
				c := env.Core(t, nil)
				_, err := c.Run(test.config)
				acctest.Contains(t, fmt.Sprint(err, c.Warnings), test.says)
				isWarned := len(warned(c, "Not confirmed")) > 0
				if (err != nil) != test.fails || isWarned != strings.HasPrefix(test.says, "Not confirmed") {
					t.Errorf("%v, %q", err, c.Warnings)
				}
			})
		})
	}
}

// What was sent, a read before showed, and the response leaves out is read once more, before the
// apply is complete. An API that returns what it was sent costs no request more.
func TestLeftOutByResponses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first, second acctest.Configs
		edit          func(mockapi.Object)
		requests      int // if the response shows it
	}{
		"a number":      {onScaling(map[string]any{"replicas": 4}), onScaling(map[string]any{"replicas": 5}), in("scaling", without("replicas")), 2},
		"all of it":     {onScaling(map[string]any{"replicas": 4}), onScaling(map[string]any{"replicas": 5}), without("scaling"), 2},
		"a setting":     {onSettings(map[string]any{"db_max_threads": 4}), onSettings(map[string]any{"db_max_threads": 5}), without("db_max_threads"), 3},
		"a name":        {onService(map[string]any{"name": "One"}), onService(map[string]any{"name": "Two"}), without("name"), 2},
		"no expiry":     {onKey(map[string]any{"expire_at": "2031-02-03T04:05:06Z"}), onKey(map[string]any{"expire_at": "never"}), without("expireAt"), 2},
		"the endpoints": {onService(map[string]any{"endpoints_enabled": map[string]any{"mysql": true}}), onService(map[string]any{"endpoints_enabled": map[string]any{"mysql": false}}), without("endpoints"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				for _, edit := range []func(mockapi.Object){nil, test.edit} {
					env, api := newSilentEnv()
					c := env.Core(t, nil)
					c.Must(test.first)
					plans := c.MustPlan(test.second)
					env.ResetRequests()
					api.writes = edit
					if err := c.ApplyAll(plans); err != nil {
						t.Fatal(err)
					}
					want := test.requests
					if edit != nil {
						want++
					}
					if n := len(env.Requests()); n != want {
						t.Errorf("%d requests, not %d", n, want)
					}
					before := c.States()
					c.ExpectNoChanges(test.second)
					if after := c.States(); !maps.Equal(before, after) {
						t.Errorf("a refresh changes the state from %v to %v", before, after)
					}
				}
			})
		})
	}
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
		acctest.Contains(t, fmt.Sprint(c.ApplyAll(plans)), "it still shows: 10.0.0.0/8; check ip_access_list, which may lack: 10.0.0.0/8")
	})
}

// If the API no longer returns the object once it has accepted a change, nothing can be waited for, and the change is
// the only error.
func TestHiddenWhileAwaited(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{"update_response=204"}))
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
