package provider

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// An interrupt ends an apply at once, whatever a request is doing. The next apply
// completes it.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	hangs := mockapi.Fault{Kind: mockapi.FaultHang, AfterActing: true}
	for name, test := range map[string]struct {
		operation string
		fault     mockapi.Fault
		says      string
	}{
		"waiting for a response": {"scalePipe", hangs, "Unable to adopt pipe scaling"},
		"between two attempts":   {"scalePipe", mockapi.Fault{Kind: mockapi.FaultReset}, "Unable to adopt pipe scaling"},
		"waiting for the limit":  {"scalePipe", fault(429, "Retry-After", "30"), "Unable to adopt pipe scaling"},
		"waiting for the change": {"getPipe", hangs, "Unable to confirm the update of pipe scaling"},
	} {
		underTest.InVirtualTime(t, func(t *testing.T) {
			env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{"late=old", "late_reads=1"}))
			c := env.Core(t, nil)
			config := acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 5})}
			plans := c.MustPlan(config)
			if test.fault.Operation = test.operation; test.operation == "getPipe" {
				test.fault.Skip = 1
			}
			remove := env.Fail(test.fault)
			began := time.Now()
			ctx, stop := context.WithCancel(t.Context())
			time.AfterFunc(2*time.Second, stop)
			c.Context = ctx
			err := fmt.Sprint(c.ApplyAll(plans))
			c.Context = t.Context()
			acctest.Contains(t, err, test.says, "interrupted")
			if took := time.Since(began); took != 2*time.Second || len(env.Sent("scalePipe")) == 0 {
				t.Errorf("%s: it took %s to end, after %d writes", name, took, len(env.Sent("scalePipe")))
			}
			remove()
			c.Must(config)
			c.ExpectNoChanges(config)
		})
	}
}

// An interrupt while the API adds an entry: the request ends, and the state has the entry.
func TestInterruptedCreation(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(func(_ http.ResponseWriter, c acctest.Call) bool {
			if c.Writes() {
				time.Sleep(time.Second)
			}
			return false
		})
		c := env.Core(t, nil)
		plans := c.MustPlan(onEntry("203.0.113.9", "mine"))
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second/2, stop)
		c.Context = ctx
		if err := c.ApplyAll(plans); err != nil {
			t.Error(err)
		}
		c.Context = t.Context()
		env.ExpectWrites(t, "updateService", addMine)
		c.ExpectNoChanges(onEntry("203.0.113.9", "mine"))
		expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.9/32 mine")
	})
}
