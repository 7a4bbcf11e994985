package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Create adopts an object, or adds an entry. A creation that fails returns no state, which
// would taint the resource.
func (r *managedResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config := r.objectType.attributes(ctx, req.Config.Raw)
	plan := r.objectType.attributes(ctx, req.Plan.Raw)

	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	state, diags := r.adopt(ctx, config, plan)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.State.Raw = r.objectType.raw(ctx, state)
	resp.Diagnostics.Append(r.Origin.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, state)...)
}

// adopt sends what is configured and the API does not show, and returns the state. It fails
// if that would remove an entry of a shared list. The creation of an entry is always sent: its
// Write fails if the entry exists.
func (r *managedResource) adopt(ctx context.Context, config, plan Attributes) (Attributes, diag.Diagnostics) {
	shown := plan.pick(ctx, r.kind.isID) // only the ids, if the object cannot be read
	returned, err := r.definition.Read(ctx, r.Client, shown)
	switch {
	case err == nil:
		shown = r.remote(ctx, returned, shown)
		if removals := r.kind.removals(plan, shown); removals.HasError() {
			return nil, removals
		}
	case !r.isHidden(err) && !mayBeAdded(err):
		return nil, r.failureOf(adopting, reading, plan, err)
	}
	names := r.kind.unshown(r.plannedChanges(plan, shown), plan, shown, shown) // there is no other prior state
	if len(names) == 0 && !r.kind.isEntry() {
		if err != nil { // nothing shows that the object exists
			return nil, r.failureOf(adopting, reading, plan, err)
		}
		return fill(plan, shown), nil
	}
	response, diags := r.send(ctx, adopting, stageAfter(err), config, plan, shown, names)
	if diags.HasError() {
		if r.kind.isEntry() && response != nil {
			diags = r.kind.mayExist(diags, plan)
		}
		return nil, diags
	}
	return fill(plan, response, shown), diags
}

// Update sends what the plan changes.
func (r *managedResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	config := r.objectType.attributes(ctx, req.Config.Raw)
	plan := r.objectType.attributes(ctx, req.Plan.Raw)
	prior := r.objectType.attributes(ctx, req.State.Raw)

	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, prior)...)
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	resp.Diagnostics.Append(r.Origin.check(ctx, req.Private, r.kind.name(prior), newAddress)...)
	if resp.Diagnostics.HasError() {
		return
	}
	state, diags := r.update(ctx, config, plan, prior)
	resp.Diagnostics.Append(diags...)
	resp.State.Raw = r.objectType.raw(ctx, state)
}

// update sends what differs between prior and plan, and returns the new state;
// with an error, what is known of the object.
func (r *managedResource) update(ctx context.Context, config, plan, prior Attributes) (Attributes, diag.Diagnostics) {
	names := r.plannedChanges(plan, prior)
	if len(names) == 0 {
		return fill(plan, prior), nil
	}
	returned, err := r.definition.Read(ctx, r.Client, prior)
	shown := prior
	switch {
	case err == nil:
		shown = r.remote(ctx, returned, prior)
	case !r.isHidden(err) && !mayBeAdded(err):
		return prior, r.failureOf(updating, reading, prior, err)
	}
	before := r.withEmptyLists(ctx, prior)
	if names = r.kind.unshown(names, plan, before, shown); len(names) == 0 {
		return fill(plan, shown), nil
	}
	response, diags := r.send(ctx, updating, stageAfter(err), config, plan, before, names)
	switch {
	case !diags.HasError():
		return fill(plan, response, shown), diags
	case response == nil: // refused
		return prior, diags
	}
	state := r.onlyConfigured(latest(response, prior), prior)
	for _, name := range names {
		_, wasReturned := returned[name]
		if response[name].IsUnknown() && !r.willShow(name, wasReturned, plan[name]) {
			state[name] = nullOf(ctx, state[name].Type(ctx)) // the next apply sends it again
		}
	}
	return state, diags
}

// willShow reports whether a refresh will show an attribute that the response to an update
// lacks. It will if the API returned the attribute before the update, except for a value that
// APIs leave out. A list that is sent as a difference must keep its entries in the state: an
// update from null only adds.
func (r *managedResource) willShow(name string, wasReturned bool, planned attr.Value) bool {
	none, hasNone := r.kind.NullAs[name]
	isNone := hasNone && Text(planned) == none || !isScalar(r.objectType.AttrTypes[name]) && len(Elements(planned)) == 0
	return slices.Contains(r.kind.SentAsDifference, name) || wasReturned && !isNone
}

// plannedChanges names the attributes of the object that a plan changes.
func (r *managedResource) plannedChanges(planned, before Attributes) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(planned)), func(name string) bool {
		return r.kind.isID(name) || !isPlannedChange(planned[name], before[name])
	})
}

// withEmptyLists returns a prior state whose lists are empty if they are null: no
// plan has shown what they contain, so an update only adds to them.
func (r *managedResource) withEmptyLists(ctx context.Context, prior Attributes) Attributes {
	before := maps.Clone(prior)
	for name, typ := range r.objectType.AttrTypes {
		if before[name].IsNull() && !isScalar(typ) {
			before[name] = emptyOf(ctx, typ)
		}
	}
	return before
}

