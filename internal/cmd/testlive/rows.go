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
	{point: "Result of a PATCH", look: patchResult},
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
	{point: "Addresses", look: addresses},

	{point: "A new scaling shows", look: lateScaling},
	{point: "A new setting shows", key: "stale pipe"},
	{point: "A changed service shows", key: "stale service"},
	{point: "A changed key shows", key: "stale key"},
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

// of returns the responses to one kind of request about services and keys.
func (r *run) of(method string) (all []*exchange) {
	for _, e := range r.record.all() {
		if kind := kindOf(e.path); (kind == "service" || kind == "key") && e.method == method && isRead(method, e.sent) && e.status != http.StatusTooManyRequests {
			all = append(all, e)
		}
	}
	return all
}

const noServiceOrKey = "neither a service nor a key is named"

func emptyPatch(r *run) finding {
	all := r.of(http.MethodPatch)
	if len(all) == 0 {
		return finding{why: noServiceOrKey}
	}
	f := finding{}
	for _, e := range all {
		text := "refused with " + strconv.Itoa(e.status)
		switch e.status {
		case http.StatusOK:
			text = "accepted"
		case http.StatusForbidden:
			f.flags = []string{variant("read_only_key")}
		case http.StatusFailedDependency:
			text += " (the service is idle)"
			f.flags = []string{variant("idle_service")}
		case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
			f.flags = []string{variant("refuse_empty_patch=" + strconv.Itoa(e.status))}
		}
		if text = kindOf(e.path) + ": " + text; !strings.Contains(f.seen, text) {
			f.seen = strings.TrimPrefix(f.seen+"; "+text, "; ")
		}
	}
	return f
}

func readByGet(r *run) finding {
	all := r.of(http.MethodGet)
	if len(all) == 0 {
		return finding{why: noServiceOrKey}
	}
	f := finding{}
	for _, e := range all {
		text := "refused with " + strconv.Itoa(e.status)
		if e.status == http.StatusOK {
			text = "returns the object"
			f.flags = []string{variant("read_by_get")}
		}
		if text = kindOf(e.path) + ": " + text; !strings.Contains(f.seen, text) {
			f.seen = strings.TrimPrefix(f.seen+"; "+text, "; ")
		}
	}
	return f
}

func patchResult(r *run) finding {
	for _, e := range r.record.all() {
		result, isObject := e.result().(map[string]any)
		switch {
		case e.method != http.MethodPatch || e.status != http.StatusOK || !isObject:
		case isSparse(result):
			return finding{seen: "only the id and what was sent", flags: []string{variant("sparse_patch_response")}}
		case kindOf(e.path) != "":
			return finding{seen: "the whole object"}
		}
	}
	return finding{why: "no PATCH was accepted"}
}

func missing(r *run) finding {
	s := r.survey()
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
	f := finding{seen: strings.Join(parts, "; ")}
	switch {
	case len(parts) == 0:
		return finding{why: "every documented member has a value"}
	case len(s.empty) > 0:
		f.flags = []string{variant("missing=empty")}
	case len(s.absent) == 0 && s.kinds["pipe"] && len(s.nulls) > 0: // a pipe never has all sources
		f.flags = []string{variant("missing=null")}
	case len(s.nulls) == 0 && len(s.absent) > 0 && len(s.emptyIDs) == 0:
		f.flags = []string{variant("missing=absent")}
	}
	return f
}

// extraMembers leaves out those that have rows of their own. A refused setting is
// the business of the row about the PUT.
func extraMembers(r *run) finding {
	s := r.survey()
	maps.DeleteFunc(s.unknown, func(name string, _ bool) bool { return slices.Contains(undocumented, name) })
	if len(s.unknown) == 0 {
		return finding{seen: "none"}
	}
	f := finding{seen: s.unknown.names(), flags: []string{variant("extra_members")}}
	put := r.notes["same settings"]
	onlySettings := !slices.ContainsFunc(slices.Collect(maps.Keys(s.unknown)), func(name string) bool { return !strings.HasPrefix(name, "pipe.settings.") })
	if put != nil && onlySettings && slices.Contains(put.flags, variant("refuse_extra_setting")) {
		f.flags = nil
	}
	return f
}

