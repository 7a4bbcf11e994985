package lifecycle

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Read refreshes the state. Only a "not found" of the API that last showed an object
// removes it.
func (r *managedResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	prior := r.objectType.attributes(req.State.Raw)
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
	c, err := r.read(ctx, r.update(nil, prior, nil))
	isUnlisted := errors.Is(err, ErrUnlisted) // an entry may exist: its owner was found
	switch {
	case r.isAbsent(err) && !isImport: // of an import, Terraform would say: create the object
		resp.Diagnostics.Append(r.checkOrigin(ctx, req.Private, prior, "")...)
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
		state = c.refreshed(c.Shown)
	}
	if isImport {
		state = r.importable(ctx, state, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, nil)...)
	}
	isNews := func(name string) bool { // also if only a notation differs
		isIgnored := slices.Contains(r.kind.IgnoredInRefresh, name) && !prior[name].IsNull()
		return !isIgnored && !state[name].Equal(prior[name])
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(state)), isNews) {
		resp.State.Raw = r.objectType.raw(state)
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
