package api

import (
	"slices"
	"strings"
)

// A serviceList is one of a service's lists during an update: the access list, or the
// private endpoints, as entries without a description.
//
// It says what each PATCH changes, notes what became of it (sending, accepted, read, markStale), and answers
// what is known since. If the list is A "old" and B, and the plan is A "new" and C:
//
//	                                    most APIs then have    some still have A "old"
//	addition     adds A "new", C        A "new", C             A "old", C
//	             removes B
//	newAddition  adds C, removes B      (not sent)             A "old", C: if they refused the addition
//	replacement  removes A "old"        (not sent)             A "new", C, or only C
//	             adds A "new"
//	restoration  adds A "new"           (not sent)             A "new", C
type serviceList struct {
	update ListUpdate[AccessEntry]
	key    func(AccessEntry) string // byIDAndDescription, or byID if other descriptions are someone else's

	// latest is the list as it was shown last, or else update.Before, with the changes that
	// the API has accepted since. Each PATCH is planned from it.
	latest     []AccessEntry
	isShown    bool // nothing has changed since latest was shown
	isReadable bool // reads show the list: one that leaves it out means that it is empty
	isLeftOut  bool // the last read has left it out

	change   listChange[AccessEntry] // of the last PATCH
	replaced []AccessEntry           // removed and added again by a PATCH: may be missing since
	initial  []AccessEntry           // the list before the update, as it was shown or planned from; if that is empty, what is shown first
}

// A patchKind is one of these PATCHes: what it changes in a list.
type patchKind func(*serviceList) listChange[AccessEntry]

func newServiceList(shown Value[[]AccessEntry], isReadable bool, update ListUpdate[AccessEntry], key func(AccessEntry) string) *serviceList {
	l := &serviceList{update: update, key: key, latest: update.Before.value, isReadable: isReadable && shown.IsKnown()}
	if shown.IsKnown() {
		l.latest, l.isShown = shown.value, true
	}
	l.initial = l.latest
	return l
}

// shown returns the list, or an absent one if nothing shows it.
func (l *serviceList) shown() (list Value[[]AccessEntry]) {
	if l.isShown {
		list = ValueOf(l.latest)
	}
	return list
}

// added returns what the update adds or describes anew.
func (l *serviceList) added() []AccessEntry { return l.update.added(l.shown()) }

// addition adds new entries, and new descriptions beside the old. It removes only
// addresses that go.
func (l *serviceList) addition() listChange[AccessEntry] {
	return listChange[AccessEntry]{
		Add:    without(l.added(), l.latest, l.key),
		Remove: l.update.removed(l.latest),
	}
}

// newAddition is the addition without new descriptions.
func (l *serviceList) newAddition() listChange[AccessEntry] {
	change := l.addition()
	change.Add = without(change.Add, l.outdated(), byID)
	return change
}

// replacement removes entries that still have another description than the planned one,
// and adds the planned one; also if that is there already, since some APIs remove by
// address. It also removes addresses that are left.
func (l *serviceList) replacement() listChange[AccessEntry] {
	outdated := l.outdated()
	return listChange[AccessEntry]{
		Add:    within(l.added(), outdated, byID),
		Remove: append(l.update.removed(l.latest), outdated...),
	}
}

// restoration adds what the update adds and the list may not have after the other PATCHes.
func (l *serviceList) restoration() listChange[AccessEntry] {
	return listChange[AccessEntry]{Add: without(l.added(), l.surelyThere(), byID)}
}

// surelyThere returns what the list has for sure: what is shown, except for what PATCHes have replaced if
// what is shown can be older.
func (l *serviceList) surelyThere() []AccessEntry {
	if isOld := len(within(l.latest, l.replaced, byIDAndDescription)) > 0; isOld || !l.isShown {
		return without(l.latest, l.replaced, byID)
	}
	return l.latest
}

// lacksReplaced reports whether the list does not show what PATCHes have replaced.
func (l *serviceList) lacksReplaced() bool { return len(without(l.replaced, l.latest, byID)) > 0 }

