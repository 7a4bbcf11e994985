package transport

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A response may hold secrets of objects, or repeat the client's credentials:
//
//   - A text is left out as a whole if it mentions a secret: a secret's name, user info or a
//     signature in a URL, or the beginning of the credentials. It is decoded to see that,
//     because what is quoted is often escaped. A few errors need the names (forStatus).
//   - A text of JSON is also left out if a documented secret is named elsewhere in it.
//   - A log shows the numbers and booleans of JSON, and the strings of documented members if
//     they mention no secret. Nothing but JSON is logged.
var (
	secretNames = []string{
		"secret", "password", "passwd", "pwd", "passphrase", "token", "credential", "signature", "bearer", "authorization",
	}
	twoWordNames      = []string{"accesskey", "accountkey", "apikey", "privatekey"} // only letters count
	documentedSecrets = []string{"connectionstring", "encryptionkey"}               // in openapi.yaml
	// An id is no secret. But a key may begin with "id", and have any of these characters.
	keyID       = regexp.MustCompile(`encryption[-_. ]?key[-_. ]?ids?([^\pL\pN_+/-]|$)`)
	secretInURL = regexp.MustCompile(`://[^\s"'<>@/?#:]*(?::\S*)?@|(?:^|[^\pL])sig(?:nature)?=`) // a password may hold any character
	identifier  = regexp.MustCompile(`^[\pL\pN_.-]+$`)
	notLetters  = regexp.MustCompile(`\PL+`)
	// As much of a text as can be decoded at once.
	partOfJSON = regexp.MustCompile(`(?:[^\\"[:cntrl:]]|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))+`)
	partOfURL  = regexp.MustCompile(`(?:[^%]|%[0-9a-fA-F]{2})+`)
)

const (
	mask          = "***"
	leftOut       = "the API's text was left out because it mentions a secret"
	maxDecoded    = 4 // times that a text is decoded
	minCredential = 8 // bytes of a credential's beginning that count; a shorter one counts as a whole
)

// A masker decides what is shown and logged.
type masker struct {
	credentials []string // the beginnings of the client's, in any form
	logged      []string // the members of JSON whose strings are logged
	showsNames  bool     // of secrets that openapi.yaml does not document
}

func newMasker(credentials ...string) (m masker) {
	for _, credential := range credentials {
		credential = strings.TrimSpace(credential) // as texts are
		for n := min(minCredential, len(credential)); n <= len(credential); n++ {
			inAnyForm(credential[:n], func(form string) bool {
				if form != "" && !m.repeats(form) {
					m.credentials = append(m.credentials, form)
				}
				return false // see the others too
			})
		}
	}
	return m
}

// forStatus returns the masker for an error's text. What the client may not do, and what does
// not exist, is explained with names, such as "API key not found", and rarely with values.
func (m masker) forStatus(status int) masker {
	m.showsNames = slices.Contains([]int{401, 403, 404, 410, 429}, status)
	return m
}

// mentionsSecret reports whether a text must not be shown.
func (m masker) mentionsSecret(text string) bool {
	return inAnyForm(text, func(form string) bool {
		return !m.showsNames && (containsAny(form, secretNames) || containsAny(notLetters.ReplaceAllString(form, ""), twoWordNames)) ||
			namesDocumented(form) || m.repeats(form) || secretInURL.MatchString(form)
	})
}

func (m masker) repeats(form string) bool { return containsAny(form, m.credentials) }

func namesDocumented(form string) bool {
	return containsAny(notLetters.ReplaceAllString(form, ""), documentedSecrets)
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// inAnyForm reports whether is holds for a text as it is or decoded, in lower case and without
// ids of encryption keys. It also does if the text could be decoded further.
func inAnyForm(text string, is func(form string) bool) bool {
	for range maxDecoded + 1 {
		text = printable(text)
		if is(keyID.ReplaceAllString(strings.ToLower(text), "$1")) {
			return true
		}
		before := text
		if text = decode(text); text == before {
			return false
		}
	}
	return true
}

// decode decodes the escapes of JSON, URLs and HTML.
func decode(text string) string {
	text = partOfJSON.ReplaceAllStringFunc(text, func(part string) (decoded string) {
		_ = json.Unmarshal([]byte(`"`+part+`"`), &decoded)
		return decoded
	})
	text = partOfURL.ReplaceAllStringFunc(text, func(part string) string {
		decoded, _ := url.PathUnescape(part)
		return decoded
	})
	return html.UnescapeString(text)
}

// masked returns a JSON value as a log shows it; isShown is for its strings.
func (m masker) masked(value any, isShown bool) any {
	switch value := value.(type) {
	case string:
		if !isShown || m.mentionsSecret(value) {
			return mask
		}
	case []any:
		for i, element := range value {
			value[i] = m.masked(element, isShown)
		}
	case map[string]any:
		members := map[string]any{}
		for name, member := range value {
			isShown := slices.Contains(m.logged, name)
			if !identifier.MatchString(name) || inAnyForm(name, m.repeats) {
				name = mask
			}
			members[name] = m.masked(member, isShown)
		}
		return members
	}
	return value
}
