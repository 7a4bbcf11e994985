package provider

import (
	"math/rand/v2"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// lawEntryKind is an entry of a service whose list has others, which change too. The list
// of the first service is managed as a whole.
var lawEntryKind = lawKind{entryKind, "updateService", mockapi.Service, nil, map[string]generator{
	"description": choice("", "office", "private network"),
}}

// lawEntrySources are some of what may be in the list.
var lawEntrySources = choice("192.0.2.7", "203.0.113.9", "203.0.113.9/32", "2001:db8::1")

// entryIDs are those of the entry that a configuration has, and now and then others.
func entryIDs(random *rand.Rand, before map[string]any) map[string]any {
	ids := map[string]any{"service_id": mockapi.OtherServiceID, "source": lawEntrySources(random)}
	if source := before["source"]; source != nil && random.IntN(3) > 0 {
		ids["source"] = source
	}
	return ids
}

// ownSource is the source of the entry that a change is about.
func (c *lawChange) ownSource() string {
	values := c.planned
	if c.destroys {
		values = c.prior
		if values == nil { // the first half of a replacement
			values = c.block.state()
		}
	}
	source, _ := values["source"].(string)
	return api.CanonicalAddress(source)
}

// A write for an entry names no other entry. It removes the entry only to destroy it, or
// with a new one in the same request, and adds it only as it is planned.
func (l *lawTest) writesOneEntry(c *lawChange, e *lawEvent) {
	own := lawEntry{list: "ip_access_list", source: c.ownSource()}
	added, removed := e.entries("add"), e.entries("remove")
	for _, entry := range append(added, removed...) {
		if !entry.isAt(own) {
			l.errorf("%v was sent for %s", entry, own.source)
		}
	}
	if len(e.body) != 1 || e.body["ipAccessList"] == nil {
		l.errorf("%s was sent for an entry", e.Body)
	}
	if c.destroys && len(added) > 0 || !c.destroys && len(added) == 0 {
		l.errorf("%s was sent, and the plan destroys the entry: %t", e.Body, c.destroys)
	}
	description := c.planned["description"]
	for _, entry := range added {
		if description != "(unknown)" && description != nil && entry.description != description {
			l.errorf("%v was added, with %q planned", entry, description)
		}
	}
}

// leavesTheEntry checks, after a change of an entry, that it is there, or not after a
// destroy.
func (l *lawTest) leavesTheEntry(c *lawChange, err error) {
	drifts := l.drifted[c.id+" ip_access_list "+c.ownSource()] || c.destroys && slices.ContainsFunc(c.events, (*lawEvent).hasDrift)
	if err != nil || drifts || l.isStale(c) || l.hidesObjects() {
		return
	}
	if now := l.env.Object(mockapi.Service, c.id); has(now["ipAccessList"], c.ownSource()) == c.destroys {
		l.errorf("after the change, the entry %s is there: %t", c.ownSource(), c.destroys)
	}
}

// hasTheEntry checks, in the end, the entry that is configured.
func (l *lawTest) hasTheEntry(config map[string]any) {
	source := config["source"].(string)
	description, isThere := entriesOf(l.env.Object(mockapi.Service, mockapi.OtherServiceID)["ipAccessList"])[api.CanonicalAddress(source)]
	if want := config["description"]; !l.unknown[mockapi.OtherServiceID+" "+api.CanonicalAddress(source)] && (!isThere || want != nil && want != description) {
		l.errorf("the entry %s is there: %t, as %q and not %v", source, isThere, description, want)
	}
}