func echo(r *run) finding {
	s := r.survey()
	shown := maps.Clone(s.unknown)
	maps.DeleteFunc(shown, func(name string, _ bool) bool {
		return name != "service.releaseChannel" && name != "key.state" && name != "service.endpoints.enabled"
	})
	if len(shown) == 0 {
		return finding{seen: "not returned"}
	}
	return finding{seen: "returned: " + shown.names(), flags: []string{variant("echo_write_only")}}
}

func disabledEndpoints(r *run) finding {
	for path, exchanges := range r.reads() {
		service, _ := exchanges[0].result().(map[string]any)
		endpoints, _ := service["endpoints"].([]any)
		for _, endpoint := range endpoints {
			if object, _ := endpoint.(map[string]any); kindOf(path) == "service" && object["enabled"] == false {
				return finding{seen: "listed", flags: []string{variant("endpoints_always_listed")}}
			}
		}
	}
	return finding{why: "no response shows one, and endpoints are never changed"}
}

func numbers(r *run) finding {
	s := r.survey()
	if len(s.numbers) == 0 {
		return finding{why: "no response has one"}
	}
	f := finding{seen: s.numbers.names()}
	for notation, value := range map[string]string{"5.0": "decimal", "5e0": "exponent", "quoted": "quoted"} {
		if s.numbers.only(notation) {
			f.flags = []string{variant("numbers=" + value)}
		}
	}
	if len(s.texts) > 0 {
		f.seen += "; another text: " + s.texts.names()
	}
	return f
}

func quantities(r *run) finding {
	s := r.survey()
	switch {
	case len(r.s.pipeIDs) == 0:
		return finding{why: "no pipe is named"}
	case len(s.quantities) > 0:
		return finding{seen: "Kubernetes quantities: " + s.quantities.names(), flags: []string{variant("scaling_quantities")}}
	case s.absent["pipe.scaling"] || s.nulls["pipe.scaling"]:
		return finding{why: "there is no scaling"}
	}
	return finding{seen: "numbers"}
}

func backupNumbers(r *run) finding {
	s := r.survey()
	f := finding{seen: s.backupNumbers.names()}
	switch {
	case len(s.backupNumbers) == 0 && s.numbers["quoted"] == 0:
		return finding{why: "there is no backup that shows it"}
	case len(s.backupNumbers) == 0:
		return finding{seen: "quoted"}
	case s.backupNumbers["5.5"] > 0:
		f.seen, f.flags = "with a fraction", []string{variant("backup_numbers=half")}
	case s.backupNumbers.only("5.0") && !s.numbers.only("5.0"):
		f.flags = []string{variant("backup_numbers=decimal")}
	}
	return f
}

func backupStatus(r *run) finding {
	s := r.survey()
	for path, exchanges := range r.reads() {
		if elements, _ := exchanges[0].result().([]any); kindOf(path) == "backup" && len(elements) > 0 {
			if s.unknown["backup.status"] {
				return finding{seen: "returned", flags: []string{variant("backup_status")}}
			}
			return finding{seen: "not returned"}
		}
	}
	return finding{why: "there is no backup"}
}

func times(r *run) finding {
	s := r.survey()
	if len(s.times) == 0 {
		return finding{why: "no response has one"}
	}
	f := finding{seen: s.times.names()}
	const dateAndTime = "0000-00-00T00:00:00"
	switch {
	case s.times.only(dateAndTime + ".000Z"):
		f.flags = []string{variant("timestamps=millis")}
	case !slices.ContainsFunc(slices.Collect(maps.Keys(s.times)), func(notation string) bool { return !strings.HasSuffix(notation, "+00:00") }):
		f.flags = []string{variant("timestamps=offset")}
	case !slices.ContainsFunc(slices.Collect(maps.Keys(s.times)), func(notation string) bool { return !strings.HasSuffix(notation, "+05:30") }):
		f.flags = []string{variant("timestamps=elsewhere")}
	}
	return f
}

