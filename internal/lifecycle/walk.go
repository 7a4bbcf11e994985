package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// A walk is what the provider knows of one walk of Terraform's graph. Terraform calls it
// for its blocks in any order, and may plan a block again. Blocks of another provider block
// are in another process, and not seen.
type walk struct {
	notFound nameSet  // objects that the refresh did not find
	kept     nameSet  // objects that a block has after the plan
	removed  nameSet  // entries that the plan removes for a block of their own
	lists    sync.Map // whole lists that the configuration sets: their planned map[string]attr.Value, by name

	readTwice nameSet // objects that were read again because something was missing
}

// A nameSet is a set of objects, by type and id.
type nameSet struct{ set sync.Map }

func (n *nameSet) add(name string) { n.set.Store(name, true) }

func (n *nameSet) have(name string) bool {
	_, ok := n.set.Load(name)
	return ok
}

// uniqueName is an object's name in a walk, the same for all notations of its id.
func (k Kind) uniqueName(a Attributes) string {
	if k.isEntry() {
		return k.owner().listName(k.EntryOf.Attribute, a) + k.EntryOf.Canonical(Text(a[k.lastID()]))
	}
	return k.TypeName + " " + k.canonicalID(a)
}

// listName is a list's name in a walk. The names of its entries begin with it.
func (k Kind) listName(attribute string, a Attributes) string {
	return k.uniqueName(a) + " " + attribute + "/"
}

// checkKept notes a block that has an object after the plan. It fails if the plan also removes
// it: what the block then has would depend on the order of the apply. It also fails if the whole
// list is configured without the entry: the next apply would remove it.
func (r *managedResource) checkKept(a Attributes) diag.Diagnostics {
	name := r.uniqueName(a)
	r.walk.kept.add(name)
	if r.walk.removed.have(name) {
		return diag.Diagnostics{diag.WithPath(path.Root(r.lastID()), r.removedAndKept(a))}
	}
	if !r.isEntry() {
		return nil
	}
	if isSet, isListed := r.listed(a); isSet && !isListed {
		return diag.Diagnostics{diag.WithPath(path.Root(r.lastID()), r.owner().listLacks(r.EntryOf.Attribute, a, []string{r.ownID(a)}))}
	}
	return nil
}

// checkRemoved notes an entry that the plan removes. It fails like checkKept.
func (r *managedResource) checkRemoved(a Attributes) diag.Diagnostics {
	name := r.uniqueName(a)
	r.walk.removed.add(name)
	if r.walk.kept.have(name) {
		return diag.Diagnostics{r.removedAndKept(a)}
	}
	if _, isListed := r.listed(a); isListed {
		return diag.Diagnostics{r.owner().listKeeps(r.EntryOf.Attribute, a, []string{r.ownID(a)})}
	}
	return nil
}

// listed reports whether the configuration sets the whole list of an entry, and whether that has
// the entry.
func (r *managedResource) listed(a Attributes) (isSet, isListed bool) {
	list := r.owner().listName(r.EntryOf.Attribute, a)
	entries, isSet := r.walk.lists.Load(list)
	return isSet, isSet && entries.(map[string]attr.Value)[strings.TrimPrefix(r.uniqueName(a), list)] != nil
}

// checkLists notes the entries of lists that the configuration sets as a whole, like blocks of their
// own. It fails if such a list lacks an entry that a block has, or has one that the plan removes.
func (r *managedResource) checkLists(c Change) (diags diag.Diagnostics) {
	for _, attribute := range c.SentAsDifference {
		planned := c.Planned[attribute]
		if c.Config[attribute].IsNull() || !hasValue(planned) || isPartlyUnknown(planned) {
			continue
		}
		list, entries := r.listName(attribute, c.Planned), Entries(planned)
		r.walk.lists.Store(list, entries)
		var lacks, keeps []string
		r.walk.kept.set.Range(func(name, _ any) bool {
			if key, isEntry := strings.CutPrefix(name.(string), list); isEntry && entries[key] == nil {
				lacks = append(lacks, key)
			}
			return true
		})
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if r.walk.removed.have(list + key) {
				keeps = append(keeps, key)
			}
		}
		if len(lacks) > 0 {
			slices.Sort(lacks)
			diags.Append(diag.WithPath(path.Root(attribute), r.listLacks(attribute, c.Planned, lacks)))
		}
		if len(keeps) > 0 {
			diags.Append(diag.WithPath(path.Root(attribute), r.listKeeps(attribute, c.Planned, keeps)))
		}
	}
	return diags
}

// removedAndKept is the error about an entry that one block removes and another one has.
func (k Kind) removedAndKept(a Attributes) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Entry is removed and kept: "+k.shortName(a), fmt.Sprintf(
		"Two blocks have the entry %s in %s of %s, and the plan removes it for one of them. If you renamed a block, use a moved block instead of an import. "+
			"To remove a block and keep its entry, use a removed block with destroy = false; for one key of a for_each, use terraform state rm.",
		k.ownID(a), k.EntryOf.Attribute, k.owner().name(a)))
}

// listKeeps is the error about entries that a configured list has, and that the plan removes for
// blocks of their own.
func (k Kind) listKeeps(attribute string, a Attributes, entries []string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Entry is removed and kept: "+k.shortName(a), fmt.Sprintf(
		"%s of %s is configured with %s, and the plan removes it for a block of its own. %s",
		attribute, k.name(a), Names(entries), listOrEntries(attribute)))
}

// listLacks is the error about entries that blocks of their own have, and a configured list lacks.
func (k Kind) listLacks(attribute string, a Attributes, entries []string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("List lacks an entry: "+k.shortName(a), fmt.Sprintf(
		"%s of %s is configured without %s, which a block of its own has. The apply of the list would remove it. %s",
		attribute, k.name(a), Names(entries), listOrEntries(attribute)))
}

// listOrEntries says how to manage either a whole list or single entries.
func listOrEntries(attribute string) string {
	return fmt.Sprintf("To manage single entries, first remove the attribute %s, which sends nothing, and import the entries. "+
		"To manage the whole list, set all entries in it, and use removed blocks with destroy = false for their own blocks.", attribute)
}
