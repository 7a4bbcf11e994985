package provider

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// lawKinds are the kinds of the blocks, with their objects and what a
// configuration may set of them.
var lawKinds = []lawKind{
	{"service", "updateService", mockapi.Service, map[string]any{"service_id": mockapi.ServiceID}, generators("service", map[string]generator{
		"ip_access_list":       anyList,
		"private_endpoint_ids": anySet("vpce-0a1b2c3d", "vpce-4e5f6a7b", "vpce-8c9d0e1f"),
		"endpoints_enabled": func(random *rand.Rand) any {
			return map[string]any{"mysql": random.IntN(2) == 0, "https": random.IntN(2) == 0}
		},
	})},
	{"pipe_scaling", "scalePipe", mockapi.Pipe, pipeIDs, generators("pipe_scaling", nil)},
	{"pipe_settings", "updatePipeSettings", mockapi.Pipe, pipeIDs, generators("pipe_settings", nil)},
	{"api_key", "updateKey", mockapi.Key, nil, generators("api_key", map[string]generator{
		"roles":          anySet("admin", "developer", "query_endpoints"),
		"expire_at":      choice("never", "2999-01-01T00:00:00Z", "2032-02-29T12:00:00+02:00"),
		"ip_access_list": anyList,
	})},
	lawEntryKind,
}

var (
	pipeIDs = map[string]any{"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID}
	lawKeys = []any{mockapi.APIKeyID, mockapi.OtherAPIKeyID, letteredKeyID}
)

type lawKind struct {
	name       string
	operation  string // that changes the object
	object     mockapi.Kind
	ids        map[string]any // nil: any key or entry
	attributes map[string]generator
}

// idIn is the id of the object in a state or a configuration.
func (k lawKind) idIn(values map[string]any) string {
	for _, name := range []string{"key_id", "pipe_id", "service_id"} {
		if id, ok := values[name].(string); ok {
			return strings.ToLower(id)
		}
	}
	return ""
}

// lawLists are the lists of entries that a service has. A key has the first one.
var lawLists = []string{"ip_access_list", "private_endpoint_ids"}

func isNotReturned(name string) bool {
	return name == "state" || name == "release_channel" || name == "endpoints_enabled"
}

type generator func(*rand.Rand) any

func choice(values ...any) generator {
	return func(random *rand.Rand) any { return values[random.IntN(len(values))] }
}

// anySet is a set that is not empty.
func anySet(values ...any) generator {
	return func(random *rand.Rand) any {
		at := random.Perm(len(values))[:1+random.IntN(len(values))]
		slices.Sort(at)
		var set []any
		for _, i := range at {
			set = append(set, values[i])
		}
		return set
	}
}

// anyList is an access list that is not empty.
func anyList(random *rand.Rand) any {
	list := map[string]any{}
	for _, source := range anySet("10.0.0.0/8", "192.0.2.7", "198.51.100.0/24", "203.0.113.9", "2001:db8::1")(random).([]any) {
		list[source.(string)] = choice("", "office", "café")(random)
	}
	return list
}

// configure chooses the next configuration. A block may be as it was before the
// last change, as after a git revert.
func (l *lawTest) configure() {
	for _, b := range l.blocks {
		before := b.config
		if b.previous != nil && l.random.IntN(3) == 0 {
			b.config, b.ignored = b.previous, nil
		} else {
			b.config, b.ignored = b.configuration(l.random, before)
		}
		b.previous = before
		l.note("%s: %v ignoring %v", b.name, b.config, b.ignored)
	}
}

// configuration is a random one, in which some of what before sets stays. ignored
// is what its lifecycle.ignore_changes names.
func (k lawKind) configuration(random *rand.Rand, before map[string]any) (config map[string]any, ignored []string) {
	config = maps.Clone(k.ids)
	if k.ids == nil && random.IntN(5) == 0 {
		return nil, nil
	}
	if k.object == mockapi.Key {
		config = map[string]any{"key_id": choice(lawKeys...)(random)}
		if id := before["key_id"]; id != nil && random.IntN(3) > 0 {
			config["key_id"] = choice(id, strings.ToUpper(id.(string)))(random)
		}
	}
	if k.name == entryKind {
		config = entryIDs(random, before)
	}
	ids := len(config)
	for _, name := range slices.Sorted(maps.Keys(k.attributes)) {
		switch value, had := before[name]; {
		case had && random.IntN(3) > 0:
			config[name] = value
		case random.IntN(3) > 0:
			config[name] = k.attributes[name](random)
		}
		if config[name] != nil && random.IntN(5) == 0 {
			ignored = append(ignored, name)
		}
	}
	if len(config) == ids && k.name != entryKind { // a pipe's resources have to set something
		name := slices.Sorted(maps.Keys(k.attributes))[0]
		config[name] = k.attributes[name](random)
	}
	return config, ignored
}

// drift changes an attribute of an object elsewhere.
func (l *lawTest) drift() {
	b := l.blocks[l.random.IntN(len(l.blocks))]
	id := b.idIn(b.ids)
	switch {
	case b.object == mockapi.Key:
		id = choice(lawKeys...)(l.random).(string)
	case b.name == entryKind:
		b, id = l.blocks[0], mockapi.OtherServiceID // the list that the entry is in
		if !l.hidesObjects() {
			l.driftOf(b.lawKind, id, "ip_access_list")
		}
		return
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(b.attributes)), func(name string) bool { return !l.canDrift(b.lawKind, id, name) })
	if len(names) > 0 {
		l.driftOf(b.lawKind, id, names[l.random.IntN(len(names))])
	}
}

