package provider

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A lawChange is what a plan does with one object: what an apply may send.
type lawChange struct {
	block          *lawBlock
	id             string // of the object
	plan           acctest.Plan
	prior, planned map[string]any // a prior of nil is a creation
	config         map[string]any // as it was planned
	destroys       bool           // sends nothing
	next           *lawChange     // the creation that completes a replacement

	before map[string]any // the object before the change
	events []*lawEvent    // during the change
}

// newLawChange returns a planned change; for a replacement, the destroy and what
// follows it.
func newLawChange(b *lawBlock, config map[string]any, p acctest.Plan) *lawChange {
	prior := b.state()
	c := &lawChange{block: b, plan: p, prior: prior, config: config}
	if c.planned, _ = acctest.Plain(p.Planned).(map[string]any); p.Replaces {
		c.prior = nil
	}
	if c.id = b.idIn(c.planned); c.planned != nil && !p.Replaces {
		return c
	}
	destroy := &lawChange{block: b, id: b.idIn(prior), plan: p, destroys: true}
	if p.Replaces {
		destroy.next = c
	}
	return destroy
}

func (c *lawChange) creates() bool { return c.prior == nil && !c.destroys }

// changes reports whether the plan changes an attribute.
func (c *lawChange) changes(name string) bool {
	if c.prior == nil {
		return c.config[name] != nil
	}
	return !reflect.DeepEqual(c.prior[name], c.planned[name])
}

// changesEntry reports whether the plan changes an entry of a list. A creation
// replaces the list; an update of a list that no plan has shown only adds to it.
func (c *lawChange) changesEntry(name, source string) bool {
	before, had := entriesOf(c.prior[name])[source]
	after, has := entriesOf(c.planned[name])[source]
	return c.prior == nil || had != has || before != after
}

// A lawEvent is a request.
type lawEvent struct {
	acctest.Call
	fault  string
	body   map[string]any
	before map[string]any // the object before it
	status int            // of the response, 0 if it was lost
	shown  map[string]any // by the response
}

// last returns the index of the newest event like this, -1 for none.
func last(events []*lawEvent, like func(*lawEvent) bool) int {
	for i, e := range slices.Backward(events) {
		if like(e) {
			return i
		}
	}
	return -1
}

func (e *lawEvent) isLost() bool { return e.status == 0 || e.status == http.StatusServiceUnavailable }

func (e *lawEvent) isHidden() bool         { return !e.Writes() && e.status == http.StatusBadRequest }
func (e *lawEvent) isLate() bool           { return e.Writes() && e.fault == "late" }
func (e *lawEvent) hasDrift() bool         { return e.fault == "drift" }
func (e *lawEvent) isAbout(id string) bool { return strings.Contains(strings.ToLower(e.Path), id) }

// A lawEntry is an entry of one of the service's lists.
type lawEntry struct{ list, source, description string }

func (e lawEntry) isAt(other lawEntry) bool { return e.list == other.list && e.source == other.source }

// entries are those that a request adds to the lists of the service, or removes.
func (e *lawEvent) entries(verb string) (all []lawEntry) {
	for _, list := range lawLists {
		change, _ := e.body[camel(list)].(map[string]any)
		eachEntry(change[verb], func(source, description string) { all = append(all, lawEntry{list, source, description}) })
	}
	return all
}

// removesKept reports whether a request removes an address that the plan keeps.
func (e *lawEvent) removesKept(c *lawChange) bool {
	return slices.ContainsFunc(e.entries("remove"), func(entry lawEntry) bool { return has(c.planned[entry.list], entry.source) })
}

// isFaultySinceRemoval reports whether something has failed since a request removed an
// address that stays.
func (c *lawChange) isFaultySinceRemoval() bool {
	i := slices.IndexFunc(c.events, func(e *lawEvent) bool { return e.removesKept(c) })
	return i >= 0 && slices.ContainsFunc(c.events[i:], func(e *lawEvent) bool {
		return e.fault != "" && e.fault != "late" && e.fault != "drift"
	})
}

// shownKey is a key as the newest read of this walk has shown it.
func (l *lawTest) shownKey(id string) map[string]any {
	i := last(l.history, func(e *lawEvent) bool { return !e.Writes() && e.isAbout(id) && e.status > 0 })
	if i < 0 {
		return nil
	}
	return l.history[i].shown
}

// isStale reports whether responses to a change may have shown old lists.
func (l *lawTest) isStale(c *lawChange) bool {
	return l.variants.StaleServices > 0 || slices.ContainsFunc(c.events, (*lawEvent).isLate)
}

// recordUnknown notes, after a change, what cannot be known of a list of the service
// that no read shows: the change failed, or could only add. An API can also forget an
// unmanaged setting.
func (l *lawTest) recordUnknown(c *lawChange, err error) {
	for _, name := range lawLists {
		onlyAdds := !c.creates() && c.prior[name] == nil
		if c.block.name == "service" && l.hidesObjects() && c.changes(name) && (err != nil || onlyAdds) {
			l.unknown[c.id+" "+name] = true
		}
	}
	if c.block.name == entryKind && l.hidesObjects() && err != nil {
		l.unknown[c.id+" "+c.ownSource()] = true
	}
	isRefused := func(e *lawEvent) bool { return e.status == http.StatusBadRequest }
	if c.block.name == "pipe_settings" && l.variants.SettingsPut == "forget" && slices.ContainsFunc(c.events, isRefused) {
		for name := range c.block.attributes { // the second PUT may have left out what the source does not use
			l.unknown[c.id+" "+name] = l.unknown[c.id+" "+name] || c.config[name] == nil
		}
	}
}

// has reports whether a list in any form has an entry.
func has(list any, source string) bool {
	_, ok := entriesOf(list)[source]
	return ok
}

// entriesOf is a list in any form, as a map from what identifies an entry to its
// description. An address that is listed twice has both descriptions.
func entriesOf(list any) map[string]string {
	entries := map[string]string{}
	eachEntry(list, func(source, description string) {
		if other, ok := entries[source]; ok && other != description {
			description = min(other, description) + " | " + max(other, description)
		}
		entries[source] = description
	})
	return entries
}

func eachEntry(list any, visit func(source, description string)) {
	switch list := list.(type) {
	case map[string]any:
		for source, description := range list {
			visit(api.CanonicalAddress(source), description.(string))
		}
	case []any:
		for _, one := range list {
			if entry, ok := one.(map[string]any); ok {
				description, _ := entry["description"].(string)
				visit(api.CanonicalAddress(entry["source"].(string)), description)
			} else {
				visit(one.(string), "")
			}
		}
	}
}
