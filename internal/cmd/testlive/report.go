package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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
	wholeNumbers         = "Whole numbers"
	late                 = "A scaling that was just changed"
)

// report prints the table and, as the last line, the mock API that behaves the same.
// Both go into bug reports: they have no values of the account.
func (s survey) report(out io.Writer) {
	fmt.Fprintf(out, "\n| Open point | This API | Flags of the mock API |\n|---|---|---|\n")
	var all []string
	for _, point := range names(s) {
		flags := slices.Compact(slices.Sorted(maps.Values(s[point])))
		isMixed := point == wholeNumbers && len(flags) > 1
		flags = slices.DeleteFunc(flags, func(flag string) bool { return flag == "" || isMixed })
		fmt.Fprintf(out, "| %s | %s | %s |\n", point, strings.ReplaceAll(strings.Join(names(s[point]), ", "), "|", `\|`), strings.Join(flags, " "))
		all = append(all, without(flags, all)...)
	}
	slices.Sort(all)
	command := fmt.Sprintf("make mock ARGS='%s'", strings.Join(all, " "))
	fmt.Fprintf(out, "\nThe mock API behaves the same with:\n%s\n", strings.TrimSuffix(command, " ARGS=''"))
}

// names returns the keys of a map, sorted.
func names[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }

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
	s, seen := survey{}, map[string]*exchange{} // by path
	for _, e := range exchanges {
		isUnknown := strings.HasSuffix(e.path, unknown)
		switch {
		case e.status == http.StatusTooManyRequests:
		case isUnknown:
			s.unknown(e)
		case e.isWrite():
			s.refusal(e)
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
		s.compare(kind, seen[e.path], e)
		seen[e.path] = e
	}
	hasPipe := slices.ContainsFunc(names(seen), func(path string) bool { return strings.Contains(path, "/pipes/") })
	s.see(nulls, sign{len(s[absent]) == 0 && hasPipe, "nothing is left out", "missing=null"}) // a pipe never has all sources
	s.see(absent, sign{len(s[nulls])+len(s[empty]) == 0 && hasPipe, "nothing is null or empty", "missing=absent"})
	s.changes(exchanges)
	return s
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
			sign{slices.Contains([]int{400, 405, 500}, e.status), refusal, fmt.Sprintf("refuse_empty_patch=%d", e.status)},
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
		sign{!isNumber, "status is not a number", ""},
		sign{e.envelope["requestId"] == nil, "no requestId", ""},
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
	text, members := strings.TrimSpace(e.text), "JSON: "+strings.Join(names(e.envelope), ", ")
	_, isNested := e.envelope["error"].(map[string]any)
	s.see("Form of an error",
		sign{e.isAccepted(), "none seen", ""},
		sign{text == "", "no body", "error_shape=empty"},
		sign{strings.HasPrefix(text, "<"), "an HTML page", "error_shape=html"},
		sign{e.envelope == nil, "plain text", ""},
		sign{isNested, members + " with members", ""},
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
		isUse := kind == "key" && name == "usedAt"
		s.see("`usedAt` of a key", sign{isUse && equal(value, now[name]), "stays", ""}, sign{isUse, "moves", "used_at_moves"})
	}
}

// refusal looks at a change. Operations that a kind of pipe does not offer are refused, too.
func (s survey) refusal(e *exchange) {
	kind, _ := kindOf(e.path)
	what := fmt.Sprintf("%s of a %s: %d", e.method, strings.TrimSpace(kind+" "+e.part()), e.status)
	s.see("Changes that are refused",
		sign{e.status == http.StatusForbidden, what, "read_only_key"},
		sign{e.part() == "settings" && e.status == http.StatusNotFound, what, "postgres_settings=404"},
		sign{e.isRefused(), what, ""})
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
		s.number(string(value))
	case string:
		s.text(path, schema, value)
	}
}

