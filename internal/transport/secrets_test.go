package transport

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

const hidden = "k3yMaterial9Zq7Xw2Lp"

var basicAuth = base64.StdEncoding.EncodeToString([]byte("key-id:" + keySecret))

// quoted returns text as a JSON string.
func quoted(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// secretShapes are bodies with a secret.
func secretShapes(name, secret string) map[string]string {
	object := `{"` + name + `":"` + secret + `"}`
	in := func(format string) string { return strings.NewReplacer("NAME", name, "SECRET", secret).Replace(format) }
	return map[string]string{
		"object":                object,
		"nested":                `{"result":[{"a":` + object + `}]}`,
		"another type":          in(`{"NAME":["SECRET",1]}`),
		"byte order mark":       "\ufeff" + object,
		"path as a name":        in(`{"source.NAME":"SECRET"}`),
		"longer name":           in(`{"myNAME_1":"SECRET"}`),
		"prefix":                ")]}',\n" + object,
		"two objects":           object + "\n" + object,
		"cut":                   strings.TrimSuffix(object, `"}`),
		"without quotes":        in("{NAME: SECRET}"),
		"in the message":        `{"message":` + quoted(object) + `}`,
		"in the message's text": `{"message":` + quoted("refused: "+object+" here") + `}`,
		"array after the name":  `{"message":` + quoted(in(`NAME: ["SECRET"]`)) + `}`,
		"pair in the message":   in(`{"message":"bad NAME: SECRET"}`),
		"lines in the message":  in(`{"message":"NAME\nSECRET"}`),
		"entity in the message": in(`{"message":"bad NAME&#61;SECRET"}`),
		"plain":                 in("NAME: SECRET"),
		"=":                     in("bad NAME=SECRET here"),
		"quotes":                in(`bad "NAME":"SECRET" here`),
		"escaped quotes":        in(`bad \"NAME\":\"SECRET`),
		"&quot;":                in("bad &quot;NAME&quot;:&quot;SECRET&quot;"),
		"lines":                 in("NAME\nSECRET"),
		"columns":               in("NAME    SECRET"),
		"comma":                 in("NAME,SECRET"),
		"parentheses":           in("bad NAME (SECRET)"),
		"query":                 in("no page /x?a=1&NAME=SECRET&b=2"),
		"percent-encoded":       in("a=1&x=%7B%22NAME%22%3A%22SECRET"),
		"value before name":     in("Value 'SECRET' at 'NAME' is not valid"),
		"quoted name":           in(`"SECRET" is no valid "NAME"`),
		"UTF-16":                "\xff\xfe" + strings.Join(strings.Split(object, ""), "\x00"),
		"invisible characters":  "\u200b" + strings.ReplaceAll(name, "n", "\u200bn") + ": " + secret,
		"no-break space":        in("NAME\u00a0SECRET"),
		"element":               in("<error>bad<NAME><b>SECRET</NAME></error>"),
		"named element":         in("<error>bad<value of='NAME'>SECRET</value>"),
		"name element":          in("<name>NAME</name><value>SECRET</value>"),
		"escaped element":       in("<error>&lt;NAME&gt;SECRET&lt;/NAME&gt;</error>"),
		"page":                  in("<title>400</title><p>bad NAME: SECRET"),
		"page, escaped twice":   "<title>400</title>bad " + html.EscapeString(html.EscapeString(object)),
		"page with a cell":      in("<title>400</title><td>NAME</td><td>SECRET"),
		"page with an emphasis": in("<title>400</title><b>NAME</b>: SECRET"),
	}
}

const noText = "a body of # bytes"

// What is shown of a shape, if not leftOut, and what is logged if it is JSON, if not a masked
// message.
var (
	shownShapes = map[string]string{
		"object": noText, "nested": noText, "another type": noText, "byte order mark": noText, "path as a name": noText, "longer name": noText, "in the message": noText,
		"two objects": noText, "cut": noText, "without quotes": noText,
		"element": noText, "named element": noText, "name element": noText, "escaped element": noText,
		"page": "400", "page, escaped twice": "400", "page with a cell": "400", "page with an emphasis": "400",
	}
	loggedShapes = map[string]string{
		"object": `{"NAME":"***"}`, "nested": `{"result":[{"a":{"NAME":"***"}}]}`, "another type": `{"NAME":["***",1]}`,
		"byte order mark": `{"NAME":"***"}`, "path as a name": `{"source.NAME":"***"}`, "longer name": `{"myNAME_1":"***"}`,
	}
)

// checkHidden looks for a secret, or a part of it, in what was shown.
func checkHidden(t *testing.T, shape, shown, secret string) {
	t.Helper()
	for i := range len(secret) - minCredential + 1 {
		if strings.Contains(shown, secret[i:i+minCredential]) {
			t.Fatalf("%s: %s", shape, shown)
		}
	}
}

// TestSecretsOfObjects: neither messages nor logs show them, in whatever shape a
// response has them.
func TestSecretsOfObjects(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"encryptionKey", "connectionString", "connection_string", "dbPassword", "accessToken", "CLIENT_SECRET", "signature", "API-key"} {
		for shape, body := range secretShapes(name, hidden) {
			_, records, err := logged(t, LevelTrace, returns(422, body), scalePipe(pipeID))
			body = strings.TrimPrefix(body, "\ufeff")
			size := strings.NewReplacer("NAME", name, "#", strconv.Itoa(len(body)))
			if want := "scale pipe: " + size.Replace(cmp.Or(shownShapes[shape], leftOut)) + " (HTTP 422 Unprocessable Entity)"; err == nil || err.Error() != want {
				t.Errorf("%s: message %v, want %s", shape, err, want)
			}
			want := noText
			if json.Valid([]byte(body)) {
				want = cmp.Or(loggedShapes[shape], `{"message":"***"}`)
			}
			sent, received := records[0]["sent"], records[0]["received"]
			if sent != `{"replicas":3}` || received != size.Replace(want) {
				t.Errorf("%s: logged %s and %s, want %s", shape, sent, received, size.Replace(want))
			}
		}
	}
}

