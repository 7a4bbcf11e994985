package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// rows are the points that the documentation leaves open, and that a run can
// observe.
var rows = []row{
	{point: "Reading a service or key with `PATCH {}`", look: emptyPatch},
	{point: "Reading a service or key with GET", look: readByGet},
	{point: "What a PATCH returns", look: patchResult},
	{point: "Members without a value", look: missing},
	{point: "Members that are not documented", look: extraMembers},
	{point: "`releaseChannel`, a key's `state`, an endpoint's `enabled`", look: echo},
	{point: "Endpoints that are disabled", look: disabledEndpoints},
	{point: "Whole numbers", look: numbers},
	{point: "CPU and memory of a scaling", look: quantities},
	{point: "Sizes and durations of backups", look: backupNumbers},
	{point: "Status of backups", look: backupStatus},
	{point: "Times", look: times},
	{point: "`timestamp` of a Kinesis source", look: kinesisTimestamp},
	{point: "Order of lists", look: order},
	{point: "`usedAt` of a key", look: usedAt},
	{point: "Envelope", look: envelope},
	{point: "Status of an unknown object", look: unknownObject},
	{point: "Form of an error", look: errorForm},
	{point: "Rate limit", look: rateLimit},
	{point: "Addresses in access lists", look: addresses},

	{point: "Delay until a new scaling shows", key: "late", look: lateScaling},
	{point: "Delay until a new setting shows", key: "stale pipe"},
	{point: "Delay until a changed service shows", key: "stale service"},
	{point: "Delay until a changed key shows", key: "stale key"},
	{point: "A PUT of the settings that a GET returns", key: "same settings"},
	{point: "Settings that a PUT leaves out", key: "put"},
	{point: "Result of a settings PUT", key: "put result"},
	{point: "A setting that is null in a PUT", key: "null"},
	{point: "Adding an address that is in the list, with another description", key: "add"},
	{point: "Removing an address with another description", key: "remove"},
	{point: "An address in both `add` and `remove`", key: "both"},
	{point: "Notation of an added address", key: "address"},
	{point: "Notation of an expiry", key: "expiry"},
	{point: "Changed roles of a key", key: "roles"},
}

// reads returns the responses that show a whole object, by path.
func (r *run) reads() map[string][]*exchange {
	reads := map[string][]*exchange{}
	for _, e := range r.record.all() {
		if kindOf(e.path) != "" && isRead(e.method, e.sent) && e.status == http.StatusOK && !isSparse(e.result()) {
			reads[e.path] = append(reads[e.path], e)
		}
	}
	return reads
}

// kindOf returns what is at a path; empty for what is no object.
func kindOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case len(parts) == 2 && parts[0] == "services":
		return "service"
	case len(parts) == 2 && parts[0] == "keys":
		return "key"
	case len(parts) == 3 && parts[2] == "backups":
		return "backup"
	case len(parts) == 4 && parts[2] == "pipes":
		return "pipe"
	}
	return ""
}

// isSparse reports whether a result has nothing but an id.
func isSparse(result any) bool {
	object, ok := result.(map[string]any)
	return ok && len(object) == 1 && object["id"] != nil
}

// survey looks at all responses to reads.
func (r *run) survey() *survey {
	s := newSurvey()
	for path, exchanges := range r.reads() {
		for _, e := range exchanges {
			elements, isList := e.result().([]any)
			if !isList {
				elements = []any{e.result()}
			}
			for _, element := range elements {
				s.add(kindOf(path), element)
			}
		}
	}
	return s
}

// reading describes how services and keys are read by a method.
func (r *run) reading(method string, describe func(*exchange) (text, flag string)) finding {
	var f finding
	for _, e := range r.record.all() {
		kind := kindOf(e.path)
		if kind != "service" && kind != "key" || e.method != method || !isRead(method, e.sent) || e.status == http.StatusTooManyRequests {
			continue
		}
		text, flag := describe(e)
		f.add(kind+": "+text, flag)
	}
	if f.seen == "" {
		f.why = "neither a service nor a key is named"
	}
	return f
}

// emptyPatch names a flag only for an object that exists: an API refuses everything
// about another one.
func emptyPatch(r *run, _ *survey) finding {
	return r.reading(http.MethodPatch, func(e *exchange) (text, flag string) {
		text = "refused with " + strconv.Itoa(e.status)
		switch e.status {
		case http.StatusOK:
			return "accepted", ""
		case http.StatusFailedDependency:
			return text + " (the service is idle)", "idle_service"
		case http.StatusForbidden:
			flag = "read_only_key"
		case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
			flag = "refuse_empty_patch=" + strconv.Itoa(e.status)
		}
		if !r.accepted(e.path) {
			flag = ""
		}
		return text, flag
	})
}

