package transport

import (
	"errors"
	"strings"
	"testing"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"error and message", `{"error":"Bad Request","message":"name is taken","statusCode":400}`, "Bad Request: name is taken"},
		{"the same twice", `{"error":"name is taken","message":"name is taken"}`, "name is taken"},
		{"errors of objects", `{"errors":[{"message":"name is taken"},null,{"detail":"name is long"}]}`, "name is taken; name is long"},
		{"problem", `{"type":"about:blank","title":"Conflict","detail":"name is taken"}`, "Conflict: name is taken"},
		{"in the result", `{"status":409,"result":{"error":"name is taken"}}`, "name is taken"},
		{"null", `null`, "Conflict"},
		{"plain", "name is taken\n", "name is taken"},
		{"plain, in brackets", "[ERROR] name is taken", "[ERROR] name is taken"},
		{"several lines", "name\r\n\tis \x01 taken\x1b[31m", "name is taken [31m"},
		{"bidirectional", "name \u202eis taken", "name is taken"},
		{"not UTF-8", "name \xff", "name \ufffd"},
		{"HTML", "<!doctype html><html><head><title>409 Conflict &amp; more</title></head><body>x</body></html>", "an HTML page: 409 Conflict & more"},
		{"HTML without a title", "<html><body>name is <b>taken</b></body></html>", "an HTML page: name is taken"},
		{"HTML whose title is the status", "<html><head><title>409</title><style>p{}</style></head><body><p>name is taken</p><script>x()</script></body>", "an HTML page: name is taken"},
		{"HTML whose title is the status text", "<title>409 Conflict</title><body><h1>name</h1>\n<p>is taken &amp; long", "name is taken & long"},
		{"HTML whose heading is the title", "<title>409 Conflict</title><body><h1>409 Conflict</h1><p>name is taken", "name is taken"},
		{"HTML without more than the status", "<title>Error 409 - Conflict</title><body></body>", "Error 409 - Conflict"},
		{"URL with a password, cut off", strings.Repeat("x ", 240) + "https://u:" + strings.Repeat("p", 50) + "@host.example", strings.Repeat("x ", 240) + "https://***@host.exa…"},
		{"HTML with a field for a secret", "<input name='token'><p>name is taken", "name is taken"},
		{"HTML that is deep", strings.Repeat("<div>", 600) + "x", "x"},
		{"HTML for browsers without scripts", "<noscript>no <b>script</b>s</noscript><p>name is taken", "name is taken"},
		{"HTML with names of secrets in addresses", "<link href=tokens.css><script src=password.js></script>name is taken", "name is taken"},
		{"empty", "", "Conflict"},
		{"empty object members", `{"error":""}`, `{"error":""}`},
		{"cut JSON", `{"error":"name is ta`, "a body of 20 bytes that is not JSON"},
		{"cut JSON in an array", ` [ {"token":"hid`, "a body of 16 bytes that is not JSON"},
		{"long", strings.Repeat("é", 32<<10), strings.Repeat("é", 500) + "…"},
		{"long JSON", `{"error":"` + strings.Repeat("x", 64<<10-12) + `"}`, strings.Repeat("x", 500) + "…"},
		{"long HTML", "<html>x" + strings.Repeat(" ", 64<<10-7), "an HTML page: x"},
		{"too long JSON", `{"error":"` + strings.Repeat("x", 64<<10-11) + `"}`, "a body of 65537 bytes of JSON"},
		{"too long HTML", strings.Repeat("<html>", 11<<10), "an HTML page: a body of 67584 bytes that is not JSON"},
	} {
		if got := masker(nil).errorText(409, []byte(test.body)); got != test.want {
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
	if got := masker(nil).errorText(599, nil); got != "status 599 without a text" {
		t.Errorf("unknown status: got %q", got)
	}
}
