package transport

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

var basicAuth = base64.StdEncoding.EncodeToString([]byte("key-id:" + keySecret))

// quoted returns text as a JSON string.
func quoted(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// TestCredentials: neither messages nor logs repeat them, wherever a response has them.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{keySecret, basicAuth, keySecret[:minCredential]} {
		for name, respond := range map[string]roundTripper{
			"text":       returns(401, secret),
			"page":       returns(401, "<title>401 "+secret+"</title>"),
			"message":    returns(401, `{"error":`+quoted(secret)+`}`),
			"member":     returns(401, `{`+quoted(secret)+`:1}`),
			"result":     returns(200, `{"result":{"name":`+quoted(secret)+`}}`),
			"id":         returns(200, `{"result":{"id":`+quoted(secret)+`}}`),
			"request id": returns(401, `{"requestId":`+quoted(secret)+`}`),
			"header":     returns(401, "", "X-Request-Id", secret),
			"redirect":   returns(302, "", "Location", "https://"+secret+"/?"+secret),
			"body":       endsWith(errors.New(secret)),
			"net/http":   fails(errors.New("malformed MIME header: " + secret)),
		} {
			text, _, err := logged(t, LevelTrace, respond, scalePipe(pipeID), retries(0))
			if shown := fmt.Sprint(text, err); strings.Contains(shown, secret[:minCredential]) {
				t.Errorf("%s: %s", name, shown)
			}
		}
	}
}

// TestFormsOfCredentials: a credential is recognized in each form in which it is sent or quoted,
// also if it is cut.
func TestFormsOfCredentials(t *testing.T) {
	t.Parallel()
	const secret = `s+/"<\é%& rest`
	m := newMasker(nil, secret)
	inJSON, _ := json.Marshal(secret)
	for name, form := range map[string]string{
		"as it is":                       secret,
		"in a query":                     url.QueryEscape(secret),
		"in a path":                      url.PathEscape(secret),
		"in small letters":               strings.ToLower(url.QueryEscape(secret)),
		"in JSON":                        string(inJSON),
		"in JSON, without HTML":          `"s+/\"<\\é%& rest"`,
		"in JSON, with escaped slashes":  `"s+\/\"<\\é%& rest"`,
		"in JSON that is a text of JSON": strconv.Quote(string(inJSON)),
		"cut":                            secret[:minCredential] + "…",
		"with what cannot be seen":       secret[:3] + "\u200b" + secret[3:],
	} {
		if text := "wrong secret: " + form; m.line(text) != withheld {
			t.Errorf("%s: %s is shown", name, form)
		}
	}
	if text := `s+/"<`; m.line(text) != text { // less than its beginning
		t.Error("another text is left out")
	}
}

