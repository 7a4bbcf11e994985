package provider

import (
	"fmt"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An object that shows its new values after a while is waited for, also after
// another one was waited for without success. Several that never do so do not take
// the whole wait each, until one was waited for with success.
func TestWaits(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		const never, long, short = 1000, 25 * time.Second, 6 * time.Second
		env := underTest.NewVirtualEnv(nil)
		core, pipes := env.Core(t, nil), env.AddPipes(14)
		// waitFor scales another pipe in the same provider process, whose next reads
		// show old values.
		waitFor := func(oldReads int) time.Duration {
			env.SetVariants(mockapi.Variants{})
			if oldReads > 0 {
				env.SetVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: oldReads})
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
		if last := waitFor(never); last > short {
			t.Errorf("the wait after three without success took %s", last)
		}
		waitFor(3)
		if last := waitFor(never); last < long {
			t.Errorf("the wait after one with success took %s", last)
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
					mockapi.Variants{Late: mockapi.LateOld, LateReads: 1000},
					"replicas but returns 2 instead of 7 after " + want + ". If that means the same, write it as the API returns it. Otherwise, it may still show: if the API needs longer, raise update_timeout; if it never shows, leave it out.",
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
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: 1}))
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
