package provider

import (
	"net/http"
	"reflect"
)

// A lawUpdate is the update of one resource: what its plan allows an apply to
// send, and what has happened so far.
type lawUpdate struct {
	kind           lawKind
	creates        bool
	prior, planned map[string]any
	config         map[string]any // as it was planned

	operation   string                     // of the newest request
	settings    map[string]any             // of the pipe, as the newest read showed them
	shownKey    map[string]any             // the key, as the newest read showed it
	late        int                        // responses still to show old lists
	wasLate     bool                       // some have
	conflict    bool                       // the newest refusal was a 409
	drifted     bool                       // something changed elsewhere
	removed     map[string]map[string]bool // list entries that this update removed
	unconfirmed map[string]bool            // lists that were sent and not shown since
	removesKept bool                       // this request removes an address that stays
	removedKept bool                       // it or an earlier one did
	faults      int                        // since then
	putsBack    bool                       // this request adds an address that was taken away
	unknown     string                     // body of a write whose outcome nobody has looked at
	uncertain   bool                       // there was one
	refused     bool                       // the API has refused to be read
}

func newLawUpdate(k lawKind, config map[string]any, prior, planned any) *lawUpdate {
	u := &lawUpdate{
		kind: k, creates: prior == nil, planned: planned.(map[string]any), config: config,
		removed: map[string]map[string]bool{}, unconfirmed: map[string]bool{},
	}
	u.prior, _ = prior.(map[string]any)
	for _, name := range k.lists() {
		u.removed[name] = map[string]bool{}
	}
	return u
}

// changes reports whether the plan changes an attribute.
func (u *lawUpdate) changes(name string) bool {
	if u.creates {
		return u.config[name] != nil
	}
	return !reflect.DeepEqual(u.prior[name], u.planned[name])
}

// recordStatus notes whether the newest refusal was a conflict.
func (l *lawTest) recordStatus(status int) {
	switch {
	case l.update == nil:
	case status == http.StatusConflict:
		l.update.conflict = true
	case status == http.StatusBadRequest:
		l.update.conflict = false
	}
}

// recordShown notes which lists a response to a write shows as they are.
func (l *lawTest) recordShown(result map[string]any) {
	for name := range l.update.unconfirmed {
		if reflect.DeepEqual(entriesOf(result[camel(name)]), l.entries(name)) {
			l.update.unconfirmed[name] = false
		}
	}
}

// recordUnknownLists notes, after an apply, which lists of the service nobody knows:
// reads do not show them, and writes have not or came to a bad end.
func (l *lawTest) recordUnknownLists(err error) {
	if !l.hidesObjects() || l.update.kind.name != "service" {
		return
	}
	for _, name := range l.update.kind.lists() {
		unconfirmed, wasSent := l.update.unconfirmed[name]
		neverShown := !l.update.creates && l.update.changes(name) && l.update.prior[name] == nil // it only adds
		if unconfirmed || wasSent && err != nil || neverShown {
			l.unknownLists[name] = true
		}
	}
}
