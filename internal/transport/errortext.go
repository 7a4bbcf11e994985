package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxParsed  = 64 << 10 // bytes of a text that is read for an error
	maxUnknown = 300      // runes of JSON without a known text
)

var (
	// The members of JSON that have an error's text, from general to specific:
	// {"error":"Bad Request","message":"name is taken"} is "Bad Request: name is taken".
	textMembers = []string{"title", "error", "message", "msg", "detail", "details", "reason", "description", "errors"}
	// The first title or heading of a page that has a text, up to the next tag.
	heading = regexp.MustCompile(`(?i)<(?:title|h[1-6])\b[^>]*>(?:\s|<[^/][^>]*>)*[^<>\s][^<>]*`)
)

// bodyText returns the error's text in a body: in JSON the known texts, or its beginning if it has others; in a
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
		known := textOf(value)
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

// textOf returns the texts of an error in JSON as one: {"error":{"message":"…"}} or {"message":"…"}. It is "" if there
// are none, or if the JSON has lists or other objects: they may say more.
func textOf(value any) string {
	object, _ := value.(map[string]any)
	if inner, ok := object["error"].(map[string]any); ok && !hasParts(object, "error", "result") {
		object = inner
	}
	if hasParts(object, "result") {
		return ""
	}
	var texts []string
	for _, name := range textMembers {
		text, _ := object[name].(string)
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(slices.Compact(texts), ": ")
}

// hasParts reports whether an object has a list or an object with anything in it, besides some members.
func hasParts(object map[string]any, except ...string) bool {
	for name, member := range object {
		list, _ := member.([]any)
		inner, _ := member.(map[string]any)
		if !slices.Contains(except, name) && len(list)+len(inner) > 0 {
			return true
		}
	}
	return false
}

// line returns a text on one line, or withheld. It is cut only after the check.
func (m masker) line(s string) string {
	s = printable(s[:min(len(s), maxParsed)]) // what cannot be seen could hide a secret from the check
	if m.mentionsSecret(s) {
		return withheld
	}
	return oneLine(s)
}

// printable drops what is no text, cannot be seen, or may change what a terminal shows.
func printable(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.IsSpace(r)
	}), "")
}

func oneLine(s string) string {
	return truncate(strings.Join(strings.Fields(printable(s)), " "), maxErrorText)
}

// truncate cuts s after n runes, and marks the cut.
func truncate(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
}

// parseJSON reads JSON that is not too long. It keeps the digits of numbers.
func parseJSON(text []byte, most int) (value any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	ok = len(text) <= most && json.Valid(text) && decoder.Decode(&value) == nil
	return value, ok
}
