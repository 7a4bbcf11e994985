package api

// A serviceList is one of a service's lists during an update: the access list, or the private
// endpoints, as entries without a description.
type serviceList struct {
	update ListUpdate[AccessEntry]
	key    func(AccessEntry) string // byIDAndDescription, or byID if other descriptions are someone else's

	latest     []AccessEntry // as it was shown last, or else update.Before
	isKnown    bool          // the API has shown it
	isReadable bool          // reads show it: one that leaves it out means that it is empty
	isLeftOut  bool          // the last read has left it out
	isStale    bool          // a PATCH may have changed it, and nothing has shown it since

	change    listChange[AccessEntry] // of the last PATCH
	isBlind   bool                    // nothing had shown the list when that was planned
	isChanged bool                    // a PATCH was accepted that was not
	initial   []AccessEntry           // the list before the update
}

func newServiceList(shown Value[[]AccessEntry], isReadable bool, update ListUpdate[AccessEntry], key func(AccessEntry) string) *serviceList {
	l := &serviceList{update: update, key: key, latest: update.Before.value, isReadable: isReadable && shown.IsKnown()}
	l.record(shown)
	l.initial = l.latest
	return l
}

// shown returns the list, or an absent one if nothing shows it.
func (l *serviceList) shown() (list Value[[]AccessEntry]) {
	if l.isKnown && !l.isStale {
		list = ValueOf(l.latest)
	}
	return list
}

// added returns what the update adds or describes anew.
func (l *serviceList) added() []AccessEntry { return l.update.added(l.shown()) }

// next plans the next PATCH. The first changes what is to be changed. An entry with a new description is added,
// and removed with the old one: no PATCH removes an address that stays unless it adds it. A list
// that nothing shows keeps the old one: the API may remove by address, and nothing would show that.
// Once such a PATCH was accepted, the next adds the addresses that are missing.
func (l *serviceList) next() listChange[AccessEntry] {
	added := l.added()
	outdated := without(within(l.latest, added, byID), added, l.key)
	l.isBlind = !l.isKnown
	switch {
	case l.isChanged:
		l.change = listChange[AccessEntry]{Add: without(added, l.latest, byID)}
	case l.isBlind:
		l.change = listChange[AccessEntry]{Add: without(added, l.latest, l.key), Remove: l.update.removed(l.latest)}
	default:
		l.change = listChange[AccessEntry]{
			Add:    without(added, without(l.latest, outdated, byID), l.key),
			Remove: append(l.update.removed(l.latest), outdated...),
		}
	}
	return l.change
}

// replaced returns the entries that the last PATCH removes and adds again.
func (l *serviceList) replaced() []AccessEntry { return within(l.change.Add, l.change.Remove, byID) }

// markStale records that the last PATCH may have taken effect.
func (l *serviceList) markStale() { l.isStale = !l.change.IsZero() }

// accepted records the response to a PATCH.
func (l *serviceList) accepted(shown Value[[]AccessEntry]) {
	l.isChanged = !l.isBlind
	l.record(shown)
}

// record records the list as a response shows it, if it does.
func (l *serviceList) record(shown Value[[]AccessEntry]) {
	if shown.IsKnown() {
		l.latest, l.isKnown, l.isStale = shown.value, true, false
	}
}

// read records the list as a read shows it.
func (l *serviceList) read(shown Value[[]AccessEntry]) {
	l.isLeftOut = !shown.IsKnown() && l.isReadable
	if l.isLeftOut {
		shown = ValueOf([]AccessEntry{}) // because it is empty
	}
	l.isReadable = shown.IsKnown()
	l.record(shown)
}

// isPending reports whether the list does not show the last PATCH yet: something that it removed is left
// or, if it only adds, something that it added is missing.
func (l *serviceList) isPending() bool {
	switch {
	case l.isStale || l.isBlind:
		return l.isStale
	case len(l.change.Remove) > 0:
		return len(l.overdue()) > 0
	}
	return len(without(l.change.Add, l.latest, l.key)) > 0
}

// overdue returns what the last PATCH removed and the list still shows. If nothing had shown the list before, that
// may be in another notation than the API knows.
func (l *serviceList) overdue() []AccessEntry {
	if l.isStale || l.isBlind {
		return nil
	}
	return within(l.change.Remove, l.latest, l.key)
}

// missing returns the entries that the plan keeps and the service may have lost.
func (l *serviceList) missing() []AccessEntry {
	there := l.latest
	if l.isPending() {
		there = without(there, l.change.Remove, byID)
	}
	return without(within(l.update.After.value, l.initial, byID), there, byID)
}
