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
}

// blocks are those that manage one object after the plan.
type blocks struct {
	mu      sync.Mutex
	count   int
	changes bool // one of them is new or changes the object
}

// key names an object in a walk.
func (r *Resource[O]) key(a Attributes) string {
	return strings.ToLower(r.metadata.TypeName + " " + r.metadata.id(a))
}

// seeManaged records a block that manages an object after the plan. It warns of a
// second block if the plan changes anything: two blocks that agree are no news.
func (r *Resource[O]) seeManaged(a Attributes, changes bool) diag.Diagnostics {
	entry, _ := r.walk.managed.LoadOrStore(r.key(a), &blocks{})
	seen := entry.(*blocks)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	seen.count++
	seen.changes = seen.changes || changes
	if seen.count == 1 || !seen.changes {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Managed twice: "+r.metadata.shortName(a), fmt.Sprintf(
		"Another block, planned before this one, also manages %s. If they set the same attribute, each apply of one undoes the changes of the other; keep a single block.",
		r.metadata.name(a)))}
}