func readByGet(r *run, _ *survey) finding {
	return r.reading(http.MethodGet, func(e *exchange) (text, flag string) {
		if e.status == http.StatusOK {
			return "returns the object", "read_by_get"
		}
		return "refused with " + strconv.Itoa(e.status), ""
	})
}

// patchResult looks for members that were not sent.
func patchResult(r *run, _ *survey) finding {
	for _, e := range r.record.all() {
		result, isObject := e.result().(map[string]any)
		if e.method != http.MethodPatch || e.status != http.StatusOK || !isObject {
			continue
		}
		sent, _ := decode(e.sent).(map[string]any)
		for name := range result {
			if _, isSent := sent[name]; !isSent && name != "id" && (name != "scaling" || kindOf(e.path) != "") {
				return saw("the whole object")
			}
		}
		return saw("the id and the members that were sent, no others", "sparse_patch_response")
	}
	return finding{why: "no PATCH was accepted"}
}

func missing(_ *run, s *survey) finding {
	if len(s.kinds) == 0 {
		return finding{why: "no object could be read"}
	}
	var parts []string
	for _, part := range []struct {
		what string
		of   set
	}{{"null", s.nulls}, {"left out", s.absent}, {"an empty text", s.empty}, {"an empty list", s.emptyIDs}} {
		if len(part.of) > 0 {
			parts = append(parts, part.what+": "+part.of.names())
		}
	}
	f := saw(strings.Join(parts, "; "))
	switch {
	case len(parts) == 0:
		return finding{why: "every documented member has a value"}
	case len(s.empty) > 0:
		f.add("", "missing=empty")
	case len(s.absent) == 0 && s.kinds["pipe"] && len(s.nulls) > 0: // a pipe never has all sources
		f.add("", "missing=null")
	case len(s.nulls) == 0 && len(s.absent) > 0 && len(s.emptyIDs) == 0:
		f.add("", "missing=absent")
	}
	return f
}

// extraMembers leaves out those that have rows of their own. A refused setting is
// the business of the row about the PUT.
func extraMembers(r *run, s *survey) finding {
	unknown := maps.Clone(s.unknown)
	maps.DeleteFunc(unknown, func(name string, _ bool) bool { return slices.Contains(undocumented, name) })
	switch {
	case len(s.kinds) == 0:
		return finding{why: "no object could be read"}
	case len(unknown) == 0:
		return saw("none")
	}
	f := saw(unknown.names())
	put := r.notes["same settings"]
	isRefused := put != nil && slices.Contains(put.flags, variant("refuse_extra_setting"))
	maps.DeleteFunc(unknown, func(name string, _ bool) bool { return isRefused && strings.HasPrefix(name, "pipe.settings.") })
	if len(unknown) > 0 {
		f.add("", "extra_members")
	}
	return f
}

func echo(_ *run, s *survey) finding {
	if !s.kinds["service"] && !s.kinds["key"] {
		return finding{why: "neither a service nor a key could be read"}
	}
	shown := maps.Clone(s.unknown)
	maps.DeleteFunc(shown, func(name string, _ bool) bool {
		return name != "service.releaseChannel" && name != "key.state" && name != "service.endpoints.enabled"
	})
	if len(shown) == 0 {
		return saw("not returned")
	}
	return saw("returned: "+shown.names(), "echo_write_only")
}

func disabledEndpoints(_ *run, s *survey) finding {
	if s.isFalse["service.endpoints.enabled"] {
		return saw("listed", "endpoints_always_listed")
	}
	return finding{why: "no response shows one, and endpoints are never changed"}
}

func numbers(_ *run, s *survey) finding {
	if len(s.numbers) == 0 {
		return finding{why: "no response has one"}
	}
	f := saw(s.numbers.names())
	for notation, value := range map[string]string{"5.0": "decimal", "5e0": "exponent", "quoted": "quoted"} {
		if s.numbers.only(notation) {
			f.add("", "numbers="+value)
		}
	}
	if len(s.texts) > 0 {
		f.seen += "; another text: " + s.texts.names()
	}
	return f
}

func quantities(_ *run, s *survey) finding {
	switch {
	case !s.kinds["pipe"]:
		return finding{why: "no pipe was returned"}
	case len(s.quantities) > 0:
		return saw("Kubernetes quantities: "+s.quantities.names(), "scaling_quantities")
	case s.absent["pipe.scaling"] || s.nulls["pipe.scaling"]:
		return finding{why: "there is no scaling"}
	}
	return saw("numbers")
}

func backupNumbers(_ *run, s *survey) finding {
	f := saw(s.backupNumbers.names())
	switch {
	case len(s.backupNumbers) == 0 && s.numbers["quoted"] == 0:
		return finding{why: "there is no backup that shows it"}
	case len(s.backupNumbers) == 0:
		return saw("quoted")
	case s.backupNumbers["5.5"] > 0:
		return saw("with a fraction", "backup_numbers=half")
	case s.backupNumbers.only("5.0") && !s.numbers.only("5.0"):
		f.add("", "backup_numbers=decimal")
	}
	return f
}

