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

var credentials = base64.StdEncoding.EncodeToString([]byte("key-id:" + keySecret))

// quoted returns text as a JSON string.
func quoted(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// secretShapes are bodies with a secret, and what a message and a log may show of
// them; "" for the status alone, and for a log for what is not JSON.
func secretShapes(name, secret string) map[string]struct{ body, message, log string } {
	object := `{"` + name + `":"` + secret + `"}`
	masked := `{"` + name + `":"***"}`
	const notJSON = "a body of # bytes that is not JSON"
	return map[string]struct{ body, message, log string }{
		"object":                {object, masked, masked},
		"nested":                {`{"result":[{"a":` + object + `}]}`, `{"result":[{"a":` + masked + `}]}`, `{"result":[{"a":` + masked + `}]}`},
		"another type":          {`{"` + name + `":["` + secret + `",1]}`, masked, masked},
		"byte order mark":       {"\ufeff" + object, masked, masked},
		"prefix":                {")]}',\n" + object, notJSON, notJSON},
		"callback":              {"callback(" + object + ");", notJSON, notJSON},
		"two objects":           {object + "\n" + object, notJSON, notJSON},
		"three levels":          {quoted(quoted(quoted(object))), masked, masked},
		"in the message":        {`{"message":` + quoted(object) + `}`, `{"message":` + masked + `}`, `{"message":` + masked + `}`},
		"in the message's text": {`{"message":` + quoted("refused: "+object+" here") + `}`, "refused: ***", `{"message":"refused: ***"}`},
		"at the end of a text":  {`{"message":` + quoted("refused: "+object) + `}`, "refused: " + masked, `{"message":` + quoted("refused: "+masked) + `}`},
		"array after the name":  {`{"message":` + quoted(name+`: ["`+secret+`"]`) + `}`, name + ": ***", `{"message":"` + name + `: ***"}`},
		"escaped in the text":   {`{"error":` + quoted("refused: "+quoted(object)) + `}`, "refused: \"***", `{"error":"refused: \"***"}`},
		"pair in the message":   {`{"message":"bad ` + name + `: ` + secret + `"}`, "bad " + name + ": ***", `{"message":"bad ` + name + `: ***"}`},
		"plain":                 {name + ": " + secret, name + ": ***", notJSON},
		"plain with =":          {"bad " + name + "=" + secret + " here", "bad " + name + ": ***", notJSON},
		"plain with quotes":     {`bad "` + name + `":"` + secret + `" here`, `bad "` + name + ": ***", notJSON},
		"plain with escapes":    {`bad \"` + name + `\":\"` + secret, `bad \"` + name + ": ***", notJSON},
		"plain in quotes":       {"bad " + name + " '" + secret + "'", "bad " + name + ": ***", notJSON},
		"plain in a map":        {"map[" + name + ":" + secret + " a:b]", "map[" + name + ": ***", notJSON},
		"plain in two lines":    {name + "\n" + secret, name + ": ***", notJSON},
		"plain in columns":      {name + "    " + secret, name + ": ***", notJSON},
		"comma-separated":       {name + "," + secret, name + ": ***", notJSON},
		"percent-encoded":       {"a=1&x=%7B%22" + name + "%22%3A%22" + secret, notJSON, notJSON},
		"without quotes":        {"{" + name + ": " + secret + "}", notJSON, notJSON},
		"UTF-16":                {strings.Join(strings.Split(object, ""), "\x00"), notJSON, notJSON},
		"invisible characters":  {"\u200b" + strings.ReplaceAll(name, "n", "\u200bn") + ": " + secret, name + ": ***", notJSON},
		"page":                  {"<title>400</title><p>bad " + name + ": " + secret, "bad " + name + ": ***", notJSON},
		"page with the object":  {"<title>400</title><pre>" + html.EscapeString(object), notJSON, notJSON},
		"page, escaped twice":   {"<title>400</title>bad " + html.EscapeString(html.EscapeString(object)), notJSON, notJSON},
		"page with a cell":      {"<title>400</title><td>" + name + "</td><td>" + secret, name + ": ***", notJSON},
		"page with an element":  {"<error>bad<" + name + "><b>" + secret + "</" + name + "></error>", "bad secret: ***", notJSON},
		"page with a value":     {"<error>bad<value of='" + name + "'>" + secret + "</value>", "bad secret: ***", notJSON},
		"page title":            {"<title>bad " + name + "=" + secret, "bad " + name + ": ***", notJSON},
		"&quot;":                {"bad &quot;" + name + "&quot;:&quot;" + secret + "&quot;", "bad &quot;" + name + ": ***", notJSON},
	}
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
		for shape, test := range secretShapes(name, hidden) {
			_, records, err := logged(t, LevelTrace, returns(409, test.body), scalePipe(pipeID))
			size := strconv.Itoa(len(strings.TrimPrefix(test.body, "\ufeff")))
			if want := strings.Replace(test.message, "#", size, 1); err == nil || err.Error() != "scale pipe: "+want+" (HTTP 409 Conflict)" {
				t.Errorf("%s: message %v, want %s", shape, err, want)
			}
			want := strings.Replace(test.log, "#", size, 1)
			if sent, log := records[0]["sent"], records[0]["received"]; sent != `{"replicas":3}` || log != want {
				t.Errorf("%s: logged %s and %s, want %s", shape, sent, log, want)
			}
		}
	}
}

