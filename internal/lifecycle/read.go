package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Read refreshes the state. Only a "not found" of the API that last showed an object
// removes it.
func (r *managedResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	prior := r.attributes(req.State.Raw)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, prior)...) // also if the object is gone
	if r.Client == nil {
		resp.Diagnostics.AddWarning("Refresh skipped",
			"The provider's configuration depends on a value that is known only after apply, "+
				"so Terraform keeps the last known state of "+r.name(prior)+".")
		return
	}

	imported, _ := req.Private.GetKey(ctx, importedKey) // nil after the first read
	isImport, what := imported != nil, "refresh"
	if isImport {
		what = "import"
	}
	c, err := r.withRead(ctx, r.Client, r.change(nil, prior, nil))
	isBare := errors.Is(err, ErrListUnknown) // an entry may exist: its owner was found
	switch {
	case (r.isAbsent(err) || transport.IsOrganizationNotFound(err)) && !isImport: // of an import, Terraform would say: create the object
		resp.Diagnostics.Append(r.checkOrigin(ctx, req.Private, prior)...)
		switch {
		case resp.Diagnostics.HasError():
		case transport.IsOrganizationNotFound(err):
			resp.Diagnostics.Append(r.failure(what, r.Kind, prior, err)...)
		default:
			r.walk.absent.Store(r.uniqueName(prior), true)
			resp.State.RemoveResource(ctx)
		}
		return
	case isHidden(err) || isBare:
		resp.Diagnostics.Append(r.notShownWarning(what, prior, err))
	case err != nil:
		resp.Diagnostics.Append(r.failure(what, r.Kind, prior, err)...)
		return
	}
	if !isHidden(err) {
		resp.Diagnostics.Append(r.Origin.save(ctx, resp.Private)...)
	}
	state := prior
	if err == nil {
		state = c.refreshed(c.Shown)
		resp.Diagnostics.Append(c.bareWarning()...)
	}
	if isImport {
		state = r.imported(ctx, state, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, nil)...)
	}
	resp.State.Raw = r.raw(state)
}

// withRead adds what the API shows, which is the prior state of a creation.
func (r *managedResource) withRead(ctx context.Context, client *api.Client, c Change) (Change, error) {
	returned, err := r.Fetch(ctx, client, c.Prior)
	if c.readErr = err; err != nil {
		return c, err
	}
	c.Shown, c.leftOut = r.show(returned, c.Prior), map[string]bool{}
	for _, name := range r.SharedLists {
		value, isThere := returned[name]
		c.leftOut[name] = isThere && value == nil
	}
	if c.Creates {
		c.Prior = fill(c.Shown, c.Prior)
	}
	return c, nil
}

// canSend reports whether a change can be sent after a read that failed: the API will not
// return the object, or an entry can be added.
func (r *managedResource) canSend(err error) bool {
	return isHidden(err) || errors.Is(err, ErrAbsent) || errors.Is(err, ErrListUnknown)
}

// isHidden reports whether the API will not return an object that it may well
// have, so that Terraform has to go by its state.
func isHidden(err error) bool { return errors.Is(err, api.ErrHidden) }

// isAbsent reports whether a read proves that there is no such object. An undocumented GET does not: its 404
// can be about the operation.
func (r *managedResource) isAbsent(err error) bool {
	return errors.Is(err, ErrAbsent) || transport.IsNotFound(err) && !r.isUndocumentedGet(r.Kind)
}

// isUndocumentedGet reports whether the object, or its owner, is read by an operation that is not
// documented: a 404 can be about the operation.
func (d *ProviderData) isUndocumentedGet(object Kind) bool {
	if object.Owner != nil {
		object = *object.Owner
	}
	return object.NoDocumentedRead && !d.Client.ReadsByUpdate()
}

// bareWarning warns of a read that shows no list, as if it had no more than the object's name, or shows
// one in another type than documented.
func (c Change) bareWarning() (diags diag.Diagnostics) {
	var leftOut []string
	for _, name := range c.SharedLists {
		if c.Shown[name].IsUnknown() {
			leftOut = append(leftOut, name)
		}
	}
	if len(leftOut) > 0 {
		diags.AddWarning("Drift not checked: "+c.shortName(c.Prior), fmt.Sprintf(
			"The API did not return %s of %s, so the plan may miss what has changed there.", strings.Join(leftOut, " and "), c.name(c.Prior)))
	}
	return diags
}
