package api

import (
	"maps"
	"slices"
)

// An entryKey identifies an element of a list: all of it, or its address alone.
// A private endpoint and a role are an address without a description.
type entryKey struct{ address, description string }

// identityOf compares addresses as addresses; a description that is absent, null
// or "" is none.
func identityOf(e AccessEntry) entryKey {
	description, _ := e.Description.Get()
	return entryKey{CanonicalAddress(e.Source), description}
}

func addressOf(e AccessEntry) entryKey { return entryKey{address: CanonicalAddress(e.Source)} }

func stringKey(s string) entryKey { return entryKey{address: s} }

// without returns the elements of list that others does not have.
func without[E any](list, others []E, key func(E) entryKey) []E {
	return pick(list, others, key, false)
}

// within returns the elements of list that others has too.
func within[E any](list, others []E, key func(E) entryKey) []E {
	return pick(list, others, key, true)
}

func pick[E any](list, others []E, key func(E) entryKey, shared bool) []E {
	keys := keysOf(others, key)
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool { return keys[key(e)] != shared })
}

func keysOf[E any](list []E, key func(E) entryKey) map[entryKey]bool {
	keys := map[entryKey]bool{}
	for _, e := range list {
		keys[key(e)] = true
	}
	return keys
}

// A ListUpdate is a planned change of a list. Elements that only one of Before and
// After has are the change; all others stay as the API shows them.
type ListUpdate[E any] struct {
	// Before is the list that the plan was made from. If it is absent, nothing has
	// shown the list: After is the whole list, and everything else is removed.
	Before Value[[]E]
	// After is the planned list; null is an empty one. If it is absent, the list
	// is left alone.
	After Value[[]E]
}

// merged is the whole list after the update: what the plan adds and removes, on top
// of what the API shows. A list that is empty, or would become empty although the
// plan is not, becomes the planned one: an empty list may admit nobody.
func (u ListUpdate[E]) merged(shown Value[[]E], address, identity func(E) entryKey) Value[[]E] {
	current, _ := shown.Get()
	planned, ok := u.After.Get()
	if !ok || u.Before.IsAbsent() || len(current) == 0 {
		return u.After
	}
	before, _ := u.Before.Get()
	added, removed := without(planned, before, identity), without(before, planned, address)
	merged := append(without(without(current, removed, address), added, address), added...)
	if len(merged) == 0 {
		return u.After
	}
	return ValueOf(merged)
}

// A listChange is how updateService changes a list.
type listChange[E any] struct {
	Add    []E `json:"add,omitempty"`
	Remove []E `json:"remove,omitempty"`
}

// IsZero reports whether there is nothing to change.
func (c listChange[E]) IsZero() bool { return len(c.Add) == 0 && len(c.Remove) == 0 }

// A step is how a PATCH treats a changed description. Which steps are needed
// depends on whether the API adds or removes first, removes an address or an
// entry, and replaces, ignores or refuses a second entry for an address.
type step uint8

const (
	none           step = iota // the update ends
	addChanged                 // beside or over the outdated entry: nothing is ever missing
	replaceChanged             // removes the outdated entry and adds the new one
	replaceOrSkip              // the same, as the last attempt
	removeOutdated             // the new entry follows in the next PATCH
	skipChanged
)

// A serviceList is one of a service's lists during an update.
type serviceList[E any] struct {
	address, identity func(E) entryKey

	update   ListUpdate[E]
	current  Value[[]E] // absent: neither the API nor the plan knows the list
	returned bool       // the API returned it when the update began

	remainingBefore map[entryKey]bool // the last PATCH
	effectPending   bool              // no response has shown an effect of the last PATCH yet
	leftOut         bool              // the last read did not show the list
}

// newServiceList starts an update. A list that the API does not return is taken
// to be as it was planned from.
func newServiceList[E any](remote Value[[]E], update ListUpdate[E], address, identity func(E) entryKey) *serviceList[E] {
	l := &serviceList[E]{address: address, identity: identity, update: update, current: remote, returned: !remote.IsAbsent()}
	if !l.returned {
		l.current = update.Before
	}
	return l
}

// isUnknown reports whether the API does not return the list that is to be changed.
func (l *serviceList[E]) isUnknown() bool { return !l.returned && !l.update.After.IsAbsent() }

// change is what remains of the update, as a step sends it.
func (l *serviceList[E]) change(s step) listChange[E] {
	if l.update.After.IsAbsent() {
		return listChange[E]{}
	}
	current, _ := l.current.Get()
	planned, _ := l.update.merged(l.current, l.address, l.identity).Get()
	removed := without(current, planned, l.address)
	missing := without(planned, current, l.identity)
	outdated := without(within(current, planned, l.address), planned, l.identity)

	change := listChange[E]{Add: missing, Remove: removed}
	if s == removeOutdated || s == skipChanged {
		change.Add = without(missing, current, l.address)
	}
	if s != addChanged && s != skipChanged {
		change.Remove = slices.Concat(removed, outdated)
	}
	if s == replaceChanged || s == replaceOrSkip {
		// An API that removes by address also removes what is there as planned.
		kept := within(within(planned, current, l.identity), outdated, l.address)
		change.Add = slices.Concat(missing, kept)
	}
	return change
}

// remaining returns the entries still to add or remove. It differs as soon as a
// change takes effect.
func (l *serviceList[E]) remaining() map[entryKey]bool {
	return keysOf(slices.Concat(l.change(addChanged).Add, l.change(replaceChanged).Remove), l.identity)
}

func (l *serviceList[E]) hasEffect() bool { return !maps.Equal(l.remaining(), l.remainingBefore) }

// sent records that a PATCH with a change was sent.
func (l *serviceList[E]) sent(change listChange[E]) {
	l.remainingBefore, l.effectPending = l.remaining(), !change.IsZero()
}

// received records the list after a PATCH: as the response shows it, or else as
// asked for. That is in doubt if a removal may have emptied the list: some APIs
// leave out what is empty, and one that removes after it adds can remove both.
func (l *serviceList[E]) received(shown Value[[]E], change listChange[E]) {
	inDoubt := false
	switch {
	case !shown.IsAbsent():
		l.current, l.leftOut = shown, false
	case !change.IsZero():
		before, _ := l.current.Get()
		after := append(without(without(before, change.Remove, l.identity), change.Add, l.address), change.Add...)
		l.current = ValueOf(after)
		inDoubt = l.returned && len(change.Remove) > 0 && len(after) > 0
	}
	l.effectPending = l.effectPending && (inDoubt || !l.hasEffect())
}

// read records the list that a read shows while the effect of a PATCH is pending. If
// the read leaves out the list, what was asked for counts.
func (l *serviceList[E]) read(shown Value[[]E], change listChange[E]) {
	switch {
	case !l.effectPending: // a read can be older than the response
		return
	case !shown.IsAbsent():
		l.current = shown
	case l.returned && len(change.Remove) > 0:
		l.current = ValueOf([]E{}) // left out because it is empty
	default:
		l.effectPending, l.leftOut = false, true
		return
	}
	l.effectPending, l.leftOut = !l.hasEffect(), false
}
