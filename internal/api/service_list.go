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
	return entryKey{CanonicalAddress(e.Source), e.Description.value}
}

func addressOf(e AccessEntry) entryKey { return entryKey{address: CanonicalAddress(e.Source)} }

func stringKey(s string) entryKey { return entryKey{address: s} }

// without returns the elements of list that others does not have.
func without[E any](list, others []E, key func(E) entryKey) []E {
	keys := keysOf(others, key)
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool { return keys[key(e)] })
}

// within returns the elements of list that others has too.
func within[E any](list, others []E, key func(E) entryKey) []E {
	return without(list, without(list, others, key), key)
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
	current, before := shown.value, u.Before.value
	planned, ok := u.After.Get()
	if !ok || u.Before.IsAbsent() || len(current) == 0 {
		return u.After
	}
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
	began    Value[[]E] // the list before the update; absent: neither the API nor the plan knows it
	current  Value[[]E]
	returned bool // the API returned it when the update began

	lastChange      listChange[E]     // that may have taken effect
	remainingBefore map[entryKey]bool // the last change
	effectPending   bool              // no response has shown an effect of the last change yet
	leftOut         bool              // the last read did not show the list
}

// newServiceList starts an update. A list that the API does not return is taken
// to be as it was planned from.
func newServiceList[E any](remote Value[[]E], update ListUpdate[E], address, identity func(E) entryKey) *serviceList[E] {
	l := &serviceList[E]{address: address, identity: identity, update: update, began: remote, returned: !remote.IsAbsent()}
	if !l.returned {
		l.began = update.Before
	}
	l.current = l.began
	return l
}

// isUnknown reports whether the API does not return the list that is to be changed.
func (l *serviceList[E]) isUnknown() bool { return !l.returned && !l.update.After.IsAbsent() }

// change is what remains of the update, as a step sends it.
func (l *serviceList[E]) change(s step) listChange[E] {
	if l.update.After.IsAbsent() {
		return listChange[E]{}
	}
	current, onTop := l.current.value, l.current
	if len(current) == 0 { // perhaps by this update
		onTop = l.began
	}
	planned := l.update.merged(onTop, l.address, l.identity).value
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
	l.lastChange, l.remainingBefore, l.effectPending = change, l.remaining(), !change.IsZero()
}

// received records the list after a PATCH: as the response shows it, or else as
// asked for. That is in doubt if a removal may have emptied the list: some APIs
// leave out what is empty, and one that removes after it adds can remove both.
func (l *serviceList[E]) received(shown Value[[]E]) {
	inDoubt := false
	switch {
	case !shown.IsAbsent():
		l.current, l.leftOut = shown, false
	case !l.lastChange.IsZero():
		l.assume()
		inDoubt = l.returned && len(l.lastChange.Remove) > 0 && len(l.current.value) > 0
	}
	l.effectPending = l.effectPending && (inDoubt || !l.hasEffect())
}

// assume takes the list to be as the last change asked for.
func (l *serviceList[E]) assume() {
	rest := without(without(l.current.value, l.lastChange.Remove, l.identity), l.lastChange.Add, l.address)
	l.current = ValueOf(append(rest, l.lastChange.Add...))
}

// read records the list that a read shows while the effect of a PATCH is pending. If
// the read leaves out the list, what was asked for counts.
func (l *serviceList[E]) read(shown Value[[]E]) {
	if !l.effectPending { // a read can be older than the response
		return
	}
	if shown.IsAbsent() && l.returned && len(l.lastChange.Remove) > 0 {
		shown = ValueOf([]E{}) // left out because it is empty
	}
	if l.leftOut = shown.IsAbsent(); l.leftOut {
		l.assume()
	} else {
		l.current = shown
	}
	l.effectPending = !l.leftOut && !l.hasEffect()
}
