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
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A survey is what responses show: for each point that the documentation leaves open, what was seen.
type survey map[string][]string

func (s survey) see(point, seen string) {
	if !slices.Contains(s[point], seen) {
		s[point] = append(s[point], seen)
	}
}

// report prints the table. It goes into bug reports: it has no values of the account.
func (s survey) report(out io.Writer) {
	fmt.Fprintf(out, "\n| Open point | This API |\n|---|---|\n")
	for _, point := range names(s) {
		fmt.Fprintf(out, "| %s | %s |\n", point, strings.ReplaceAll(strings.Join(slices.Sorted(slices.Values(s[point])), ", "), "|", `\|`))
	}
	fmt.Fprintf(out, "\ninternal/mockapi/VARIANTS.md says what the mock API calls this.\n")
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
	for i, e := range exchanges {
		kind, operation := kindOf(e.path)
		isUnknown, outcome := strings.HasSuffix(e.path, unknown), kind+" returned"
		if !e.isAccepted() {
			outcome = fmt.Sprintf("%s refused with %d", kind, e.status)
		}
		switch {
		case e.status == http.StatusTooManyRequests:
		case isUnknown:
			s.see("A pipe that should not exist", fmt.Sprintf("%d, %s", e.status, e.form()))
		case e.isWrite() && e.isAccepted():
			s.change(kind, e, exchanges[i:])
		case e.isWrite():
			s.see("Changes that are refused", fmt.Sprintf("%s of a %s: %d", e.method, strings.TrimSpace(kind+" "+e.part()), e.status))
		case kind == "service" || kind == "key":
			s.see("Reading a service or key with "+e.method, outcome)
		}
		if !e.isWhole() || isUnknown {
			continue
		}
		_, result := mockapi.Schemas(operation)
		s.value(kind, result, e.envelope["result"])
		s.compare(seen[e.path], e)
		seen[e.path] = e
	}
	return s
}

// form is that of a response's body.
func (e *exchange) form() string {
	text := strings.TrimSpace(e.text)
	switch {
	case e.envelope != nil:
		return "JSON: " + strings.Join(names(e.envelope), ", ")
	case text == "":
		return "no body"
	case strings.HasPrefix(text, "<"):
		return "an HTML page"
	}
	return "plain text"
}

// compare looks at two reads of one object.
func (s survey) compare(before, after *exchange) {
	if before == nil {
		return
	}
	for name, value := range before.shown("") {
		list, _ := value.([]any)
		again, _ := after.shown("")[name].([]any)
		if isSame := len(list) > 1 && equal(list, again); isSame {
			s.see("Order of lists", map[bool]string{true: "stays", false: "changes from one read to the next"}[reflect.DeepEqual(list, again)])
		}
	}
}

// value looks at a value of a response: whether it is as openapi.yaml describes it.
func (s survey) value(path string, schema *openapi3.Schema, value any) {
	const other = "Members in another form than documented"
	if number, ok := value.(json.Number); ok {
		value, _ = number.Float64()
	}
	switch value := value.(type) {
	case map[string]any:
		s.members(path, mockapi.Members(schema), value)
	case []any:
		if len(value) == 0 {
			s.see("Members that are empty", path)
		}
		for _, element := range value {
			if schema != nil && schema.Items != nil {
				s.value(path, schema.Items.Value, element)
			}
		}
	case nil:
		s.see("Members that are null", path)
	default:
		text, isText := value.(string)
		switch {
		case schema != nil && schema.VisitJSON(value) != nil && isText:
			s.see(other, path+": a string")
		case schema != nil && schema.VisitJSON(value) != nil:
			s.see(other, fmt.Sprintf("%s: a %T", path, value))
		case text == "" && isText && !strings.HasSuffix(path, ".description"):
			s.see("Members that are empty", path)
		case strings.HasSuffix(path, "At"):
			s.see("Times", path+": "+timeNotation(text))
		case address(text) == address(testAddress):
			s.see("Notation of the added address", map[bool]string{true: "as sent", false: "another"}[text == testAddress])
		}
	}
}

func (s survey) members(path string, documented map[string]*openapi3.Schema, object map[string]any) {
	for name, schema := range documented {
		if value, isThere := object[name]; isThere {
			s.value(path+"."+name, schema, value)
		} else {
			s.see("Members that are left out", path+"."+name)
		}
	}
	for name := range object {
		if len(documented) > 0 && documented[name] == nil {
			s.see("Members that are not documented", path+"."+name)
		}
	}
}

var instant = regexp.MustCompile(`^[-\d]+T[:\d]+(\.\d+)?(Z|[-+]\d\d:\d\d)$`)

// timeNotation is the form of a time, without its digits.
func timeNotation(text string) string {
	parts := instant.FindStringSubmatch(text)
	if parts == nil {
		return "another form"
	}
	return "00:00:00" + map[bool]string{true: ".000"}[len(parts[1]) == len(".000")] + parts[2]
}

// change looks at what an accepted change returns, and when it shows. Lists are left out: what is sent
// has another form.
func (s survey) change(kind string, e *exchange, later []*exchange) {
	if e.method == http.MethodPatch && e.path == e.object() {
		others := without(names(e.shown("")), append(names(e.sent), "id"))
		s.see("What a PATCH returns", map[bool]string{true: "the whole object", false: "the id and the members that were sent, no others"}[len(others) > 0])
	}
	if e.sent["ipAccessList"] == nil {
		s.see("Delay until a change shows", cmp.Or(e.part(), kind)+": "+e.delay(later))
	}
}

// delay returns how late a change showed.
func (e *exchange) delay(later []*exchange) string {
	isNew := func(name string, shown map[string]any) bool {
		return shown[name] != nil && equal(shown[name], e.sent[name])
	}
	for _, other := range later {
		if other != e && other.isWrite() && other.path == e.path {
			break
		}
		shown := other.shown(e.part())
		if other.object() != e.object() || !other.isAccepted() || slices.ContainsFunc(names(e.sent), func(name string) bool { return !isNew(name, shown) }) {
			continue
		}
		if other == e {
			return "none"
		}
		return (other.at.Sub(e.at).Round(time.Millisecond) + time.Millisecond).String()
	}
	return "it never showed"
}
