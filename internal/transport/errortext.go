package transport

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	maxParsed  = 64 << 10 // bytes of a text that is read for an error
	maxUnknown = 300      // runes of JSON without a known text
)

var (
	// The members of JSON that have an error's text, from general to specific:
	// {"error":"Bad Request","message":"name is taken"} is "Bad Request: name is taken".
	textMembers = []string{"title", "error", "message", "msg", "detail", "details", "reason", "description", "errors"}
	// The members that say what a text in a list is about.
	fieldMembers = []string{"field", "path", "loc", "param", "pointer"}
	// The first title or heading of a page that has a text, up to the next tag.
	heading = regexp.MustCompile(`(?i)<(?:title|h[1-6])\b[^>]*>(?:\s|<[^/][^>]*>)*[^<>\s][^<>]*`)
)

// bodyText returns the error's text in a body: in JSON the known texts, or else its beginning; in a
// page its heading; plain text as it is. Of anything else, it is the size, and "" of nothing.
func (m masker) bodyText(body []byte) string {
	text := strings.TrimSpace(string(body))
	value, isJSON := parseJSON(body, maxParsed)
	switch {
	case slices.Contains([]string{"", "null", "{}", "[]"}, text):
		return ""
	case len(body) > maxParsed:
		text = ""
	case isJSON && namesDocumented(text): // a text may quote the value
		return withheld
	case isJSON:
		known := textOf(value, false)
		if known == "" {
			return truncate(m.line(text), maxUnknown)
		}
		text = known
	case strings.HasPrefix(text, "<"):
		element := heading.FindString(text)
		text = html.UnescapeString(element[strings.LastIndex(element, ">")+1:])
	}
	return cmp.Or(m.line(text), fmt.Sprintf("a body of %d bytes", len(body)))
}

// textOf returns the texts of a JSON value as one, "" if it has none. In a list, each begins
// with its field.
func textOf(value any, inList bool) string {
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value)
	case []any:
		return join("; ", value, func(element any) string { return textOf(element, true) })
	case map[string]any:
		text := join(": ", textMembers, func(name string) string {
			fields, isObject := value[name].(map[string]any)
			if isObject && name == "errors" { // by field
				return join("; ", slices.Sorted(maps.Keys(fields)), func(field string) string {
					if text := textOf(fields[field], false); text != "" {
						return field + ": " + text
					}
					return ""
				})
			}
			return textOf(value[name], false)
		})
		if field := join(".", fieldMembers, func(name string) string { return fieldOf(value[name]) }); inList && field != "" && text != "" {
			return field + ": " + text
		}
		return text
	}
	return ""
}

// fieldOf returns what a text is about: {"loc":["body","name"]} is "body.name".
func fieldOf(value any) string {
	switch value := value.(type) {
	case string, json.Number:
		return fmt.Sprint(value)
	case []any:
		return join(".", value, fieldOf)
	}
	return ""
}

// line returns a text on one line, or withheld. It is cut only after the check.
func (m masker) line(s string) string {
	s = printable(s[:min(len(s), maxParsed)]) // what cannot be seen could hide a secret from the check
	if m.mentionsSecret(s) {
		return withheld
	}
	return oneLine(s)
}
