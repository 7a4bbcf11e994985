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
)

// A response may hold secrets of objects, or repeat the client's credentials. This is the
// rule for all that is shown or logged of it:
//
//   - A text is shown as it is, or left out as a whole if it mentions a secret: a secret's
//     name, user info or a signature in a URL, or the beginning of the client's credentials.
//     It is decoded to see that, because what is quoted is often escaped.
//   - In JSON, a member with a secret's name is masked, and so is any other string that
//     mentions a secret.
//   - JSON is left out as a whole if the value may be anywhere in it: a name that is no
//     identifier mentions a secret, or a string mentions a documented one.
//   - Nothing but JSON is logged.
var (
	secretNames     = []string{"secret", "password", "token", "credential", "signature"}
	twoWordNames    = append([]string{"accesskey", "accountkey", "apikey"}, documentedNames...) // only letters count
	documentedNames = []string{"connectionstring", "encryptionkey"}                             // in openapi.yaml
	// An id is no secret. But a key may begin with "id", and have any of these characters.
	keyID        = regexp.MustCompile(`encryption[-_. ]?key[-_. ]?ids?([^\pL\pN_+/-]|$)`)
	userInfo     = regexp.MustCompile(`://[^\s"'<>@/?#:]*(?::\S*)?@`) // a password may hold any character
	urlSignature = regexp.MustCompile(`(?:^|[^\pL])sig=`)
	// A name with blanks has to end with the secret's: what follows may be the secret itself.
	identifier = regexp.MustCompile(`(?i)^(?:[\pL\pN_.-]+|[a-z ]*(?:secret|password|token|credential|signature|string|key)s?)$`)
	// As much of a text as can be decoded at once.
	partOfJSON = regexp.MustCompile(`(?:[^\\"[:cntrl:]]|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))+`)
	partOfURL  = regexp.MustCompile(`(?:[^%]|%[0-9a-fA-F]{2})+`)
)

const (
	mask          = "***"
	leftOut       = "the API's text was left out because it mentions a secret"
	maxDecoded    = 3 // times that a text is decoded
	minCredential = 8 // bytes of a credential's beginning that count; a shorter one counts as a whole
)

// A masker decides what is shown. It has the beginnings of the client's credentials, in any form.
type masker []string

func newMasker(credentials ...string) (m masker) {
	for _, credential := range credentials {
		credential = strings.TrimSpace(credential) // as texts are
		for n := min(minCredential, len(credential)); n <= len(credential); n++ {
			inAnyForm(credential[:n], func(form string) bool {
				if form != "" && !m.repeats(form) {
					m = append(m, form)
				}
				return false // see the others too
			})
		}
	}
	return m
}

// mentionsSecret reports whether a text must not be shown.
func (m masker) mentionsSecret(text string) bool {
	return inAnyForm(text, func(form string) bool {
		return containsAny(form, secretNames) || containsAny(onlyLetters(form), twoWordNames) || m.repeats(form) ||
			strings.Contains(form, "://") && userInfo.MatchString(form) ||
			strings.Contains(form, "sig=") && urlSignature.MatchString(form)
	})
}

func (m masker) repeats(form string) bool { return containsAny(form, m) }

func isDocumented(form string) bool { return containsAny(onlyLetters(form), documentedNames) }

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
	if strings.Contains(text, `\`) { // most texts have none
		text = partOfJSON.ReplaceAllStringFunc(text, func(part string) (decoded string) {
			_ = json.Unmarshal([]byte(`"`+part+`"`), &decoded)
			return decoded
		})
	}
	if strings.Contains(text, "%") {
		text = partOfURL.ReplaceAllStringFunc(text, func(part string) string {
			decoded, _ := url.PathUnescape(part)
			return decoded
		})
	}
	return html.UnescapeString(text)
}

func onlyLetters(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }), "")
}

// value masks the secrets in a JSON value, or returns leftOut.
func (m masker) value(value any) any {
	switch value := value.(type) {
	case string, json.Number:
		if text := fmt.Sprint(value); m.mentionsSecret(text) {
			if inAnyForm(text, isDocumented) {
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
				if value[name] = m.value(member); value[name] == leftOut {
					return leftOut
				}
			case !identifier.MatchString(name), inAnyForm(name, m.repeats):
				return leftOut
			case member != nil:
				value[name] = mask
			}
		}
	}
	return value
}
