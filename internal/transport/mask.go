package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const mask = "***"

// The text of a response is shown and logged by one rule, because it may hold secrets
// of objects, or repeat the client's credentials:
//
//   - In JSON, also inside or at the end of a JSON string, members with a secret's
//     name are masked. So is what is beside a value that names a secret.
//   - In any other text, everything after a secret's name and everything from the
//     beginning of an object is masked, because it is unknown where the value ends.
//   - Texts are masked before they are cut. Only JSON is logged.
const (
	// The secrets of openapi.yaml: encryptionKey, connection_strings.
	knownName = `(?:connection[-_.\s]?string|encryption[-_.\s]?key)s?\b`
	// db_password, AccessTokens
	tellingName = `\w*(?:secret|password|token)\w*`
)

var (
	known      = regexp.MustCompile(`(?i)` + knownName)
	secretName = regexp.MustCompile(`(?i)` + knownName + `|` + tellingName)
	// source.encryptionKey, but not a code such as INVALID_ENCRYPTION_KEY
	pathToName = regexp.MustCompile(`(?i)^(?:\S*[^\w\s])?` + knownName + `\W*$`)
	// encryptionKey k3y, token=k3y, password (k3y), but not "wrong token, try again"
	namedSecret = regexp.MustCompile(`(?is)(` + knownName + `).+|(` + tellingName + `)(?: ?[^\w .,;!?)]|  |[.,;!?)]+[^\s.,;!?)]).*`)
	// 'k3y' in "'k3y' is no encryptionKey"; the apostrophe in "isn't" is no quotation mark
	noWord = regexp.MustCompile(`"[^"]*"|\B'[^']*'|\x60[^\x60]*\x60|\S*[\d=/+]\S*|\S{24,}`)
	// {"a":1}, {\"a, &#123;&quot;, a { at the end, and binary data such as UTF-16
	object = regexp.MustCompile(`(?is)^\W*\{.*|(?:\{|\\u007b|&#123;|&#x7b;|&lbrace;|&lcub;|%7b)(?:\s|\\+[nrt])*(?:["'\\&%]|$).*|\x00.*`)
	// ://user@, ://user:pass/word@: a password may hold any character
	userInfo = regexp.MustCompile(`://[^\s"'<>@/?#:]*(:[^\s"'<>]*)?@`)
	// ?sig=…, &X-Amz-Signature=…, AccountKey=…, in URLs and connection strings
	signature = regexp.MustCompile(`(?i)((?:^|[?&;,\s])(?:(?:[\w.-]*[-_.])?(?:sig|signature)|` +
		`[\w.-]*(?:credential|accesskey|accountkey|api[-_]?key)[\w.-]*)=)[^&;,\s"'<>#]+`)
)

// minCredential is the length in bytes from which credentials, and what is left of
// one at the end of a text, are masked. Masking less would garble every text.
const minCredential = 8

// A masker holds the client's credentials, and masks them and all other secrets.
type masker []string

func newMasker(credentials ...string) masker {
	return slices.DeleteFunc(credentials, func(s string) bool { return len(s) < minCredential })
}

// text returns a text that is not JSON with its secrets masked.
func (m masker) text(s string) string {
	s = printable(s)
	for _, credential := range m {
		s = strings.ReplaceAll(s, credential, mask)
		for n := len(credential) - 1; n >= minCredential; n-- { // a text that is cut
			if start, ok := strings.CutSuffix(s, credential[:n]); ok {
				s = start + mask
			}
		}
	}
	s = object.ReplaceAllString(s, mask)
	if name := known.FindStringIndex(s); name != nil {
		s = noWord.ReplaceAllString(s[:name[0]], mask) + s[name[0]:]
	}
	s = namedSecret.ReplaceAllString(s, "${1}${2}: "+mask)
	s = userInfo.ReplaceAllString(s, "://"+mask+"@")
	return signature.ReplaceAllString(s, "${1}"+mask)
}

// value returns a JSON value with its secrets masked. A string that holds JSON is
// replaced with what it holds.
func (m masker) value(value any) any {
	switch value := value.(type) {
	case string:
		inner, whole := parseJSON([]byte(value))
		switch inner.(type) {
		case string, []any, map[string]any:
			if whole {
				return m.value(inner)
			}
		}
		// Such as "BAD_REQUEST: [{…}]", but not "encryptionKey: […]".
		start := max(strings.IndexAny(value, "{["), 0)
		before := value[:start]
		inner, ok := parseJSON([]byte(value[start:]))
		if ok && before != "" && !namedSecret.MatchString(before+":x") {
			text, _ := json.Marshal(m.value(inner))
			return m.text(before) + string(text)
		}
		return m.text(value)
	case []any:
		hides := slices.ContainsFunc(value, isSecretName)
		for i, element := range value {
			if hides && !isSecretName(element) {
				element = mask
			}
			value[i] = m.value(element)
		}
	case map[string]any:
		members := slices.Collect(maps.Values(value))
		hides, mentions := slices.ContainsFunc(members, namesSecret), slices.ContainsFunc(members, mentionsSecret)
		masked := map[string]any{}
		for name, member := range value {
			isBeside := hides && !namesSecret(member) || mentions && !mentionsSecret(member) && !slices.Contains(textMembers, name)
			if member != nil && (secretName.MatchString(name) || isBeside) {
				member = mask
			}
			masked[m.text(name)] = m.value(member)
		}
		return masked
	}
	return value
}

// isSecretName reports whether a value is the name of a secret, which may be
// beside it: {"name":"encryptionKey","value":"…"}.
func isSecretName(value any) bool { return matches(pathToName, value) }

func mentionsSecret(value any) bool { return matches(known, value) }

func matches(pattern *regexp.Regexp, value any) bool {
	s, _ := value.(string)
	return pattern.MatchString(s)
}

// namesSecret is isSecretName, also for the path to it as an array:
// {"loc":["body","encryptionKey"],"input":"…"}.
func namesSecret(value any) bool {
	path, _ := value.([]any)
	return isSecretName(value) || slices.ContainsFunc(path, isSecretName)
}

const maxLogged = 1 << 20 // bytes of a body: masking takes time

// body returns a body for the log.
func (m masker) body(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	if len(body) <= maxLogged {
		if value, ok := parseJSON(body); ok {
			text, _ := json.Marshal(m.value(value)) // was JSON before
			return string(text)
		}
	}
	return describeBody(body)
}

func describeBody(body []byte) string {
	kind := map[bool]string{true: "of JSON", false: "that is not JSON"}[json.Valid(body)]
	return fmt.Sprintf("a body of %d bytes %s", len(body), kind)
}

// parseJSON keeps the digits of numbers.
func parseJSON(text []byte) (value any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(withoutBOM(text)))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil, false
	}
	_, err := decoder.Token()
	return value, err == io.EOF
}

// withoutBOM removes the byte order mark that some servers put before JSON.
func withoutBOM(body []byte) []byte { return bytes.TrimPrefix(body, []byte("\ufeff")) }
