package adopt

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// A walk is what one walk of Terraform's graph has seen of its objects: what a
// refresh did not find, and what the plan does with each. Several blocks can
// name one object, and Terraform calls the provider for each of them, in any
// order. Blocks of another provider block are in another process, and not seen.
type walk struct {
	owners sync.Map // the first ids of objects that were found

	mu       sync.Mutex
	objects  map[string]*seen
	unknown  map[string]bool // by type: a new block's ids are known only after apply
	destroys map[string]bool // by type: a destroy changes its object
}

// seen is what a walk has seen of one object.
type seen struct {
	vanished  bool
	blocks    int    // that manage it after the plan
	changes   bool   // one of these blocks is new or changes it
	doing     planOf // the last of these blocks
	destroyed bool   // by a destroy that changes the object
	adopted   bool   // by a creation that was applied
}

// A planOf a block is what happens to it, for messages.
type planOf string

const (
	creates planOf = "creates"
	updates planOf = "updates"
	keeps   planOf = "keeps"
)

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

// seeManaged records a block that manages an object after the plan. It fails if
// the plan also destroys a block of that object and changes the object by that. It
// warns of a second block if the plan changes anything: two blocks that agree are
// no news.
func (r *Resource) seeManaged(a Attributes, block planOf) diag.Diagnostics {
	now := r.see(a, func(s *seen) {
		s.blocks++
		s.doing = block
		s.changes = s.changes || block != keeps
	})
	switch {
	case now.destroyed:
		return r.destroyedAndManaged(a, now)
	case now.blocks > 1 && now.changes:
		return diag.Diagnostics{diag.NewWarningDiagnostic("Managed twice: "+r.metadata.shortName(a), fmt.Sprintf(
			"More than one block of this configuration manages %s. If they set the same attribute, each apply of one undoes the changes of the other; keep a single block.", r.metadata.name(a)))}
	}
	return nil
}

// seeDestroyed records a destroy that changes the object. It fails if another
// block still manages it.
func (r *Resource) seeDestroyed(a Attributes) diag.Diagnostics {
	now := r.see(a, func(s *seen) { s.destroyed = true })
	if now.blocks > 0 {
		return r.destroyedAndManaged(a, now)
	}
	return r.seeUnknown(func(w *walk) { w.destroys[r.metadata.TypeName] = true })
}

// seeUnknown records either a block whose ids are known only after apply, or a
// destroy that changes its object. It fails if the plan has both: the block may
// manage that object.
func (r *Resource) seeUnknown(record func(*walk)) diag.Diagnostics {
	r.walk.mu.Lock()
	defer r.walk.mu.Unlock()
	if r.walk.unknown == nil {
		r.walk.unknown, r.walk.destroys = map[string]bool{}, map[string]bool{}
	}
	record(&r.walk)
	if typ := r.metadata.TypeName; !r.walk.unknown[typ] || !r.walk.destroys[typ] {
		return nil
	}
	verb := r.definition.(Destroyer).DestroyTexts().Verb
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(r.metadata.lastID()),
		fmt.Sprintf("Plan may %s an %s that another block manages", verb, r.metadata.Noun),
		fmt.Sprintf("This plan would %s an %s by destroying its block. It also creates a block whose %s is known only after apply and may be that of the same %[2]s. "+
			"First apply the resource that this id comes from, for example with -target.", verb, r.metadata.Noun, r.metadata.lastID()))}
}

// destroyedAndManaged is the error of a plan that would change an object that
// another block still manages. Terraform does not tell the addresses of blocks.
func (r *Resource) destroyedAndManaged(a Attributes, now seen) diag.Diagnostics {
	texts := r.definition.(Destroyer).DestroyTexts()
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(r.metadata.lastID()),
		fmt.Sprintf("Plan would %s %s that another block manages", texts.Verb, r.metadata.shortName(a)),
		fmt.Sprintf("This plan destroys one block of %s and %s another. The destroy would %s the %s for both.\n\n%s",
			r.metadata.name(a), now.doing, texts.Verb, r.metadata.Noun, texts.Conflict))}
}
