package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
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

	env.Run(t,
		resource.TestStep{ // minimal
			PreConfig: env.ResetRequests,
			Config:    scalingConfig(kafka, "replicas = 4"),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(scalingAddress, plancheck.ResourceActionCreate),
				plancheck.ExpectUnknownValue(scalingAddress, tfjsonpath.New("concurrency")),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(scalingAddress, tfjsonpath.New("service_id"), knownvalue.StringExact(mockapi.ServiceID)),
				statecheck.ExpectKnownValue(scalingAddress, tfjsonpath.New("pipe_id"), knownvalue.StringExact(kafka)),
				statecheck.ExpectKnownValue(scalingAddress, tfjsonpath.New("replicas"), knownvalue.Int64Exact(4)),
			},
			Check: env.Sends("scalePipe", `{"replicas":4}`),
		},
		resource.TestStep{
			ResourceName:                         scalingAddress,
			ImportState:                          true,
			ImportStateId:                        mockapi.ServiceID + "/" + kafka,
			ImportStateVerify:                    true,
			ImportStateVerifyIgnore:              []string{"concurrency"}, // does not apply to Kafka
			ImportStateVerifyIdentifierAttribute: "pipe_id",
		},
		resource.TestStep{ // one attribute more: one line of plan, one member sent
			PreConfig: env.ResetRequests,
			Config:    scalingConfig(kafka, "replicas = 4\n  replica_memory_gb = 0.5"),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(scalingAddress, plancheck.ResourceActionUpdate),
				acctest.OnlyChanges(scalingAddress, "replica_memory_gb"),
			),
			Check: env.Sends("scalePipe", `{"replicaMemoryGb":0.5}`),
		},
		resource.TestStep{ // left out again: no longer managed, not reset
			PreConfig:        env.ResetRequests,
			Config:           scalingConfig(kafka, "replicas = 4"),
			ConfigPlanChecks: acctest.PreApply(plancheck.ExpectEmptyPlan()),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(scalingAddress, tfjsonpath.New("replica_memory_gb"), knownvalue.Float64Exact(0.5)),
			},
			Check: env.Sends("scalePipe"),
		},
		resource.TestStep{ // drift of a managed attribute is shown and corrected; other drift is not touched
			PreConfig: func() {
				env.Change(mockapi.Pipe, kafka, func(pipe mockapi.Object) {
					scaling := pipe["scaling"].(mockapi.Object)
					scaling["replicas"], scaling["replicaCpuMillicores"] = 9, 2000
				})
				env.ResetRequests()
			},
			Config: scalingConfig(kafka, "replicas = 4"),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(scalingAddress, plancheck.ResourceActionUpdate),
				acctest.OnlyChanges(scalingAddress, "replicas"),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(scalingAddress, tfjsonpath.New("replica_cpu_millicores"), knownvalue.Int64Exact(2000)),
			},
			Check: env.Sends("scalePipe", `{"replicas":4}`),
		},
		resource.TestStep{ // another pipe: replacement
			PreConfig: env.ResetRequests,
			Config:    scalingConfig(mockapi.ObjectStoragePipeID, "concurrency = 34"),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(scalingAddress, plancheck.ResourceActionDestroyBeforeCreate),
			),
			Check: env.Sends("scalePipe", `{"concurrency":34}`),
		},
	)
	env.ExpectNoDeletes(t)
	if got := env.Object(mockapi.Pipe, kafka)["scaling"].(mockapi.Object)["replicas"]; fmt.Sprint(got) != "4" {
		t.Errorf("the destroy changed replicas to %v", got)
	}
}
