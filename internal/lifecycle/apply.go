package lifecycle

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Update sends what the plan changes and the API does not show. After an error, the state is what is
// known of the object; after a refusal, it stays.
func (r *managedResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	c := r.change(r.attributes(req.Config.Raw), r.attributes(req.State.Raw), r.attributes(req.Plan.Raw))
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, c.Prior)...)
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	resp.Diagnostics.Append(r.checkOrigin(ctx, req.Private, c.Prior)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if c.IsEmpty() {
		resp.State.Raw = r.raw(c.state())
		return
	}
	c, err := r.withRead(ctx, r.Client, c)
	if err != nil && !r.canSend(err) {
		resp.Diagnostics.Append(r.failure("update", r.Kind, c.Prior, err)...)
		return
	}
	if len(c.sentNames()) > 0 {
		var diags diag.Diagnostics
		c, diags = r.send(ctx, c)
		resp.Diagnostics.Append(diags...)
	}
	switch {
	case !resp.Diagnostics.HasError():
		resp.State.Raw = r.raw(c.state())
	case c.mayBeDone:
		resp.State.Raw = r.raw(c.failedState())
	}
}

// Create adopts an object: it sends what is configured and the API does not show, unless
// that removes an entry of a shared list. An entry is always sent: its Write fails if it
// exists. A creation that fails returns no state, which would taint the resource.
func (r *managedResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	c, err := r.withRead(ctx, r.Client, r.creation(r.attributes(req.Config.Raw), r.attributes(req.Plan.Raw)))
	isEntry := r.isEntry()
	isSent := isEntry || len(c.sentNames()) > 0
	switch {
	case err == nil:
		resp.Diagnostics.Append(c.refuseRemovals()...)
	case !r.canSend(err):
		resp.Diagnostics.Append(r.failure(c.action(), r.Kind, c.Planned, err)...)
	case !isSent:
		resp.Diagnostics.Append(r.unseenError(c.Planned, err))
	}
	if isSent && !resp.Diagnostics.HasError() {
		var diags diag.Diagnostics
		c, diags = r.send(ctx, c)
		if isEntry && diags.HasError() && c.mayBeDone {
			diags.Append(r.mayExistWarning(c.Planned))
		}
		resp.Diagnostics.Append(diags...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	state := c.state()
	resp.State.Raw = r.raw(state)
	resp.Diagnostics.Append(r.Origin.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, state)...)
}

// Delete removes an entry. Any other object stays, and nothing is sent.
func (r *managedResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if !r.isEntry() {
		return
	}
	state := r.attributes(req.State.Raw)
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	resp.Diagnostics.Append(r.checkOrigin(ctx, req.Private, state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	_, readErr := r.Fetch(ctx, r.Client, state)
	if r.isAbsent(readErr) && !errors.Is(readErr, ErrLeftOut) {
		return
	}
	if diags := r.checkOthers(state, &r.walk.kept); diags.HasError() { // by what the plan did not know
		resp.Diagnostics.Append(diags...)
		return
	}
	err := readErr
	if readErr == nil || r.canSend(readErr) {
		err = r.EntryOf.Remove(ctx, r.Client, state)
	}
	if err != nil {
		resp.Diagnostics.Append(r.failure("remove", r.Kind, state, err)...)
	}
}

// send sends a change and waits until the API shows it.
func (r *managedResource) send(ctx context.Context, c Change) (Change, diag.Diagnostics) {
	writing, reply := transport.WithReply(ctx)
	returned, err := r.Write(writing, r.Client, c)
	c.mayBeDone = err == nil || errors.Is(err, api.ErrOverdue) || errors.Is(err, ErrAbsent) || transport.IsOutcomeUnknown(err)
	failure := func() diag.Diagnostics { return r.failure(c.action(), r.Kind, c.Planned, err) }
	switch {
	case err == nil:
		c.Response = r.show(returned, c.Planned)
		if c.responded = returned != nil && (r.isEntry() || c.showsAny(c.Response)); !c.responded {
			c.text = reply.Text()
		}
		c.isSeen = c.responded
	case errors.Is(err, api.ErrOverdue):
		late, failed := r.Fetch(ctx, r.Client.Fresh(), c.Planned)
		if failed != nil {
			return c, failure()
		}
		c.Response = r.show(late, c.Planned)
		if slices.ContainsFunc(c.SharedLists, func(list string) bool { return c.sends(list) && c.Response[list].IsUnknown() }) {
			return c, failure()
		}
		return c, c.confirm(r.UpdateTimeout) // a comparison says more than the error
	case errors.Is(err, api.ErrExists):
		return c, r.existsError(c.Planned)
	default:
		return c, failure()
	}
	c, diags := r.await(ctx, c)
	if !diags.HasError() {
		diags.Append(c.unconfirmedWarning()...)
		diags.Append(c.sideEffectWarning()...)
	}
	return c, diags
}

func (r *managedResource) identify(ctx context.Context, identity *tfsdk.ResourceIdentity, a Attributes) (diags diag.Diagnostics) {
	for _, id := range r.IDs {
		diags.Append(identity.SetAttribute(ctx, path.Root(id), Text(a[id]))...)
	}
	return diags
}
