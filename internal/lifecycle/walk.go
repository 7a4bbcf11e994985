package lifecycle

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A walk records one walk of Terraform's graph: what a refresh did not find, and what the
// plan keeps and removes. Terraform calls the provider for its blocks in any order. Those
// of another provider block are in another process, and not seen.
type walk struct {
	objects uses[objectUse] // by type and id
	lists   uses[listUse]   // by their owner's type and id, and the attribute
}

// uses are what the blocks of a walk do with objects or lists, by name.
type uses[U any] struct {
	mu     sync.Mutex
	byName map[string]U
}

// change lets f read and change one use.
func (u *uses[U]) change(name string, f func(*U)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.byName == nil {
		u.byName = map[string]U{}
	}
	use := u.byName[name]
	f(&use)
	u.byName[name] = use
}

// An objectUse is what the blocks of a walk do with one object.
type objectUse struct {
	vanished bool // the refresh did not find it
	kept     bool // a block has it after the plan
	changes  bool // such a block is new, or changes it
	removed  bool // the plan removes it: an [Entry]
}

// A listUse is how the blocks of a walk manage one list.
type listUse struct {
	whole, entries bool // set as a whole, and by entries of their own
	changes        bool
	refused        bool // the plan fails: an entry that it adds exists already
}

// use lets f read and change what the walk knows of an object.
func (r *managedResource[O]) use(a Attributes, f func(*objectUse)) {
	r.walk.objects.change(r.metadata.TypeName+" "+r.metadata.canonicalID(a), f)
}

// useList lets f read and change what the walk knows of a list of an owner.
func (w *walk) useList(owner Metadata, a Attributes, attribute string, f func(*listUse)) {
	w.lists.change(owner.TypeName+" "+owner.canonicalID(a)+" "+attribute, f)
}

// keep records a block that has an object after the plan. It warns of a second one if the
// plan changes anything: two blocks that agree are no news.
func (r *managedResource[O]) keep(a, config Attributes, changes bool) (diags diag.Diagnostics) {
	var isTwice, isRemoved bool
	r.use(a, func(object *objectUse) {
		isTwice, isRemoved = object.kept && (object.changes || changes), object.removed
		object.kept, object.changes = true, object.changes || changes
	})
	if r.metadata.EntryOf != nil {
		return r.keepEntry(a, changes, isTwice, isRemoved)
	}
	for _, attribute := range r.metadata.SentAsDifference {
		if !config[attribute].IsNull() {
			diags.Append(r.walk.manage(r.metadata, a, attribute, func(list *listUse) { list.whole = true }, changes)...)
		}
	}
	if isTwice {
		diags.AddWarning("Managed twice: "+r.metadata.shortName(a), fmt.Sprintf(
			"Another block, planned before this one, also manages %s. If they set the same attribute, each apply of one undoes the changes of the other; keep a single block.",
			r.metadata.name(a)))
	}
	return diags
}

// manage records a block that manages a list or one of its entries. It warns if others
// manage the list in the other way, and the plan changes anything. Terraform folds these
// warnings.
func (w *walk) manage(owner Metadata, a Attributes, attribute string, record func(*listUse), changes bool) diag.Diagnostics {
	var warns bool
	w.useList(owner, a, attribute, func(list *listUse) {
		record(list)
		list.changes = list.changes || changes
		warns = list.whole && list.entries && list.changes
	})
	if !warns {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Managed twice: "+attribute+" of "+owner.shortName(a), fmt.Sprintf(
		"One block sets the whole list %s of %s (unless its ignore_changes names it), and another one adds or removes a single entry. "+
			"The list removes what it does not contain, and an entry that a destroy removes is missing until the next apply. Use only one way. ",
		attribute, owner.name(a))+adviceKeep)}
}
