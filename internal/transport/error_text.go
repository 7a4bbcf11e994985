package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// maxErrorText limits a text from a response in an error, in runes.
const maxErrorText = 500

// errorText returns the reason that a response with an error status gives.
func errorText(status int, body []byte) string {
	return cmp.Or(bodyText(status, body), http.StatusText(status), fmt.Sprintf("status %d without a text", status))
}

// bodyText returns the text of a body, "" if it has none: of JSON the text in
// textMembers, of an HTML page its title or its text, or else the whole body.
func bodyText(status int, body []byte) string {
	var text string
	var value any
	body = bytes.TrimSpace(body)
	switch {
	case json.Unmarshal(body, &value) == nil:
		if text = textOfJSON(value); text == "" && value != nil {
			text = masked(body)
		}
	case bytes.HasPrefix(body, []byte("<")):
		text = textOfHTML(status, body[:min(len(body), 1<<20)])
	case bytes.HasPrefix(bytes.TrimLeft(body, "[ \t\r\n"), []byte("{")):
		// Secrets can only be found in complete JSON.
	default:
		text = string(body)
	}
	// A URL that is cut off could no longer be recognized and masked.
	return cleanText(maskURLs(text[:min(len(text), 64<<10)]))
}

// textMembers are the members in which APIs put an error's text, from general to
// specific: {"error":"Bad Request","message":"name is too long"} becomes "Bad
// Request: name is too long".
var textMembers = []string{"title", "error", "message", "detail", "error_description", "reason", "errors", "result"}

// textOfJSON returns the texts of a JSON value, "" if it has none.
func textOfJSON(value any) string {
	var texts []string
	separator := ": "
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value)
	case []any:
		separator = "; "
		for _, element := range value {
			texts = append(texts, textOfJSON(element))
		}
	case map[string]any:
		for _, name := range textMembers {
			texts = append(texts, textOfJSON(value[name]))
		}
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	return strings.Join(slices.Compact(texts), separator)
}

// textOfHTML returns a page's title, or its visible text if the title only
// repeats the status, such as "409 Conflict" or "Error".
func textOfHTML(status int, page []byte) string {
	var title, visible []string
	document, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return ""
	}
	for node := range document.Descendants() {
		text := strings.TrimSpace(node.Data)
		if node.Type != html.TextNode || text == "" {
			continue
		}
		switch node.Parent.Data {
		case "title":
			title = append(title, text)
		case "script", "style", "noscript":
		default:
			visible = append(visible, text)
		}
	}
	known := strings.NewReplacer(strings.ToLower(http.StatusText(status)), "", "http", "", "error", "", "status", "", "code", "")
	rest := known.Replace(strings.ToLower(strings.Join(title, " ")))
	if len(visible) > 0 && !strings.ContainsFunc(rest, unicode.IsLetter) {
		return strings.Join(visible, " ")
	}
	return strings.Join(title, " ")
}

// cleanText makes s safe for a terminal: one line, no control or formatting
// characters, at most maxErrorText runes.
func cleanText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return truncate(strings.Join(strings.Fields(s), " "), maxErrorText)
}

// truncate cuts s to at most n runes.
func truncate(s string, n int) string {
	for at := range s {
		if n == 0 {
			return s[:at] + "…"
		}
		n--
	}
	return s
}