// driftAfterPlan changes something elsewhere, and lists that the plan changes too.
func (l *lawTest) driftAfterPlan(changes []*lawChange) {
	if l.random.IntN(2) == 0 {
		l.drift()
	}
	for _, c := range changes {
		for _, name := range []string{"ip_access_list", "private_endpoint_ids", "roles"} {
			if c.block.attributes[name] != nil && c.changes(name) && l.canDrift(c.block.lawKind, c.id, name) && l.random.IntN(3) == 0 {
				l.driftOf(c.block.lawKind, c.id, name)
			}
		}
	}
}

// canDrift reports whether a change of an attribute elsewhere matters: either
// reads show it, or it is not managed, so that setting it again overwrites it.
func (l *lawTest) canDrift(k lawKind, id, name string) bool {
	switch {
	case name == "endpoints_enabled" && l.variants.Value("omit_empty") != "":
		return l.isUnmanaged(k, id, name) // a switch that is off is left out, like one that is not returned
	case isNotReturned(name):
		return l.variants.Has("echo_write_only") && !l.hidesObjects() || l.isUnmanaged(k, id, name)
	}
	return !l.hidesObjects() || k.object == mockapi.Pipe
}

func (l *lawTest) isUnmanaged(k lawKind, id, name string) bool {
	return !slices.ContainsFunc(l.blocks, func(b *lawBlock) bool {
		state := b.state()
		return b.name == k.name && (b.idIn(state) == id && state[name] != nil || b.idIn(b.config) == id && b.config[name] != nil)
	})
}

func (l *lawTest) driftOf(k lawKind, id, name string) {
	value := k.attributes[name](l.random)
	if value == "" {
		value = "2033-03-03T03:03:03Z" // an expiry of never may be left out of responses
	}
	l.note("  drift: %s %s.%s = %v", k.name, id, name, value)
	l.drifted[id+" "+name] = true
	for source := range entriesOf(l.env.Object(k.object, id)[camel(name)]) {
		l.drifted[id+" "+name+" "+source] = !has(value, source)
	}
	l.env.Change(k.object, id, func(object mockapi.Object) {
		members, member := k.member(object, name)
		switch list, isMap := value.(map[string]any); {
		case member == "endpoints":
			members[member].([]any)[0].(mockapi.Object)["enabled"] = list["mysql"]
		case isMap:
			var entries []any
			for _, source := range slices.Sorted(maps.Keys(list)) {
				entries = append(entries, mockapi.Object{"source": source, "description": list[source]})
			}
			members[member] = entries
		default:
			members[member] = value
		}
	})
}

