package lifecycle

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A walk is what the provider knows of one walk of Terraform's graph, by unique name. Terraform calls
// it for its blocks in any order, and may plan a block again. Blocks of another provider block are in
// another process, and not seen.
type walk struct {
	notFound sync.Map // objects that the refresh did not find
	kept     sync.Map // entries that a block has after the plan
	removed  sync.Map // entries that the plan removes for a block
	lists    sync.Map // whole lists that the configuration sets
}

func has(names *sync.Map, name string) bool {
	_, ok := names.Load(name)
	return ok
}

// uniqueName is an object's name in a walk, the same for all notations of its id. The names of entries begin
// with that of their list.
func (k Kind) uniqueName(a Attributes) string {
	if k.isEntry() {
		return k.owner().listName(k.EntryOf.Attribute, a) + k.canonical(k.lastID(), Text(a[k.lastID()]))
	}
	return k.TypeName + " " + strings.ToLower(k.id(a))
}

func (k Kind) listName(attribute string, a Attributes) string {
	return k.uniqueName(a) + " " + attribute + "/"
}

// checkKept notes an entry that a block has after the plan.
func (r *managedResource) checkKept(config Attributes) diag.Diagnostics {
	if !r.isEntry() {
		return nil
	}
	r.walk.kept.Store(r.uniqueName(config), r.ownID(config))
	return r.checkOthers(config, &r.walk.removed)
}

// checkRemoved notes an entry that the plan removes for a block.
func (r *managedResource) checkRemoved(state Attributes) diag.Diagnostics {
	r.walk.removed.Store(r.uniqueName(state), r.ownID(state))
	return r.checkOthers(state, &r.walk.kept)
}

// checkOthers fails if an entry is both kept and removed, or if its whole list is configured: what is left would
// depend on the order of the apply.
func (r *managedResource) checkOthers(a Attributes, elsewhere *sync.Map) diag.Diagnostics {
	switch {
	case has(elsewhere, r.uniqueName(a)):
		return diag.Diagnostics{diag.NewErrorDiagnostic("Entry is removed and kept: "+r.shortName(a), fmt.Sprintf(
			"Two blocks have the entry %s in %s of %s, and the plan removes it for one of them. If you renamed a block, use a moved block instead of an import. "+
				"To remove a block and keep its entry, use a removed block with destroy = false; for one key of a for_each, use terraform state rm.",
			r.ownID(a), r.EntryOf.Attribute, r.owner().name(a)))}
	case has(&r.walk.lists, r.owner().listName(r.EntryOf.Attribute, a)):
		return diag.Diagnostics{r.owner().listAndEntriesError(r.EntryOf.Attribute, a, r.ownID(a))}
	}
	return nil
}

// checkLists notes the lists that the configuration sets as a whole. It fails if the plan keeps or removes
// single entries of such a list: the apply of one could undo that of the other.
func (r *managedResource) checkLists(c Change) (diags diag.Diagnostics) {
	for _, attribute := range c.SharedLists {
		if c.Config[attribute].IsNull() {
			continue
		}
		list := r.listName(attribute, c.Planned)
		r.walk.lists.Store(list, true)
		for _, entries := range []*sync.Map{&r.walk.kept, &r.walk.removed} {
			entries.Range(func(name, entry any) bool {
				isOfList := strings.HasPrefix(name.(string), list)
				if isOfList && !diags.HasError() {
					diags.Append(r.listAndEntriesError(attribute, c.Planned, entry.(string)))
				}
				return true
			})
		}
	}
	return diags
}

// listAndEntriesError is the error of a plan with a whole list and with blocks for its entries, of which entry is one.
func (k Kind) listAndEntriesError(attribute string, a Attributes, entry string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("List beside single entries: "+k.shortName(a), fmt.Sprintf(
		"%s of %s is configured as a whole, and the plan also has a block for its entry %s, or removes one. The apply of one could undo that of the other. "+
			"To manage single entries, first remove the attribute %s, which sends nothing, and import the entries. "+
			"To manage the whole list, set all entries in it, and use removed blocks with destroy = false for their own blocks.",
		attribute, k.name(a), entry, attribute))
}