// TestSecretsInSecrets: the same, of shapes within others, and wherever they are cut.
func TestSecretsInSecrets(t *testing.T) {
	t.Parallel()
	for shape, inner := range secretShapes("encryptionKey", hidden) {
		bodies := []string{}
		if strings.Index(inner, hidden) < strings.Index(inner, "encryptionKey") {
			continue // nothing is known before the name
		}
		for end := range inner {
			bodies = append(bodies, inner[:end])
		}
		for _, outer := range secretShapes("connectionString", strings.Trim(quoted("see "+inner), `"`)) {
			bodies = append(bodies, outer, outer[:len(outer)*4/5])
		}
		for i, body := range bodies {
			response := &http.Response{StatusCode: []int{200, 422}[i%2]}
			_, failed := readResponse(scalePipe(pipeID), response, []byte(body), nil, masker{})
			checkHidden(t, shape, fmt.Sprintln(failed, masker{logged: documented}.body([]byte(body))), hidden)
		}
	}
}

// TestCredentials: neither messages nor logs repeat them, also if the response or
// the message is cut in the middle of them.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{keySecret, basicAuth} {
		for name, respond := range map[string]func(text string) roundTripper{
			"text":       func(text string) roundTripper { return returns(401, text) },
			"page":       func(text string) roundTripper { return returns(401, "<title>401</title>"+text) },
			"escaped":    func(text string) roundTripper { return returns(401, html.EscapeString(text)) },
			"message":    func(text string) roundTripper { return returns(401, `{"error":`+quoted(text)+`}`) },
			"member":     func(text string) roundTripper { return returns(401, `{`+quoted(text)+`:1}`) },
			"result":     func(text string) roundTripper { return returns(200, `{"result":{"name":`+quoted(text)+`}}`) },
			"id":         func(text string) roundTripper { return returns(200, `{"result":{"id":`+quoted(text)+`}}`) },
			"request id": func(text string) roundTripper { return returns(401, `{"requestId":`+quoted(text)+`}`) },
			"header":     func(text string) roundTripper { return returns(401, "", "X-Request-Id", text) },
			"redirect":   func(text string) roundTripper { return returns(302, "", "Location", "https://"+text+"/?"+text) },
			"body":       func(text string) roundTripper { return endsWith(errors.New(text)) },
			"net/http":   func(text string) roundTripper { return fails(errors.New("malformed MIME header: " + text)) },
		} {
			for _, length := range []int{0, 50, 90, 490} {
				for end := minCredential; end <= len(secret); end++ {
					text, _, err := logged(t, LevelTrace, respond(strings.Repeat("x", length)+secret[:end]), scalePipe(pipeID), retries(0))
					checkHidden(t, name, fmt.Sprint(text, err), secret)
				}
			}
		}
	}
}

