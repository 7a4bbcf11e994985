package api

import "slices"

// A serviceList is one of a service's lists during an update: the access list, or the
// private endpoints, as entries without a description.
//
//	       a response or a read shows the list
//	unseen ───────────────────────────────────▶ seen
//	       ◀───────────────────────────────────
//	        a PATCH changes it, or a read fails
//
// Seen, current is what was shown. Unseen, it is what the list should be by now: what was
// shown last, or else update.Before, with the changes that the API has accepted since.
type serviceList struct {
	update   ListUpdate[AccessEntry]
	identity func(AccessEntry) entryKey // of an entry; an address alone, if its descriptions are someone else's
	added    []AccessEntry              // what the update adds or describes anew
	current  []AccessEntry              // each PATCH is planned from it
	seen     bool
	inReads  bool                    // reads show it: one that leaves it out means that it is empty
	change   listChange[AccessEntry] // of the last PATCH
	taken    []AccessEntry           // removed and added again by a PATCH: may be missing since
}

func newServiceList(shown Value[[]AccessEntry], inReads bool, update ListUpdate[AccessEntry], identity func(AccessEntry) entryKey) *serviceList {
	l := &serviceList{update: update, identity: identity, added: update.added(shown), current: update.Before.value}
	l.inReads = inReads && shown.IsKnown()
	l.record(shown)
	return l
}

// addition adds new entries, and new descriptions beside the old. It removes only
// addresses that go.
func (l *serviceList) addition() listChange[AccessEntry] {
	return listChange[AccessEntry]{
		Add:    without(l.added, l.current, l.identity),
		Remove: l.update.removed(l.current),
	}
}

// replacement removes entries that still have another description than the planned one,
// and adds the planned one; also if that is there already, since some APIs remove by
// address. It also removes addresses that are left.
func (l *serviceList) replacement() listChange[AccessEntry] {
	outdated := l.outdated()
	return listChange[AccessEntry]{
		Add:    within(l.added, outdated, addressOf),
		Remove: append(l.update.removed(l.current), outdated...),
	}
}

// restoration adds what the update adds and the list does not have after the replacement.
func (l *serviceList) restoration() listChange[AccessEntry] {
	return listChange[AccessEntry]{Add: l.missing(l.added)}
}

// undo adds again, as it was, what a replacement that was refused has removed all the same.
func (l *serviceList) undo() listChange[AccessEntry] {
	return listChange[AccessEntry]{Add: l.missing(l.taken)}
}

// outdated returns the entries to replace. A list that nothing shows has none.
func (l *serviceList) outdated() []AccessEntry {
	if !l.seen {
		return nil
	}
	return without(within(l.current, l.added, addressOf), l.added, l.identity)
}

// missing returns those entries whose address the list does not have. What was taken may
// be missing until a response shows the list.
func (l *serviceList) missing(entries []AccessEntry) []AccessEntry {
	current := l.current
	if !l.seen {
		current = without(current, l.taken, addressOf)
	}
	return without(entries, current, addressOf)
}

func (l *serviceList) isChanged() bool { return !l.change.IsZero() }

// hasAdded reports whether the list had an entry that the last PATCH adds.
func (l *serviceList) hasAdded() bool { return l.conflictsWith(l.current) }

// conflictsWith reports whether a list has an entry that the last PATCH adds, or another one
// at its address that the PATCH does not remove.
func (l *serviceList) conflictsWith(shown []AccessEntry) bool {
	isThere := len(within(l.change.Add, shown, l.identity)) > 0
	added := without(l.change.Add, l.change.Remove, addressOf)
	return isThere || len(within(added, shown, addressOf)) > 0
}

// isUnseen reports whether the last PATCH changes the list and nothing shows it.
func (l *serviceList) isUnseen() bool { return !l.seen && !l.change.IsZero() }

// sending records the change of a PATCH that is about to be sent.
func (l *serviceList) sending(change listChange[AccessEntry]) {
	l.change = change
	l.taken = append(l.taken, within(change.Remove, change.Add, addressOf)...)
}

// forget records that what was seen is out of date, if the last PATCH changes the list.
func (l *serviceList) forget() { l.seen = l.seen && l.change.IsZero() }

// accepted records a PATCH's response. A list that it leaves out counts as changed.
func (l *serviceList) accepted(shown Value[[]AccessEntry]) {
	rest := without(without(l.current, l.change.Remove, l.identity), l.change.Add, addressOf)
	l.current = slices.Concat(rest, l.change.Add)
	l.record(shown)
}

// read records what a read shows after a PATCH. It says nothing about a list that the
// PATCH does not change: the read can be older than the last response.
func (l *serviceList) read(shown Value[[]AccessEntry]) {
	if l.change.IsZero() {
		return
	}
	if !shown.IsKnown() && l.inReads {
		shown = ValueOf([]AccessEntry{}) // left out because it is empty
	}
	l.inReads = shown.IsKnown()
	l.record(shown)
}

func (l *serviceList) record(shown Value[[]AccessEntry]) {
	if shown.IsKnown() {
		l.current, l.seen = shown.value, true
	}
}

// isPending reports whether the list does not show the last PATCH yet: something that it
// removed is left, or something that it added is missing. What it replaced may be missing.
func (l *serviceList) isPending() bool {
	added := without(l.change.Add, l.change.Remove, addressOf)
	isMissing := len(without(added, l.current, l.identity)) > 0
	isLeft := len(within(l.change.Remove, l.current, l.identity)) > 0
	return l.isUnseen() || isMissing || isLeft
}

// overdue returns what the last PATCH removed and the list still shows. What was removed
// in another notation is not overdue: the API may not have known it.
func (l *serviceList) overdue() []AccessEntry {
	isGone := func(e AccessEntry) bool { return !slices.Contains(l.current, e) }
	return slices.DeleteFunc(slices.Clone(l.change.Remove), isGone)
}
