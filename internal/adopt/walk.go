package adopt

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A walk records one walk of Terraform's graph: what a refresh did not find, and which
// blocks manage each object. Several can name one object, and Terraform calls the
// provider for each of them, in any order. Those of another provider block are in
// another process, and not seen.
type walk struct {
	managed sync.Map // of *blocks, by the names of their objects
	lists   sync.Map // of *listUse, by the names of their owners and attributes
}

// blocks are those that manage one object after the plan.
type blocks struct {
	mu      sync.Mutex
	count   int
	changes bool       // one of them is new or changes the object
	state   Attributes // of the object that this apply has removed, an [Entry]

	removed  atomic.Bool // the plan removes the object, which is an [Entry]
	replaces atomic.Bool // it replaces another one: planned once, and not yet as a creation
	vanished atomic.Bool // the refresh did not find it
}

// A listUse is how the blocks of a walk manage one list.
type listUse struct {
	mu             sync.Mutex
	whole, entries bool // set as a whole, and by entries of their own
	twice          bool // two blocks manage one entry
	changes        bool
	warned         bool
}

// removedState is the state of the entry that this apply has removed, otherwise if none.
func (b *blocks) removedState(otherwise Attributes) Attributes {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == nil {
		return otherwise
	}
	return b.state
}

func (r *Resource[O]) blocksOf(a Attributes) *blocks {
	seen, _ := r.walk.managed.LoadOrStore(r.metadata.TypeName+" "+r.metadata.canonicalID(a), &blocks{})
	return seen.(*blocks)
}

// seeManaged records a block that manages an object after the plan. It warns of a
// second block if the plan changes anything: two blocks that agree are no news.
func (r *Resource[O]) seeManaged(a, config Attributes, changes bool) (diags diag.Diagnostics) {
	seen := r.blocksOf(a)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	seen.count++
	seen.changes = seen.changes || changes
	isTwice := seen.count > 1 && seen.changes
	if r.metadata.EntryOf != nil {
		return r.seeEntry(a, isTwice, changes)
	}
	for _, attribute := range r.metadata.SentAsDifference {
		if !config[attribute].IsNull() {
			diags.Append(r.walk.seeList(r.metadata, a, attribute, func(use *listUse) { use.whole = true }, changes)...)
		}
	}
	if isTwice {
		diags.AddWarning("Managed twice: "+r.metadata.shortName(a), fmt.Sprintf(
			"Another block, planned before this one, also manages %s. If they set the same attribute, each apply of one undoes the changes of the other; keep a single block.",
			r.metadata.name(a)))
	}
	return diags
}

// seeEntry records a block of an [Entry].
func (r *Resource[O]) seeEntry(a Attributes, isTwice, changes bool) diag.Diagnostics {
	return r.walk.seeList(r.metadata.owner(), a, r.metadata.EntryOf.Attribute, func(use *listUse) {
		use.entries, use.twice = true, use.twice || isTwice
	}, changes)
}

// seeList records a block that manages a list or one of its entries. It warns once of
// each list that blocks manage against each other, if the plan changes anything.
func (w *walk) seeList(owner Metadata, a Attributes, attribute string, record func(*listUse), changes bool) diag.Diagnostics {
	found, _ := w.lists.LoadOrStore(owner.TypeName+" "+owner.canonicalID(a)+" "+attribute, &listUse{})
	use := found.(*listUse)
	use.mu.Lock()
	defer use.mu.Unlock()
	record(use)
	use.changes = use.changes || changes
	if isClash := use.twice || use.whole && use.entries; use.warned || !use.changes || !isClash {
		return nil
	}
	use.warned = true
	clash := "Two blocks manage the same entry in %s of %s. Where they differ, each apply of one undoes the changes of the other. Keep one block for each entry. "
	if use.whole && use.entries {
		clash = "One block sets the whole list %s of %s (unless its ignore_changes names it), and another one adds or removes a single entry. " +
			"The list removes what it does not contain, and an entry that a destroy removes is missing until the next apply. Use only one way. "
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Managed twice: "+attribute+" of "+owner.shortName(a),
		fmt.Sprintf(clash, attribute, owner.name(a))+keepEntry)}
}