// TestTexts: a text is shown as it is, or left out.
func TestTexts(t *testing.T) {
	t.Parallel()
	m := newMasker("top-secret-s3cr3t", "zzz ", "abc%41'1234")
	for _, text := range []string{
		"", "name must match ^[a-z]{1,50}$ in /v1/{id}", "5 sec retry", "pass a word to Ken", "the API; keys are frozen"[:7],
		"https://host.example/path?a=b&design=1", "https://host.example/@team", "https://host.example:8443/x",
		"encryptionKeyId: k", "no encryption key id", "transparent_data_encryption_key_ids", "encryption-key-id", "encryption.key.id",
		"100% &c; \\x", "top-sec", "&amp;amp;amp;", "%252541", `\u005cu005cu0041`,
	} {
		if got := m.line(text); got != text {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{
		"wrong password, try again", "invalid token S", "password is S", "dbPassword", "AccessTokens", "TOKEN", "my secretary", "bad signature", "no credentials",
		"access key", "accountKey", "API_KEY", "the API. Key", "S is no encryption.key", "can't use 'k e y' as encryption key", "encryption\r\n    key \"S\"",
		"encryption  key S", "encryption\u2009key S", "encryption\u00a0key S", "connection\tstring", "connection+string",
		"encryption key id5", "encryption key idXy", "encryption key id+Xy", "encryption key id-Xy", `"encryptionKey":"id S"`, "encryptionKeyIdentifier",
		"pass\u200bword", "pass\xffword", "p\x00a\x00s\x00s\x00w\x00o\x00r\x00d", "pass\x07word",
		`{\"encryption\u004bey\":\"S\"}`, `\\u0070assword`, "&#112;assword", "&#x70;assword", "encryption&nbsp;key", "%70assword", "pass%E2%80%8Bword", "connection%20string",
		"two lines\n\\u0070assword", `\z %zz \u0070ass%77ord`, "&amp;#112;assword", "%2570assword", `\\\\u0070assword`, "&amp;amp;amp;amp;amp;", "%2525252541",
		"see https://u:p@host.example/x.", "https://u@host.example", "https://u:it's@host.example", "postgres://u:p@ss/w#rd@db.example:5432/d", `{\"url\":\"https:\/\/u:p@b.example\"}`, "https%3A%2F%2Fu%3Ap%40b.example",
		"https://a.example/?sv=1&sig=abc%3D&se=2", "?sig=abc", "https://a.example/?X-Amz-Signature=ab", "https://a.example/?X-Amz-Credential=a/b&x=1", "AccountName=a;AccountKey=ab==;Endpoint=c",
		"a bearer of S", "authorization S", "dbPwd S", "passwd S", "PASSPHRASE", "private_key S", "Basic top-secret-s3cr3t", "TOP-SECRET-S", "is top-secre…", `"top-secre"`, "top%2Dsecret-s3cr3t", `top\u002dsecret-s3cr3t`, "top&#45;secret-s3cr3t", "it is zzz.", "abc%41&#39;1…",
	} {
		if got := m.line(text); got != leftOut || m.line(got) != got {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestErrorsThatNameSecrets: what a key may not do, and what does not exist, is shown with names
// of secrets, but not with what can be a value.
func TestErrorsThatNameSecrets(t *testing.T) {
	t.Parallel()
	messageOf := func(status int, body string) string {
		_, failed := readResponse(scalePipe(pipeID), &http.Response{StatusCode: status}, []byte(body), nil, newMasker("top-secret-s3cr3t"))
		return failed.Message
	}
	for _, text := range []string{
		"the key id or secret is missing or wrong", "API key 7 not found", "API key lacks the role admin", "Rate limit exceeded for this API key",
		"invalid access token", "wrong password, try again", "Authorization: Bearer is missing", "no pwd, passwd or passphrase", "private key not found",
	} {
		for status, want := range map[int]string{401: text, 403: text, 404: text, 410: text, 429: text, 400: leftOut, 402: leftOut, 409: leftOut, 422: leftOut, 500: leftOut, 503: leftOut} {
			for _, body := range []string{text, `{"error":` + quoted(text) + `}`, "<h1>" + text + "</h1>", `{"field":"password","message":` + quoted(text) + `}`} {
				if got := messageOf(status, body); !strings.HasSuffix(got, want) {
					t.Errorf("%d: %s is shown as %s", status, body, got)
				}
			}
		}
	}
	for _, text := range []string{
		"top-secret-s3cr3t is wrong", "top-secr…", "see https://u:p@host.example", "see ?sig=S", "see ?X-Amz-Signature=S", "no connection string S", "encryptionKey is S", "encryption&nbsp;key S",
	} {
		for _, body := range []string{text, `{"error":` + quoted(text) + `}`, "<h1>" + text + "</h1>", `{"message":"S","at":"encryption_key"}`, `{"message":"S","/connectionString":1}`} {
			if got := messageOf(401, body); got != leftOut {
				t.Errorf("%s is shown as %s", body, got)
			}
		}
	}
}

// TestBodies: a body in the log.
func TestBodies(t *testing.T) {
	t.Parallel()
	m := newMasker("my-secret-1234", "87654321", "qq")
	m.logged = documented
	for body, want := range map[string]string{ // "": unchanged
		"name is taken": "a body of 13 bytes",
		`{"a":[1.50,true,null],"id":9007199254740993,"password":7}`: "",
		// Strings of documented members.
		`{"a":{"name":"orders","roles":["a","b"]},"url":"https://a.example"}`: "",
		`{"name":"CI token","roles":["a","secret"]}`:                          `{"name":"***","roles":["a","***"]}`,
		`{"url":"https:\/\/u:p@b.exam"}`:                                      `{"url":"***"}`,
		`{"topics":"auth-tokens,users"}`:                                      `{"topics":"***"}`,
		`{"name":{"first":"S"},"roles":[{"S":"S"}]}`:                          `{"name":{"first":"***"},"roles":[{"S":"***"}]}`,
		// Other strings.
		`"S"`: `"***"`, `["404"]`: `["***"]`, `{"Name":"S"}`: `{"Name":"***"}`,
		`{"dbPassword":"S","api.key":{"a":["S",1]}}`:         `{"api.key":{"a":["***",1]},"dbPassword":"***"}`,
		`{"error":"INVALID_ENCRYPTION_KEY","value":"S"}`:     `{"error":"***","value":"***"}`,
		`{"input":"S","loc":["body","password"],"status":4}`: `{"input":"***","loc":["***","***"],"status":4}`,
		// Names that are no identifiers.
		`{"encryptionKey[0]":"S"}`: `{"***":"***"}`, `{"the password is S":1}`: `{"***":1}`, `{"https://u:S@host":1}`: `{"***":1}`,
		// The client's credentials.
		`{"name":"is my-secret…"}`: `{"name":"***"}`, `{"my-secret-1234":1}`: `{"***":1}`, `{"qqq":1}`: `{"***":1}`,
	} {
		if got := m.body([]byte(body)); got != cmp.Or(want, body) {
			t.Errorf("body %s became %s, want %s", body, got, cmp.Or(want, body))
		}
	}
}
