package transport

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"unicode"
)

var (
	seed        = flag.Uint64("seed", 1, "seed of the random tests: go test ./internal/transport -args -seed=N")
	bodies      = flag.Int("bodies", 14_000, "number of bodies of TestRandomBodies")
	texts       = flag.Int("texts", 4_000, "number of texts of TestRandomTexts")
	credentials = flag.Int("credentials", 2_000, "number of credentials of TestRandomCredentials")
)

// A source makes random bodies.
type source struct{ *rand.Rand }

func pick[T any](r source, values ...T) T { return values[r.IntN(len(values))] }

// text returns characters of an alphabet.
func (r source) text(alphabet string, least, most int) string {
	characters, text := []rune(alphabet), []rune{}
	for range least + r.IntN(most-least+1) {
		text = append(text, pick(r, characters...))
	}
	return string(text)
}

// value has no vowels and no w, so no words, such as pwd.
func (r source) value() string {
	return pick(r, "", "", "id", "Ids", "id-", "1") + r.text("bcdfghjklmnpqrstvxzBCDFGHJKLMNPQRSTVXZ0123456789", 10, 20)
}

// name returns a name of a secret. In JSON, it is an identifier.
func (r source) name(isIdentifier bool) (name string, isDocumented bool) {
	words := strings.Fields(pick(r, "secret", "password", "passwd", "pwd", "passphrase", "token", "credential", "signature", "bearer", "authorization",
		"access key", "account key", "api key", "private key", "connection string", "connection string", "encryption key", "encryption key"))
	isDocumented = words[0] == "connection" || words[0] == "encryption"
	if r.IntN(3) == 0 {
		words = append([]string{pick(r, "db", "my", "access", "source", "data")}, words...)
	}
	switch r.IntN(4) {
	case 0:
		for i := range words {
			words[i] = strings.ToUpper(words[i])
		}
	case 1:
		for i := range words {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	separator := pick(r, "", "_", "-", ".", " ")
	if !isIdentifier {
		separator = pick(r, separator, "\u00a0", "  ", "\r\n    ", "\u2009", "\t", "/", ": ", "' '", "\u200b", "+")
	}
	name = strings.Join(words, separator)
	if separator != " " {
		name += pick(r, "", "", "s", "_1", "2", "Value")
	}
	return name, isDocumented
}

// notIdentifier returns a name of a member that is no identifier and mentions a secret.
func (r source) notIdentifier() string {
	name, _ := r.name(true)
	return strings.Replace(pick(r, "NAME[0]", "/source/NAME", "users[0].NAME", "$.NAME", "a NAME here", "NAME:", "@NAME", "#/NAME", "NAME,x"), "NAME", name, 1)
}

// escaped escapes a text up to a number of times. Letters and digits of value stay.
func (r source) escaped(text, value string, most int) string {
	for range r.IntN(most + 1) {
		before, after, _ := strings.Cut(text, value)
		escape := pick(r,
			func(s string) string { return quoted(s)[1 : len(quoted(s))-1] },
			html.EscapeString,
			r.perRune(`\u%04x`, 0x10000), r.perRune("&#%d;", unicode.MaxRune), r.perRune("&#x%x;", unicode.MaxRune), r.perRune("%%%02x", 0x80),
		)
		text = escape(before) + value + escape(after)
	}
	return text
}

// perRune returns a function that escapes some characters below end, and all that are needed.
func (r source) perRune(format string, end rune) func(string) string {
	part := 1 + r.IntN(4)
	return func(s string) string {
		var escaped strings.Builder
		for _, c := range s {
			if c < end && (r.IntN(part) == 0 || c < 0x80 && !unicode.IsLetter(c) && !unicode.IsDigit(c)) {
				fmt.Fprintf(&escaped, format, c)
			} else {
				escaped.WriteRune(c)
			}
		}
		return escaped.String()
	}
}

// inBody puts a text into a body of any kind.
func (r source) inBody(text string) string {
	body := pick(r,
		`{"message":TEXT}`, `{"error":TEXT,"status":422}`, `{"title":"Bad Request","detail":TEXT}`, `{"Message":TEXT,"__type":"X"}`,
		`{"error":{"code":7,"message":TEXT}}`, `{"errors":[{"field":"name","message":TEXT}]}`, `{"detail":[{"loc":["body","name"],"msg":TEXT}]}`,
		`{"errors":[{"field":"name","defaultMessage":TEXT}]}`, `{"issues":[{"path":["name"],"message":TEXT}]}`, `{"errorMessage":TEXT}`,
		`{"invalid-params":[{"name":"name","reason":TEXT}]}`, `{"errors":{"name":[TEXT]}}`, `{"error_description":TEXT}`, `TEXT`, `[TEXT]`,
		`{"status":422,"result":{"error":TEXT}}`, `{"message":JSON}`)
	nested, _ := json.Marshal(map[string]string{"message": text})
	return strings.NewReplacer("TEXT", quoted(text), "JSON", quoted(string(nested))).Replace(body)
}

// secretBody returns a body with a secret. isDocumented is about its name.
func (r source) secretBody(secret string) (body string, isDocumented bool) {
	name, isDocumented := r.name(true)
	fill := strings.NewReplacer("NAME", name, "SECRET", secret, "OTHER", r.notIdentifier()).Replace
	switch r.IntN(7) {
	case 0: // a member
		return fill(pick(r, `{"NAME":"SECRET"}`, `{"message":"no","NAME":"SECRET"}`, `{"result":[{"NAME":{"value":"SECRET"}}]}`, `{"NAME":["SECRET",1]}`,
			`{"error":{"message":"no","NAME":"SECRET"}}`, "{NAME: SECRET}", `{"NAME":"SECRET`, `)]}',{"NAME":"SECRET"}`, `{"NAME":"SECRET"}{}`)), isDocumented
	case 1: // a name that is no identifier
		return fill(pick(r, `{"OTHER":"SECRET"}`, `{"errors":{"OTHER":["SECRET is too short"]}}`, `{"OTHER":1,"value":"SECRET"}`)), false
	case 2: // an error about a field
		return fill(pick(r, `{"errors":[{"field":"NAME","message":"SECRET is too short"}]}`, `{"detail":[{"loc":["body","NAME"],"msg":"SECRET is too short","input":"SECRET"}]}`,
			`{"invalid-params":[{"name":"NAME","reason":"SECRET is too short"}]}`, `{"error":{"issues":[{"path":["NAME"],"message":"SECRET is too short"}]}}`,
			`{"errors":{"NAME":["SECRET is too short"]}}`, `{"field":"NAME","message":"SECRET is too short"}`, `{"title":"NAME","detail":"SECRET"}`, `{"error":{"path":["NAME"],"message":"SECRET is too short"}}`,
			`{"errors":[{"source":{"pointer":"/data/NAME"},"detail":"SECRET is too short"}]}`)), isDocumented
	case 3: // a value beside a documented name
		for !isDocumented {
			name, isDocumented = r.name(false)
		}
		return strings.NewReplacer("NAME", quoted(name), "SECRET", secret).Replace(pick(r, `[{"name":NAME,"value":"SECRET"}]`, `[[NAME,"SECRET"]]`,
			`{"message":NAME,"value":"SECRET"}`, `{"value":"SECRET","why":[{"at":NAME}]}`, `{"message":"no SECRET","at":NAME}`, `{"message":"no SECRET","a":[{NAME:1}]}`)), isDocumented
	case 4: // a page
		return fill(pick(r, "<title>400</title><!-- [NAME] => SECRET -->", "<html><h1>no NAME SECRET</h1>", "<html><title>NAME: SECRET</title>", "<h1 NAME='SECRET'>400</h1>",
			"<title></title><!-- [NAME] => SECRET -->", "<x><NAME>SECRET</NAME></x>", "<![CDATA[NAME: SECRET]]>", "<title>400</title><p title='NAME'>SECRET",
			"<html><h1 title='NAME'>SECRET</h1>", "<title>&lt;NAME>SECRET</title>", "<h2>a<b>NAME</b> SECRET</h2>", "<input name='NAME' value='SECRET'>")), isDocumented
	}
	name, isDocumented = r.name(false)
	fill = strings.NewReplacer("NAME", name, "SECRET", secret).Replace
	text := fill(pick(r, "bad NAME: SECRET", "no NAME=SECRET here", "SECRET is no valid NAME", `{"NAME":"SECRET"}`, "NAME SECRET", "Value 'SECRET' at 'NAME'", "NAME is SECRET",
		"invalid NAME SECRET", "[NAME] => SECRET", "https://u:SECRET@host.example/x", "https://SECRET@host.example", "see ?X-Amz-Signature=SECRET", "?sv=1&sig=SECRET", "(NAME) SECRET",
		"NAME\nSECRET", "NAME,SECRET", "SECRETNAME is wrong"))
	text = r.escaped(text, secret, 5)
	if r.IntN(4) == 0 {
		return text, isDocumented
	}
	return r.inBody(text), isDocumented
}

// shown returns the error's message for a body, and the body in the log.
func shown(m masker, status int, body string) (message, log string) {
	response := &http.Response{StatusCode: status, Header: http.Header{}}
	_, failed := readResponse(scalePipe(pipeID), response, []byte(body), nil, m)
	return fmt.Sprint(failed), m.body([]byte(body))
}

// TestRandomBodies: what is beside a secret's name is neither shown nor logged.
func TestRandomBodies(t *testing.T) {
	t.Parallel()
	leaks := 0
	for i := range *bodies {
		r := source{rand.New(rand.NewPCG(*seed, uint64(i)))}
		secret := r.value()
		body, isDocumented := r.secretBody(secret)
		status := pick(r, 200, 400, 422, 500)
		if isDocumented {
			status = pick(r, 200, 400, 401, 403, 404, 410, 429, 500)
		}
		message, log := shown(masker{logged: documented}, status, body)
		if strings.Contains(message+log, secret[3:]) {
			if leaks++; leaks <= 5 {
				t.Errorf("%d: %q\n is shown as   %q\n and logged as %q", i, body, message, log)
			}
		}
	}
	t.Logf("%d of %d bodies show a secret", leaks, *bodies)
}

// TestRandomTexts: what mentions no secret is shown.
func TestRandomTexts(t *testing.T) {
	t.Parallel()
	leftOut := 0
	for i := range *texts {
		r := source{rand.New(rand.NewPCG(*seed, uint64(i)))}
		value := "v" + r.value()
		text := strings.ReplaceAll(pick(r, "name VALUE is taken", "VALUE, 5 sec retry", "no encryption-key-id VALUE", "encryptionKeyId: VALUE (no encryption_key.ids)", "the primary key VALUE", "sorting_key=VALUE",
			"to Ken VALUE", "pass a word: VALUE", "https://host.example:8443/VALUE?design=1", "the connection VALUE is no string", "VALUE: no such key", "an account VALUE, or its keyboard",
			"cut at VALUE…", "100% of VALUE \\ %zz &c;", "https://host.example/@VALUE"), "VALUE", value)
		if escaped := r.escaped(text, value, 2); len(escaped) < 400 && !strings.Contains(text, "encryption") { // else it is cut, or no id
			text = escaped
		}
		body := r.inBody(text)
		message, _ := shown(newMasker("vvvvvvvvvvvv"), pick(r, 200, 400, 404, 500), body)
		if !strings.Contains(message, value) {
			if leftOut++; leftOut <= 5 {
				t.Errorf("%d: %q\n is shown as %q", i, body, message)
			}
		}
	}
	t.Logf("%d of %d texts are left out", leftOut, *texts)
}

// TestRandomCredentials: a text that repeats the client's credentials, or their beginning, is
// neither shown nor logged.
func TestRandomCredentials(t *testing.T) {
	t.Parallel()
	const marker = "QZX"
	leaks := 0
	for i := range *credentials {
		r := source{rand.New(rand.NewPCG(*seed, uint64(i)))}
		credential := pick(r, "", "", "secret-", "my_token_", "password", "top_secret") +
			r.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+/=", 4, 30)
		if r.IntN(2) == 0 {
			credential += pick(r, `%41`, "&lt;", `\n`, `"`, "é", `\`, "<", "%", "&", "'", " x", "ß") + r.text("abc%&;\\\"#'<>/é12+ ", 0, 10)
			credential = credential[r.IntN(4):]
		}
		basic := base64.StdEncoding.EncodeToString([]byte("key-id:" + credential))
		m := newMasker(credential, basic)
		part := []rune(pick(r, credential, basic))
		if len(part) > 8 && r.IntN(2) == 0 {
			part = part[:8+r.IntN(len(part)-8)] // cut
		}
		text := strings.Replace(marker+pick(r, " Basic PART", " is not PART", " 'PART'", ": PART…", " PART", " key=PART&x"), "PART", string(part), 1)
		text = r.escaped(text, marker, 3)
		body := r.inBody(text)
		switch r.IntN(6) {
		case 0:
			body = text
		case 1:
			body = `{` + quoted(text) + `:1}`
		case 2:
			body = `{` + quoted(string(part)) + `:"` + marker + `"}` // may be an identifier with a secret's name
		}
		message, log := shown(m, pick(r, 200, 400, 401, 500), body)
		of := m.err(errors.New(text)).Error() + m.line(text)
		if strings.Contains(message+log+of, marker) || strings.Contains(log, string(part)) {
			if leaks++; leaks <= 5 {
				t.Errorf("%d: %q in %q\n is shown as   %q\n and logged as %q, and %q", i, credential, body, message, log, of)
			}
		}
	}
	t.Logf("%d of %d credentials are shown", leaks, *credentials)
}
