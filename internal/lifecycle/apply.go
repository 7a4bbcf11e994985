package lifecycle

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

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
// that removes an entry of a shared list. A creation that fails returns no state, which would taint the resource.
func (r *managedResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	c, err := r.withRead(ctx, r.Client, r.creation(r.attributes(req.Config.Raw), r.attributes(req.Plan.Raw)))
	isSent := len(c.sentNames()) > 0
	switch {
	case err == nil:
		resp.Diagnostics.Append(c.refuseRemovals()...)
	case !r.canSend(err):
		resp.Diagnostics.Append(r.failure("adopt", r.Kind, c.Planned, err)...)
	case !isSent:
		resp.Diagnostics.Append(r.hiddenError(c.Planned, err))
	}
	if isSent && !resp.Diagnostics.HasError() {
		var diags diag.Diagnostics
		c, diags = r.send(ctx, c)
		resp.Diagnostics.Append(diags...)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.saveCreated(ctx, c, resp)...)
	}
}

// saveCreated saves the state of a new resource.
func (r *managedResource) saveCreated(ctx context.Context, c Change, resp *resource.CreateResponse) diag.Diagnostics {
	state := c.state()
	resp.State.Raw = r.raw(state)
	return append(r.Origin.save(ctx, resp.Private), r.identify(ctx, resp.Identity, state)...)
}

// Delete stops managing the object, which stays: nothing is sent.
func (r *managedResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// send sends a change and waits until the API shows it.
func (r *managedResource) send(ctx context.Context, c Change) (Change, diag.Diagnostics) {
	c, err := r.write(ctx, c)
	return r.awaitOrFail(ctx, c, err)
}

// write sends a change, and adds what the response shows.
func (r *managedResource) write(ctx context.Context, c Change) (Change, error) {
	writing, reply := transport.WithReply(ctx)
	returned, err := r.Write(writing, r.Client, c)
	c.text = reply.Text()
	c.mayBeDone = err == nil || errors.Is(err, api.ErrOverdue) || errors.Is(err, ErrAbsent) || transport.IsOutcomeUnknown(err)
	if err != nil {
		return c, err
	}
	c.Response = r.show(returned, c.Planned)
	c.responded = len(returned) > 0
	c.isSeen = c.responded
	return c, nil
}

// awaitOrFail waits until the API shows what was written, or returns the errors of the write.
func (r *managedResource) awaitOrFail(ctx context.Context, c Change, err error) (Change, diag.Diagnostics) {
	if err != nil && c.mayBeDone {
		err = withResponse(err, c.text)
	}
	switch {
	case errors.Is(err, api.ErrOverdue):
		returned, readErr := r.Fetch(ctx, r.Client.Fresh(), c.Planned)
		c.Response = r.show(returned, c.Planned)
		isUnshown := func(list string) bool { return c.sends(list) && c.Response[list].IsUnknown() }
		if readErr == nil && !slices.ContainsFunc(c.SharedLists, isUnshown) {
			return c, c.confirm(r.UpdateTimeout) // a comparison says more than the error
		}
		return c, r.failure(c.action(), r.Kind, c.Planned, err)
	case err != nil:
		return c, r.failure(c.action(), r.Kind, c.Planned, err)
	}
	c, diags := r.await(ctx, c)
	if !diags.HasError() {
		diags.Append(c.unconfirmedWarning()...)
		diags.Append(c.sideEffectWarning()...)
	}
	return c, diags
}
