package transport

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"
)

const hidden = "k3yMaterial9Zq7Xw2Lp"

var credentials = base64.StdEncoding.EncodeToString([]byte("key-id:" + keySecret))

// quoted returns text as a JSON string.
func quoted(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// secretShapes are bodies with a secret. Those that are not in shown are left out.
func secretShapes(name, secret string) (shapes, shown map[string]string) {
	object := `{"` + name + `":"` + secret + `"}`
	masked := `{"` + name + `":"***"}`
	in := func(format string) string { return strings.NewReplacer("NAME", name, "SECRET", secret).Replace(format) }
	shapes = map[string]string{
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
	shown = map[string]string{
		"object":          masked,
		"nested":          `{"result":[{"a":` + masked + `}]}`,
		"another type":    masked,
		"byte order mark": masked,
		"path as a name":  in(`{"source.NAME":"***"}`),
		"longer name":     in(`{"myNAME_1":"***"}`),
		"two objects":     "a body of # bytes that is not JSON",
		"cut":             "a body of # bytes that is not JSON",
		"without quotes":  "a body of # bytes that is not JSON",
	}
	return shapes, shown
}

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
	for _, name := range []string{"encryptionKey", "connectionString", "connection_string", "dbPassword", "accessToken", "CLIENT_SECRET"} {
		shapes, shown := secretShapes(name, hidden)
		for shape, body := range shapes {
			_, records, err := logged(t, LevelTrace, returns(409, body), scalePipe(pipeID))
			body = strings.TrimPrefix(body, "\ufeff")
			notJSON := fmt.Sprintf("a body of %d bytes that is not JSON", len(body))
			want := strings.Replace(cmp.Or(shown[shape], leftOut), "a body of # bytes that is not JSON", notJSON, 1)
			if err == nil || err.Error() != "scale pipe: "+want+" (HTTP 409 Conflict)" {
				t.Errorf("%s: message %v, want %s", shape, err, want)
			}
			if !json.Valid([]byte(body)) {
				want = notJSON
			}
			sent, log := records[0]["sent"], fmt.Sprint(records[0]["received"])
			if checkHidden(t, shape, log, hidden); sent != `{"replicas":3}` || !strings.Contains(log, want) {
				t.Errorf("%s: logged %s and %s, want %s", shape, sent, log, want)
			}
		}
	}
}

// TestSecretsInSecrets: the same, of shapes within others, and wherever they are cut.
func TestSecretsInSecrets(t *testing.T) {
	t.Parallel()
	shapes, _ := secretShapes("encryptionKey", hidden)
	for shape, inner := range shapes {
		bodies := []string{}
		if strings.Index(inner, hidden) < strings.Index(inner, "encryptionKey") {
			continue // nothing is known before the name
		}
		for end := range inner {
			bodies = append(bodies, inner[:end])
		}
		outers, _ := secretShapes("connectionString", strings.Trim(quoted("see "+inner), `"`))
		for _, outer := range outers {
			bodies = append(bodies, outer, outer[:len(outer)*4/5])
		}
		for i, body := range bodies {
			response := &http.Response{StatusCode: []int{200, 409}[i%2]}
			_, failed := readResponse(scalePipe(pipeID), response, []byte(body), nil, nil)
			checkHidden(t, shape, fmt.Sprintln(failed, masker(nil).body([]byte(body))), hidden)
		}
	}
}

// TestCredentials: neither messages nor logs repeat them, also if the response or
// the message is cut in the middle of them.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{keySecret, credentials} {
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

func TestMasked(t *testing.T) {
	t.Parallel()
	if m := newMasker("12345678", "1234567"); len(m) != 1 {
		t.Errorf("masked: %q", m)
	}
	if got := newMasker("12345678").body([]byte(`{"message":"12345678"}`)); got != `{"message":"***"}` {
		t.Errorf("a credential that is a number: %s", got)
	}
	for in, want := range map[string]string{
		"":                                  "",
		"name is taken":                     "a body of 13 bytes that is not JSON",
		`{"id":9007199254740993}`:           `{"id":9007199254740993}`,
		`{"encryptionKey":null}`:            `{"encryptionKey":null}`,
		`{"encryptionKeyId":"k"}`:           `{"encryptionKeyId":"k"}`,
		`["404","https:\/\/u:p@b.example"]`: `["404","https://***@b.example"]`,
		`{"dataEncryptionKeyId":"the encryption key id is k"}`: `{"dataEncryptionKeyId":"the encryption key id is k"}`,
		`{"topics":"auth-tokens,users","name":"a"}`:            `{"name":"a","topics":"` + leftOut + `"}`,
		// A documented secret may be beside its name.
		`[{"name":"encryptionKey","value":"k"}]`:              quoted(leftOut),
		`[["connectionString","k"]]`:                          quoted(leftOut),
		`{"loc":["body","encryptionKey"],"input":"k"}`:        quoted(leftOut),
		`{"error":"INVALID_ENCRYPTION_KEY","value":"k"}`:      quoted(leftOut),
		`{"message":"bad encryption key","value":7}`:          quoted(leftOut),
		`{"at":"encryption&nbsp;key","value":7}`:              quoted(leftOut),
		`{"value":"k","why":[{"at":"x.connection_strings"}]}`: quoted(leftOut),
		`{"the encryptionKey is k":1}`:                        `{"` + leftOut + `":"***"}`,
		// A text that begins with JSON is a text.
		`{"message":"\"name\" is too long"}`: `{"message":"\"name\" is too long"}`,
		`{"message":"[1] is no name"}`:       `{"message":"[1] is no name"}`,
	} {
		if got := masker(nil).body([]byte(in)); got != want {
			t.Errorf("body %s became %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{ // "": unchanged
		"the encryptionKey is k":                               leftOut,
		"k3y== is no encryption.key":                           leftOut,
		"can't use 'k e y' as encryption key":                  leftOut,
		"no encryption key id":                                 "",
		"wrong password, try again. (No token!) Secret?":       "",
		"name must match ^[a-z]{1,50}$ in /v1/{id}":            "",
		"encryptionKeyId: k":                                   "",
		"https://host.example/path?a=b":                        "",
		"https://host.example/@team":                           "",
		"see https://u:p@host.example/x.":                      "see https://***@host.example/x.",
		"postgres://u:p@ss/w#rd@db.example:5432/d":             "postgres://***@db.example:5432/d",
		"https://a.example/?sv=1&sig=abc%3D&se=2":              "https://a.example/?sv=1&sig=***&se=2",
		"https://a.example/?X-Amz-Signature=ab&X-Amz-Expires=": "https://a.example/?X-Amz-Signature=***&X-Amz-Expires=",
		"https://a.example/?X-Amz-Credential=a/b&x=1":          "https://a.example/?X-Amz-Credential=***&x=1",
		"https://a.example/?access_token=ab&x=1":               leftOut,
		"https://a.example/?design=1&Signature=ab":             "https://a.example/?design=1&Signature=***",
		"AccountName=a;AccountKey=ab==;Endpoint=c":             "AccountName=a;AccountKey=***;Endpoint=c",
	} {
		want = cmp.Or(want, in)
		if got := masker(nil).text(in); got != want || masker(nil).text(got) != got {
			t.Errorf("text %s became %s, want %s", in, got, want)
		}
	}
}

// messageOf returns the message of the error for a response.
func messageOf(status int, body string) string {
	_, failed := readResponse(scalePipe(pipeID), &http.Response{StatusCode: status}, []byte(body), nil, nil)
	return failed.Message
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"error and message", `{"error":"Bad Request","message":"name is taken","statusCode":400}`, "Bad Request: name is taken"},
		{"the same twice", `{"error":"name is taken","message":"name is taken"}`, "name is taken"},
		{"errors of objects", `{"errors":[{"message":"name is taken"},null,{"detail":"name is long"}]}`, "name is taken; name is long"},
		{"problem", `{"type":"about:blank","title":"Conflict","detail":"name is taken"}`, "Conflict: name is taken"},
		{"errors by field", `{"title":"Invalid","errors":{"name":["is taken","is long"],"roles":["are frozen"]}}`, "Invalid: name: is taken; is long; roles: are frozen"},
		{"errors of an object", `{"errors":{"message":"name is taken","code":7,"other":[]}}`, "name is taken"},
		{"in the result", `{"status":409,"result":{"error":"name is taken"}}`, "name is taken"},
		{"null", `null`, "Conflict"},
		{"plain, in brackets", "[ERROR] name is taken", "[ERROR] name is taken"},
		{"several lines", "name\r\n\tis \x01 taken\x1b[31m", "name is taken [31m"},
		{"bidirectional", "name \u202eis taken", "name is taken"},
		{"not UTF-8", "name \xff", "name \ufffd"},
		{"HTML", "<!doctype html><html><head><title>409 Conflict &amp; more</title></head><body>x</body></html>", "an HTML page: 409 Conflict & more x"},
		{"HTML whose title is the status", "<html><head><title>409</title><style>p{}</style></head><body><p>name is taken</p><script>x()</script></body>", "an HTML page: 409 name is taken"},
		{"URL with a password, cut off", strings.Repeat("x ", 240) + "https://u:" + strings.Repeat("p", 50) + "@host.example", strings.Repeat("x ", 240) + "https://***@host.exa…"},
		{"HTML that mentions a secret", "<html><title>Sign in</title><label for=password>", "an HTML page: " + leftOut},
		{"HTML with a comment", "<!-- a\nb --><p>name is taken", "name is taken"},
		{"HTML with a field for a secret", "<input name='token'><p>name is taken", "name is taken"},
		{"HTML for browsers without scripts", "<noscript>no <b>script</b>s</noscript><p>name is taken", "name is taken"},
		{"HTML with names of secrets in addresses", "<link href=tokens.css><script src=password.js></script>name is taken", "name is taken"},
		{"empty", "", "Conflict"},
		{"empty object members", `{"error":""}`, `{"error":""}`},
		{"cut JSON", `{"error":"name is ta`, "a body of 20 bytes that is not JSON"},
		{"cut JSON in an array", ` [ {"token":"hid`, "a body of 16 bytes that is not JSON"},
		{"long", strings.Repeat("é", 32<<10), strings.Repeat("é", 500) + "…"},
		{"long JSON", `{"error":"` + strings.Repeat("x", 64<<10-12) + `"}`, strings.Repeat("x", 500) + "…"},
		{"too long JSON", `{"error":"` + strings.Repeat("x", 64<<10-11) + `"}`, "a body of 65537 bytes of JSON"},
		{"too long HTML", strings.Repeat("<html>", 11<<10), "an HTML page: a body of 67584 bytes that is not JSON"},
	} {
		if got := messageOf(409, test.body); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	tooLong := strings.Repeat("x", 64<<10+1)
	for _, respond := range []roundTripper{
		returns(409, "taken", "X-Request-Id", tooLong), returns(409, `{"requestId":"`+tooLong+`"}`),
		returns(302, "", "Location", "https://"+tooLong), returns(200, `{"result":{"id":"`+tooLong+`"}}`), fails(errors.New(tooLong)),
	} {
		if err := scale(t, clientOf(t, respond, retries(0))); !strings.Contains(err.Error(), "a text of 65537 bytes") {
			t.Error(err)
		}
	}
	if got := messageOf(599, ""); got != "status 599 without a text" {
		t.Errorf("unknown status: got %q", got)
	}
}
