package adopt

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A walk is what one walk of Terraform's graph has seen of its objects: what a
// refresh did not find, and which blocks the plan has for each. Several blocks can
// name one object, and Terraform calls the provider for each of them, in any
// order. Blocks of another provider block are in another process, and not seen.
type walk struct {
	vanished sync.Map // names of objects that a refresh did not find
	managed  sync.Map // of *blocks, by the names of their objects
	lists    sync.Map // of *listUse, by the names of their owners and attributes
}

// blocks are those that manage one object after the plan.
type blocks struct {
	mu      sync.Mutex
	count   int
	changes bool // one of them is new or changes the object
	removed bool // the plan removes the object, which is a [Entry]
}

// key names an object in a walk.
func (r *Resource[O]) key(a Attributes) string {
	return r.metadata.TypeName + " " + r.metadata.canonicalID(a)
}

func (r *Resource[O]) blocksOf(a Attributes) *blocks {
	entry, _ := r.walk.managed.LoadOrStore(r.key(a), &blocks{})
	return entry.(*blocks)
}

// seeManaged records a block that manages an object after the plan. It warns of a
// second block if the plan changes anything: two blocks that agree are no news.
func (r *Resource[O]) seeManaged(a, config Attributes, changes bool) diag.Diagnostics {
	seen := r.blocksOf(a)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	seen.count++
	seen.changes = seen.changes || changes
	diags := r.seeLists(a, config, seen.count > 1, changes)
	if seen.count == 1 || !seen.changes || r.metadata.EntryOf != nil {
		return diags
	}
	return append(diags, diag.NewWarningDiagnostic("Managed twice: "+r.metadata.shortName(a), fmt.Sprintf(
		"Another block, planned before this one, also manages %s. If they set the same attribute, each apply of one undoes the changes of the other; keep a single block.",
		r.metadata.name(a))))
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
		isClash := use.twice || use.whole && use.entries
		if use.warned || !use.changes || !isClash {
			return
		}
		use.warned = true
		diags.AddWarning("Managed twice: "+attribute+" of "+owner.shortName(a), fmt.Sprintf(
			"More than one block manages %[1]s of %[2]s: a dbplatform_%[3]s block sets the whole list (unless its ignore_changes names it), or two blocks set the same entry. "+
				"Each apply of one undoes the changes of the other. Use either the list or single entries, and one block for each entry. "+
				"To remove a block and keep its entry, use a removed block with destroy = false.", attribute, owner.name(a), owner.TypeName))
	}
	if r.metadata.EntryOf != nil {
		see(r.metadata.owner(), r.metadata.EntryOf.Attribute, false)
	}
	for _, attribute := range r.metadata.SentAsDifference {
		if !config[attribute].IsNull() {
			see(r.metadata, attribute, true)
		}
	}
	return diags
}
