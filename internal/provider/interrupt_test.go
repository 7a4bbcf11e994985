package provider

import (
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
		"waiting for the change": {"getPipe", hangs, "Interrupted while waiting for pipe scaling"},
	} {
		underTest.InVirtualTime(t, func(t *testing.T) {
			env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{Late: mockapi.LateOld, LateReads: 1}))
			c := env.Core(t, nil)
			config := acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 5})}
			plans := c.MustPlan(config)
			if test.fault.Operation = test.operation; test.operation == "getPipe" {
				test.fault.Skip = 1
			}
			remove := env.Fail(test.fault)
			began := time.Now()
			time.AfterFunc(2*time.Second, func() { stop(t, c.Server) })
			err := fmt.Sprint(c.ApplyAll(plans))
			acctest.Contains(t, err, test.says, "interrupted")
			acctest.Lacks(t, err, "raise update_timeout")
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
		time.AfterFunc(time.Second/2, func() { stop(t, c.Server) })
		if err := c.ApplyAll(plans); err != nil {
			t.Error(err)
		}
		env.ExpectWrites(t, "updateService", addMine)
		c.ExpectNoChanges(onEntry("203.0.113.9", "mine"))
		expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.9/32 mine")
	})
}

// What Terraform calls in the instant after it has stopped the provider ends at
// once. Under a debugger, the same server serves the next run.
func TestStopped(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil)
		c := env.Core(t, nil)
		planned := c.MustPlan(acctest.Configs{"pipe_scaling": onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})})["pipe_scaling"]
		stop(t, c.Server)
		remove := env.Fail(fault(429, "Retry-After", "30"))
		env.ResetRequests()
		stopped := time.Now()
		acctest.Contains(t, fmt.Sprint(c.Apply("pipe_scaling", planned)), "Run Terraform again; completed changes are not repeated")
		if sent, took := len(env.Requests()), time.Since(stopped); sent > 0 || took > 0 {
			t.Errorf("it took %d requests and %s", sent, took)
		}
		remove()
		env.Configure(t, c.Server, nil)
		if err := c.Apply("pipe_scaling", planned); err != nil {
			t.Errorf("the next run: %v", err)
		}
	})
}

// An apply plans a creation again, and looks up objects: an interrupt of these does not say
// that the apply has changed nothing.
func TestInterruptedReadOfAnApply(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	configs := onService(map[string]any{"name": "renamed"})
	configs["pipe_scaling"] = onPipe(mockapi.KafkaPipeID, map[string]any{"replicas": 7})
	plans := c.MustPlan(configs)
	c.Walk()
	if err := c.Apply("pipe_scaling", plans["pipe_scaling"]); err != nil {
		t.Fatal(err)
	}
	stop(t, c.Server)
	_, lookedUp := c.LookUp("service", map[string]string{"service_id": mockapi.ServiceID})
	for _, err := range []error{c.Apply("service", plans["service"]), lookedUp} {
		acctest.Contains(t, fmt.Sprint(err), "service …1111: interrupted", "Run Terraform again; completed changes are not repeated.")
		acctest.Lacks(t, fmt.Sprint(err), "Nothing was changed")
	}
}
