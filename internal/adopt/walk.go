package adopt

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A walk is what one walk of Terraform's graph has seen of its objects: what a
// refresh did not find, and what the plan does with each. Several blocks can
// name one object, and Terraform calls the provider for each of them, in any
// order. Blocks of another provider block are in another process, and not seen.
type walk struct {
	owners sync.Map // the first ids of objects that were found

	mu      sync.Mutex
	objects map[string]*seen
}

// seen is what a walk has seen of one object.
type seen struct {
	vanished bool
	blocks   int  // that manage it after the plan
	changes  bool // one of these blocks is new or changes it
}

// see changes what is known of an object, and returns it as it is now.
func (r *Resource) see(a Attributes, change func(*seen)) seen {
	key := strings.ToLower(r.metadata.TypeName + " " + r.metadata.id(a))
	r.walk.mu.Lock()
	defer r.walk.mu.Unlock()
	if r.walk.objects == nil {
		r.walk.objects = map[string]*seen{}
	}
	if r.walk.objects[key] == nil {
		r.walk.objects[key] = &seen{}
	}
	change(r.walk.objects[key])
	return *r.walk.objects[key]
}

// found records that an object was found, so that its owner exists too.
func (w *walk) found(owner string) { w.owners.Store(strings.ToLower(owner), true) }

func (w *walk) hasOwner(id string) bool {
	_, ok := w.owners.Load(strings.ToLower(id))
	return ok
}

// seeManaged records a block that manages an object after the plan. It warns of a
// second block if the plan changes anything: two blocks that agree are no news.
func (r *Resource) seeManaged(a Attributes, changes bool) diag.Diagnostics {
	now := r.see(a, func(s *seen) {
		s.blocks++
		s.changes = s.changes || changes
	})
	if now.blocks < 2 || !now.changes {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Managed twice: "+r.metadata.shortName(a), fmt.Sprintf(
		"Another block, planned before this one, also manages %s. If they set the same attribute, each apply of one undoes the changes of the other; keep a single block.",
		r.metadata.name(a)))}
}
