package provider

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// TestModels: attributes and models are two forms of the same.
func TestModels(t *testing.T) {
	t.Parallel()
	scaling := attributes{
		"service_id": types.StringValue("s"), "pipe_id": types.StringValue("p"),
		"replicas": types.Int64Value(3), "concurrency": types.Int64Null(),
		"replica_cpu_millicores": types.Int64Unknown(), "replica_memory_gb": types.Float64Value(0.5),
	}
	model := modelOf[pipeScalingModel](scaling)
	if model.PipeID.ValueString() != "p" || model.Replicas.ValueInt64() != 3 || !model.ReplicaCPUMillicores.IsUnknown() {
		t.Errorf("the model is %+v", model)
	}
	if back := fromModel(model); !back.equal(scaling) {
		t.Errorf("back again it is %v", back)
	}
}

// TestModelOfWhatIsNone: a state that was written by hand may hold what no
// attribute takes. The next answer of the API takes its place.
func TestModelOfWhatIsNone(t *testing.T) {
	t.Parallel()
	broken := fromModel(pipeScalingModel{})
	broken["replicas"] = notWhole{basetypes.NewInt64Unknown(), big.NewFloat(2.5)}
	if model := modelOf[pipeScalingModel](broken); !model.Replicas.IsNull() {
		t.Errorf("replicas are %s", model.Replicas)
	}
}