func backupStatus(_ *run, s *survey) finding {
	switch {
	case !s.kinds["backup"]:
		return finding{why: "there is no backup"}
	case s.unknown["backup.status"]:
		return saw("returned", "backup_status")
	}
	return saw("not returned")
}

func times(_ *run, s *survey) finding {
	if len(s.times) == 0 {
		return finding{why: "no response has one"}
	}
	f := saw(s.times.names())
	for zone, value := range map[string]string{"+00:00": "offset", "+05:30": "elsewhere"} {
		if s.times.all(func(notation string) bool { return strings.HasSuffix(notation, zone) }) {
			f.add("", "timestamps="+value)
		}
	}
	if s.times.only("0000-00-00T00:00:00.000Z") {
		f.add("", "timestamps=millis")
	}
	return f
}

func kinesisTimestamp(_ *run, s *survey) finding {
	const member = "pipe.source.kinesis.timestamp"
	switch {
	case !s.shown[member]:
		return finding{why: "no named pipe shows it"}
	case s.texts[member]:
		return saw("a text", "text_timestamp")
	}
	return saw("a number")
}

// at returns a nested member.
func at(value any, names ...string) any {
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func order(r *run, _ *survey) finding {
	compared := false
	for _, exchanges := range r.reads() {
		for i := range len(exchanges) - 1 {
			one, _ := exchanges[i].result().(map[string]any)
			two, _ := exchanges[i+1].result().(map[string]any)
			for name, value := range one {
				list, _ := value.([]any)
				again, _ := two[name].([]any)
				if len(list) < 2 || !sameValue(list, again) {
					continue
				}
				if compared = true; !reflect.DeepEqual(list, again) {
					return saw("changes from one read to the next", "shuffle")
				}
			}
		}
	}
	if !compared {
		return finding{why: "no list has two elements"}
	}
	return saw("stays")
}

func usedAt(r *run, _ *survey) finding {
	for path, exchanges := range r.reads() {
		if kindOf(path) != "key" {
			continue
		}
		values := map[any]bool{}
		for _, e := range exchanges {
			values[at(e.result(), "usedAt")] = true
		}
		if len(values) > 1 {
			return saw("moves", "used_at_moves")
		}
		return saw("did not move")
	}
	return finding{why: "no key was returned"}
}

func envelope(r *run, _ *survey) finding {
	for _, e := range r.record.all() {
		if e.status != http.StatusOK {
			continue
		}
		_, isNumber := e.member("status").(json.Number)
		switch {
		case !isNumber:
			return saw("status is not a number", "loose_envelope")
		case e.member("requestId") == nil:
			return saw("no requestId", "loose_envelope")
		}
		return saw("as documented")
	}
	return finding{why: "no request was accepted"}
}

func unknownObject(r *run, _ *survey) finding {
	switch {
	case r.unknown == nil:
		return finding{why: "no service is named"}
	case r.unknown.status == http.StatusGone:
		return saw("410", "gone")
	}
	return saw(strconv.Itoa(r.unknown.status))
}

func errorForm(r *run, _ *survey) finding {
	if r.unknown == nil {
		return finding{why: "no service is named"}
	}
	body := strings.TrimSpace(string(r.unknown.received))
	object, isObject := decode(r.unknown.received).(map[string]any)
	isPage := strings.HasPrefix(body, "<")
	_, nested := object["error"].(map[string]any)
	switch {
	case body == "":
		return saw("no body", "error_shape=empty")
	case isPage && strings.HasPrefix(body, fmt.Sprintf("<title>%d</title>", r.unknown.status)):
		return saw("an HTML page whose title is the status", "error_shape=terse_html")
	case isPage:
		return saw("an HTML page", "error_shape=html")
	case !isObject:
		return saw("plain text", "error_shape=plain")
	case nested:
		return saw("JSON: "+members(object)+"; error: "+members(object["error"]), "error_shape=nested")
	case object["error"] == nil && object["message"] != nil:
		return saw("JSON: "+members(object), "error_shape=message")
	}
	return saw("JSON: " + members(object))
}

func members(object any) string {
	named, _ := object.(map[string]any)
	return listed(slices.Sorted(maps.Keys(named)))
}

func addresses(_ *run, s *survey) finding {
	if len(s.addresses) == 0 {
		return finding{why: "no access list has an entry"}
	}
	return saw(s.addresses.names())
}

// lateScaling is no variant of its own if all of the pipe is late.
func lateScaling(r *run, _ *survey) finding {
	f := r.noted("late")
	if pipe := r.notes["stale pipe"]; pipe != nil && len(pipe.flags) > 0 {
		f.flags = nil
	}
	return f
}
