package adopt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// An Entry is a definition of single entries of a list that another object has: its
// owner. The API adds and removes them, so their resource creates and deletes them. Its
// Write adds an entry that is absent.
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
	// ErrAbsent means that the list does not have the entry.
	ErrAbsent = errors.New("the API's list does not have this entry")
	// ErrUnlisted means that the API does not return the list.
	ErrUnlisted = errors.New("the API does not return the list")
)

// mayBeAdded reports whether an entry can be added after a read that failed.
func mayBeAdded(err error) bool { return errors.Is(err, ErrAbsent) || errors.Is(err, ErrUnlisted) }

// owner describes the object that has an entry's list; for any other object, itself.
func (m Metadata) owner() Metadata {
	if m.EntryOf == nil {
		return m
	}
	return Metadata{TypeName: m.EntryOf.Owner, Noun: m.EntryOf.Owner, IDs: m.IDs[:len(m.IDs)-1]}
}

// concealed are an entry's own id, as the API may write it, and its descriptions.
func (m Metadata) concealed(states ...Attributes) (words []string) {
	if m.EntryOf == nil {
		return nil
	}
	for _, a := range states {
		id, description := Text(a[m.lastID()]), Text(a["description"])
		for _, notation := range []string{id, m.EntryOf.Canonical(id)} {
			address, _, _ := strings.Cut(notation, "/")
			words = append(words, notation, address)
		}
		words = append(words, description, strings.Join(strings.Fields(description), " "))
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

var entryLike = regexp.MustCompile(`[\w/:.%-]*[\w:]`)

// conceal masks an entry in the words of the API, in any notation.
func (m Metadata) conceal(text string, states ...Attributes) string {
	words := m.concealed(states...)
	if len(words) == 0 {
		return text
	}
	text = entryLike.ReplaceAllStringFunc(text, func(part string) string {
		for _, id := range []string{part, strings.TrimSuffix(part, ":")} { // 2001:db8:: ends in colons
			if slices.Contains(words, m.EntryOf.Canonical(id)) {
				return "***" + part[len(id):]
			}
		}
		return part
	})
	for _, word := range words {
		alone := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(word) + `(\W|$)`)
		for range 2 { // neighbors share their separator
			text = alone.ReplaceAllString(text, "${1}***${2}")
		}
	}
	return text
}

// because ends a warning with the error behind it.
func (m Metadata) because(err error, a Attributes) string {
	return "\n\n" + m.name(a) + ": " + m.conceal(err.Error(), a) + "."
}

// alreadyThere is the warning about an entry that a plan adds and that exists.
func (m Metadata) alreadyThere(a Attributes, changes []string) diag.Diagnostics {
	summary := "Entry exists already"
	if len(changes) > 0 {
		summary += " in " + m.EntryOf.Attribute + " of " + m.owner().shortName(a) + ": " + strings.Join(changes, ", ")
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic(summary, fmt.Sprintf(
		"The block takes over an entry in %s of %s, and its destroy removes the entry. Check that nobody else manages it. To rename a block, use moved.", m.EntryOf.Attribute, m.owner().name(a)))}
}

// notShown is the error about an entry that a list does not show after its addition.
func (m Metadata) notShown(a Attributes) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Change not confirmed by the API", fmt.Sprintf(
		"The API accepted the %s but does not show it. It may still show: apply again, or raise update_timeout if the API needs longer.", m.name(a)))
}

// keptKey marks a planned removal, in its private state, if another block has the entry.
const keptKey = "kept"

// planRemoval plans a removal, unless another block manages the entry. private is that of
// the planned removal. It is nil for a replacement, which Terraform cannot mark.
func (r *Resource[O]) planRemoval(ctx context.Context, entry Entry, state Attributes, private privateState) diag.Diagnostics {
	seen := r.blocksOf(state)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	var diags diag.Diagnostics
	switch {
	case seen.count > 0 && private != nil:
		return private.SetKey(ctx, keptKey, []byte("true"))
	case seen.count > 0 && !seen.changes: // a changed block adds the entry again
		diags.Append(r.removedBesides(state))
	}
	seen.removed.Store(true)
	diags.Append(r.seeEntry(state, false, true)...)
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

// keepEntry says how to remove a block alone.
const keepEntry = "To remove a block and keep its entry, use a removed block with destroy = false; for one key of a for_each, use terraform state rm."

// removedBesides warns of an entry of two blocks that one of them removes.
func (r *Resource[O]) removedBesides(a Attributes) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Removed by one of two blocks: "+r.metadata.shortName(a), fmt.Sprintf(
		"Two blocks have this %s, and the apply removes it for one of them. If it is missing then, the next apply adds it again. "+keepEntry, r.metadata.name(a)))
}

// Delete removes an entry, unless another block of this walk manages it. While Delete
// reads, that block has time to be planned. If it is planned later, it waits for the end
// of the removal. Any other object stays, and nothing is sent.
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
	_, err := r.definition.Read(ctx, r.Client, state)
	what, seen := removing.after(err), r.blocksOf(state)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	switch {
	case seen.count > 0 || r.isAbsent(err):
		return
	case err == nil || r.isHidden(err) || errors.Is(err, ErrUnlisted):
		if err = entry.Remove(tflog.MaskAllFieldValuesStrings(ctx, r.metadata.concealed(state)...), r.Client, state); err == nil {
			seen.state = state
			return
		}
	default:
		what = what.reading()
	}
	resp.Diagnostics.Append(r.failureOf(what, state, err)...)
}
