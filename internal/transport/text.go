package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	mask         = "***"
	leftOut      = "the API's text was left out because it mentions a secret"
	maxLogged    = 1 << 20  // bytes of a body in the log: masking takes time
	maxParsed    = 64 << 10 // bytes of a text that is read for an error
	maxErrorText = 500      // runes of it in an error
	maxReason    = 150      // and in a first line
)

// A response may hold secrets of objects, or repeat the client's credentials. One
// rule applies to all that is shown or logged of it:
//
//   - In JSON, members with a secret's name are masked.
//   - A body that mentions a documented secret in any other form is left out. A text
//     that mentions another secret is left out, too, unless it is a sentence such as
//     "wrong token, try again".
//   - Credentials, and passwords and signatures in URLs, are masked everywhere.
//   - Texts are masked before they are cut. Only JSON is logged.
var (
	// openapi.yaml has encryptionKey and connection_strings.
	documented = regexp.MustCompile(`(?i)connection(?:[-_.+\s\x{a0}]|%20)?string|encryption(?:[-_.+\s\x{a0}]|%20)?key`)
	keyID      = regexp.MustCompile(`(?i)encryption[-_.\s]?key[-_.\s]?ids?\b`) // not secret
	// db_password, AccessTokens
	secretName = regexp.MustCompile(`(?i)^\W*[\w.-]*(?:secret|password|token|` + documented.String() + `)[\w.-]*\W*$`)
	// token=k3y, password (k3y), token;k3y, and columns
	secretValue = regexp.MustCompile(`(?i)(?:secret|password|token)\w*(?: ?[^\w .,;!?)]|  |[.,;!?)]+[^\s.,;!?)])`)
	// ://user@, ://user:pass/word@: a password may hold any character
	userInfo = regexp.MustCompile(`://[^\s"'<>@/?#:]*(:[^\s"'<>]*)?@`)
	// ?sig=…, &X-Amz-Signature=…, AccountKey=…, in URLs and connection strings
	signature = regexp.MustCompile(`(?i)((?:^|[?&;,\s])(?:(?:[\w.-]*[-_.])?(?:sig|signature)|` +
		`[\w.-]*(?:credential|accesskey|accountkey|api[-_]?key)[\w.-]*)=)[^&;,\s"'<>#]+`)
)

// minCredential is the minimum length of a credential, or of its beginning at the end of
// a text, that is masked. Masking less would garble every text.
const minCredential = 8

// A masker holds the client's credentials, and masks them and all other secrets.
type masker []string

func newMasker(credentials ...string) masker {
	return slices.DeleteFunc(credentials, func(s string) bool { return len(s) < minCredential })
}

// text returns a text with its secrets masked, or leftOut.
func (m masker) text(s string) string {
	for range 2 { // escaped as HTML or not
		s = printable(s)
		for _, credential := range m {
			s = strings.ReplaceAll(s, credential, mask)
			for n := len(credential) - 1; n >= minCredential; n-- { // a text that is cut
				if start, ok := strings.CutSuffix(s, credential[:n]); ok {
					s = start + mask
				}
			}
		}
		s = html.UnescapeString(s)
	}
	s = userInfo.ReplaceAllString(s, "://"+mask+"@")
	s = signature.ReplaceAllString(s, "${1}"+mask)
	if mentionsDocumented(s) || secretValue.MatchString(s) {
		return leftOut
	}
	return s
}

func mentionsDocumented(s string) bool {
	return documented.MatchString(keyID.ReplaceAllString(printable(html.UnescapeString(s)), ""))
}

// value returns a JSON value with its secrets masked, or leftOut.
func (m masker) value(value any) any {
	isLeftOut := false
	if value = m.members(value, &isLeftOut); isLeftOut {
		return leftOut
	}
	return value
}