// TestSecretsInSecrets: the same, of shapes within others, and wherever they are cut.
func TestSecretsInSecrets(t *testing.T) {
	t.Parallel()
	for shape, test := range secretShapes("encryptionKey", hidden) {
		bodies := []string{}
		for end := range test.body {
			bodies = append(bodies, test.body[:end])
		}
		for _, outer := range secretShapes("connectionString", strings.Trim(quoted("see "+test.body), `"`)) {
			bodies = append(bodies, outer.body, outer.body[:len(outer.body)*4/5])
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
			"message":    func(text string) roundTripper { return returns(401, `{"error":`+quoted(text)+`}`) },
			"member":     func(text string) roundTripper { return returns(401, `{`+quoted(text)+`:1}`) },
			"result":     func(text string) roundTripper { return returns(200, `{"result":{"name":`+quoted(text)+`}}`) },
			"id":         func(text string) roundTripper { return returns(200, `{"result":{"id":`+quoted(text)+`}}`) },
			"request id": func(text string) roundTripper { return returns(401, `{"requestId":`+quoted(text)+`}`) },
			"header":     func(text string) roundTripper { return returns(401, "", "X-Request-Id", text) },
			"redirect":   func(text string) roundTripper { return returns(302, "", "Location", "https://"+text+"/?"+text) },
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
		// A value beside the name of a secret is one, unless it is a name too.
		`[{"name":"encryptionKey","value":"k"}]`: `[{"name":"encryptionKey","value":"***"}]`,
		`[["connectionString","k"]]`:             `[["connectionString","***"]]`,
		`["encryptionKey",{"of":"k"}]`:           `["encryptionKey","***"]`,
		`{"a":"encryption_key","b":"k is bad"}`:  `{"a":"encryption_key","b":"***"}`,
		// The name may be the end of a path, or in a sentence.
		`{"at":"source.connectionString","v":"k"}`:                     `{"at":"source.connectionString","v":"***"}`,
		`{"loc":["body","encryptionKey"],"input":"k"}`:                 `{"input":"***","loc":["***","encryptionKey"]}`,
		`{"error":"Invalid","message":"bad encryption key","value":7}`: `{"error":"Invalid","message":"bad encryption key","value":"***"}`,
		// A code that contains the name is not the name.
		`{"error":"INVALID_ENCRYPTION_KEY","message":"no key of this region","value":"k"}`: `{"error":"INVALID_ENCRYPTION_KEY","message":"no key of this region","value":"***"}`,
		// A text that begins with JSON is a text.
		`{"message":"\"name\" is too long"}`: `{"message":"\"name\" is too long"}`,
		`{"message":"[1] is no name"}`:       `{"message":"[1] is no name"}`,
	} {
		if got := masker(nil).body([]byte(in)); got != want {
			t.Errorf("body %s became %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{ // "": unchanged
		"the encryptionKey is k":                               "the encryptionKey: ***",
		`Value 'k' at "encryptionKey" is bad`:                  `Value *** at "encryptionKey: ***`,
		"k3y== is no encryption.key":                           "*** is no encryption.key",
		"can't use 'k e y' as encryption key":                  "can't use *** as encryption key",
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
		"https://a.example/?access_token=ab&x=1":               "https://a.example/?access_token: ***",
		"https://a.example/?design=1&Signature=ab":             "https://a.example/?design=1&Signature=***",
		"AccountName=a;AccountKey=ab==;Endpoint=c":             "AccountName=a;AccountKey=***;Endpoint=c",
	} {
		want = cmp.Or(want, in)
		if got := masker(nil).text(in); got != want || masker(nil).text(got) != got {
			t.Errorf("text %s became %s, want %s", in, got, want)
		}
	}
}
