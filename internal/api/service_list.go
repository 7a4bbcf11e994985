package api

import "slices"

// A serviceList is one of a service's lists during an update.
type serviceList[E comparable] struct {
	address, identity func(E) entryKey

	update  ListUpdate[E]
	added   []E           // what the update adds or describes anew
	current []E           // as last seen, or else Before with the changes sent since
	seen    bool          // a response has shown it since the last change
	inReads bool          // reads show it: one that leaves it out means that it is empty
	change  listChange[E] // of the last PATCH
	taken   []E           // removed and added again by a PATCH: may be missing
}

// newServiceList starts an update. A list that is not shown counts as update.Before.
func newServiceList[E comparable](shown Value[[]E], inReads bool, update ListUpdate[E], address, identity func(E) entryKey) *serviceList[E] {
	l := &serviceList[E]{address: address, identity: identity, update: update, current: update.Before.value}
	l.added = update.added(shown, address, identity)
	l.inReads = inReads && shown.IsKnown()
	l.record(shown)
	return l
}

// isUnknown reports whether nothing shows the list that is to be changed.
func (l *serviceList[E]) isUnknown() bool { return !l.seen && l.update.After.IsKnown() }

// addition adds new entries, and new descriptions beside the old. It removes only
// addresses that go.
func (l *serviceList[E]) addition() listChange[E] {
	return listChange[E]{
		Add:    without(l.added, l.current, l.identity),
		Remove: l.update.removed(l.current, l.address),
	}
}

// replacement removes entries that still have another description than the planned one,
// and adds the planned one; also if that is there already, since some APIs remove by
// address. It also removes addresses that are left.
func (l *serviceList[E]) replacement() listChange[E] {
	outdated := l.outdated()
	return listChange[E]{
		Add:    within(l.added, outdated, l.address),
		Remove: append(l.update.removed(l.current, l.address), outdated...),
	}
}

// outdated returns the entries to replace. A list that nothing shows has none.
func (l *serviceList[E]) outdated() []E {
	if !l.seen {
		return nil
	}
	return without(within(l.current, l.added, l.address), l.added, l.identity)
}

// missing returns those entries whose address the list does not have. What was taken may
// be missing until a response shows the list.
func (l *serviceList[E]) missing(entries []E) []E {
	current := l.current
	if !l.seen {
		current = without(current, l.taken, l.address)
	}
	return without(entries, current, l.address)
}

// sending records the change of a PATCH that is about to be sent.
func (l *serviceList[E]) sending(change listChange[E]) {
	l.change = change
	l.taken = append(l.taken, within(change.Remove, change.Add, l.address)...)
}

// forget records that what was seen is out of date, if the last PATCH changes the list.
func (l *serviceList[E]) forget() { l.seen = l.seen && l.change.IsZero() }

// accepted records a PATCH's response. A list that it leaves out counts as changed.
func (l *serviceList[E]) accepted(shown Value[[]E]) {
	rest := without(without(l.current, l.change.Remove, l.identity), l.change.Add, l.address)
	l.current = slices.Concat(rest, l.change.Add)
	l.record(shown)
}

// read records what a read shows after a PATCH. It says nothing about a list that the
// PATCH does not change: the read can be older than the last response.
func (l *serviceList[E]) read(shown Value[[]E]) {
	if l.change.IsZero() {
		return
	}
	if !shown.IsKnown() && l.inReads {
		shown = ValueOf([]E{}) // left out because it is empty
	}
	l.inReads = shown.IsKnown()
	l.record(shown)
}

func (l *serviceList[E]) record(shown Value[[]E]) {
	if shown.IsKnown() {
		l.current, l.seen = shown.value, true
	}
}

// reflects reports whether the list shows the last PATCH: nothing that it removed is
// left, and all that it added is there. What it replaced need not be: it can be missing.
func (l *serviceList[E]) reflects() bool {
	isLeft := len(within(l.change.Remove, l.current, l.identity)) > 0
	added := without(l.change.Add, l.change.Remove, l.address)
	isThere := len(without(added, l.current, l.identity)) == 0
	return l.change.IsZero() || l.seen && isThere && !isLeft
}

// overdue returns what the last PATCH removed and the list still shows. What was removed
// in another notation is not overdue: the API may not have known it.
func (l *serviceList[E]) overdue() []E {
	isGone := func(e E) bool { return !slices.Contains(l.current, e) }
	return slices.DeleteFunc(slices.Clone(l.change.Remove), isGone)
}

// result is the list as the API shows it.
func (l *serviceList[E]) result() Value[[]E] {
	if !l.seen {
		return Value[[]E]{}
	}
	return ValueOf(l.current)
}
