package api

import "slices"

// A serviceList is one of a service's lists during an update: the access list, or the private
// endpoints, as entries without a description.
type serviceList struct {
	update ListUpdate[AccessEntry]
	key    func(AccessEntry) string // byIDAndDescription, or byID if other descriptions are someone else's

	latest     Value[[]AccessEntry] // as it was shown last; null: a read has left it out; zero: nothing has shown it
	isReadable bool                 // reads show it
	isStale    bool                 // a PATCH may have changed it, and nothing has shown it since

	seen     []AccessEntry           // what it had before the update, or when something showed it since
	change   listChange[AccessEntry] // of the last PATCH
	isBlind  bool                    // nothing had shown the list when that was planned
	phase    listPhase               // what the next one does
	doubtful []AccessEntry           // in the second phase: what the first may have taken, and nothing shows
}

// A listPhase is what a PATCH does to a list.
type listPhase int

const (
	planned listPhase = iota // what is planned
	second                   // it adds what is missing after that
	done                     // nothing
)

func newServiceList(shown Value[[]AccessEntry], isReadable bool, update ListUpdate[AccessEntry], key func(AccessEntry) string) *serviceList {
	l := &serviceList{update: update, key: key, latest: shown, isReadable: isReadable && shown.IsKnown()}
	l.seen = l.entries()
	return l
}

// entries are those of the list as it was shown last, or else as the plan knows it.
func (l *serviceList) entries() []AccessEntry {
	if l.latest.IsKnown() {
		return l.latest.value
	}
	return l.update.Before.value
}

// shown returns the list, or a zero Value if nothing shows it.
func (l *serviceList) shown() (list Value[[]AccessEntry]) {
	if l.latest.IsKnown() && !l.isStale {
		list = l.latest
	}
	return list
}

// added returns what the update adds or describes anew.
func (l *serviceList) added() []AccessEntry { return l.update.added(l.shown()) }

// removed returns what the update removes. A list that a read has left out may have it all the same.
func (l *serviceList) removed() []AccessEntry {
	if l.latest.IsNull() {
		return l.update.removed(l.update.Before.value)
	}
	return l.update.removed(l.entries())
}

// next plans the next PATCH. The first changes what is to be changed. An entry with a new description is added,
// and removed with the old one: no PATCH removes an address that stays unless it adds it. A list
// that nothing shows keeps the old one: the API may remove by address. Once the list shows the first PATCH,
// the second adds the addresses that are missing.
func (l *serviceList) next() listChange[AccessEntry] {
	added, removed := l.added(), l.removed()
	outdated := without(within(l.entries(), added, byID), added, l.key)
	l.isBlind = !l.latest.IsKnown()
	switch {
	case l.phase == done:
		l.change = listChange[AccessEntry]{}
	case l.phase == second && l.doubtful != nil:
		l.change = listChange[AccessEntry]{Add: l.doubtful}
	case l.phase == second:
		l.change = listChange[AccessEntry]{Add: without(added, l.entries(), byID)}
	case l.isBlind:
		l.change = listChange[AccessEntry]{Add: without(added, l.entries(), l.key), Remove: removed}
	default:
		l.change = listChange[AccessEntry]{
			Add:    without(added, without(l.entries(), outdated, byID), l.key),
			Remove: append(removed, outdated...),
		}
	}
	return l.change
}

// accepted records that the last PATCH was accepted, and awaited.
func (l *serviceList) accepted() {
	switch {
	case l.isBlind && l.isStale: // nothing will show what to add
		l.phase = done
	case l.isBlind && !l.latest.IsNull(): // its response is the first to show entries: the next one is planned anew
	default:
		l.phase++
	}
	switch {
	case l.isPending():
		l.doubtful = append([]AccessEntry{}, l.missing()...) // never nil, which is for no doubt
	case !l.isReadable && len(l.replaced()) > 0: // a response may be late, and show the list before the replacement
		l.doubtful = l.replaced()
	default:
		l.doubtful = nil
	}
}

// replaced returns the entries that the last PATCH removes and adds again.
func (l *serviceList) replaced() []AccessEntry { return within(l.change.Add, l.change.Remove, byID) }

// markStale records that the last PATCH may have taken effect.
func (l *serviceList) markStale() { l.isStale = l.isStale || !l.change.IsZero() }

// record records the list as a response shows it, if it does.
func (l *serviceList) record(shown Value[[]AccessEntry]) {
	if shown.IsKnown() {
		l.latest, l.isStale = shown, false
		l.seen = append(slices.Clip(l.seen), shown.value...)
	}
}

// recordRead records the list as a read shows it, if it does.
func (l *serviceList) recordRead(shown Value[[]AccessEntry]) {
	l.isReadable = shown.IsKnown()
	l.record(shown)
}

// isPending reports whether the list does not show the last PATCH yet: something that it removed is left
// or, if it only adds, something that it added is missing.
func (l *serviceList) isPending() bool {
	switch {
	case l.isStale:
		return true
	case l.isBlind: // there is nothing to compare with
		return false
	case len(l.change.Remove) > 0:
		return len(l.overdue()) > 0
	}
	return len(without(l.change.Add, l.entries(), l.key)) > 0
}

// overdue returns what the last PATCH removed and the list still shows.
func (l *serviceList) overdue() []AccessEntry {
	if l.isStale {
		return nil
	}
	return within(l.change.Remove, l.entries(), l.key)
}

// remaining returns what the plan removes and the last response still shows of a list that reads do not show.
func (l *serviceList) remaining() []AccessEntry {
	if l.isReadable {
		return nil
	}
	return l.update.removed(l.shown().value)
}

// missing returns the entries that the plan keeps and the service may have lost. While a PATCH is pending,
// what it changes does not count as there.
func (l *serviceList) missing() []AccessEntry {
	there := l.entries()
	if l.isPending() {
		there = without(without(there, l.change.Remove, byID), l.change.Add, byID)
	}
	hadAccess := within(l.update.After.value, l.seen, byID)
	return without(hadAccess, without(there, l.doubtful, byID), byID)
}
