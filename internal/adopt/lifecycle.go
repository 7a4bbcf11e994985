package adopt

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Create adopts an object. A creation that fails returns no state: nothing was
// created, and a state would taint the resource.
func (r *Resource[M]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config := r.objectType.attributes(ctx, req.Config.Raw)
	plan := r.objectType.attributes(ctx, req.Plan.Raw)

	releaser, releases := r.definition.(Releaser[M])
	client := r.Client
	var note *note
	if releases {
		var done func()
		note, done = r.tracker().open(ctx, r.trackingKey(plan))
		defer done()
		if note.Released && client != nil {
			client = client.Fresh() // what was sent is not what the API returns
		}
	}
	state, found, diags := r.adopt(ctx, client, config, plan)
	resp.Diagnostics.Append(diags...)
	if releases && note.Released {
		resp.Diagnostics.Append(r.restore(ctx, releaser, plan, note, diags.HasError())...)
	}
	if releases {
		note.Adopted, note.Failed = !resp.Diagnostics.HasError(), resp.Diagnostics.HasError()
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.State.Raw = r.objectType.raw(ctx, state)
	resp.Diagnostics.Append(r.Origin.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.saveReturned(ctx, resp.Private, func(name string) bool {
		return hasValue(found[name]) || plan[name].IsUnknown() && hasValue(state[name])
	})...)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, state)...)
}

// adopt sends what the configuration sets and the API does not show. It returns
// the state, and the object as it was found.
func (r *Resource[M]) adopt(ctx context.Context, client *api.Client, config, plan Attributes) (state, found Attributes, diags diag.Diagnostics) {
	found, err := r.remote(ctx, client, r.identityOnly(ctx, plan))
	if err != nil && !r.isUnreadable(err) {
		return nil, nil, r.failure(adopting, plan, err)
	}
	names := difference(plan, found, found)
	if len(names) == 0 {
		if err != nil { // nothing shows that the object exists
			return nil, nil, r.failure(adopting, plan, err)
		}
		return fill(plan, found), found, nil
	}
	response, diags := r.write(ctx, adopting.after(err), config, plan, found, names)
	if diags.HasError() {
		return nil, nil, diags
	}
	if err != nil {
		// Without a refresh, what only this response returned would get old.
		for _, name := range r.metadata.NotReturned {
			if plan[name].IsUnknown() {
				response[name] = nullOf(ctx, plan[name].Type(ctx))
			}
		}
	}
	return fill(fill(plan, response), found), found, diags
}

// Update sends what the plan changes.
func (r *Resource[M]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	config := r.objectType.attributes(ctx, req.Config.Raw)
	plan := r.objectType.attributes(ctx, req.Plan.Raw)
	prior := r.objectType.attributes(ctx, req.State.Raw)

	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, prior)...)
	if r.Client == nil {
		resp.Diagnostics.Append(r.failure(updating, prior, errNotConfigured)...)
		return
	}
	resp.Diagnostics.Append(r.Origin.check(ctx, req.Private, r.fullName(prior))...)
	if resp.Diagnostics.HasError() {
		return
	}
	state, diags := r.change(ctx, config, plan, prior)
	resp.Diagnostics.Append(diags...)
	resp.State.Raw = r.objectType.raw(ctx, state)
}

// change sends what differs between prior and plan, and returns the new state.
// With an error that is what is true of the object.
func (r *Resource[M]) change(ctx context.Context, config, plan, prior Attributes) (Attributes, diag.Diagnostics) {
	if len(difference(plan, prior, prior)) == 0 {
		return fill(plan, prior), nil
	}
	shown, err := r.read(ctx, r.Client, prior)
	if err != nil && !r.isUnreadable(err) {
		return prior, r.failure(updating, prior, err)
	}
	remote, own := prior, Attributes(nil)
	if err == nil {
		remote, own = fill(keepNotation(prior, shown), prior), r.readWithoutPrior(ctx, prior)
	}
	names := difference(plan, prior, remote)
	if len(names) == 0 {
		return fill(plan, remote), nil
	}
	response, diags := r.write(ctx, updating.after(err), config, plan, prior, names)
	switch {
	case !diags.HasError():
		return fill(fill(plan, response), remote), diags
	case response == nil:
		return r.forget(ctx, prior, own, names), diags
	}
	return r.forget(ctx, fill(keepNotation(prior, response), prior), response, names), diags
}

// forget sets to null what a failed update sent and the API does not show:
// nobody knows which value the object has, and null is sent again. Incremental
// lists keep their prior value, so that what should be removed is removed again.
func (r *Resource[M]) forget(ctx context.Context, state, shown Attributes, sent []string) Attributes {
	state = maps.Clone(state)
	for _, name := range sent {
		isShown := shown[name] != nil && !shown[name].IsUnknown()
		if !isShown && !slices.Contains(r.metadata.Incremental, name) {
			state[name] = nullOf(ctx, state[name].Type(ctx))
		}
	}
	return state
}

