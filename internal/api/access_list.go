package api

import "slices"

// entryIdentity is what makes two access entries the same. Addresses are
// compared as addresses; a description that is absent, null or "" is none.
type entryIdentity struct{ address, description string }

func identityOf(e AccessEntry) entryIdentity {
	description, _ := e.Description.Get()
	return entryIdentity{CanonicalAddress(e.Source), description}
}

func addressOf(e AccessEntry) string { return CanonicalAddress(e.Source) }

func itself(id string) string { return id }

// without returns the elements of list that others does not have.
func without[E any, K comparable](list, others []E, identity func(E) K) []E {
	known := map[K]bool{}
	for _, other := range others {
		known[identity(other)] = true
	}
	return slices.DeleteFunc(append([]E{}, list...), func(e E) bool { return known[identity(e)] })
}

// distinct returns list without its repetitions.
func distinct[E any, K comparable](list []E, identity func(E) K) []E {
	seen := map[K]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool {
		again := seen[identity(e)]
		seen[identity(e)] = true
		return again
	})
}

// A listChange is how the update-service operation changes a list
// (specification, "Update service basic details").
type listChange[E any] struct {
	Add    []E `json:"add,omitempty"`
	Remove []E `json:"remove,omitempty"`
}

// IsZero reports whether there is nothing to change.
func (l listChange[E]) IsZero() bool { return len(l.Add) == 0 && len(l.Remove) == 0 }

// A step is one of the PATCHes in which a list approaches its target. What the
// operation does is open in three ways: whether it adds before it removes,
// whether an address or the whole entry is what it removes, and whether adding
// an address that is there replaces its entry, does nothing or is refused. The
// steps reach the target under each reading, and in each of them the addresses
// that have gone missing come back.
type step struct {
	// An entry whose address is in both lists changes its description only.
	addsChanged, removesChanged bool
	removes                     bool
}

var steps = [...]step{
	{addsChanged: true, removes: true}, // nothing is ever missing
	{addsChanged: true, removes: true, removesChanged: true},
	{removes: true, removesChanged: true},
	{addsChanged: true, removes: true},
}

// accessChange returns what a step does to an access list.
func (s step) accessChange(current, target []AccessEntry) listChange[AccessEntry] {
	change := listChange[AccessEntry]{
		Add: distinct(without(target, current, identityOf), identityOf),
	}
	if !s.addsChanged {
		change.Add = without(change.Add, current, addressOf)
	}
	if s.removes {
		change.Remove = without(current, target, identityOf)
	}
	if !s.removesChanged {
		change.Remove = without(change.Remove, target, addressOf)
	}
	return change
}

// endpointChange returns what a step does to a list of private endpoint ids,
// which do not change, but come and go.
func (s step) endpointChange(current, target []string) listChange[string] {
	change := listChange[string]{Add: distinct(without(target, current, itself), itself)}
	if s.removes {
		change.Remove = without(current, target, itself)
	}
	return change
}

// replacement returns what a step does to a list that is not shown and of
// which something is there already: it goes and comes back.
func replacement[E any](s step, target []E) listChange[E] {
	var change listChange[E]
	if s.addsChanged {
		change.Add = target
	}
	if s.removesChanged {
		change.Remove = target
	}
	return change
}

// sendable returns entries without nulls, which the operation does not specify.
func sendable(entries []AccessEntry) []AccessEntry {
	entries = slices.Clone(entries)
	for i := range entries {
		if entries[i].Description.IsNull() {
			entries[i].Description = Value[string]{}
		}
	}
	return entries
}