// undocumented are members that APIs of this kind are known to return.
var undocumented = map[string]string{
	"service.releaseChannel": "echo_write_only", "service.endpoints.enabled": "echo_write_only", "key.state": "echo_write_only",
	"pipe.source.pubsub": "undocumented_source", "backup.status": "backup_status", "backup.type": "backup_status",
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

var instant = regexp.MustCompile(`^[-\d]+T[:\d]+(\.\d+)?(Z|[-+]\d\d:\d\d)$`)

func (s survey) text(path string, schema *openapi3.Schema, text string) {
	s.see(empty, sign{text == "" && !strings.HasSuffix(path, ".description"), path, "missing=empty"})
	isNumber := schema != nil && (schema.Type.Permits(openapi3.TypeNumber) || schema.Type.Permits(openapi3.TypeInteger))
	_, notQuoted := strconv.ParseFloat(text, 64)
	switch {
	case isNumber:
		s.see(wholeNumbers, sign{notQuoted == nil, "quoted", "numbers=quoted"}, sign{true, "another text: " + path, ""})
	case strings.HasSuffix(path, "At") && path != "key.expireAt":
		s.see("Times", sign{true, timeNotation(text), ""})
	case path == "key.expireAt":
		s.see("Notation of an expiry", sign{strings.HasSuffix(text, ".000Z"), "UTC with milliseconds", "normalise_expiry"}, sign{true, timeNotation(text), ""})
	case address(text) == address(testAddress):
		s.see("Notation of an added address", sign{text == testAddress, "as sent", ""}, sign{true, "as a range (/32)", "normalise_address"})
	}
}

// number looks at the notation of a whole number.
func (s survey) number(text string) {
	_, fraction, isDecimal := strings.Cut(text, ".")
	isExponent, isHalf := strings.ContainsAny(text, "eE"), strings.Trim(fraction, "0") != ""
	s.see(wholeNumbers, sign{isExponent, "5e0", ""}, sign{isDecimal && !isHalf, "5.0", ""}, sign{!isDecimal, "5", ""})
}

// timeNotation is the form of a time, without its date. Of fractions only one of
// three digits counts: a server may leave out final zeros of a longer one.
func timeNotation(text string) string {
	parts := instant.FindStringSubmatch(text)
	switch {
	case parts == nil:
		return "another form"
	case len(parts[1]) == len(".000"):
		return "00:00:00.000" + parts[2]
	}
	return "00:00:00" + parts[2]
}

// changes looks at when accepted changes show. Those of lists are left out: what is
// sent has another form.
func (s survey) changes(exchanges []*exchange) {
	latest := map[string]time.Duration{}
	for i, e := range exchanges {
		if e.isWrite() && e.isAccepted() && e.sent["ipAccessList"] == nil {
			kind, _ := kindOf(e.path)
			what := cmp.Or(e.part(), kind)
			latest[what] = max(latest[what], s.shows(e, what, exchanges[i:]))
		}
	}
	for what, delay := range latest {
		text := what + ": " + (delay.Round(time.Millisecond) + time.Millisecond).String()
		name := map[string]string{"service": "stale_services", "key": "stale_keys", "settings": "stale_pipes"}[what]
		s.see("Delay until a change shows",
			sign{delay == 0, what + ": none", ""}, sign{name == "", text, ""}, sign{true, text, name + "=" + strings.TrimPrefix(text, what+": ")})
	}
	if latest["settings"] > 0 { // then all of the pipe is late
		delete(s, late)
	}
}

// shows returns how late a change showed: 0 for at once or never.
func (s survey) shows(change *exchange, part string, later []*exchange) time.Duration {
	isLate := false
	for _, e := range later {
		if e != change && e.isWrite() && e.path == change.path {
			break
		}
		if e.object() != change.object() || !e.isAccepted() {
			continue
		}
		shown := e.shown(change.part())
		isOther := func(name string) bool { return shown[name] == nil || !equal(shown[name], change.sent[name]) }
		isNew := !slices.ContainsFunc(names(change.sent), isOther)
		if e == change && part == "scaling" {
			isZero := !slices.ContainsFunc(names(shown), func(name string) bool { return !equal(shown[name], "0") })
			s.see(late, sign{isNew, "is shown", ""}, sign{len(shown) == 0, "is left out", "late=absent"}, sign{isZero, "is zero", "late=zero"}, sign{true, "is the old one", "late=old"})
		}
		if isNew && isLate {
			return e.at.Sub(change.at)
		} else if isNew {
			return 0
		}
		isLate = isLate || len(shown) > 1
	}
	s.see("Changed roles of a key", sign{change.sent["roles"] != nil && isLate, "accepted, and the old ones stay", "frozen_roles"})
	return 0
}
