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
	switch body = bytes.TrimSpace(body); {
	case json.Valid(body):
		text = textOfJSON(body)
	case bytes.HasPrefix(body, []byte("<")):
		text = textOfHTML(status, body)
	case isTruncated(body) && mentionsSecret(string(body)):
		// Secrets can only be found in a complete body.
	default:
		text = string(body)
	}
	// A URL that is cut off could no longer be recognized and masked.
	return cleanText(maskURLs(text[:min(len(text), 64<<10)]))
}

func isJSONOrEmpty(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) == 0 || json.Valid(body)
}

// textMembers are the members in which APIs put an error's text, from general to
// specific: {"error":"Bad Request","message":"name is too long"} becomes "Bad
// Request: name is too long".
var textMembers = []string{"title", "error", "message", "detail", "error_description", "reason", "errors", "result"}

// textOfJSON returns the text of a JSON body, or the whole body with secrets
// masked if it has none of textMembers.
func textOfJSON(body []byte) string {
	var value any
	if err := json.Unmarshal(body, &value); err != nil || value == nil {
		return ""
	}
	if text := strings.Join(texts(value, 0), ": "); text != "" {
		return text
	}
	return string(masked(body))
}

// texts returns the distinct texts of a JSON value, which may be nested a few
// levels deep.
func texts(value any, depth int) []string {
	if depth > 5 {
		return nil
	}
	var found []string
	switch value := value.(type) {
	case string:
		if strings.TrimSpace(value) != "" {
			found = []string{value}
		}
	case []any:
		for _, element := range value {
			found = append(found, strings.Join(texts(element, depth+1), ": "))
		}
		found = slices.DeleteFunc(found, func(s string) bool { return s == "" })
		if len(found) > 0 {
			found = []string{strings.Join(found, "; ")}
		}
	case map[string]any:
		for _, name := range textMembers {
			for _, text := range texts(value[name], depth+1) {
				if !slices.Contains(found, text) {
					found = append(found, text)
				}
			}
		}
	}
	return found
}

// textOfHTML returns a page's title, or its visible text if the title only
// repeats the status.
func textOfHTML(status int, page []byte) string {
	var title, visible []string
	hidden := "" // the element whose text is not visible
	for tokens := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			if t := strings.Join(title, " "); len(visible) == 0 || !repeatsStatus(t, status) {
				return t
			}
			return strings.Join(visible, " ")
		case html.StartTagToken:
			name, _ := tokens.TagName()
			if hidden == "" && slices.Contains([]string{"title", "script", "style", "noscript", "template"}, string(name)) {
				hidden = string(name)
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); string(name) == hidden {
				hidden = ""
			}
		case html.TextToken:
			text := strings.TrimSpace(string(tokens.Text()))
			switch {
			case text == "":
			case hidden == "title":
				title = append(title, text)
			case hidden == "":
				visible = append(visible, text)
			}
		}
	}
}

// repeatsStatus reports whether a title has no word beyond what the status says,
// such as "422 Unprocessable Entity" or "Error".
func repeatsStatus(title string, status int) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	known := words(fmt.Sprintf("http error status code %d %s content temporarily time out", status, http.StatusText(status)))
	return !slices.ContainsFunc(words(title), func(word string) bool { return !slices.Contains(known, word) })
}

// cleanText makes s safe for a terminal: one line, no control or formatting
// characters, at most maxErrorText runes.
func cleanText(s string) string {
	// A rune has at most four bytes; the rest would be cut off below anyway.
	if most := 8 * maxErrorText; len(s) > most {
		s = s[:most]
	}
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
