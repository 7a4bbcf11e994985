package lifecycle

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A walk is what the provider knows of one walk of Terraform's graph. Terraform calls
// it for its blocks in any order, and may plan a block again. Blocks of another provider block are in
// another process, and not seen.
type walk struct {
	absent  sync.Map // objects that the refresh did not find, by unique name
	lists   sync.Map // whole lists that the configuration sets, by list name
	kept    sync.Map // entries that a block has after the plan, by entry name
	removed sync.Map // entries that the plan removes for a block
}

func has(names *sync.Map, name string) bool {
	_, ok := names.Load(name)
	return ok
}

// uniqueName is an object's name in a walk. Ids may differ in case.
func (k Kind) uniqueName(a Attributes) string { return k.TypeName + " " + strings.ToLower(k.id(a)) }

// uniqueName is the same for all notations of the last id.
func (d *Definition) uniqueName(a Attributes) string {
	return d.Kind.uniqueName(d.withID(a, d.canonical(d.lastID(), Text(a[d.lastID()]))))
}

// listName is the name of an object's list.
func (k Kind) listName(attribute string, a Attributes) string {
	return k.uniqueName(a) + " " + attribute + "/"
}

// configureLists notes the lists that the configuration sets as a whole. It fails if the plan keeps or removes
// single entries of such a list: the apply of one could undo that of the other.
func (r *managedResource) configureLists(c Change) (diags diag.Diagnostics) {
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
		"%s of %s is configured as a whole, and the plan also has a block for its entry %s, or removes one. Each could undo the other. "+
			"To manage single entries, first remove the attribute %s, which sends nothing, and import the entries. "+
			"To manage the whole list, set all entries in it, and replace the blocks of single entries with removed blocks (destroy = false).",
		attribute, k.name(a), entry, attribute))
}
