package transport

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A response may hold secrets of objects, or repeat the client's credentials. This is the
// rule for all that is shown or logged of it:
//
//   - A text is shown as it is, or left out as a whole if it mentions a secret: a secret's
//     name, user info or a signature in a URL, or the beginning of the client's credentials;
//     in any spelling, and also once it is decoded: what is quoted is often escaped.
//   - In JSON, a member with a secret's name is masked. Any other string is a text, and is
//     masked if it mentions a secret.
//   - JSON is left out as a whole if the value may be anywhere in it: a name that is no
//     identifier mentions a secret, or a string mentions a documented one.
//   - Nothing but JSON is logged.
var (
	documented = regexp.MustCompile(`connection\PL*string|encryption\PL*key`) // in openapi.yaml; \PL is no letter
	secretName = regexp.MustCompile(`secret|password|token|credential|signature|(?:access|account|api)\PL*key|` + documented.String())
	// An id is no secret. But a key may begin with "id", and have any of these characters.
	keyID   = regexp.MustCompile(`encryption[-_. ]?key[-_. ]?ids?([^\pL\pN_+/-]|$)`)
	escapes = regexp.MustCompile(`(?:\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))+|(?:%[0-9a-fA-F]{2})+`)
	// ://user@, ://user:pass/word@ (a password may hold any character), ?sig=
	secretInURL = regexp.MustCompile(`://[^\s"'<>@/?#:]*(?::\S*)?@|(?:^|[^\pL])sig=`)
	// A name with blanks has to end with the secret's: what follows may be the secret itself.
	identifier = regexp.MustCompile(`(?i)^(?:[\pL\pN_.-]+|[a-z ]*(?:secret|password|token|credential|signature|string|key)s?)$`)
)

const (
	mask          = "***"
	leftOut       = "the API's text was left out because it mentions a secret"
	maxDecoded    = 3 // times that a text is decoded
	minCredential = 8 // bytes of a credential's beginning that count; a shorter one counts as a whole
)

// A masker decides what is shown. It has the forms of the beginnings of the client's credentials.
type masker []string

func newMasker(credentials ...string) (m masker) {
	for _, credential := range credentials {
		credential = strings.TrimSpace(credential) // as texts are
		for n := min(minCredential, len(credential)); n <= len(credential); n++ {
			inAnyForm(credential[:n], func(form string) bool {
				if form != "" && !m.repeats(form) {
					m = append(m, form)
				}
				return false
			})
		}
	}
	return m
}

// mentionsSecret reports whether a text must not be shown.
func (m masker) mentionsSecret(text string) bool {
	return inAnyForm(text, func(form string) bool {
		return secretName.MatchString(form) || secretInURL.MatchString(form) || m.repeats(form)
	})
}

func (m masker) repeats(form string) bool {
	return slices.ContainsFunc(m, func(beginning string) bool { return strings.Contains(form, beginning) })
}

// inAnyForm reports whether is holds for a text as it is or decoded, in lower case and without
// ids of encryption keys. It also does if the text could be decoded further.
func inAnyForm(text string, is func(form string) bool) bool {
	for range maxDecoded + 1 {
		text = printable(text)
		unescaped := escapes.ReplaceAllStringFunc(text, unescape)
		for _, form := range slices.Compact([]string{text, unescaped}) {
			if is(keyID.ReplaceAllString(strings.ToLower(form), "$1")) {
				return true
			}
		}
		decoded := html.UnescapeString(unescaped)
		if decoded == text {
			return false
		}
		text = decoded
	}
	return true
}

// unescape decodes escapes of URLs or JSON.
func unescape(escapes string) (decoded string) {
	if escapes[0] == '%' {
		decoded, _ = url.PathUnescape(escapes)
	} else {
		_ = json.Unmarshal([]byte(`"`+escapes+`"`), &decoded)
	}
	return decoded
}

// printable drops what is no text, cannot be seen, or may change what a terminal shows.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// value masks the secrets in a JSON value, or returns leftOut.
func (m masker) value(value any) any {
	switch value := value.(type) {
	case string, json.Number:
		if text := fmt.Sprint(value); m.mentionsSecret(text) {
			if inAnyForm(text, documented.MatchString) {
				return leftOut
			}
			return mask
		}
	case []any:
		for i, element := range value {
			if value[i] = m.value(element); value[i] == leftOut {
				return leftOut
			}
		}
	case map[string]any:
		for name, member := range value {
			switch {
			case !m.mentionsSecret(name):
				value[name] = m.value(member)
			case !identifier.MatchString(name), inAnyForm(name, m.repeats):
				return leftOut
			case member != nil:
				value[name] = mask
			}
			if value[name] == leftOut {
				return leftOut
			}
		}
	}
	return value
}
