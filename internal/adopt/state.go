package adopt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// CheckState refuses a stored state with a number that its attribute cannot hold, such
// as 1.5 replicas: the framework checks only configurations and plans.
func (r *Resource[O]) CheckState(ctx context.Context, stored *tfprotov6.RawState) (diags diag.Diagnostics) {
	state, err := stored.UnmarshalWithOpts(r.objectType.TerraformType(ctx), tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		diags.AddError("Invalid state", fmt.Sprintf("The state is not a valid dbplatform_%s state: %s.", r.metadata.TypeName, err))
		return diags
	}
	var values map[string]tftypes.Value
	_ = state.As(&values) // of the schema's type
	attributes := Attributes{}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, err := r.objectType.AttrTypes[name].ValueFromTerraform(ctx, values[name])
		if err != nil || value.IsUnknown() { // what a type cannot hold becomes unknown
			wrong = append(wrong, name)
		}
		attributes[name] = value
	}
	if len(wrong) > 0 {
		diags.AddError("Invalid state of "+r.metadata.shortName(attributes), fmt.Sprintf(
			"%s: the state has a number that its attribute cannot hold: %s. "+
				"Remove the resource from the state with terraform state rm. The next apply adopts the object again.",
			r.metadata.name(attributes), strings.Join(wrong, ", ")))
	}
	return diags
}
