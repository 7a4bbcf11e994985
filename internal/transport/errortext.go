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

const maxParsed = 64 << 10 // bytes of a text that is read for an error

var (
	// The members of JSON that have an error's text, from general to specific:
	// {"error":"Bad Request","message":"name is taken"} is "Bad Request: name is taken".
	textMembers = []string{
		"title", "error", "message", "msg", "detail", "error_description", "errormessage",
		"defaultmessage", "reason", "errors", "issues", "invalid-params", "result",
	}
	byField = []string{"errors", "issues", "invalid-params"} // if they are objects
	// The members that say what a text is about.
	fieldMembers = []string{"field", "name", "path", "loc", "param", "property", "target", "source", "pointer"}
	// The first title or heading of a page that has a text, up to the next tag.
	heading = regexp.MustCompile(`(?i)<(?:title|h[1-6])\b[^>]*>(?:\s|<[^/][^>]*>)*[^<>\s][^<>]*`)
)

// bodyText returns the error's text in a body: in JSON the known texts, in a page its
// heading, or else the whole body. It is "" if there is nothing to show.
func (m masker) bodyText(body []byte) string {
	text := strings.TrimSpace(string(body))
	value, isJSON := parseJSON(body, maxParsed)
	switch {
	case text == "", text == "null":
		return ""
	case isJSON:
		text = m.textOf(value, false)
		if text != "" && inAnyForm(string(body), namesDocumented) { // which the text may quote
			return leftOut
		}
	case len(body) > maxParsed, beginsObject(text): // too long, or JSON that is cut or never was any
		text = ""
	case strings.HasPrefix(text, "<"):
		element := heading.FindString(text)
		if m.mentionsSecret(element) { // also in its attributes
			return leftOut
		}
		text = html.UnescapeString(element[strings.LastIndex(element, ">")+1:])
	}
	return cmp.Or(m.line(text), fmt.Sprintf("a body of %d bytes", len(body)))
}

func beginsObject(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n["), "{")
}

// textOf returns the texts of a JSON value as one, "" if it has none. A text begins with its field
// if it is in a list, or if the field mentions a secret: all is then left out.
func (m masker) textOf(value any, inList bool) string {
	switch value := value.(type) {
	case string:
		if nested, isJSON := parseJSON([]byte(value), maxParsed); isJSON && beginsObject(value) {
			return m.textOf(nested, inList)
		}
		return strings.TrimSpace(value)
	case []any:
		return join("; ", value, func(element any) string { return m.textOf(element, true) })
	case map[string]any:
		text := join(": ", textMembers, func(name string) string {
			return join("; ", named(value, name), func(member any) string { return m.textOfMember(name, member) })
		})
		if field := fieldOf(value); inList || m.mentionsSecret(field) {
			return withField(field, text)
		}
		return text
	}
	return ""
}

func (m masker) textOfMember(name string, value any) string {
	if fields, isObject := value.(map[string]any); isObject && slices.Contains(byField, name) {
		return join("; ", slices.Sorted(maps.Keys(fields)), func(field string) string {
			return withField(field, m.textOf(fields[field], false))
		})
	}
	return m.textOf(value, false)
}

// fieldOf returns what a text is about: {"loc":["body","name"]} is "body.name".
func fieldOf(value any) string {
	switch value := value.(type) {
	case string, json.Number:
		return fmt.Sprint(value)
	case []any:
		return join(".", value, fieldOf)
	case map[string]any:
		return join(".", fieldMembers, func(name string) string { return join(".", named(value, name), fieldOf) })
	}
	return ""
}

// named returns the members with a name in any case.
func named(object map[string]any, name string) (members []any) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if strings.EqualFold(key, name) {
			members = append(members, object[key])
		}
	}
	return members
}

func withField(field, text string) string {
	if field == "" || text == "" {
		return text
	}
	return field + ": " + text
}

// line returns a text on one line, cut after it was checked, or leftOut.
func (m masker) line(s string) string {
	if m.mentionsSecret(s) {
		return leftOut
	}
	return oneLine(s)
}
