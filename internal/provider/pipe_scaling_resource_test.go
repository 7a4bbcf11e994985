package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const scalingAddress = "dbplatform_pipe_scaling.this"

func scalingConfig(pipe, body string) string {
	return fmt.Sprintf(`
resource "dbplatform_pipe_scaling" "this" {
  service_id = %q
  pipe_id    = %q
  %s
}
`, mockapi.ServiceID, pipe, body)
}

func TestPipeScaling(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	kafka := mockapi.KafkaPipeID
	step := func(action plancheck.ResourceActionType, pipe, body string, sent ...string) resource.TestStep {
		return planned(env, scalingAddress, action, scalingConfig(pipe, body), "scalePipe", sent...)
	}
	env.Run(t,
		showing(step(plancheck.ResourceActionCreate, kafka, "replicas = 4", `{"replicas":4}`), scalingAddress, map[string]knownvalue.Check{
			"service_id": knownvalue.StringExact(mockapi.ServiceID), "pipe_id": knownvalue.StringExact(kafka), "replicas": knownvalue.Int64Exact(4),
		}),
		imported(scalingAddress, mockapi.ServiceID+"/"+kafka, "pipe_id", "concurrency"), // does not apply to Kafka
		step(plancheck.ResourceActionUpdate, kafka, "replicas = 4\n  replica_memory_gb = 0.5", `{"replicaMemoryGb":0.5}`),
		// Left out again: no longer managed, not reset.
		showing(step(plancheck.ResourceActionNoop, kafka, "replicas = 4"), scalingAddress, map[string]knownvalue.Check{"replica_memory_gb": knownvalue.Float64Exact(0.5)}),
		// Drift of a managed attribute is corrected; other drift is not touched.
		drifted(env, showing(step(plancheck.ResourceActionUpdate, kafka, "replicas = 4", `{"replicas":4}`), scalingAddress, map[string]knownvalue.Check{
			"replica_cpu_millicores": knownvalue.Int64Exact(2000),
		}), func() {
			env.Change(mockapi.Pipe, kafka, func(pipe mockapi.Object) {
				scaling := pipe["scaling"].(mockapi.Object)
				scaling["replicas"], scaling["replicaCpuMillicores"] = 9, 2000
			})
		}),
		step(plancheck.ResourceActionDestroyBeforeCreate, mockapi.ObjectStoragePipeID, "concurrency = 34", `{"concurrency":34}`),
	)
	env.ExpectNoDeletes(t)
	if got := env.Object(mockapi.Pipe, kafka)["scaling"].(mockapi.Object)["replicas"]; fmt.Sprint(got) != "4" {
		t.Errorf("the destroy changed replicas to %v", got)
	}
}
