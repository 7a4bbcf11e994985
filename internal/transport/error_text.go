package transport

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

const (
	maxErrorText = 500      // runes of a text from a response in an error
	maxParsed    = 64 << 10 // bytes of a text that is parsed and masked: a hostile one takes long
)

// htmlPage matches the beginning of what a gateway or a login sends, and few APIs.
var htmlPage = regexp.MustCompile(`(?i)^<(?:!doctype )?html`)

func (m masker) errorText(status int, body []byte) string {
	text := cmp.Or(m.bodyText(status, body), http.StatusText(status), fmt.Sprintf("status %d without a text", status))
	if htmlPage.Match(bytes.TrimSpace(body)) {
		text = "an HTML page: " + text
	}
	return text
}

// bodyText returns the text of a body, "" if it has none: of JSON the text in
// textMembers, of an HTML page its title or its text, or else the whole body.
func (m masker) bodyText(status int, body []byte) string {
	if len(body) > maxParsed {
		return describeBody(body)
	}
	if value, ok := parseJSON(body); ok {
		if value == nil {
			return ""
		}
		return cmp.Or(oneLine(textOfJSON(m.value(value))), oneLine(m.body(body)))
	}
	text := string(body)
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
		text = textOfHTML(status, body)
	}
	if object.MatchString(text) {
		return describeBody(body)
	}
	return m.line(text)
}

// textMembers are the members with an error's text, from general to specific:
// {"error":"Bad Request","message":"name is too long"} becomes "Bad Request: name
// is too long".
var textMembers = []string{"title", "error", "message", "detail", "error_description", "reason", "errors", "result"}

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
	element := "" // that the next text belongs to
	for tokens := html.NewTokenizer(bytes.NewReader(page)); tokens.Next() != html.ErrorToken; {
		token := tokens.Token()
		text := strings.TrimSpace(token.Data)
		switch {
		case token.Type == html.StartTagToken:
			element = token.Data
			if isSecret(token) {
				visible = append(visible, "secret:") // masks what follows
			}
		case token.Type == html.EndTagToken:
			element = ""
		case token.Type != html.TextToken || text == "" || slices.Contains([]string{"script", "style", "noscript"}, element):
		case element == "title":
			title = append(title, text)
		default:
			visible = append(visible, text)
		}
	}
	heading := strings.Join(title, " ")
	known := strings.NewReplacer(strings.ToLower(http.StatusText(status)), "", "http", "", "error", "", "status", "", "code", "")
	visible = slices.DeleteFunc(visible, func(text string) bool { return text == heading })
	if len(visible) > 0 && !strings.ContainsFunc(known.Replace(strings.ToLower(heading)), unicode.IsLetter) {
		return strings.Join(visible, "\n")
	}
	return heading
}

// isSecret reports whether an element has the name of a secret, or an attribute
// with that name, such as in <value name="encryptionKey">…</value>.
func isSecret(tag html.Token) bool {
	isName := func(a html.Attribute) bool { return secretName.MatchString(a.Val) }
	holdsNoText := slices.Contains([]string{"img", "input", "link", "meta", "script"}, tag.Data)
	return !holdsNoText && (secretName.MatchString(tag.Data) || slices.ContainsFunc(tag.Attr, isName))
}

// line returns a text on one line, masked and cut to its length, with no control
// or formatting characters: they may change what a terminal shows.
func (m masker) line(s string) string {
	if len(s) > maxParsed {
		return fmt.Sprintf("a text of %d bytes", len(s))
	}
	return oneLine(m.text(s))
}

func oneLine(s string) string {
	return truncate(strings.Join(strings.Fields(printable(s)), " "), maxErrorText)
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) && !unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// truncate cuts s to at most n runes.
func truncate(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
}