// members masks a JSON value, and sets isLeftOut if a text mentions a documented secret.
func (m masker) members(value any, isLeftOut *bool) any {
	switch value := value.(type) {
	case string:
		*isLeftOut = *isLeftOut || mentionsDocumented(value)
		return m.text(value)
	case []any:
		for i, element := range value {
			value[i] = m.members(element, isLeftOut)
		}
	case map[string]any:
		masked := map[string]any{}
		for name, member := range value {
			isSecret := secretName.MatchString(keyID.ReplaceAllString(name, ""))
			if !isSecret {
				name = m.text(name)
			}
			if member != nil && (isSecret || name == leftOut) {
				member = mask
			}
			masked[name] = m.members(member, isLeftOut)
		}
		return masked
	}
	return value
}

// body returns a body for the log.
func (m masker) body(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	value, isJSON := parseJSON(body)
	if !isJSON || len(body) > maxLogged {
		return describeBody(body)
	}
	text, _ := json.Marshal(m.value(value)) // was JSON before
	return string(text)
}

func describeBody(body []byte) string {
	kind := map[bool]string{true: "of JSON", false: "that is not JSON"}[json.Valid(body)]
	return fmt.Sprintf("a body of %d bytes %s", len(body), kind)
}

// parseJSON keeps the digits of numbers.
func parseJSON(text []byte) (value any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	_, end := decoder.Token()
	return value, err == nil && end == io.EOF
}

var (
	// The beginning of what a gateway or a login sends, and few APIs.
	htmlPage = regexp.MustCompile(`(?i)^<(?:!doctype )?html`)
	// What a page does not show.
	invisible = regexp.MustCompile(`(?is)<(?:script|style|noscript)\b.*?</(?:script|style|noscript)>|<(?:!|input|link|meta|img)[^>]*>`)
	tag       = regexp.MustCompile(`<[^>]*>`)
	// JSON that is cut, or was never JSON.
	objectStart = regexp.MustCompile(`^[\s[]*\{`)
)

// bodyText returns the text of a body, "" if it has none: of JSON the text in
// textMembers, of a page what it shows, or else the whole body.
func (m masker) bodyText(body []byte) string {
	value, isJSON := parseJSON(body)
	text := string(body)
	switch {
	case len(body) > maxParsed, !isJSON && objectStart.MatchString(text):
		return describeBody(body)
	case isJSON && value == nil:
		return ""
	case isJSON:
		return cmp.Or(oneLine(textOfJSON(m.value(value))), oneLine(m.body(body)))
	case strings.HasPrefix(strings.TrimSpace(text), "<"):
		// Masked twice: an element may have a secret's name, or the text that is left.
		text = tag.ReplaceAllString(m.text(invisible.ReplaceAllString(text, " ")), " ")
	}
	return m.line(text)
}

// textMembers are the members with an error's text, from general to specific:
// {"error":"Bad Request","message":"name too long"} is "Bad Request: name too long".
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
		var byField []string // of errors such as {"name":["is too long"]}
		fields, _ := value["errors"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if text := textOfJSON(fields[name]); text != "" && !slices.Contains(textMembers, name) {
				byField = append(byField, name+": "+text)
			}
		}
		texts = append(texts, strings.Join(byField, "; "))
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	return strings.Join(slices.Compact(texts), separator)
}

// line returns a text on one line, masked and cut to its length, with no control
// or formatting characters: they may change what a terminal shows.
func (m masker) line(s string) string {
	if len(s) > maxParsed {
		return fmt.Sprintf("a text of %d bytes", len(s))
	}
	return oneLine(m.text(s))
}

// err masks an error of net/http, which quotes what it cannot read.
func (m masker) err(err error) error {
	if masked := m.line(err.Error()); masked != err.Error() {
		return errors.New(masked)
	}
	return err
}

func oneLine(s string) string {
	return truncate(strings.Join(strings.Fields(printable(s)), " "), maxErrorText)
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), r == 0: // in UTF-16
			return -1
		case unicode.IsControl(r) && r != '\t':
			return '\n'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// truncate cuts s after n runes, and marks the cut.
func truncate(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
}
