package adopt

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// planDestroy says what a destroy leaves behind. private is that of the planned
// destroy, nil for a replacement.
func (r *Resource[O]) planDestroy(ctx context.Context, state Attributes, private privateState) diag.Diagnostics {
	if entry, ok := r.definition.(Entry); ok {
		return r.planRemoval(ctx, entry, state, private)
	}
	if adviser, ok := r.definition.(DestroyAdviser); ok {
		if diags := adviser.AdviseDestroy(state); len(diags) > 0 {
			return diags
		}
	}
	// One line: Terraform does not fold these once their blocks are gone.
	object := r.metadata.Noun + " " + Text(state[r.metadata.lastID()])
	return diag.Diagnostics{diag.NewWarningDiagnostic("Destroy leaves the object as it is", object)}
}

// keptKey marks, in the private state of a planned removal, an entry that another
// block manages.
const keptKey = "kept"

// planRemoval plans a removal, unless another block manages the entry: then the entry
// stays. private is that of the planned removal, nil for a replacement.
func (r *Resource[O]) planRemoval(ctx context.Context, entry Entry, state Attributes, private privateState) diag.Diagnostics {
	seen := r.blocksOf(state)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if seen.count > 0 && private != nil {
		return private.SetKey(ctx, keptKey, []byte("true"))
	}
	seen.removed.Store(true)
	diags := r.seeEntry(state, false, true)
	if r.Client == nil {
		return diags
	}
	isRemoved := func(id string) bool {
		other := maps.Clone(state)
		other[r.metadata.lastID()] = types.StringValue(id)
		return r.blocksOf(other).removed.Load()
	}
	return append(diags, entry.AdviseRemoval(ctx, r.Client, state, isRemoved)...)
}

// removedElsewhere warns of an entry in the state that another block is about to
// remove: that removal was planned first.
func (r *Resource[O]) removedElsewhere(prior Attributes) diag.Diagnostics {
	if !r.blocksOf(prior).removed.Load() {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Removed by another block: "+r.metadata.shortName(prior), fmt.Sprintf(
		"The destroy of another block removes this %s; the next apply adds it again. To keep it, use a removed block with destroy = false for the other block.",
		r.metadata.name(prior)))}
}

// Delete removes an entry, unless another block of this walk manages it. That block is
// planned only once the removal is over, and so finds what it has left. Any other
// object stays: nothing is sent, and Terraform stops managing it.
func (r *Resource[O]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	entry, ok := r.definition.(Entry)
	if !ok {
		return
	}
	state := r.objectType.attributes(ctx, req.State.Raw)
	if kept, _ := req.Private.GetKey(ctx, keptKey); kept != nil {
		return
	}
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	resp.Diagnostics.Append(r.Origin.check(ctx, req.Private, r.metadata.name(state), newAddress)...)
	if resp.Diagnostics.HasError() {
		return
	}
	seen := r.blocksOf(state)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	_, err := r.definition.Read(ctx, r.Client, state)
	what := removing.after(err)
	switch {
	case seen.count > 0 || r.isAbsent(err):
		return
	case err == nil || r.isHidden(err) || errors.Is(err, ErrUnlisted):
		if err = entry.Remove(tflog.MaskAllFieldValuesStrings(ctx, r.metadata.concealed(state)...), r.Client, state); err == nil {
			return
		}
	}
	resp.Diagnostics.Append(r.failure(what, state, err)...)
}
