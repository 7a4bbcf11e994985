package api

import "slices"

// A serviceList is one of a service's lists during an update.
type serviceList[E comparable] struct {
	address, identity func(E) entryKey

	update  ListUpdate[E]
	added   []E  // what the update adds or describes anew
	current []E  // as last shown; until then, as planned from and asked for
	shown   bool // a response has shown it since the last change
	inReads bool // reads show it: one that leaves it out means that it is empty
}

// newServiceList starts an update. A list that the API does not show is taken to be
// as it was planned from.
func newServiceList[E comparable](shown Value[[]E], inReads bool, update ListUpdate[E], address, identity func(E) entryKey) *serviceList[E] {
	l := &serviceList[E]{address: address, identity: identity, update: update, current: update.Before.value}
	l.added = update.added(shown, address, identity)
	l.inReads = inReads && shown.IsKnown()
	l.show(shown)
	return l
}

// isUnknown reports whether nothing shows the list that is to be changed.
func (l *serviceList[E]) isUnknown() bool { return !l.shown && l.update.After.IsKnown() }

// addition adds what is new, and new descriptions beside the old ones. It removes
// only addresses that go.
func (l *serviceList[E]) addition() listChange[E] {
	return listChange[E]{
		Add:    without(l.added, l.current, l.identity),
		Remove: l.update.removed(l.current, l.address),
	}
}

// outdated returns the entries that still show another description than the planned
// one. A list that nothing shows has none.
func (l *serviceList[E]) outdated() []E {
	if !l.shown {
		return nil
	}
	return without(within(l.current, l.added, l.address), l.added, l.identity)
}

// replacement is what is left of the addition, and replaces the outdated entries. An
// entry that is beside an outdated one already is added once more: an API that removes
// by address removes both.
func (l *serviceList[E]) replacement() listChange[E] {
	change, outdated := l.addition(), l.outdated()
	beside := within(within(l.added, l.current, l.identity), outdated, l.address)
	return listChange[E]{append(change.Add, beside...), append(change.Remove, outdated...)}
}

// missing adds those of some entries whose address the list does not show.
func (l *serviceList[E]) missing(entries []E) listChange[E] {
	if l.shown {
		entries = without(entries, l.current, l.address)
	}
	return listChange[E]{Add: entries}
}

// sent records that a PATCH with a change may have taken effect.
func (l *serviceList[E]) sent(change listChange[E]) { l.shown = l.shown && change.IsZero() }

// accepted records the response to a PATCH. A list that it leaves out is taken to be
// as asked for, until a read shows it.
func (l *serviceList[E]) accepted(change listChange[E], shown Value[[]E]) {
	rest := without(without(l.current, change.Remove, l.identity), change.Add, l.address)
	l.current = append(rest, change.Add...)
	l.show(shown)
}

// read records what a read shows after a change. It says nothing about a list without
// a change: the read can be older than the last response.
func (l *serviceList[E]) read(change listChange[E], shown Value[[]E]) {
	if change.IsZero() {
		return
	}
	if !shown.IsKnown() && l.inReads {
		shown = ValueOf([]E{}) // left out because it is empty
	}
	l.inReads = shown.IsKnown()
	l.show(shown)
}

func (l *serviceList[E]) show(list Value[[]E]) {
	if list.IsKnown() {
		l.current, l.shown = list.value, true
	}
}

// shows reports whether the list shows a change: nothing that it removed is left and,
// if it only adds, something that it added is there. No older list can show a removal.
func (l *serviceList[E]) shows(change listChange[E]) bool {
	isThere := len(change.Remove) > 0 || len(within(change.Add, l.current, l.identity)) > 0
	isLeft := len(within(change.Remove, l.current, l.identity)) > 0
	return change.IsZero() || l.shown && isThere && !isLeft
}

// isDone reports whether it is useless to wait for a change to show.
func (l *serviceList[E]) isDone(change listChange[E]) bool { return l.shows(change) || !l.inReads }

// overdue returns what a change removed and the list still shows. What it shows in
// another notation is not overdue: the API may not have known it.
func (l *serviceList[E]) overdue(change listChange[E]) []E {
	isGone := func(e E) bool { return !slices.Contains(l.current, e) }
	return slices.DeleteFunc(slices.Clone(change.Remove), isGone)
}

// result is the list as the API shows it.
func (l *serviceList[E]) result() Value[[]E] {
	if !l.shown {
		return Value[[]E]{}
	}
	return ValueOf(l.current)
}
