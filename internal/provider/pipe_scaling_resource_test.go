package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// If CPU or memory changes, the other one is sent as well: not one that is not configured, or that ignore_changes leaves
// alone.
func TestCPUAndMemoryAreSentTogether(t *testing.T) {
	t.Parallel()
	both := func(cpu, memory any) acctest.Configs {
		return onScaling(map[string]any{"replicas": 3, "replica_cpu_millicores": cpu, "replica_memory_gb": memory})
	}
	for name, test := range map[string]struct {
		planned acctest.Configs
		config  acctest.Configs // what ignore_changes leaves as it is in an apply; nil: as planned
		sent    string
	}{
		"CPU changes":           {both(500, 1), nil, `{"replicaCpuMillicores":500,"replicaMemoryGb":1}`},
		"memory changes":        {both(250, 2), nil, `{"replicaCpuMillicores":250,"replicaMemoryGb":2}`},
		"CPU is not configured": {both(nil, 2), nil, `{"replicaMemoryGb":2}`},
		"memory is not":         {both(500, nil), nil, `{"replicaCpuMillicores":500}`},
		"memory is ignored":     {both(500, 1), both(500, 4), `{"replicaCpuMillicores":500}`},
		"neither changes":       {onScaling(map[string]any{"replicas": 5, "replica_cpu_millicores": 250, "replica_memory_gb": 1}), nil, `{"replicas":5}`},
	} {
		env := newEnv(t)
		env.Change(mockapi.Pipe, mockapi.KafkaPipeID, in("scaling", with("replicaMemoryGb", 1)))
		c := env.Core(t, nil)
		c.Must(both(250, 1))
		env.ResetRequests()
		plans := c.MustPlan(test.planned)
		if p := plans["pipe_scaling"]; test.config != nil {
			p.ApplyConfig = c.Config("pipe_scaling", test.config["pipe_scaling"])
			plans["pipe_scaling"] = p
		}
		if err := c.ApplyAll(plans); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		env.ExpectWrites(t, "scalePipe", test.sent)
		c.ExpectNoChanges(test.planned)
	}
}
