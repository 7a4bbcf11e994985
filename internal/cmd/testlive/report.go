package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A survey is what responses show: for each point that the documentation leaves open
// what was seen, and the flag of the mock API that behaves the same.
type survey map[string]map[string]string

// A sign is what is seen if a condition holds, and the variant of the mock API.
type sign struct {
	is            bool
	seen, variant string
}

// see adds the first sign that holds.
func (s survey) see(point string, signs ...sign) {
	for _, sign := range signs {
		if sign.is {
			if s[point] == nil {
				s[point] = map[string]string{}
			}
			s[point][sign.seen] = strings.TrimSuffix("-variant "+sign.variant, "-variant ")
			return
		}
	}
}

// Points that are looked at in several places.
const (
	nulls, absent, empty = "Documented members that are null", "Documented members that are left out", "Documented members that are empty"
	wholeNumbers, times  = "Whole numbers", "Times"
	backupNumbers        = "Sizes and durations of backups"
	rateLimit            = "Rate limit"
	delays, late         = "Delay until a change shows", "A scaling that was just changed"
)

// report prints the table and, as the last line, the mock API that behaves the same.
// Both go into bug reports: they have no values of the account.
func (s survey) report(out io.Writer) {
	fmt.Fprintf(out, "\n| Open point | This API | Flags of the mock API |\n|---|---|---|\n")
	var all []string
	for _, point := range names(s) {
		flags := slices.Compact(slices.Sorted(maps.Values(s[point])))
		isMixed := (point == wholeNumbers || point == times) && len(flags) > 1
		flags = slices.DeleteFunc(flags, func(flag string) bool { return flag == "" || isMixed })
		fmt.Fprintf(out, "| %s | %s | %s |\n", point, strings.ReplaceAll(listed(names(s[point])), "|", `\|`), strings.Join(flags, " "))
		all = append(all, without(flags, all)...)
	}
	slices.Sort(all)
	if len(all) == 0 {
		fmt.Fprintf(out, "\nThe mock API behaves the same with:\nmake mock\n")
		return
	}
	fmt.Fprintf(out, "\nThe mock API behaves the same with:\nmake mock ARGS='%s'\n", strings.Join(all, " "))
}

// names returns the keys of a map, sorted.
func names[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

// listed returns up to eight names.
func listed(names []string) string {
	const enough = 8
	if len(names) > enough {
		names = append(names[:enough:enough], fmt.Sprintf("and %d more", len(names)-enough))
	}
	return strings.Join(names, ", ")
}

// kindOf returns what is at a path, and the operation whose result describes it.
func kindOf(path string) (kind, operation string) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case parts[0] == "keys":
		return "key", "updateKey"
	case len(parts) < 3:
		return "service", "updateService"
	case parts[2] == "backups":
		return "backup", "listBackups"
	}
	return "pipe", "getPipe"
}

// surveyOf looks at all responses of a run. unknown is the id of a pipe that should
// not exist.
func surveyOf(exchanges []*exchange, unknown string) survey {
	s, latest := survey{}, map[string]*exchange{}
	for _, e := range exchanges {
		isUnknown := strings.HasSuffix(e.path, unknown)
		switch {
		case e.status == http.StatusTooManyRequests:
		case isUnknown:
			s.unknown(e)
		case e.isWrite():
			s.refusal(e, latest[e.object()])
		default:
			s.read(e)
		}
		s.envelope(e)
		if !e.isWhole() || isUnknown {
			continue
		}
		kind, operation := kindOf(e.path)
		_, result := mockapi.Schemas(operation)
		s.value(kind, result, e.envelope["result"])
		s.compare(kind, latest[e.path], e)
		latest[e.path] = e
	}
	s.see(nulls, sign{len(s[absent]) == 0 && hasPipe(latest), "nothing is left out", "missing=null"}) // a pipe never has all sources
	s.see(absent, sign{len(s[nulls])+len(s[empty]) == 0 && hasPipe(latest), "nothing is null or empty", "missing=absent"})
	if s[wholeNumbers]["5.0"] != "" && len(s[wholeNumbers]) == 1 { // then backups have no notation of their own
		delete(s, backupNumbers)
	}
	s.rateLimit(exchanges)
	s.changes(exchanges)
	return s
}

