package adopt

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A Part is a definition of single entries of a list that another object has. The API
// adds and removes them, so their resource creates and deletes them. Its Write adds an
// entry that is absent.
//
// Messages do not show an entry's own id or description: both may be sensitive.
type Part interface {
	// Remove removes an entry. If it is gone, it sends nothing.
	Remove(ctx context.Context, client *api.Client, state Attributes) error

	// AdviseRemoval warns, at plan time, of what a removal leaves behind. removed
	// reports whether the plan removes the entry with an id.
	AdviseRemoval(ctx context.Context, client *api.Client, state Attributes, removed func(id string) bool) diag.Diagnostics
}

// A PartOf describes the list that the entries of a [Part] are in. The ids of an entry
// are those of the list's owner, and one of its own, which is no UUID.
type PartOf struct {
	Owner     string                 // the type and noun of the resource that has the list: service
	Attribute string                 // that sets the whole list: ip_access_list
	Canonical func(id string) string // the same for all notations of an entry's own id
	ExampleID string                 // an entry's own id, for messages
}

// Errors of a Part's Read.
var (
	// ErrAbsent means that the list does not have the entry.
	ErrAbsent = errors.New("the API's list does not have this entry")
	// ErrUnlisted means that the API does not return the list.
	ErrUnlisted = errors.New("the API does not return the list")
)

// mayBeAdded reports whether a failed read of an entry does not keep it from being
// added.
func mayBeAdded(err error) bool { return errors.Is(err, ErrAbsent) || errors.Is(err, ErrUnlisted) }

// owner describes the object that has the list.
func (m Metadata) owner() Metadata {
	return Metadata{TypeName: m.PartOf.Owner, Noun: m.PartOf.Owner, IDs: m.IDs[:len(m.IDs)-1]}
}

// concealed are an entry's own id and description, in the ways the API may write them.
func (m Metadata) concealed(a Attributes) (words []string) {
	for name, value := range a {
		if text := Text(value); text != "" && m.PartOf != nil && !m.owner().isID(name) {
			canonical := m.PartOf.Canonical(text)
			alone, _, _ := strings.Cut(canonical, "/")
			words = append(words, text, canonical, alone)
		}
	}
	return words
}

// conceal masks an entry in the words of the API.
func (m Metadata) conceal(text string, a Attributes) string {
	for _, word := range m.concealed(a) {
		text = regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(word)+`(\W|$)`).ReplaceAllString(text, "${1}***${2}")
	}
	return text
}

// alreadyThere is the warning about an entry that a plan adds and that exists.
func (m Metadata) alreadyThere(a Attributes, changes []string) diag.Diagnostics {
	detail := fmt.Sprintf("%s of %s has this entry already. A destroy removes it.", m.PartOf.Attribute, m.owner().name(a))
	if len(changes) == 0 {
		return diag.Diagnostics{diag.NewWarningDiagnostic("Entry exists already", detail)}
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Changing "+m.shortName(a)+": "+strings.Join(changes, ", "), detail)}
}

// notShown is the error about an entry that a list does not show after its addition.
func (m Metadata) notShown(a Attributes) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Change not confirmed by the API", fmt.Sprintf(
		"The API accepted the %s but does not show it. It may still show: apply again, or raise update_timeout if the API needs longer.", m.name(a)))
}

// A listUse is how the blocks of a walk manage one list.
type listUse struct {
	mu                     sync.Mutex
	whole, entries         bool // set as a whole, and by entries of their own
	twice, changes, warned bool
	removed                map[string]bool // entries that the plan removes, by their canonical ids
}

func (w *walk) listUse(owner Metadata, a Attributes, attribute string) *listUse {
	key := strings.ToLower(owner.TypeName + " " + owner.id(a) + " " + attribute)
	use, _ := w.lists.LoadOrStore(key, &listUse{removed: map[string]bool{}})
	return use.(*listUse)
}

// seeLists records how a block manages lists. It warns once of each list that blocks
// manage against each other, if the plan changes anything.
func (r *Resource[O]) seeLists(a, config Attributes, twice, changes bool) (diags diag.Diagnostics) {
	see := func(owner Metadata, attribute string, whole bool) {
		use := r.walk.listUse(owner, a, attribute)
		use.mu.Lock()
		defer use.mu.Unlock()
		use.whole, use.entries = use.whole || whole, use.entries || !whole
		use.twice, use.changes = use.twice || twice && !whole, use.changes || changes
		if use.warned || !use.changes || !use.twice && !(use.whole && use.entries) {
			return
		}
		use.warned = true
		diags.AddWarning("Managed twice: "+attribute+" of "+owner.shortName(a), fmt.Sprintf(
			"More than one block manages %[1]s of %[2]s: a dbplatform_%[3]s block sets the whole list (unless its ignore_changes names it), or two blocks set the same entry. "+
				"Each apply of one undoes the changes of the other. Use either the list or single entries, and one block for each entry. "+
				"To remove a block and keep its entry, use a removed block with destroy = false.", attribute, owner.name(a), owner.TypeName))
	}
	if r.metadata.PartOf != nil {
		see(r.metadata.owner(), r.metadata.PartOf.Attribute, false)
	}
	for _, attribute := range r.metadata.SentAsDifference {
		if !config[attribute].IsNull() {
			see(r.metadata, attribute, true)
		}
	}
	return diags
}

// keptKey marks, in the private state of a planned removal, an entry that another
// block manages.
const keptKey = "kept"

// planRemoval plans a removal, unless another block manages the entry: then the entry
// stays. private is that of the planned removal, nil for a replacement.
func (r *Resource[O]) planRemoval(ctx context.Context, part Part, state Attributes, private privateState) diag.Diagnostics {
	seen := r.blocksOf(state)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if seen.count > 0 && private != nil {
		return private.SetKey(ctx, keptKey, []byte("true"))
	}
	seen.removed = true
	if r.Client == nil {
		return nil
	}
	canonical := r.metadata.PartOf.Canonical
	use := r.walk.listUse(r.metadata.owner(), state, r.metadata.PartOf.Attribute)
	use.mu.Lock()
	defer use.mu.Unlock()
	use.removed[canonical(Text(state[r.metadata.lastID()]))] = true
	return part.AdviseRemoval(ctx, r.Client, state, func(id string) bool { return use.removed[canonical(id)] })
}

// removedElsewhere warns of an entry in the state that another block is about to
// remove: that removal was planned first.
func (r *Resource[O]) removedElsewhere(prior Attributes) diag.Diagnostics {
	seen := r.blocksOf(prior)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if r.metadata.PartOf == nil || !seen.removed {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Removed by another block: "+r.metadata.shortName(prior), fmt.Sprintf(
		"The destroy of another block removes this %s; the next apply adds it again. To keep it, use a removed block with destroy = false for the other block.",
		r.metadata.name(prior)))}
}

// Delete removes an entry, unless another block of this walk manages it. That block is
// planned only once the removal is over, and so finds what it has left. Any other
// object stays: nothing is sent, and Terraform stops managing it.
func (r *Resource[O]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	part, ok := r.definition.(Part)
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
	seen := r.blocksOf(state)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	_, err := r.definition.Read(ctx, r.Client, state)
	what := removing.after(err)
	switch {
	case seen.count > 0 || r.isAbsent(err):
		return
	case err == nil || r.isHidden(err) || errors.Is(err, ErrUnlisted):
		if err = part.Remove(tflog.MaskAllFieldValuesStrings(ctx, r.metadata.concealed(state)...), r.Client, state); err == nil {
			return
		}
	}
	resp.Diagnostics.Append(r.failure(what, state, err)...)
}
