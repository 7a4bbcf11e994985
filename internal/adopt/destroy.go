package adopt

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// plannedDestroyKey marks, in the private state, a destroy that Terraform has
// planned with this provider.
const plannedDestroyKey = "destroy_planned"

// planDestroy says what a destroy will do.
func (r *Resource) planDestroy(ctx context.Context, private privateState, state Attributes) diag.Diagnostics {
	if r.see(state, func(*seen) {}).adopted {
		return nil // the old half of a -replace with create_before_destroy
	}
	diags := private.SetKey(ctx, plannedDestroyKey, []byte("true"))
	destroyer, ok := r.definition.(Destroyer)
	if !ok {
		// One line: Terraform does not fold these once their blocks are gone.
		diags.AddWarning("Removed from state only; the object was not deleted", "ID "+r.metadata.id(state))
		return diags
	}
	change, advice := destroyer.OnDestroy(r.Client, state)
	if len(change) > 0 {
		diags.Append(r.seeDestroyed(state)...)
	}
	if diags.HasError() {
		return diags // what a refused plan would do is no news
	}
	return append(diags, advice...)
}

// Delete stops managing an object, which stays. A [Destroyer] changes it first.
//
// -replace destroys without calling PlanResourceChange and adopts again. No plan
// showed a change, so Delete makes none.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.objectType.attributes(ctx, req.State.Raw)
	planned, diags := req.Private.GetKey(ctx, plannedDestroyKey)
	resp.Diagnostics.Append(diags...)
	// Otherwise a failed destroy would keep the mark in the state.
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, plannedDestroyKey, nil)...)
	destroyer, ok := r.definition.(Destroyer)
	if !ok || planned == nil {
		return
	}
	change, _ := destroyer.OnDestroy(r.Client, state)
	if len(change) == 0 {
		return
	}
	if resp.Diagnostics.Append(r.seeDestroyed(state)...); resp.Diagnostics.HasError() {
		return
	}
	what := action{verb: destroyer.DestroyTexts().Verb}
	if r.Client == nil {
		resp.Diagnostics.Append(r.failure(what, state, errNotConfigured)...)
		return
	}
	if resp.Diagnostics.Append(r.Origin.check(ctx, req.Private, r.metadata.name(state), newAddress)...); resp.Diagnostics.HasError() {
		return
	}
	after, names := maps.Clone(state), sortedNames(change)
	maps.Copy(after, change)
	object, err := r.send(ctx, r.onlyIDs(ctx, state), after, state, names)
	if r.isGone(err) {
		resp.Diagnostics.AddWarning(r.metadata.Noun+" no longer exists", r.metadata.name(state)+" was already gone, so there was nothing to "+what.verb+".")
		return
	}
	response, diags := r.receive(ctx, what, after, state, names, object, err)
	resp.Diagnostics.Append(diags...)
	if diags.HasError() && response != nil { // nil: it was refused
		resp.State.Raw = r.objectType.raw(ctx, r.forget(ctx, state, nil, after, response, names))
	}
}
