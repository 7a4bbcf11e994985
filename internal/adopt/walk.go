package adopt

import (
	"fmt"
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
	removed bool // the plan removes the object, which is a [Part]
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
	if seen.count == 1 || !seen.changes || r.metadata.PartOf != nil {
		return diags
	}
	return append(diags, diag.NewWarningDiagnostic("Managed twice: "+r.metadata.shortName(a), fmt.Sprintf(
		"Another block, planned before this one, also manages %s. If they set the same attribute, each apply of one undoes the changes of the other; keep a single block.",
		r.metadata.name(a))))
}