// write sends the named attributes and waits until the API shows them. If the
// API refuses them, the response is nil; if nobody knows what it did with them,
// the response shows nothing.
func (r *Resource[M]) write(ctx context.Context, s step, config, plan, base Attributes, names []string) (Attributes, diag.Diagnostics) {
	model, err := r.definition.Write(ctx, r.Client, Update[M]{
		Change: modelOf[M](plan.pick(ctx, func(name string) bool {
			return slices.Contains(names, name) || !r.metadata.isSent(name)
		})),
		Configured: modelOf[M](plan.pick(ctx, func(name string) bool {
			return !config[name].IsNull() || !r.metadata.isSent(name)
		})),
		Base: modelOf[M](base),
	})
	switch {
	case transport.IsOutcomeUnknown(err):
		return r.objectType.unknown(ctx), r.failure(s, plan, err)
	case err != nil:
		return nil, r.failure(s, plan, err)
	}
	return r.awaitConsistency(ctx, names, plan, base, fromModel(model))
}

// remote is the newest known state of an object: what the API returns, in the
// notation of prior, and prior for what it does not return. If the API refuses
// to return the object, prior is returned with the error.
func (r *Resource[M]) remote(ctx context.Context, client *api.Client, prior Attributes) (Attributes, error) {
	response, err := r.read(ctx, client, prior)
	if err != nil {
		return prior, err
	}
	return fill(keepNotation(prior, response), prior), nil
}

func (r *Resource[M]) read(ctx context.Context, client *api.Client, prior Attributes) (Attributes, error) {
	if client == nil {
		return nil, errNotConfigured
	}
	model, err := r.definition.Read(ctx, client, modelOf[M](prior))
	if err != nil {
		return nil, err
	}
	return fromModel(model), nil
}

// readWithoutPrior reads an object that was just read, without the values that
// a model carries over from the prior state.
func (r *Resource[M]) readWithoutPrior(ctx context.Context, prior Attributes) Attributes {
	own, _ := r.read(ctx, r.Client, r.identityOnly(ctx, prior))
	return own
}

// Read refreshes the state. Only the API's own "not found" removes an object
// from it, and only where it was last seen.
func (r *Resource[M]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	prior := r.objectType.attributes(ctx, req.State.Raw)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, prior)...) // also if the object is gone
	if resp.Diagnostics.HasError() {
		return
	}
	if r.Client == nil {
		resp.Diagnostics.Append(refreshSkipped(r.fullName(prior)))
		return
	}

	response, err := r.read(ctx, r.Client, prior)
	state := prior
	switch {
	case transport.IsNotFound(err):
		if resp.Diagnostics.Append(r.Origin.check(ctx, req.Private, r.fullName(prior))...); resp.Diagnostics.HasError() {
			return
		}
		r.vanished.Store(r.trackingKey(prior), true)
		resp.State.RemoveResource(ctx)
		return
	case err != nil && r.isUnreadable(err):
		resp.Diagnostics.Append(r.unreadable(prior, err))
	case err != nil:
		resp.Diagnostics.Append(r.failure(refreshing, prior, err)...)
		return
	default:
		state = fill(keepNotation(prior, response), prior)
		resp.Diagnostics.Append(r.Origin.save(ctx, resp.Private)...)
		own := r.readWithoutPrior(ctx, prior)
		resp.Diagnostics.Append(r.saveReturned(ctx, resp.Private, func(name string) bool { return hasValue(own[name]) })...)
	}
	state = maps.Clone(state)
	for name, attribute := range r.schema.Attributes {
		if prior[name].IsNull() && !attribute.IsComputed() {
			state[name] = prior[name] // set by the configuration alone, and it is not set
		}
	}
	if isImported(ctx, req.Private) {
		state = r.importable(ctx, state)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("false"))...)
	}
	if !r.withoutVolatile(state, prior).equal(prior) {
		resp.State.Raw = r.objectType.raw(ctx, state)
	}
}

// withoutVolatile returns state with the volatile attributes of prior.
func (r *Resource[M]) withoutVolatile(state, prior Attributes) Attributes {
	state = maps.Clone(state)
	for _, name := range r.metadata.Volatile {
		if !prior[name].IsNull() {
			state[name] = prior[name]
		}
	}
	return state
}

// isUnreadable reports whether the API refuses to return an object that it may
// well have, so that Terraform has to go by its state.
func (r *Resource[M]) isUnreadable(err error) bool {
	if !r.metadata.ReadByUpdate || r.UnreadableObjects == UnreadableError {
		return false
	}
	return errors.Is(err, api.ErrHidden)
}

func isForbidden(err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	return ok && failed.Status == http.StatusForbidden
}
