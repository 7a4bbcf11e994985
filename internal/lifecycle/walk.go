package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// A walk is what the provider knows of one walk of Terraform's graph. Terraform calls it
// for its blocks in any order, and may plan a block again. Blocks of another provider block
// are in another process, and not seen.
type walk struct {
	// By unique name:
	notFound sync.Map // objects that the refresh did not find
	kept     sync.Map // entries that a block of their own has after the plan, with the id as it writes that
	removed  sync.Map // entries that the plan removes for a block of their own
	lists    sync.Map // whole lists that the configuration sets: map[string]string, as it writes each entry
}

func has(names *sync.Map, name string) bool {
	_, ok := names.Load(name)
	return ok
}

// uniqueName is an object's name in a walk, the same for all notations of its id.
func (k Kind) uniqueName(a Attributes) string {
	if k.isEntry() {
		return k.owner().listName(k.EntryOf.Attribute, a) + k.canonical(k.lastID(), Text(a[k.lastID()]))
	}
	return k.TypeName + " " + strings.ToLower(k.id(a))
}

// listName is a list's name in a walk. The names of its entries begin with it.
func (k Kind) listName(attribute string, a Attributes) string {
	return k.uniqueName(a) + " " + attribute + "/"
}

// checkKept notes a block that has an entry after the plan. It fails if the plan also removes
// it: what the block then has would depend on the order of the apply. It also fails if the whole
// list is configured without the entry: the next apply would remove it.
func (r *managedResource) checkKept(config Attributes) diag.Diagnostics {
	if !r.isEntry() {
		return nil
	}
	name := r.uniqueName(config)
	r.walk.kept.Store(name, Text(config[r.lastID()]))
	if has(&r.walk.removed, name) {
		return diag.Diagnostics{diag.WithPath(path.Root(r.lastID()), r.removedAndKeptError(config))}
	}
	if isConfigured, entry := r.configuredList(config); isConfigured && entry == "" {
		lacks := r.owner().listLacksError(r.EntryOf.Attribute, config, []string{Text(config[r.lastID()])})
		return diag.Diagnostics{diag.WithPath(path.Root(r.lastID()), lacks)}
	}
	return nil
}

// checkRemoved notes an entry that the plan removes. It fails if another block or a configured list has it.
func (r *managedResource) checkRemoved(state Attributes) diag.Diagnostics {
	r.walk.removed.Store(r.uniqueName(state), true)
	return r.keptElsewhere(state)
}

// keptElsewhere is the error about an entry that is removed for one block, if another block or a configured
// list has it.
func (r *managedResource) keptElsewhere(state Attributes) diag.Diagnostics {
	if has(&r.walk.kept, r.uniqueName(state)) {
		return diag.Diagnostics{r.removedAndKeptError(state)}
	}
	if _, entry := r.configuredList(state); entry != "" {
		return diag.Diagnostics{r.owner().listKeepsError(r.EntryOf.Attribute, state, []string{entry})}
	}
	return nil
}

// configuredList reports whether the configuration sets the whole list of an entry, and returns the
// entry as it writes it there, "" if the list lacks it.
func (r *managedResource) configuredList(a Attributes) (isConfigured bool, entry string) {
	list := r.owner().listName(r.EntryOf.Attribute, a)
	entries, isConfigured := r.walk.lists.Load(list)
	if !isConfigured {
		return false, ""
	}
	return true, entries.(map[string]string)[strings.TrimPrefix(r.uniqueName(a), list)]
}

// checkLists notes the entries of lists that the configuration sets as a whole, like blocks of their
// own. It fails if such a list lacks an entry that a block has, or has one that the plan removes.
func (r *managedResource) checkLists(c Change) (diags diag.Diagnostics) {
	for _, attribute := range c.EntryLists {
		planned := c.Planned[attribute]
		if c.Config[attribute].IsNull() || !hasValue(planned) || isPartlyUnknown(planned) {
			continue
		}
		list, entries := r.listName(attribute, c.Planned), map[string]string{}
		for _, entry := range entryNames(planned) {
			entries[r.canonical(attribute, entry)] = entry
		}
		r.walk.lists.Store(list, entries)
		var lacks, keeps []string
		r.walk.kept.Range(func(name, entry any) bool {
			if key, isEntry := strings.CutPrefix(name.(string), list); isEntry && entries[key] == "" {
				lacks = append(lacks, entry.(string))
			}
			return true
		})
		for key, entry := range entries {
			if has(&r.walk.removed, list+key) {
				keeps = append(keeps, entry)
			}
		}
		if len(lacks) > 0 {
			slices.Sort(lacks)
			diags.Append(diag.WithPath(path.Root(attribute), r.listLacksError(attribute, c.Planned, lacks)))
		}
		if len(keeps) > 0 {
			slices.Sort(keeps)
			diags.Append(diag.WithPath(path.Root(attribute), r.listKeepsError(attribute, c.Planned, keeps)))
		}
	}
	return diags
}

// removedAndKeptError is the error about an entry that one block removes and another one has.
func (k Kind) removedAndKeptError(a Attributes) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Entry is removed and kept: "+k.shortName(a), fmt.Sprintf(
		"Two blocks have the entry %s in %s of %s, and the plan removes it for one of them. If you renamed a block, use a moved block instead of an import. "+
			"To remove a block and keep its entry, use a removed block with destroy = false; for one key of a for_each, use terraform state rm.",
		k.ownID(a), k.EntryOf.Attribute, k.owner().name(a)))
}

// listKeepsError is the error about entries of a configured list whose own resources the plan destroys.
func (k Kind) listKeepsError(attribute string, a Attributes, entries []string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Entry is removed and kept: "+k.shortName(a), fmt.Sprintf(
		"%s of %s is configured with entries whose own resources the plan destroys or replaces: %s. That would remove them from the list. %s",
		attribute, k.name(a), Names(entries), listOrEntries(attribute)))
}

// listLacksError is the error about entries that a configured list lacks and resources of their own have.
func (k Kind) listLacksError(attribute string, a Attributes, entries []string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("List lacks entries: "+k.shortName(a), fmt.Sprintf(
		"%s of %s is configured without entries that have resources of their own: %s. The apply of the list would remove them. %s",
		attribute, k.name(a), Names(entries), listOrEntries(attribute)))
}

// listOrEntries says how to manage either a whole list or single entries.
func listOrEntries(attribute string) string {
	return fmt.Sprintf("To manage single entries, first remove the attribute %s, which sends nothing, and import the entries. "+
		"To manage the whole list, set all entries in it, and use removed blocks with destroy = false for their own blocks.", attribute)
}
