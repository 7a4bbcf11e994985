package adopt

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// planDestroy says what a destroy leaves behind.
func (r *Resource[O]) planDestroy(state Attributes) diag.Diagnostics {
	if adviser, ok := r.definition.(DestroyAdviser); ok {
		if diags := adviser.AdviseDestroy(state); len(diags) > 0 {
			return diags
		}
	}
	// One line: Terraform does not fold these once their blocks are gone.
	object := r.metadata.Noun + " " + Text(state[r.metadata.lastID()])
	return diag.Diagnostics{diag.NewWarningDiagnostic("Removed from state only; the object was not deleted", object)}
}

// Delete sends nothing: the object stays, and Terraform stops managing it.
func (*Resource[O]) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
