package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// An Entry is a definition of single entries of a list that another object has: its owner.
// The API adds and removes them, so their resource creates and deletes them. Its Write adds
// an entry that is absent. If it is to create one that exists, it returns [api.ErrExists].
//
// Messages do not show an entry's configured id or description: they may be sensitive.
type Entry interface {
	// Remove removes an entry. If it is gone, it sends nothing.
	Remove(ctx context.Context, client *api.Client, state Attributes) error

	// AdviseRemoval warns, at plan time, of what a removal leaves behind. removed
	// reports whether the plan removes the entry with an id.
	AdviseRemoval(ctx context.Context, client *api.Client, state Attributes, removed func(id string) bool) diag.Diagnostics
}

// EntryOf describes the list of an [Entry]. The entry's ids are the owner's and its own.
type EntryOf struct {
	Owner     string                 // the type and the noun of the owner's resource: service
	Attribute string                 // that sets the whole list: ip_access_list
	Canonical func(id string) string // the same for all notations of an entry's own id
}

// Errors of an Entry's Read.
var (
	ErrAbsent   = errors.New("the API's list does not have this entry")
	ErrUnlisted = errors.New("the API does not return the list")
)

// mayBeAdded reports whether an entry can be added after a read that failed.
func mayBeAdded(err error) bool { return errors.Is(err, ErrAbsent) || errors.Is(err, ErrUnlisted) }

// owner describes the object that has an entry's list; for any other object, itself.
func (m Metadata) owner() Metadata {
	if m.EntryOf == nil {
		return m
	}
	return Metadata{TypeName: m.EntryOf.Owner, Noun: m.EntryOf.Owner, IDs: m.IDs[:len(m.IDs)-1], ReadByUpdate: m.ReadByUpdate}
}

// importForm says how an import names an entry. It does not show the entry's own id.
func (m Metadata) importForm(a Attributes) string {
	return fmt.Sprintf("%q", Text(a[m.owner().lastID()])+"/<"+m.lastID()+">")
}

// exists is the error of a plan or an apply that would add an entry that exists. It cannot
// know why, so it lists the ways out, the likeliest first.
func (r *managedResource[O]) exists(a Attributes) diag.Diagnostics {
	m := r.metadata
	r.walk.recordList(m.owner(), a, m.EntryOf.Attribute, alreadyHasEntry)
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(m.lastID()), "Entry exists already: "+m.shortName(a), fmt.Sprintf(
		"%s of %s has this entry, so Terraform cannot add it.\n"+
			"- If you renamed the block or its key: add a moved block. If sources changed places: use terraform state mv, and for_each instead of count.\n"+
			"- If the resource is tainted: run terraform untaint. To replace it, remove the block in one apply and add it in the next.\n"+
			"- If another block has it: remove one of the two. If it was added elsewhere: import it, with the id %s. From then on, a destroy removes it.",
		m.EntryOf.Attribute, m.owner().name(a), m.importForm(a)))}
}

// mayExist adds how to import the entry to the errors of a creation that the API may have
// carried out.
func (m Metadata) mayExist(diags diag.Diagnostics, a Attributes) diag.Diagnostics {
	text := fmt.Sprintf("\n\nThe entry may exist now. If the next plan says so, import it:\n\n  import {\n    to = <address of this resource>\n    id = %s\n  }", m.importForm(a))
	for i, d := range diags {
		diags[i] = diag.NewErrorDiagnostic(d.Summary(), d.Detail()+text)
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			diags[i] = diag.WithPath(at.Path(), diags[i])
		}
	}
	return diags
}

// adviceKeep says how to remove a block alone.
const adviceKeep = "To remove a block and keep its entry, use a removed block with destroy = false; for one key of a for_each, use terraform state rm."

// keepEntry records a block that has an entry after the plan. If the plan also removes the
// entry, what the block has would depend on the order of the apply.
func (r *managedResource[O]) keepEntry(a Attributes, change use, isTwice, isRemoved bool) diag.Diagnostics {
	m := r.metadata
	if isRemoved {
		return diag.Diagnostics{diag.WithPath(path.Root(m.lastID()), m.removedAndKept(a))}
	}
	diags := r.walk.manageList(m.owner(), a, m.EntryOf.Attribute, setByEntries|change)
	if isTwice && len(diags) == 0 {
		diags.AddWarning("Managed twice: "+m.EntryOf.Attribute+" of "+m.owner().shortName(a), fmt.Sprintf(
			"Two blocks manage the same entry in %s of %s. If both are new, the apply adds it for one and fails for the other. "+
				"Otherwise, where they differ, each apply of one undoes the changes of the other. Keep one block for each entry. "+adviceKeep,
			m.EntryOf.Attribute, m.owner().name(a)))
	}
	return diags
}

// removedAndKept is the error about an entry that one block removes and another one has.
func (m Metadata) removedAndKept(a Attributes) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Entry is removed and kept: "+m.shortName(a), fmt.Sprintf(
		"Two blocks have the same entry in %s of %s, and the plan removes it for one of them. If you renamed a block, use a moved block instead of an import. "+adviceKeep,
		m.EntryOf.Attribute, m.owner().name(a)))
}

func (r *managedResource[O]) planRemoval(ctx context.Context, entry Entry, state Attributes) diag.Diagnostics {
	m := r.metadata
	if r.recordObject(state, removedByPlan).has(keptByPlan) {
		return diag.Diagnostics{m.removedAndKept(state)}
	}
	diags := r.walk.manageList(m.owner(), state, m.EntryOf.Attribute, setByEntries|changedByPlan)
	planFails := r.walk.recordList(m.owner(), state, m.EntryOf.Attribute, 0).has(alreadyHasEntry)
	if r.Client == nil || planFails {
		return diags
	}
	isRemoved := func(id string) bool {
		other := maps.Clone(state)
		other[m.lastID()] = types.StringValue(id)
		return r.recordObject(other, 0).has(removedByPlan)
	}
	return append(diags, entry.AdviseRemoval(ctx, r.Client, state, isRemoved)...)
}

// Delete removes an entry. Any other object stays, and nothing is sent.
func (r *managedResource[O]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	entry, ok := r.definition.(Entry)
	if !ok {
		return
	}
	state := r.objectType.attributes(ctx, req.State.Raw)
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	resp.Diagnostics.Append(r.Origin.check(ctx, req.Private, r.metadata.name(state), newAddress)...)
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
		err = entry.Remove(tflog.MaskAllFieldValuesStrings(ctx, secretsOf(r.metadata, state)...), r.Client, state)
	}
	if err != nil {
		resp.Diagnostics.Append(r.failureOf(removing, at, state, err)...)
	}
}