// member is where an object of the API has an attribute, and by which name.
func (k lawKind) member(object mockapi.Object, name string) (mockapi.Object, string) {
	switch {
	case k.name == "pipe_scaling":
		return object["scaling"].(mockapi.Object), camel(name)
	case k.name == "pipe_settings":
		return object["settings"].(mockapi.Object), name
	case name == "endpoints_enabled":
		return object, "endpoints"
	}
	return object, camel(name)
}

// lawFaults are what can happen to a request: drift before it, a response that
// is lost (as a 502 or a cut connection) although the API acted, an error, an
// interrupt before or after the API acts, and responses that show old lists.
var lawFaults = choice("drift", "drift", "lost", "cut", "400", "403", "409", "503", "stop", "stop after acting", "late", "late")

// hook plays the faults of an apply and checks every write.
func (l *lawTest) hook(w http.ResponseWriter, call acctest.Call) bool {
	c, e := l.change, &lawEvent{Call: call}
	if c != nil {
		e.fault = l.chooseFault(c, e)
	}
	l.note("    %s %s %s", e.Operation, e.Body, e.fault)
	if e.hasDrift() {
		l.drift()
	}
	_ = json.Unmarshal([]byte(e.Body), &e.body)
	l.history = append(l.history, e)
	if c != nil {
		e.before = l.env.Object(c.block.object, c.id)
		c.events = append(c.events, e)
	}
	if e.Writes() {
		l.checkWrite(e)
	}
	switch e.fault {
	case "400", "403", "409", "503":
		e.status, _ = strconv.Atoi(e.fault)
		e.Fail(w, e.status)
	case "lost":
		e.Record()
		e.Fail(w, http.StatusBadGateway)
	case "cut":
		e.Record()
		panic(http.ErrAbortHandler)
	case "stop after acting":
		e.Record()
		l.interrupt(e)
	case "stop":
		l.interrupt(e)
	default:
		l.respond(w, e)
	}
	return true
}

// interrupt stops the provider while it waits for a response.
func (l *lawTest) interrupt(e *lawEvent) {
	l.stopped = true
	l.cancel()
	<-e.Request.Context().Done()
	panic(http.ErrAbortHandler)
}

// chooseFault is the fault of a request. Some follow from what a change has done.
func (l *lawTest) chooseFault(c *lawChange, e *lawEvent) string {
	number := len(l.history)
	switch {
	case l.faults == nil:
		return ""
	case len(c.events) > 0 && c.events[len(c.events)-1].removesKept(c) && l.random.IntN(2) == 0:
		// What ends the update here must not lose an entry, not even in silence.
		if l.random.IntN(3) == 0 {
			l.faults[number+1] = "403"
		}
		return choice("400", "403", "503", "lost", "stop")(l.random).(string)
	}
	return l.faults[number]
}

// respond has the mock API respond. A late response shows the service's lists as
// the responses before did: so do the write and the next two.
func (l *lawTest) respond(w http.ResponseWriter, e *lawEvent) {
	recorded := e.Record()
	body := recorded.Body.Bytes()
	var envelope map[string]any
	_ = json.Unmarshal(body, &envelope)
	e.status = recorded.Code
	e.shown, _ = envelope["result"].(map[string]any)
	if e.Operation == "updateService" && e.shown != nil {
		if l.change.showsOldLists() {
			for _, list := range []string{"ipAccessList", "privateEndpointIds"} {
				if e.shown[list] != nil && l.shown[e.Path][list] != nil {
					e.shown[list] = l.shown[e.Path][list]
				}
			}
			body, _ = json.Marshal(envelope)
		} else {
			l.shown[e.Path] = e.shown
		}
	}
	l.note("      HTTP %d, shows %v %v", e.status, entriesOf(e.shown["ipAccessList"]), e.shown["privateEndpointIds"])
	acctest.Respond(w, recorded, body)
}

// showsOldLists reports whether the newest request is a late write, or one of the
// two after it.
func (c *lawChange) showsOldLists() bool {
	return c != nil && slices.ContainsFunc(c.events[max(0, len(c.events)-3):], (*lawEvent).isLate)
}