// missing returns the entries that the plan keeps and the service may have lost. An API that knows an id in
// another case may remove it although the same PATCH adds it.
func (l *serviceList) missing() []AccessEntry {
	had := slices.Concat(l.initial, l.replaced) // a response may have been the first to show it
	stays, there := within(l.update.After.value, had, byIDInAnyCase), l.surelyThere()
	if !l.isShown {
		there = without(there, l.change.Remove, byIDInAnyCase)
	}
	return without(stays, there, byIDInAnyCase)
}

func byIDInAnyCase(e AccessEntry) string {
	return strings.ToLower(byID(e))
}

// outdated returns the entries to replace. A list that nothing shows has none.
func (l *serviceList) outdated() []AccessEntry {
	if !l.isShown {
		return nil
	}
	return without(within(l.latest, l.added(), byID), l.added(), l.key)
}

func (l *serviceList) isChanged() bool { return !l.change.IsZero() }

// conflicts reports whether the list had an entry that the last PATCH adds, or another one at
// its address that neither this PATCH nor an earlier one of the update removes.
func (l *serviceList) conflicts() bool {
	shown := without(l.latest, l.replaced, byIDAndDescription)
	isThere := len(within(l.change.Add, shown, l.key)) > 0
	added := without(l.change.Add, l.change.Remove, byID)
	return isThere || len(within(added, shown, byID)) > 0
}

// isStale reports whether the last PATCH changes the list and nothing has shown it since.
func (l *serviceList) isStale() bool { return !l.isShown && l.isChanged() }

// sending records the change of a PATCH that is about to be sent.
func (l *serviceList) sending(change listChange[AccessEntry]) {
	l.replaced = append(l.replaced, within(change.Remove, change.Add, byID)...)
	l.change = change
}

// markStale records that what was shown is out of date, if the last PATCH changes the list.
func (l *serviceList) markStale() { l.isShown = l.isShown && !l.isChanged() }

// accepted records a PATCH's response. A list that it leaves out counts as changed.
func (l *serviceList) accepted(shown Value[[]AccessEntry]) {
	rest := without(without(l.latest, l.change.Remove, l.key), l.change.Add, byID)
	l.latest = slices.Concat(rest, l.change.Add)
	l.isLeftOut = l.isLeftOut && !shown.IsKnown()
	l.record(shown)
}

// read records what a read shows after a PATCH. It says nothing about a list that the
// PATCH does not change: the read can be older than the last response.
func (l *serviceList) read(shown Value[[]AccessEntry]) {
	if !l.isChanged() {
		return
	}
	l.isLeftOut = !shown.IsKnown() && l.isReadable
	if l.isLeftOut {
		shown = ValueOf([]AccessEntry{}) // because it is empty
	}
	l.isReadable = shown.IsKnown()
	l.record(shown)
}

func (l *serviceList) record(shown Value[[]AccessEntry]) {
	if !shown.IsKnown() {
		return
	}
	l.latest, l.isShown = shown.value, true
	if len(l.initial) == 0 {
		l.initial = shown.value
	}
}

// wasEmptied reports whether the last PATCH removed everything. If the plan has entries,
// they are added again at once: nobody may have access.
func (l *serviceList) wasEmptied() bool {
	return l.isShown && len(l.latest) == 0 && len(l.change.Remove) > 0
}

// isPending reports whether the list does not show the last PATCH yet: something that it
// removed is left, or something that it added is missing. What it replaced may be missing.
func (l *serviceList) isPending() bool {
	added := without(l.change.Add, l.change.Remove, byID)
	isMissing := len(without(added, l.latest, l.key)) > 0
	isLeft := len(within(l.change.Remove, l.latest, l.key)) > 0
	return l.isStale() || isLeft || isMissing && !l.wasEmptied()
}

// overdue returns what the last PATCH only removed and the list still shows. What was
// removed in another notation is not overdue: the API may not have known it.
func (l *serviceList) overdue() []AccessEntry {
	removed := without(l.change.Remove, l.change.Add, byID)
	return slices.DeleteFunc(removed, func(e AccessEntry) bool {
		isShown := func(shown AccessEntry) bool {
			return shown.Source == e.Source && shown.Description.value == e.Description.value
		}
		return !slices.ContainsFunc(l.latest, isShown)
	})
}