func hasPipe(objects map[string]*exchange) bool {
	return slices.ContainsFunc(names(objects), func(path string) bool { kind, _ := kindOf(path); return kind == "pipe" })
}

func (s survey) read(e *exchange) {
	kind, _ := kindOf(e.path)
	refusal := fmt.Sprintf("%s refused with %d", kind, e.status)
	switch {
	case kind != "service" && kind != "key":
	case e.method == http.MethodGet:
		s.see("Reading a service or key with GET", sign{e.isAccepted(), kind + " returned", "read_by_get"}, sign{true, refusal, ""})
	default:
		s.see("Reading a service or key with `PATCH {}`",
			sign{e.isAccepted(), kind + " returned", ""},
			sign{e.status == http.StatusFailedDependency, refusal + " (the service is idle)", "idle_service"},
			sign{e.status == http.StatusForbidden, refusal, "read_only_key"},
			sign{slices.Contains([]int{400, 405, 422, 500, 501}, e.status), refusal, fmt.Sprintf("refuse_empty_patch=%d", e.status)},
			sign{true, refusal, ""})
	}
}

// envelope looks for its members, and for members of a PATCH's result that were not sent.
func (s survey) envelope(e *exchange) {
	if !e.isAccepted() || e.envelope == nil {
		return
	}
	_, isNumber := e.envelope["status"].(json.Number)
	s.see("Envelope",
		sign{!isNumber, "status is not a number", "loose_envelope"},
		sign{e.envelope["requestId"] == nil, "no requestId", "loose_envelope"},
		sign{true, "as documented", ""})
	if e.method == http.MethodPatch && e.path == e.object() {
		s.see("What a PATCH returns",
			sign{len(without(names(e.shown("")), append(names(e.sent), "id"))) > 0, "the whole object", ""},
			sign{true, "the id and the members that were sent, no others", "sparse_patch_response"})
	}
}

func (s survey) unknown(e *exchange) {
	s.see("A pipe that should not exist",
		sign{e.isAccepted(), "is returned", ""},
		sign{e.status == http.StatusGone, "410", "gone"},
		sign{true, strconv.Itoa(e.status), ""})
	text, members := strings.TrimSpace(e.text), "JSON: "+listed(names(e.envelope))
	_, isNested := e.envelope["error"].(map[string]any)
	s.see("Form of an error",
		sign{e.isAccepted(), "none seen", ""},
		sign{text == "", "no body", "error_shape=empty"},
		sign{strings.HasPrefix(text, fmt.Sprintf("<title>%d</title>", e.status)), "an HTML page whose title is the status", "error_shape=terse_html"},
		sign{strings.HasPrefix(text, "<"), "an HTML page", "error_shape=html"},
		sign{e.envelope == nil, "plain text", "error_shape=plain"},
		sign{isNested, members + " with members", "error_shape=nested"},
		sign{e.envelope["error"] == nil && e.envelope["message"] != nil, members, "error_shape=message"},
		sign{true, members, ""})
}

// compare looks at two reads of one object.
func (s survey) compare(kind string, before, after *exchange) {
	if before == nil {
		return
	}
	now := after.shown("")
	for name, value := range before.shown("") {
		list, _ := value.([]any)
		again, _ := now[name].([]any)
		isSame := len(list) > 1 && equal(list, again)
		s.see("Order of lists", sign{isSame && reflect.DeepEqual(list, again), "stays", ""}, sign{isSame, "changes from one read to the next", "shuffle"})
		s.see("`usedAt` of a key",
			sign{kind != "key" || name != "usedAt", "stays", ""},
			sign{equal(value, now[name]), "stays", ""},
			sign{true, "moves", "used_at_moves"})
	}
}

