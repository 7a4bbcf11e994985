package adopt

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// planDestroy says what a destroy leaves behind. private is that of the planned
// destroy, nil for a replacement.
func (r *Resource[O]) planDestroy(ctx context.Context, state Attributes, private privateState) diag.Diagnostics {
	if part, ok := r.definition.(Part); ok {
		return r.planRemoval(ctx, part, state, private)
	}
	if adviser, ok := r.definition.(DestroyAdviser); ok {
		if diags := adviser.AdviseDestroy(state); len(diags) > 0 {
			return diags
		}
	}
	// One line: Terraform does not fold these once their blocks are gone.
	object := r.metadata.Noun + " " + Text(state[r.metadata.lastID()])
	return diag.Diagnostics{diag.NewWarningDiagnostic("Removed from state only; the object was not deleted", object)}
}
