package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// EntryOf makes a definition one of single entries of a list that another object has: its
// owner. The API adds and removes them, so their resource creates and deletes them. Its
// Write adds an entry that is absent. If it is to create one that exists, it returns
// [api.ErrExists]. The entry's ids are the owner's and its own.
type EntryOf struct {
	Owner     string                 // the type and the noun of the owner's resource: service
	Attribute string                 // that sets the whole list: ip_access_list
	Canonical func(id string) string // the same for all notations of an entry's own id

	// Remove removes an entry. If it is gone, it sends nothing.
	Remove func(ctx context.Context, client *api.Client, state Attributes) error

	// AdviseRemoval warns, at plan time, of what a removal leaves behind. removed
	// reports whether the plan removes the entry with an id. It is optional.
	AdviseRemoval func(ctx context.Context, client *api.Client, state Attributes, removed func(id string) bool) diag.Diagnostics

	// List returns the owner's entries by their own id, or an error like Read.
	List func(ctx context.Context, client *api.Client, owner Attributes) (map[string]Attributes, error)
}

// Errors of an entry's Read.
var (
	ErrAbsent   = errors.New("the API's list does not have this entry")
	ErrUnlisted = errors.New("the API does not return the list")
)

// mayBeAdded reports whether an entry can be added after a read that failed.
func mayBeAdded(err error) bool { return errors.Is(err, ErrAbsent) || errors.Is(err, ErrUnlisted) }

// owner describes the object that has an entry's list; for any other object, itself.
func (k Kind) owner() Kind {
	if !k.isEntry() {
		return k
	}
	return Kind{TypeName: k.EntryOf.Owner, Noun: k.EntryOf.Owner, IDs: k.IDs[:len(k.IDs)-1], ReadByUpdate: k.ReadByUpdate}
}

// exists is the error of a plan or an apply that would add an entry that exists. It cannot
// know why, so it lists the ways out, the likeliest first.
func (r *managedResource) exists(a Attributes) diag.Diagnostics {
	k := r.kind
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(k.lastID()), "Entry exists already: "+k.shortName(a), fmt.Sprintf(
		"%s of %s has the entry %s, so Terraform cannot add it.\n"+
			"- If you renamed the block or its key: add a moved block. If sources changed places: use terraform state mv, and for_each instead of count.\n"+
			"- If the resource is tainted: run terraform untaint. To replace it, remove the block in one apply and add it in the next.\n"+
			"- If another block has it: remove one of the two. If it was added elsewhere: import it, with the id %q. From then on, a destroy removes it.",
		k.EntryOf.Attribute, k.owner().name(a), k.ownID(a), k.id(a)))}
}

// importBlock imports an object.
func (k Kind) importBlock(a Attributes) string {
	return fmt.Sprintf("  import {\n    to = <address of this resource>\n    id = %q\n  }", k.id(a))
}

// mayExist begins the errors of a creation that the API may have carried out: an import comes
// first, since another apply would only say that the entry exists.
func (k Kind) mayExist(diags diag.Diagnostics, a Attributes) diag.Diagnostics {
	text := "The entry may exist now. If the next plan says so, import it:\n\n" + k.importBlock(a) + "\n\n"
	for i, d := range diags {
		diags[i] = diag.NewErrorDiagnostic(d.Summary(), text+d.Detail())
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			diags[i] = diag.WithPath(at.Path(), diags[i])
		}
	}
	return diags
}

// entries are the own ids of the entries that the owner of an entry is known to have.
func (r *managedResource) entries(ctx context.Context, a Attributes) []string {
	entries, _ := r.kind.EntryOf.List(ctx, r.Client, a) // none, if the list is not returned
	return slices.Sorted(maps.Keys(entries))
}

// notAdded is the error of a creation of an entry that exists, or that the API accepted and
// does not show: if the list has another new entry, that is most likely another form of it.
// listed are the entries before.
func (r *managedResource) notAdded(ctx context.Context, a Attributes, listed []string, err error) (response Attributes, diags diag.Diagnostics) {
	if errors.Is(err, api.ErrExists) {
		return nil, r.exists(a)
	}
	isKnown := func(id string) bool { return slices.Contains(listed, id) || r.walk.kept.have(r.nameWith(a, id)) }
	form := slices.DeleteFunc(r.entries(ctx, a), isKnown)
	if len(form) == 0 {
		return r.notReturned, diag.Diagnostics{diag.NewErrorDiagnostic("Change not confirmed by the API", fmt.Sprintf(
			"The API accepted the %s but does not show it. %s", r.kind.name(a), mayStillShow))}
	}
	other := maps.Clone(a)
	other[r.kind.lastID()] = types.StringValue(form[0])
	return nil, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(r.kind.lastID()), "Change not confirmed by the API", fmt.Sprintf(
		"The API accepted the %s but returns %s instead. If that means the same, write it as the API returns it, and import it:\n\n%s",
		r.kind.name(a), Names(form), r.kind.importBlock(other)))}
}

// Delete removes an entry. Any other object stays, and nothing is sent.
func (r *managedResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if !r.kind.isEntry() {
		return
	}
	state := r.objectType.attributes(req.State.Raw)
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	resp.Diagnostics.Append(r.checkOrigin(ctx, req.Private, state, newAddress)...)
	if r.walk.kept.have(r.kind.uniqueName(state)) { // by a block whose source the plan did not know
		resp.Diagnostics.Append(r.kind.removedAndKept(state))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	_, err := r.definition.Read(ctx, r.Client, state)
	if r.isAbsent(err) {
		return
	}
	at := reading
	if err == nil || r.isHidden(err) || errors.Is(err, ErrUnlisted) {
		at = stageAfter(err)
		err = r.kind.EntryOf.Remove(ctx, r.Client, state)
	}
	if err != nil {
		resp.Diagnostics.Append(r.failureOf(removing, at, state, err)...)
	}
}
