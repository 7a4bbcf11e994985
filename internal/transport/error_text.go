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

// maxErrorText bounds what of an answer gets into an error, in runes.
const maxErrorText = 500

// errorText returns what an answer with an error status says went wrong.
func errorText(status int, body []byte) string {
	return cmp.Or(bodyText(status, body), http.StatusText(status), fmt.Sprintf("status %d without a text", status))
}

// bodyText returns the text of a body, "" where it has none. The shape of error
// bodies is not specified (specification, "Errors"), so the usual ones are
// understood: JSON with its text under one of textMembers, an HTML page with a
// title, plain text, nothing.
func bodyText(_ int, body []byte) string {
	var text string
	switch body = bytes.TrimSpace(body); {
	case json.Valid(body):
		text = textOfJSON(body)
	case bytes.HasPrefix(body, []byte("<")):
		text = htmlTitle(body)
	case isTruncated(body) && mentionsSecret(string(body)):
		// Only in what is whole can a secret be told from the rest.
	default:
		text = string(body)
	}
	return cleanText(text)
}

// textMembers are the members in which APIs put an error's text, from the
// general to the particular: {"error":"Bad Request","message":"name is too
// long"} reads "Bad Request: name is too long".
var textMembers = []string{"title", "error", "message", "detail", "error_description", "reason", "errors", "result"}

// textOfJSON returns the text of a JSON body; the whole body, secrets masked,
// where nothing in it is known to be a text.
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

// texts collects the distinct texts of a JSON value. Members of errors nest a
// few levels; what lies deeper is no error text.
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

// htmlTitle returns the title of a page, in which proxies say what is wrong.
func htmlTitle(page []byte) string {
	for tokens := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			if name, _ := tokens.TagName(); string(name) == "title" && tokens.Next() == html.TextToken {
				return string(tokens.Text())
			}
		}
	}
}

// cleanText makes s fit for a terminal: one line, no control or formatting
// characters, at most maxErrorText runes.
func cleanText(s string) string {
	// Four bytes a rune at most; the rest would only be cut off below.
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