// refusal looks at a change. Operations that a kind of pipe does not offer are refused, too.
func (s survey) refusal(e, latest *exchange) {
	kind, _ := kindOf(e.path)
	what := fmt.Sprintf("%s of a %s%s", e.method, kind, strings.TrimPrefix(e.path, e.object()))
	isPostgres := false
	if source := latest.shown("source"); len(source) > 0 {
		isPostgres = source["postgres"] != nil
		what += " with " + listed(names(source))
	}
	what += fmt.Sprintf(": %d", e.status)
	isMissing := e.status == http.StatusNotFound || e.status == http.StatusMethodNotAllowed
	s.see("Changes that are refused",
		sign{e.isRefused() && e.status == http.StatusForbidden, what, "read_only_key"},
		sign{isMissing && isPostgres && e.method == http.MethodPut, what, fmt.Sprintf("postgres_settings=%d", e.status)},
		sign{e.isRefused(), what, ""})
}

// limitStyles are the headers that show the style of a rate limit, as the mock API
// names it.
var limitStyles = [][2]string{
	{"X-Ratelimit-Remaining", "x-ratelimit-remaining"},
	{"Ratelimit-Remaining", "ratelimit-remaining"},
	{"Ratelimit-Policy", "ratelimit-policy"},
	{"Ratelimit", "ratelimit"},
	{"Retry-After", "retry-after"},
	{"X-Ratelimit-Reset", "x-ratelimit-reset"},
	{"", "silent"},
}

// rateLimit looks at the headers of all responses, and at those that were refused.
func (s survey) rateLimit(exchanges []*exchange) {
	headers, requests, seconds := map[string]string{"": "none"}, 0, 1.0
	for i, e := range exchanges {
		for name := range e.header {
			headers[name] = e.header.Get(name)
			s.see(rateLimit, sign{true, "header " + name, ""})
		}
		if announced, err := strconv.Atoi(headers["X-Ratelimit-Limit"] + headers["Ratelimit-Limit"]); err == nil {
			requests = announced
		}
		if e.status == http.StatusTooManyRequests && requests == 0 {
			requests, seconds = max(i, 1), max(1, e.at.Sub(exchanges[0].at).Seconds())
			s.see(rateLimit, sign{strings.TrimSpace(e.text) == `{"error":"TOO_MANY_REQUESTS"}`, "a bare 429", "bare_429"}, sign{true, "a 429", ""})
		}
	}
	if requests > 0 {
		style := limitStyles[slices.IndexFunc(limitStyles, func(style [2]string) bool { return headers[style[0]] != "" })]
		s[rateLimit][fmt.Sprintf("%d requests", requests)] = fmt.Sprintf("-rate %d/%.0fs -rate-headers %s", requests, seconds, style[1])
	}
}

// value looks at a value of a response: at names of members and notations.
func (s survey) value(path string, schema *openapi3.Schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		s.members(path, mockapi.Members(schema), value)
	case []any:
		s.see(empty, sign{len(value) == 0, path, ""})
		for _, element := range value {
			if schema != nil && schema.Items != nil {
				s.value(path, schema.Items.Value, element)
			}
		}
	case json.Number:
		s.number(path, string(value))
	case string:
		s.text(path, schema, value)
	case bool:
		s.see("Endpoints that are disabled", sign{path == "service.endpoints.enabled" && !value, "are listed", "endpoints_always_listed"})
	}
}

// undocumented are members that APIs of this kind are known to return.
var undocumented = map[string]string{
	"service.releaseChannel": "echo_write_only", "service.endpoints.enabled": "echo_write_only", "key.state": "echo_write_only",
	"backup.status": "backup_status", "backup.type": "backup_status",
}

func (s survey) members(path string, documented map[string]*openapi3.Schema, object map[string]any) {
	for name, schema := range documented {
		value, isThere := object[name]
		s.see(absent, sign{!isThere, path + "." + name, ""})
		s.see(nulls, sign{isThere && value == nil, path + "." + name, ""})
		s.value(path+"."+name, schema, value)
	}
	for name, value := range object {
		if at := path + "." + name; len(documented) > 0 && documented[name] == nil {
			s.see("Members that are not documented",
				sign{undocumented[at] != "", at, undocumented[at]},
				sign{path == "pipe.settings", at, ""}, // a refusal of it has a row
				sign{true, at, "extra_members"})
			s.value(at, nil, value)
		}
	}
}
