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
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool { return known[identity(e)] })
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
// steps reach the target under each reading.
type step struct {
	add, remove bool
	// keepsChanged leaves alone the old entries of addresses that only change
	// their description: removing them could take their addresses away.
	keepsChanged bool
}

var steps = [...]step{
	{add: true, remove: true, keepsChanged: true},
	{add: true, remove: true},
	{remove: true},
	{add: true},
}

// accessChange returns what a step does to an access list.
func (s step) accessChange(current, target []AccessEntry) listChange[AccessEntry] {
	change := listChange[AccessEntry]{
		Add:    distinct(without(target, current, identityOf), identityOf),
		Remove: without(current, target, identityOf),
	}
	if s.keepsChanged {
		change.Remove = without(change.Remove, target, addressOf)
	}
	return limited(s, change)
}

// endpointChange returns what a step does to a list of private endpoint ids.
func (s step) endpointChange(current, target []string) listChange[string] {
	return limited(s, listChange[string]{
		Add:    distinct(without(target, current, itself), itself),
		Remove: without(current, target, itself),
	})
}

func limited[E any](s step, change listChange[E]) listChange[E] {
	if !s.add {
		change.Add = nil
	}
	if !s.remove {
		change.Remove = nil
	}
	return change
}

// sendable writes an entry without a null, which the operation does not
// specify.
func sendable(e AccessEntry) AccessEntry {
	if e.Description.IsNull() {
		e.Description = Value[string]{}
	}
	return e
}
