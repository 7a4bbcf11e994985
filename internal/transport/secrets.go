package transport

import (
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A response may hold secrets of objects, or repeat the client's credentials:
//
//   - A text is left out as a whole if it has the beginning of the credentials, user info or a
//     signature in a URL, or the name of a secret that openapi.yaml documents.
//   - A text of JSON is also left out if a documented secret is named elsewhere in it.
//   - A log shows the numbers and booleans of JSON, and the strings of documented members
//     under the same rule. Nothing but JSON is logged.
var (
	documentedSecrets = []string{"connectionstring", "encryptionkey"}
	// The id of an encryption key is no secret, and an error calls it a key at times. If a letter, a digit or
	// one of _+/- follows, it may be a key that begins with "id": "encryption key idXy+3=".
	encryptionKeyID = regexp.MustCompile(`(?:transparent[-_. ]?data[-_. ]?encryption[-_. ]?key|encryption[-_. ]?key[-_. ]?ids?)([^\pL\pN_+/-]|$)`)
	secretInURL     = regexp.MustCompile(`://[^\s"'<>@/?#:]*(?::\S*)?@|(?:^|[^\pL])sig(?:nature)?=`) // a password may hold any character
	identifier      = regexp.MustCompile(`^[\pL\pN_.-]+$`)
	notLetters      = regexp.MustCompile(`\\+(?:u[0-9a-f]{4}|.)|\PL`) // also the letters of escapes, such as \n
)

const (
	mask          = "***"
	withheld      = "the API's text was left out because it mentions a secret"
	minCredential = 8 // bytes of a credential's beginning that count; a shorter credential is a whole text only
)

// A masker decides what is shown and logged.
type masker struct {
	credentials []string // the beginnings of the client's, as they are, percent-encoded and escaped in JSON
	short       []string // credentials that could be a part of any text
	logged      []string // the members of JSON whose strings are logged
}

func newMasker(logged []string, credentials ...string) masker {
	m := masker{logged: logged}
	for _, credential := range credentials {
		credential = strings.TrimSpace(credential)
		if len(credential) < minCredential {
			m.short = append(m.short, credential)
			continue
		}
		// Half a character at the end would be found nowhere.
		credential = strings.ToValidUTF8(credential[:minCredential], "")
		inJSON, _ := json.Marshal(credential) // a string can always be written
		for _, form := range []string{credential, url.QueryEscape(credential), url.PathEscape(credential), strings.Trim(string(inJSON), `"`)} {
			m.credentials = append(m.credentials, folded(form))
		}
	}
	return m
}

// folded returns a text without what escapes and encodings write in several ways.
func folded(text string) string { return strings.ToLower(strings.ReplaceAll(text, `\`, "")) }

// mentionsSecret reports whether a text must not be shown.
func (m masker) mentionsSecret(text string) bool {
	return m.repeats(text) || namesDocumented(text) || secretInURL.MatchString(folded(text))
}

func (m masker) repeats(text string) bool {
	return containsAny(folded(text), m.credentials) || text != "" && slices.Contains(m.short, text)
}

func namesDocumented(text string) bool {
	text = encryptionKeyID.ReplaceAllString(strings.ToLower(text), "$1")
	return containsAny(notLetters.ReplaceAllString(text, ""), documentedSecrets)
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
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
			if !identifier.MatchString(name) || m.repeats(name) {
				name = mask
			}
			members[name] = m.masked(member, isShown)
		}
		return members
	}
	return value
}

// err returns an error of net/http as it is if its text can be shown, or else with what line makes of the
// text: net/http quotes what it cannot read.
func (m masker) err(err error) error {
	if text := m.line(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}
