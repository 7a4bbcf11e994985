package adopt

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

type testModel struct {
	ID       types.String  `tfsdk:"id"`
	Replicas types.Int64   `tfsdk:"replicas"`
	Memory   types.Float64 `tfsdk:"memory"`
}

func TestModelOf(t *testing.T) {
	t.Parallel()
	a := Attributes{"id": types.StringValue("x"), "replicas": types.Int64Value(3), "memory": types.Float64Unknown()}
	model := modelOf[testModel](a)
	if model.ID.ValueString() != "x" || model.Replicas.ValueInt64() != 3 || !model.Memory.IsUnknown() {
		t.Errorf("the model is %+v", model)
	}
	if back := fromModel(model); !back.equal(a) {
		t.Errorf("converted back it is %v", back)
	}
}

// A state that was edited by hand may hold a value of another type.
func TestModelOfAnotherType(t *testing.T) {
	t.Parallel()
	if model := modelOf[testModel](Attributes{"replicas": types.StringValue("many")}); !model.Replicas.IsNull() {
		t.Errorf("replicas are %s", model.Replicas)
	}
}