// TestTexts: a text is shown as it is, or left out.
func TestTexts(t *testing.T) {
	t.Parallel()
	m := newMasker(nil, "top-secret-s3cr3t", "zzz ", "", "ein-schöner") // cut within the ö
	for _, text := range []string{
		"", "name must match ^[a-z]{1,50}$ in /v1/{id}", "wrong password, try again", "API key 7 not found", "invalid token",
		"https://host.example/path?a=b&design=1", "https://host.example/@team", "https://host.example:8443/x",
		"encryptionKeyId: k", "no encryption key id", "transparent_data_encryption_key_ids", "encryption-key-id", "encryption.key.id", "top-sec",
		"Transparent data encryption key not found: k-1", "transparentDataEncryptionKey: k-1",
	} {
		if got := m.line(text); got != text {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{
		"S is no encryption.key", "encryption\r\n    key \"S\"", "encryption\u00a0key S", "connection\tstring", "connection+string", "CONNECTION_STRING=S",
		"encryption key id5", "encryption key idXy", "encryption key id+Xy", "encryption key id-Xy", `"encryptionKey":"id S"`, "encryptionKeyIdentifier",
		"see https://u:p@host.example/x.", "https://u@host.example", "https://u:it's@host.example", "postgres://u:p@ss/w#rd@db.example:5432/d",
		"https://a.example/?sv=1&sig=abc%3D&se=2", "?sig=abc", "https://a.example/?X-Amz-Signature=ab",
		"Basic top-secret-s3cr3t", "is top-secre…", `"top-secre"`, "zzz", "ein-schöner",
	} {
		if got := m.line(text); got != withheld || m.line(got) != got {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestDocumentedSecrets: a body that names one is not shown, and logged without its strings.
func TestDocumentedSecrets(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"encryptionKey":"S"}`:                                                 withheld,
		`{"result":{"connectionString":"S"}}`:                                   withheld,
		`{"message":"S is too short","at":"encryption_key"}`:                    withheld,
		`{"message":"refused: {\"connectionString\":\"S\"}"}`:                   withheld,
		`{"errors":[{"field":"encryptionKey","message":"S is too short"}]}`:     withheld,
		`<title>encryptionKey: S</title>`:                                       withheld,
		`{"encryption\u005fkey":"S"}`:                                           withheld,
		`{"why":"the encryption\nkey is wrong","message":"see S"}`:              withheld,
		`{"message":"upstream: \"Invalid encryption\\n key S\""}`:               withheld,
		`encryptionKey: S`:                                                      withheld,
		`{"encryptionKey":"S`:                                                   withheld,
		`{"errors":[{"field":"password","message":"is too short"}]}`:            `{"errors":[{"field":"password","message":"is too short"}]}`,
		`{"error":"invalid API key","token":"S","result":{"name":"CI tokens"}}`: "invalid API key",
	} {
		_, records, err := logged(t, LevelTrace, returns(422, body), scalePipe(pipeID))
		if got := asError(t, err).Message; got != want || strings.Contains(fmt.Sprint(records), `"S"`) {
			t.Errorf("%s: shown as %q, logged as %v", body, got, records)
		}
	}
	_, failed := readResponse(scalePipe(pipeID), &http.Response{StatusCode: http.StatusInternalServerError}, []byte(`{"error":"no S","encryptionKey":"S"}`), nil, masker{})
	if failed.Message != withheld {
		t.Error(failed)
	}
}

// TestBodies: a body in the log.
func TestBodies(t *testing.T) {
	t.Parallel()
	m := newMasker(documented, "my-secret-1234", "87654321", "qq")
	for body, want := range map[string]string{ // "": unchanged
		"name is taken": "a body of 13 bytes",
		`{"a":[1.50,true,null],"id":9007199254740993,"password":7}`: "",
		// Strings of documented members.
		`{"a":{"name":"orders","roles":["a","b"]},"url":"https://a.example"}`: "",
		`{"url":"https:\/\/u:p@b.exam"}`:                                      `{"url":"***"}`,
		`{"name":{"first":"S"},"roles":[{"S":"S"}]}`:                          `{"name":{"first":"***"},"roles":[{"S":"***"}]}`,
		// Other strings.
		`"S"`: `"***"`, `["404"]`: `["***"]`, `{"Name":"S"}`: `{"Name":"***"}`,
		`{"dbPassword":"S","api.key":{"a":["S",1]}}`: `{"api.key":{"a":["***",1]},"dbPassword":"***"}`,
		// Names that are no identifiers.
		`{"encryptionKey[0]":"S"}`: `{"***":"***"}`, `{"the password is S":1}`: `{"***":1}`, `{"https://u:S@host":1}`: `{"***":1}`,
		// The client's credentials.
		`{"name":"is my-secret…"}`: `{"name":"***"}`, `{"my-secret-1234":1}`: `{"***":1}`, `{"qq":"ok"}`: `{"***":"***"}`, `{"name":"qqq"}`: "",
	} {
		if got := m.body([]byte(body)); got != cmp.Or(want, body) {
			t.Errorf("body %s became %s, want %s", body, got, cmp.Or(want, body))
		}
	}
}
