package adopt

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Delete stops managing an object, which stays. A releaser changes it first,
// unless the same run has adopted it under another address.
//
// With -replace, Terraform destroys an object without planning that with the
// provider, and adopts it again at once. No plan has shown a release then, so
// there is none.
func (r *Resource[M]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.objectType.attributes(ctx, req.State.Raw)
	releaser, ok := r.definition.(Releaser[M])
	planned, diags := req.Private.GetKey(ctx, plannedDestroyKey)
	resp.Diagnostics.Append(diags...)
	// After a destroy that fails, the mark would be in the state.
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, plannedDestroyKey, nil)...)
	if !ok || !releaser.Releases(state) || planned == nil {
		return
	}
	texts := releaser.ReleaseTexts()
	if r.Client == nil {
		resp.Diagnostics.Append(r.failure(step{verb: texts.Verb}, state, errNotConfigured)...)
		return
	}
	if resp.Diagnostics.Append(r.Origin.check(ctx, req.Private, r.fullName(state))...); resp.Diagnostics.HasError() {
		return
	}
	note, done := r.tracker().open(ctx, r.trackingKey(state))
	defer done()
	if note.Adopted {
		return
	}
	changed, err := releaser.Release(ctx, r.Client, modelOf[M](state))
	switch {
	case transport.IsNotFound(err):
		resp.Diagnostics.Append(notice(texts.Summary, texts.NothingReleased, r.fullName(state)))
	case err != nil:
		resp.Diagnostics.Append(r.failure(step{verb: texts.Verb}, state, err)...)
		return
	}
	if note.Failed { // the block that should have adopted it cannot say so
		resp.Diagnostics.Append(notice(texts.StaysSummary, texts.Stays, r.fullName(state)))
	}
	note.Released, note.Changed = true, changed
}

// restore undoes a release by the same run, or says that the object stays
// released.
func (r *Resource[M]) restore(ctx context.Context, releaser Releaser[M], plan Attributes, note *note, failed bool) diag.Diagnostics {
	decided := releaser.Decides(plan)
	switch {
	case decided && !failed:
		note.Released = false
		return nil
	case note.Changed && !decided:
		if err := releaser.Restore(ctx, r.Client, modelOf[M](plan)); err != nil {
			return r.failure(step{verb: releaser.ReleaseTexts().RestoreVerb}, plan, err)
		}
		note.Released = false
		return nil
	}
	texts := releaser.ReleaseTexts()
	return diag.Diagnostics{notice(texts.StaysSummary, texts.Stays, r.fullName(plan))}
}
