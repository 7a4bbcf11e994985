package provider

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// checkWrite checks the newest request of a change, a write, against the laws.
func (l *lawTest) checkWrite(e *lawEvent) {
	c := l.change
	isEntry := c != nil && c.block.name == entryKind
	if c == nil || c.destroys && !isEntry || c.block.operation != e.Operation || !e.isAbout(c.id) {
		l.errorf("%s was sent %s, which no plan is about", e.Operation, e.Body)
		return
	}
	if isEntry {
		l.writesOneEntry(c, e)
		return
	}
	for _, law := range []func(*lawChange, *lawEvent){
		l.sendsWhatThePlanChanges, l.switchesPlannedEndpoints, l.mergesListsOfKeys, l.repeatsSettings,
		l.addsPlannedEntries, l.removesPlannedEntries,
	} {
		law(c, e)
	}
}

// Only members that the plan changes are sent, as planned; of CPU and memory, also the other one. Settings and what is
// in collections have laws of their own.
func (l *lawTest) sendsWhatThePlanChanges(c *lawChange, e *lawEvent) {
	if c.block.name == "pipe_settings" {
		return
	}
	for member, value := range e.body {
		name, isCollection := lifecycle.AttributeName(member), false
		switch value.(type) {
		case map[string]any, []any:
			isCollection = true
		case nil:
			value = "never" // of an expiry
		}
		if member == "endpoints" {
			name = "endpoints_enabled"
		}
		isChanged := c.changes(name)
		if together := []string{"replica_cpu_millicores", "replica_memory_gb"}; slices.Contains(together, name) {
			isChanged = slices.ContainsFunc(together, c.changes)
		}
		if !isChanged || !isCollection && value != c.planned[name] {
			l.errorf("%s was sent as %v, with %v before and %v planned", name, value, c.prior[name], c.planned[name])
		}
	}
}

// Only endpoints that the plan switches are sent.
func (l *lawTest) switchesPlannedEndpoints(c *lawChange, e *lawEvent) {
	before, _ := c.prior["endpoints_enabled"].(map[string]any)
	planned, _ := c.planned["endpoints_enabled"].(map[string]any)
	switches, _ := e.body["endpoints"].([]any)
	for _, endpoint := range switches {
		endpoint := endpoint.(map[string]any)
		protocol := endpoint["protocol"].(string)
		if planned[protocol] != endpoint["enabled"] || before[protocol] == planned[protocol] {
			l.errorf("the endpoint %v was sent, with %v before and %v planned", endpoint, before, planned)
		}
	}
}

// A list of a key is sent whole: what the plan changes as planned, everything
// else as the API shows it. If it shows no list or an empty one, or nothing would
// be left, the list is sent as planned.
func (l *lawTest) mergesListsOfKeys(c *lawChange, e *lawEvent) {
	for _, name := range []string{"roles", "ip_access_list"} {
		if c.block.name != "api_key" || e.body[camel(name)] == nil {
			continue
		}
		planned, want := entriesOf(c.planned[name]), l.shownEntries(c.id, name)
		isShown := len(want) > 0
		maps.DeleteFunc(want, func(source, _ string) bool {
			return !has(c.planned[name], source) && (has(c.prior[name], source) || c.creates() && name == "roles")
		})
		for source, description := range planned {
			if c.changesEntry(name, source) {
				want[source] = description
			}
		}
		if !isShown || len(want) == 0 {
			want = planned
		}
		if got := entriesOf(e.body[camel(name)]); !maps.Equal(got, want) {
			l.errorf("%s was sent as %v, not %v", name, got, want)
		}
	}
}

// shownEntries are those of a list of a key, with roles as documented.
func (l *lawTest) shownEntries(id, name string) map[string]string {
	entries := entriesOf(l.shownKey(id)[camel(name)])
	if name != "roles" {
		return entries
	}
	roles := map[string]string{}
	for role := range entries {
		roles[strings.ToLower(role)] = ""
	}
	return roles
}

// A PUT of settings comes right after a read. It changes something that the plan
// changes, and repeats everything else as the read has shown it.
func (l *lawTest) repeatsSettings(c *lawChange, e *lawEvent) {
	if c.block.name != "pipe_settings" {
		return
	}
	i := last(c.events, func(e *lawEvent) bool { return e.Operation == "getPipe" && e.shown != nil })
	if i < 0 || slices.ContainsFunc(c.events[i+1:], func(other *lawEvent) bool { return other.Operation != e.Operation }) { // another attempt
		l.errorf("a settings PUT came not right after a read")
		return
	}
	settings, _ := c.events[i].shown["settings"].(map[string]any)
	changed := false
	for name, value := range e.body {
		shown := settings[name]
		switch {
		case c.changes(name) && value == c.planned[name]:
			changed = true
		case shown != nil && unquoted(value) == unquoted(shown):
		case shown == nil && value == c.config[name]:
		default:
			l.errorf("%s was sent as %v, with %v shown, %v before and %v planned", name, value, shown, c.prior[name], c.planned[name])
		}
	}
	if !changed {
		l.errorf("%s changes nothing of the plan", e.Body)
	}
}

// unquoted is a scalar as JSON, without the quotes that an API may have put it in.
func unquoted(value any) string {
	text, _ := json.Marshal(value)
	return strings.Trim(string(text), `"`)
}