func kinesisTimestamp(r *run) finding {
	for path, exchanges := range r.reads() {
		value := at(exchanges[0].result(), "source", "kinesis", "timestamp")
		switch text, isText := value.(string); {
		case kindOf(path) != "pipe" || value == nil:
		case isText && !number.MatchString(text):
			return finding{seen: "a text", flags: []string{variant("text_timestamp")}}
		default:
			return finding{seen: "a number"}
		}
	}
	return finding{why: "no named pipe shows it"}
}

// at returns a nested member.
func at(value any, names ...string) any {
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func order(r *run) finding {
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
					return finding{seen: "changes from one read to the next", flags: []string{variant("shuffle")}}
				}
			}
		}
	}
	if !compared {
		return finding{why: "no list has two elements"}
	}
	return finding{seen: "stays"}
}

func usedAt(r *run) finding {
	for path, exchanges := range r.reads() {
		if kindOf(path) != "key" {
			continue
		}
		values := map[any]bool{}
		for _, e := range exchanges {
			values[at(e.result(), "usedAt")] = true
		}
		if len(values) > 1 {
			return finding{seen: "moves", flags: []string{variant("used_at_moves")}}
		}
		return finding{seen: "did not move"}
	}
	return finding{why: "no key was returned"}
}

func envelope(r *run) finding {
	for _, e := range r.record.all() {
		if e.status != http.StatusOK {
			continue
		}
		_, isNumber := e.member("status").(json.Number)
		switch {
		case !isNumber:
			return finding{seen: "status is not a number", flags: []string{variant("loose_envelope")}}
		case e.member("requestId") == nil:
			return finding{seen: "no requestId", flags: []string{variant("loose_envelope")}}
		}
		return finding{seen: "as documented"}
	}
	return finding{why: "no request was accepted"}
}

func unknownObject(r *run) finding {
	switch {
	case r.unknown == nil:
		return finding{why: "no service is named"}
	case r.unknown.status == http.StatusGone:
		return finding{seen: "410", flags: []string{variant("gone")}}
	}
	return finding{seen: strconv.Itoa(r.unknown.status)}
}

func errorForm(r *run) finding {
	if r.unknown == nil {
		return finding{why: "no service is named"}
	}
	body := strings.TrimSpace(string(r.unknown.received))
	object, isObject := decode(r.unknown.received).(map[string]any)
	isPage := strings.HasPrefix(body, "<")
	_, nested := object["error"].(map[string]any)
	switch {
	case body == "":
		return finding{seen: "no body", flags: []string{variant("error_shape=empty")}}
	case isPage && strings.HasPrefix(body, fmt.Sprintf("<title>%d</title>", r.unknown.status)):
		return finding{seen: "an HTML page whose title is the status", flags: []string{variant("error_shape=terse_html")}}
	case isPage:
		return finding{seen: "an HTML page", flags: []string{variant("error_shape=html")}}
	case !isObject:
		return finding{seen: "plain text", flags: []string{variant("error_shape=plain")}}
	case nested:
		return finding{seen: "JSON: " + members(object) + "; error: " + members(object["error"]), flags: []string{variant("error_shape=nested")}}
	case object["error"] == nil && object["message"] != nil:
		return finding{seen: "JSON: " + members(object), flags: []string{variant("error_shape=message")}}
	}
	return finding{seen: "JSON: " + members(object)}
}

func members(object any) string {
	named, _ := object.(map[string]any)
	return listed(slices.Sorted(maps.Keys(named)))
}

func addresses(r *run) finding {
	s := r.survey()
	if len(s.addresses) == 0 {
		return finding{why: "no access list has an entry"}
	}
	return finding{seen: s.addresses.names()}
}

// lateScaling is no variant of its own if all of the pipe is late.
func lateScaling(r *run) finding {
	f := r.noted("late")
	if pipe := r.notes["stale pipe"]; pipe != nil && len(pipe.flags) > 0 {
		f.flags = nil
	}
	return f
}
