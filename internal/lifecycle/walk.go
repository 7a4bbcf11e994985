package lifecycle

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// A walk is what the provider knows of one walk of Terraform's graph. Terraform calls it
// for its blocks in any order, and may plan a block again. Blocks of another provider block
// are in another process, and not seen.
type walk struct {
	notFound nameSet // objects that the refresh did not find
	kept     nameSet // objects that a block has after the plan
	removed  nameSet // entries that the plan removes

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
func (k Kind) uniqueName(a Attributes) string { return k.TypeName + " " + k.canonicalID(a) }

// noteKept notes a block that has an object after the plan. It fails if the plan also removes
// it: what the block then has would depend on the order of the apply.
func (r *managedResource) noteKept(a Attributes) diag.Diagnostics {
	name := r.uniqueName(a)
	r.walk.kept.add(name)
	if r.walk.removed.have(name) {
		return diag.Diagnostics{diag.WithPath(path.Root(r.lastID()), r.removedAndKept(a))}
	}
	return nil
}

// noteRemoved notes an entry that the plan removes. It fails like noteKept.
func (r *managedResource) noteRemoved(a Attributes) diag.Diagnostics {
	name := r.uniqueName(a)
	r.walk.removed.add(name)
	if r.walk.kept.have(name) {
		return diag.Diagnostics{r.removedAndKept(a)}
	}
	return nil
}

// removedAndKept is the error about an entry that one block removes and another one has.
func (k Kind) removedAndKept(a Attributes) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Entry is removed and kept: "+k.shortName(a), fmt.Sprintf(
		"Two blocks have the entry %s in %s of %s, and the plan removes it for one of them. If you renamed a block, use a moved block instead of an import. "+
			"To remove a block and keep its entry, use a removed block with destroy = false; for one key of a for_each, use terraform state rm.",
		k.ownID(a), k.EntryOf.Attribute, k.owner().name(a)))
}
