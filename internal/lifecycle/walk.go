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
	mu   sync.Mutex
	uses map[string]use // by the type and id of an object, for a list also by its attribute
}

// A use is what the blocks of a walk do with one object or list: a set of facts.
type use uint8

const (
	wasNotFound     use = 1 << iota // the refresh did not find the object
	keptByPlan                      // a block has the object after the plan
	removedByPlan                   // the plan removes the object: an entry
	setAsWhole                      // a block sets the whole list
	setByEntries                    // a block has, or removes, a single entry of the list
	alreadyHasEntry                 // the plan fails: an entry that it adds exists already
	changedByPlan                   // a block that has the object or the list is new, or changes it
)

func (u use) has(facts use) bool { return u&facts == facts }

// record adds facts to a use, or none, and returns what was known before.
func (w *walk) record(name string, facts use) (before use) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.uses == nil {
		w.uses = map[string]use{}
	}
	before = w.uses[name]
	w.uses[name] |= facts
	return before
}

func (r *managedResource) recordObject(a Attributes, facts use) (before use) {
	return r.walk.record(r.kind.TypeName+" "+r.kind.canonicalID(a), facts)
}

// recordList is about a list that an object, its owner, has.
func (w *walk) recordList(owner Kind, a Attributes, attribute string, facts use) (before use) {
	return w.record(owner.TypeName+" "+owner.canonicalID(a)+" "+attribute, facts)
}

// keep records a block that has an object after the plan. It warns of a second one if the
// plan changes anything: two blocks that agree are no news.
func (r *managedResource) keep(a, config Attributes, changes bool) (diags diag.Diagnostics) {
	var change use
	if changes {
		change = changedByPlan
	}
	before := r.recordObject(a, keptByPlan|change)
	isTwice := before.has(keptByPlan) && (before | change).has(changedByPlan)
	if r.kind.isEntry() {
		return r.keepEntry(a, change, isTwice, before.has(removedByPlan))
	}
	for _, attribute := range r.kind.SentAsDifference {
		if !config[attribute].IsNull() {
			diags.Append(r.walk.manageList(r.kind, a, attribute, setAsWhole|change)...)
		}
	}
	if isTwice {
		diags.AddWarning("Managed twice: "+r.kind.shortName(a), fmt.Sprintf(
			"Another block, planned before this one, also manages %s. If they set the same attribute, each apply of one undoes the changes of the other; keep a single block.",
			r.kind.name(a)))
	}
	return diags
}

// manageList records a block that manages a list or one of its entries. It warns if others
// manage the list in the other way, and the plan changes anything. Terraform folds these
// warnings.
func (w *walk) manageList(owner Kind, a Attributes, attribute string, facts use) diag.Diagnostics {
	now := facts | w.recordList(owner, a, attribute, facts)
	if !now.has(setAsWhole | setByEntries | changedByPlan) {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Managed twice: "+attribute+" of "+owner.shortName(a), fmt.Sprintf(
		"One block sets the whole list %s of %s (unless its ignore_changes names it), and another one adds or removes a single entry. "+
			"The list removes what it does not contain, and an entry that a destroy removes is missing until the next apply. Use only one way. ",
		attribute, owner.name(a))+adviceKeep)}
}