// send sends the named attributes and waits until the API shows them. at is the stage after
// the read, before what the change is relative to. The response is nil if the API refuses the
// attributes, and shows nothing if it is unknown what it did.
func (r *managedResource) send(ctx context.Context, what action, at stage, config, plan, before Attributes, names []string) (Attributes, diag.Diagnostics) {
	changed := plan.pick(ctx, func(name string) bool { return slices.Contains(names, name) })
	configured := plan.pick(ctx, func(name string) bool { return !config[name].IsNull() })
	entries := r.entries(ctx, plan)
	returned, err := r.definition.Write(ctx, r.Client, Update{
		Creates: what == adopting, IDs: plan.pick(ctx, r.kind.isID), Before: before, After: changed, Configured: configured,
	})
	isOverdue := errors.Is(err, api.ErrOverdue)
	if isOverdue { // a comparison says more
		if latest, readErr := r.definition.Read(ctx, r.Client.Fresh(), plan); readErr == nil {
			response := r.show(ctx, latest, plan)
			return response, r.confirm(names, plan, before, response, r.UpdateTimeout)
		}
	}
	switch {
	case isOverdue || transport.IsOutcomeUnknown(err):
		return r.notReturned, r.failureOf(what, at, plan, err)
	case errors.Is(err, api.ErrExists):
		return nil, r.exists(plan)
	case errors.Is(err, ErrAbsent):
		isKnown := func(id string) bool { return slices.Contains(entries, id) || r.walk.kept.have(r.nameWith(plan, id)) }
		if form := slices.DeleteFunc(r.entries(ctx, plan), isKnown); len(form) > 0 {
			return nil, r.otherForm(plan, form)
		}
		return r.notReturned, diag.Diagnostics{diag.NewErrorDiagnostic("Change not confirmed by the API", fmt.Sprintf(
			"The API accepted the %s but does not show it. %s", r.kind.name(plan), mayStillShow))}
	case err != nil:
		return nil, atNamed(names, r.failureOf(what, at, plan, err), err)
	}
	return r.awaitConsistency(ctx, names, plan, before, r.show(ctx, returned, plan))
}

// Read refreshes the state. Only a "not found" of the API that last showed an object
// removes it.
func (r *managedResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	prior := r.objectType.attributes(ctx, req.State.Raw)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, prior)...) // also if the object is gone
	if r.Client == nil {
		resp.Diagnostics.AddWarning("Refresh skipped",
			"The provider's configuration depends on a value that is known only after apply, "+
				"so Terraform keeps the last known state of "+r.kind.name(prior)+".")
		return
	}

	imported, _ := req.Private.GetKey(ctx, importedKey) // nil after the first read
	isImport, what := imported != nil, refreshing
	if isImport {
		what = importing
	}
	returned, err := r.definition.Read(ctx, r.Client, prior)
	isUnlisted := errors.Is(err, ErrUnlisted) // an entry may exist: its owner was found
	switch {
	case r.isAbsent(err) && !isImport: // of an import, Terraform would say: create the object
		resp.Diagnostics.Append(r.Origin.check(ctx, req.Private, r.kind.name(prior), "")...)
		if !resp.Diagnostics.HasError() {
			r.walk.notFound.add(r.kind.uniqueName(prior))
			resp.State.RemoveResource(ctx)
		}
		return
	case r.isHidden(err) || isImport && isUnlisted:
		resp.Diagnostics.Append(r.keepsState(isImport, prior, err))
	case err != nil && !isUnlisted:
		resp.Diagnostics.Append(r.failureOf(what, reading, prior, err)...)
		return
	}
	if !r.isHidden(err) {
		resp.Diagnostics.Append(r.Origin.save(ctx, resp.Private)...)
	}
	state := prior
	if err == nil {
		state = r.onlyConfigured(r.remote(ctx, returned, prior), prior)
	}
	if isImport {
		state = r.importable(ctx, state, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, nil)...)
	}
	news := maps.Clone(state)
	for _, name := range r.kind.IgnoredInRefresh {
		if !prior[name].IsNull() {
			news[name] = prior[name]
		}
	}
	if !maps.EqualFunc(news, prior, attr.Value.Equal) { // also if only a notation differs
		resp.State.Raw = r.objectType.raw(ctx, state)
	}
}

// keepsState is the warning about an object that the API does not return.
func (r *managedResource) keepsState(isImport bool, prior Attributes, err error) diag.Diagnostic {
	if isImport && r.kind.isEntry() {
		return diag.NewWarningDiagnostic("Entry may not exist: "+printable(r.kind.id(prior)),
			"Terraform cannot check whether the imported entry exists. If it may be missing, leave out the import: the apply then adds it."+r.because(err, prior))
	}
	if isImport {
		return diag.NewWarningDiagnostic("Import of "+r.kind.shortName(prior)+": current values unknown",
			"The plan cannot compare: it shows every attribute that you set as added, and the apply sends them all."+r.because(err, prior))
	}
	// The same summary for all objects, so that Terraform folds the warnings.
	return diag.NewWarningDiagnostic("Drift not checked: the API does not return the object",
		"Terraform keeps the last known state."+r.because(err, prior))
}

// isHidden reports whether the API will not return an object that it may well
// have, so that Terraform has to go by its state.
func (d *ProviderData) isHidden(err error) bool {
	return !d.FailIfHidden && errors.Is(err, api.ErrHidden)
}

// isAbsent reports whether a read proves that there is no such object. A 404 that is about
// the path does not, nor does one of an undocumented GET.
func (r *managedResource) isAbsent(err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	isGone := ok && transport.IsNotFound(err) && !failed.NoSuchPath
	return errors.Is(err, ErrAbsent) || isGone && !r.isUndocumentedGet(r.kind)
}

// isUndocumentedGet reports whether the object is read by an operation that is not
// documented: a 404 can be about the operation.
func (d *ProviderData) isUndocumentedGet(object Kind) bool {
	return object.ReadByUpdate && !d.Client.ReadsByUpdate()
}
