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
func without[E any, K comparable](list, others []E, key func(E) K) []E {
	return pick(list, others, key, false)
}

// within returns the elements of list that others has too.
func within[E any, K comparable](list, others []E, key func(E) K) []E {
	return pick(list, others, key, true)
}

func pick[E any, K comparable](list, others []E, key func(E) K, shared bool) []E {
	keys := map[K]bool{}
	for _, other := range others {
		keys[key(other)] = true
	}
	return slices.DeleteFunc(append([]E{}, list...), func(e E) bool { return keys[key(e)] != shared })
}

// distinct returns list without its repetitions.
func distinct[E any, K comparable](list []E, key func(E) K) []E {
	seen := map[K]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool {
		again := seen[key(e)]
		seen[key(e)] = true
		return again
	})
}

// A ListUpdate is a planned change of a list that can only be added to and
// removed from. Elements that only one of Before and After has are the change;
// all others stay as the API shows them.
type ListUpdate[E any] struct {
	// Before is the list that the plan was made from. If it is absent, After is
	// the whole list and everything else is removed.
	Before Value[[]E]
	// After is the planned list; null is an empty one. If it is absent, the list
	// is left alone.
	After Value[[]E]
}

// A listChange is how updateService changes a list.
type listChange[E any] struct {
	Add    []E `json:"add,omitempty"`
	Remove []E `json:"remove,omitempty"`
}

// IsZero reports whether there is nothing to change.
func (l listChange[E]) IsZero() bool { return len(l.Add) == 0 && len(l.Remove) == 0 }

// A difference is what a list still lacks of its update. Addresses are removed
// or changed; the elements of a list without descriptions only come and go.
type difference[E any] struct {
	missing  []E // planned and not in the list
	added    []E // of those, the ones whose address is not in the list
	changed  []E // and the ones whose address is
	kept     []E // in the list, beside an outdated element of their address
	removed  []E // no element of their address stays
	outdated []E // an element of their address is planned that is not they
}

func differenceOf[E any, A, I comparable](u ListUpdate[E], current []E, address func(E) A, identity func(E) I) difference[E] {
	if u.After.IsAbsent() {
		return difference[E]{}
	}
	after, _ := u.After.Get()
	planned := after
	removed := without(current, after, address)
	if !u.Before.IsAbsent() {
		before, _ := u.Before.Get()
		planned = without(after, before, identity)
		removed = within(removed, before, address)
	}
	planned = distinct(planned, identity)
	missing := without(planned, current, identity)
	outdated := without(within(current, planned, address), planned, identity)
	return difference[E]{
		missing:  missing,
		added:    without(missing, current, address),
		changed:  within(missing, current, address),
		kept:     within(within(planned, current, identity), outdated, address),
		removed:  removed,
		outdated: outdated,
	}
}

// A step is how a PATCH treats a changed description. Which steps are needed
// depends on whether the API adds or removes first, removes an address or an
// entry, and replaces, ignores or refuses a second entry for an address.
type step uint8

const (
	addChanged     step = iota // beside or over the outdated entry: nothing is ever missing
	replaceChanged             // removes the outdated entry and adds the new one
	removeOutdated             // the new entry follows in the next PATCH
	skipChanged
)

func (d difference[E]) change(s step) listChange[E] {
	change := listChange[E]{Add: d.added, Remove: d.removed}
	switch s {
	case addChanged:
		change.Add = d.missing
	case replaceChanged:
		change.Add = slices.Concat(d.missing, d.kept)
		change.Remove = slices.Concat(d.removed, d.outdated)
	case removeOutdated:
		change.Remove = slices.Concat(d.removed, d.outdated)
	case skipChanged:
	}
	return change
}

// isShown reports whether a list that was before shows anything of a change. An
// address that comes or goes counts even if the API writes its description in
// another way.
func isShown[E any, A, I comparable](change listChange[E], before, now []E, address func(E) A, identity func(E) I) bool {
	return len(without(within(change.Add, now, identity), before, identity)) > 0 ||
		len(without(within(change.Add, now, address), before, address)) > 0 ||
		len(without(within(change.Remove, before, identity), now, identity)) > 0
}

// sendable returns entries without nulls, which are not documented.
func sendable(entries []AccessEntry) []AccessEntry {
	entries = slices.Clone(entries)
	for i := range entries {
		if entries[i].Description.IsNull() {
			entries[i].Description = Value[string]{}
		}
	}
	return entries
}
