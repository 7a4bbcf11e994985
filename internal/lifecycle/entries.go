package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// EntryOf is for a definition whose objects are single entries of a list. The object that has the
// list is their owner. The API adds and removes them, so their resource creates and deletes them.
// Its Write adds an entry that is absent. If it is to create one that exists, it returns
// [api.ErrExists]. The entry's ids are the owner's and its own.
type EntryOf struct {
	Owner     string // the type and the noun of the owner's resource: service
	Attribute string // that sets the whole list: ip_access_list

	// Remove removes an entry. If it is gone, it sends nothing.
	Remove func(ctx context.Context, client *api.Client, state Attributes) error

	// AdviseRemoval warns, at plan time, of what a removal leaves behind. removed
	// reports whether the plan removes the entry with an id. It is optional.
	AdviseRemoval func(ctx context.Context, client *api.Client, state Attributes, removed func(id string) bool) diag.Diagnostics

	// List returns the owner's entries by their own id, or an error like Fetch.
	List func(ctx context.Context, client *api.Client, owner Attributes) (map[string]Attributes, error)
}

// Errors of an entry's Fetch.
var (
	ErrAbsent   = errors.New("the API's list does not have this entry")
	ErrUnlisted = errors.New("the API does not return the list in its documented type")
)

// isOwnerFound reports whether a read that did not find an entry found its owner.
func isOwnerFound(err error) bool { return errors.Is(err, ErrAbsent) || errors.Is(err, ErrUnlisted) }

// owner describes the object that has an entry's list; for any other object, itself.
func (k Kind) owner() Kind {
	if !k.isEntry() {
		return k
	}
	return Kind{TypeName: k.EntryOf.Owner, Noun: k.EntryOf.Owner, IDs: k.IDs[:len(k.IDs)-1], NoDocumentedRead: k.NoDocumentedRead}
}

// existsError is the error of a plan or an apply that would add an entry that exists. It cannot
// know why, so it lists the ways out, the likeliest first.
func (k Kind) existsError(a Attributes) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(k.lastID()), "Entry exists already: "+k.shortName(a), fmt.Sprintf(
		"%s of %s has the entry %s, so Terraform cannot add it.\n"+
			"- If you renamed the block or its key: add a moved block. If sources changed places: use terraform state mv, and for_each instead of count.\n"+
			"- If the resource is tainted: run terraform untaint. To replace it, remove the block in one apply and add it in the next.\n"+
			"- If you removed it from the state to keep it: remove its block or key from the configuration.\n"+
			"- If another block has it: remove one of the two. If it was added elsewhere, or by an apply that was interrupted: import it, with the id %q. From then on, a destroy removes it.",
		k.EntryOf.Attribute, k.owner().name(a), k.ownID(a), k.id(a)))}
}

// withImport begins each error of a creation that the API may have carried out: an import comes
// first, since another apply would only say that the entry exists.
func (k Kind) withImport(diags diag.Diagnostics, a Attributes) diag.Diagnostics {
	text := "The entry may exist now. If the next plan says so, import it:\n\n" + k.importBlock(a) + "\n\n"
	for i, d := range diags {
		if d.Severity() != diag.SeverityError {
			continue
		}
		diags[i] = diag.NewErrorDiagnostic(d.Summary(), text+d.Detail())
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			diags[i] = diag.WithPath(at.Path(), diags[i])
		}
	}
	return diags
}

// entryIDs are the own ids of the entries that the owner of an entry is known to have.
func (r *managedResource) entryIDs(ctx context.Context, a Attributes) []string {
	entries, _ := r.EntryOf.List(ctx, r.Client, a) // none, if the list is not returned
	return slices.Sorted(maps.Keys(entries))
}

// otherForms are the ids of entries that the list has and had not before (idsBefore), and that no block
// has: most likely other forms of an entry that the API accepted and does not show. There are none if the
// list was not shown before: these may be somebody else's.
func (r *managedResource) otherForms(ctx context.Context, c Change, idsBefore []string) []string {
	if wasShown := c.readErr == nil || errors.Is(c.readErr, ErrAbsent); !wasShown {
		return nil
	}
	return slices.DeleteFunc(r.entryIDs(ctx, c.Planned), func(id string) bool {
		return slices.Contains(idsBefore, id) || has(&r.walk.kept, r.uniqueName(r.withID(c.Planned, id)))
	})
}

// notAddedError is the error about an entry that the API accepted and does not show.
func (k Kind) notAddedError(a Attributes, otherForms []string) diag.Diagnostics {
	if len(otherForms) == 0 {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Change not confirmed by the API", fmt.Sprintf(
			"The API accepted the %s but does not show it. It may still show. If the API needs longer, raise update_timeout.", k.name(a)))}
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(k.lastID()), "Change not confirmed by the API", fmt.Sprintf(
		"The API accepted the %s but returns %s instead, which no resource here manages. "+
			"If that means the same, write it as the API returns it, and import it:\n\n%s\n\nOtherwise, import it all the same, apply, and then remove its block.",
		k.name(a), Names(otherForms), k.importBlock(k.withID(a, otherForms[0]))))}
}

// withID is the ids of another entry of the list that has a.
func (k Kind) withID(a Attributes, id string) Attributes {
	other := maps.Clone(a)
	other[k.lastID()] = types.StringValue(id)
	return other
}

// planRemoval warns of the removal of an entry, and of what it leaves behind.
func (r *managedResource) planRemoval(ctx context.Context, state Attributes, isReplacement bool) diag.Diagnostics {
	if r.Client != nil {
		if _, err := r.Fetch(ctx, r.Client, state); errors.Is(err, ErrAbsent) {
			return nil // the state is out of date, as with -minimal-refresh
		}
	}
	diags := r.checkRemoved(state)
	if diags.HasError() {
		return diags
	}
	if advise := r.EntryOf.AdviseRemoval; advise != nil && r.Client != nil {
		isRemoved := func(id string) bool { return has(&r.walk.removed, r.uniqueName(r.withID(state, id))) }
		diags.Append(advise(ctx, r.Client, state, isRemoved)...)
	}
	if !isReplacement { // whose plan shows it. Terraform would fold this into the warning of objects that stay
		diags.AddWarning("Destroy removes the "+r.Noun+" from the "+r.EntryOf.Owner, fmt.Sprintf(
			"The apply removes %s from %s of %s. To keep it, remove its block or key from the configuration and run terraform state rm for its address; or, for a whole block, first apply a removed block with destroy = false.",
			r.ownID(state), r.EntryOf.Attribute, r.owner().name(state)))
	}
	return diags
}
