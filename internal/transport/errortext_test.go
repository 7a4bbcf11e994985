package transport

import (
	"net/http"
	"strings"
	"testing"
)

// messageOf returns the message of the error for a response.
func messageOf(status int, body string) string {
	_, failed := readResponse(scalePipe(pipeID), &http.Response{StatusCode: status}, []byte(body), nil, masker{})
	return failed.Message
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"error and message", `{"error":"Bad Request","message":"name is taken","statusCode":400}`, "Bad Request: name is taken"},
		{"the same twice", `{"error":"name is taken","message":"name is taken"}`, "name is taken"},
		{"errors of objects", `{"errors":[{"message":"name is taken"},null,{"detail":"name is long"}]}`, `{"errors":[{"message":"name is taken"},null,{"detail":"name is long"}]}`},
		{"problem", `{"type":"about:blank","title":"Conflict","detail":"name is taken"}`, "Conflict: name is taken"},
		{"errors by field", `{"title":"Invalid","errors":{"name":["is taken","is long"],"roles":["are frozen"]}}`, `{"title":"Invalid","errors":{"name":["is taken","is long"],"roles":["are frozen"]}}`},
		{"null", `null`, "Conflict"},
		{"FastAPI", `{"detail":[{"type":"missing","loc":["body","entries",0,"source"],"msg":"Field required","input":{}}]}`, `{"detail":[{"type":"missing","loc":["body","entries",0,"source"],"msg":"Field required","input":{}}]}`},
		{"msg", `{"code":7,"msg":"name is taken"}`, "name is taken"},
		{"Google", `{"error":{"code":400,"message":"name is taken","errors":[{"reason":"conflict","domain":"global"}]}}`, `{"error":{"code":400,"message":"name is taken","errors":[{"reason":"conflict","domain":"global"}]}}`},
		{"details", `{"error":"Bad Request","details":[{"field":"source","reason":"private range"}]}`, `{"error":"Bad Request","details":[{"field":"source","reason":"private range"}]}`},
		{"a field without a text", `{"errors":[{"field":"name"}]}`, `{"errors":[{"field":"name"}]}`},
		{"problem with pointers", `{"title":"Invalid","errors":[{"detail":"must be positive","pointer":"#/age"}]}`, `{"title":"Invalid","errors":[{"detail":"must be positive","pointer":"#/age"}]}`},
		{"errors by field, without texts", `{"errors":{"name":{"code":7}}}`, `{"errors":{"name":{"code":7}}}`},
		{"errors by pointer", `{"errors":{"/data/age":["must be positive"]}}`, `{"errors":{"/data/age":["must be positive"]}}`},
		{"texts of an array", `{"message":["name is long","age is wrong"]}`, `{"message":["name is long","age is wrong"]}`},
		{"unknown members", `{"code":"NAME_TAKEN","name":"a"}`, `{"code":"NAME_TAKEN","name":"a"}`},
		{"objects on several lines", "{\"result\":\n  [{\"id\":1}]}", `{"result": [{"id":1}]}`},
		{"unknown members, long", `{"code":"` + strings.Repeat("é", 400) + `"}`, `{"code":"` + strings.Repeat("é", 291) + "…"},
		{"unknown members beside a documented secret", `{"code":7,"encryptionKey":"S"}`, withheld},
		{"text beside a documented secret's name", `{"error":"S is too short","at":"encryption_key"}`, withheld},
		{"field outside of a list", `{"field":"name","name":"Error","path":"/v1","message":"is too long"}`, "is too long"},
		{"plain, in brackets", "[ERROR] name is taken", "[ERROR] name is taken"},
		{"several lines", "name\r\n\tis \x01 taken\x1b[31m", "name is taken[31m"},
		{"bidirectional", "name \u202eis taken", "name is taken"},
		{"not UTF-8", "name \xff", "name"},
		{"HTML", "<!doctype html><html><head><title>409 Conflict &amp; more</title></head><body>x</body></html>", "an HTML page: 409 Conflict & more"},
		{"HTML with a heading", "<html><head><title> </title><style>p{}</style></head><body><p>a</p><H2 class=x>name is <b>taken</b></H2>", "an HTML page: name is"},
		{"HTML with a long attribute", `<h1 class="` + strings.Repeat("x ", 300) + `">name is taken</h1>`, "name is taken"},
		{"HTML with a secret in a comment", "<!-- [encryptionKey] => S --><h1>name is taken</h1>", "name is taken"},
		{"HTML with a secret in CDATA", "<html><![CDATA[encryptionKey: S]]>", "an HTML page: a body of 34 bytes"},
		{"HTML without a heading", "<!-- a\nb --><p>name is taken", "a body of 28 bytes"},
		{"XML", "<Error><Code>NameTaken</Code></Error>", "a body of 37 bytes"},
		{"URL with a password, cut off", strings.Repeat("x ", 240) + "https://u:" + strings.Repeat("p", 50) + "@host.example", withheld},
		{"unknown members, cut in a password", `{"code":"` + strings.Repeat("x", 270) + `","at":"https://u:` + strings.Repeat("p", 50) + `@host.example"}`, withheld},
		{"unknown members, an escaped URL", `{"at":"https:\/\/u:p@host.example"}`, withheld},
		{"empty", "", "Conflict"},
		{"an empty object", "{}\n", "Conflict"},
		{"an empty text", `{"error":""}`, `{"error":""}`},
		{"cut JSON", `{"error":"name is ta`, `{"error":"name is ta`},
		{"long", strings.Repeat("é", 32<<10), strings.Repeat("é", 500) + "…"},
		{"long JSON", `{"error":"` + strings.Repeat("x", 64<<10-12) + `"}`, strings.Repeat("x", 500) + "…"},
		{"too long JSON", `{"error":"` + strings.Repeat("x", 64<<10-11) + `"}`, "a body of 65537 bytes"},
		{"too long text", strings.Repeat("x", 64<<10+1), "a body of 65537 bytes"},
		{"too long HTML", strings.Repeat("<html>", 11<<10), "an HTML page: a body of 67584 bytes"},
	} {
		if got := messageOf(409, test.body); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if got := messageOf(599, ""); got != "status 599 without a text" {
		t.Errorf("unknown status: got %q", got)
	}
}