// An entry is added to a list of the service if the plan adds it, if it had to be
// removed and has to be put back, or if nothing would be left without it.
func (l *lawTest) addsPlannedEntries(c *lawChange, e *lawEvent) {
	mayKnowOldLists := l.hidesObjects() || l.isStale(c) || slices.ContainsFunc(c.events, func(other *lawEvent) bool {
		return other.isHidden() || other.hasDrift() || other != e && other.Writes() && other.isLost()
	})
	for _, entry := range e.entries("add") {
		wanted, wants := entriesOf(c.planned[entry.list])[entry.source]
		isMissing := mayKnowOldLists || !has(e.before[camel(entry.list)], entry.source)
		wasRemoved := slices.ContainsFunc(c.events, func(other *lawEvent) bool { return other != e && slices.Contains(other.entries("remove"), entry) })
		putsBack := wants && isMissing && wasRemoved
		adds := wants && entry.description == wanted && c.changesEntry(entry.list, entry.source)
		stays := func(source string) bool {
			return has(c.planned[entry.list], source) || !has(c.prior[entry.list], source)
		}
		isEmptied := wants && (mayKnowOldLists || !slices.ContainsFunc(slices.Collect(maps.Keys(entriesOf(e.before[camel(entry.list)]))), stays))
		if !putsBack && !adds && !isEmptied {
			l.errorf("%v was added, with %v before, %v planned and %v there", entry, c.prior[entry.list], c.planned[entry.list], e.before[camel(entry.list)])
		}
	}
}

// An entry is removed from a list of the service if the plan removes or changes
// it. If its address stays, the same request adds it.
func (l *lawTest) removesPlannedEntries(c *lawChange, e *lawEvent) {
	for _, entry := range e.entries("remove") {
		isAdded := slices.ContainsFunc(e.entries("add"), entry.isAt)
		switch {
		case !c.changesEntry(entry.list, entry.source):
			l.errorf("%v was removed, with %v before, %v planned", entry, c.prior[entry.list], c.planned[entry.list])
		case has(c.planned[entry.list], entry.source) && !isAdded:
			l.errorf("%v was removed alone, and is planned as %v", entry, c.planned[entry.list])
		}
	}
}

// After a change, no entry is missing that was there before it and should stay,
// unless the error names it. If responses are old and reads do not show the lists, it
// is unknown what is missing.
func (l *lawTest) losesNoEntry(c *lawChange, err error) {
	isHidden, isStale := l.hidesObjects() || slices.ContainsFunc(c.events, (*lawEvent).isHidden), l.isStale(c)
	if isHidden && isStale {
		return
	}
	mayBeLost := isHidden || isStale || c.isFaultySinceRemoval()
	now := l.env.Object(c.block.object, c.id)
	for _, name := range lawLists {
		for source := range entriesOf(c.before[camel(name)]) {
			isKept := c.creates() && !isHidden || has(c.planned[name], source) && (c.prior == nil || has(c.prior[name], source))
			if !isKept || has(now[camel(name)], source) || l.drifted[c.id+" "+name+" "+source] {
				continue
			}
			address := strings.TrimSuffix(strings.TrimSuffix(source, "/32"), "/128")
			if isNamed := err != nil && strings.Contains(err.Error(), address); !isNamed || !mayBeLost {
				l.errorf("%s: %s is missing, and the error is: %v", name, source, err)
			}
		}
	}
}

// In the end, the API has what the configuration sets. A list of a service that nothing
// shows may have more.
func (l *lawTest) hasTheConfiguredValues(b *lawBlock) {
	config := b.plannedConfig()
	if b.name == entryKind {
		l.hasTheEntry(config)
		return
	}
	object := l.env.Object(b.object, b.idIn(config))
	for name := range b.attributes {
		members, member := b.member(object, name)
		want, got := config[name], members[member]
		if want == nil || l.unknown[b.idIn(config)+" "+name] {
			continue
		}
		isLeftOut := false // of responses, so that nothing shows it
		switch name {
		case "endpoints_enabled":
			enabled := map[string]any{}
			for _, endpoint := range got.([]any) {
				endpoint := endpoint.(mockapi.Object)
				enabled[endpoint["protocol"].(string)] = endpoint["enabled"]
			}
			got, isLeftOut = enabled, !slices.Contains(slices.Collect(maps.Values(enabled)), any(true))
		case "expire_at":
			got, want = utc(got), utc(want)
		case "replica_memory_gb":
			got, want = single(got), single(want)
		case "ip_access_list", "private_endpoint_ids", "roles":
			have := entriesOf(got)
			if b.name == "service" && l.hidesObjects() { // nothing has shown what an adoption removes
				maps.DeleteFunc(have, func(source, _ string) bool { return !has(want, source) })
			}
			got, want, isLeftOut = have, entriesOf(want), len(have) == 0
		}
		isZero := slices.Contains([]string{"0", "false"}, asJSON(got)) && (l.variants.Has("omit_empty=reads") || l.variants.Has("omit_empty=all")) // no read shows it
		isForeign := got == nil && strings.HasPrefix(name, "object_storage_")
		if isLeftOut && l.variants.Has("missing=absent") || isZero ||
			isForeign && l.variants.Has("settings_put=forget") { // it was not configured when the API forgot it
			continue
		}
		if asJSON(got) != asJSON(want) {
			l.errorf("%s.%s is %v, not %v", b.name, name, got, want)
		}
	}
}

func utc(expiry any) time.Time {
	text, _ := expiry.(string)
	at, _ := instant(text)
	return at.UTC()
}

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

// single is a number as a 32-bit float: an API may store no more of it.
func single(value any) any {
	if number, ok := value.(float64); ok {
		return float32(number)
	}
	return value
}
