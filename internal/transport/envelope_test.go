package transport

import (
	"net/http"
	"strings"
	"testing"
)

func pipeRead() Request {
	return Request{Operation: "get pipe", Method: http.MethodGet, ID: pipeID}
}

func TestEnvelopeAcceptsLooseForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, requestID string }{
		{"as specified", `{"status":200,"requestId":"r-1","result":{}}`, "r-1"},
		{"status absent", `{"requestId":"r-1","result":{}}`, "r-1"},
		{"status a string", `{"status":"200","requestId":"r-1","result":{}}`, "r-1"},
		{"status a float", `{"status":200.0,"requestId":"r-1","result":{}}`, "r-1"},
		{"status null", `{"status":null,"requestId":"r-1","result":{}}`, "r-1"},
		{"status in words", `{"status":"ok","requestId":"r-1","result":{}}`, "r-1"},
		{"status an object", `{"status":{"code":500},"requestId":"r-1","result":{}}`, "r-1"},
		{"request id absent", `{"status":200,"result":{}}`, "from-header"},
		{"request id null", `{"status":200,"requestId":null,"result":{}}`, "from-header"},
		{"request id empty", `{"status":200,"requestId":"","result":{}}`, "from-header"},
		{"request id a number", `{"status":200,"requestId":17,"result":{}}`, "17"},
		{"request id an object", `{"status":200,"requestId":{"a":1},"result":{}}`, "from-header"},
		{"more members", `{"status":200,"requestId":"r-1","result":{},"x":[1]}`, "r-1"},
		{"white space", " {\"requestId\":\"r-1\", \"result\" : {} }\r\n", "r-1"},
		{"id in another case", `{"requestId":"r-1","result":{"id":"` + strings.ToUpper("aaaaaaaa-3333-4333-8333-333333333333") + `"}}`, "r-1"},
		{"id null", `{"requestId":"r-1","result":{"id":null}}`, "r-1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := pipeRead()
			r.ID = "aaaaaaaa-3333-4333-8333-333333333333"
			a, err := openEnvelope(r, 200, http.Header{"X-Request-Id": {"from-header"}}, []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if a.RequestID != test.requestID {
				t.Errorf("request id %q, want %q", a.RequestID, test.requestID)
			}
		})
	}
}

func TestEnvelopeFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body, want string
		list             bool
		status           int // of the error; 0: 200
		transient        bool
	}{
		{name: "empty", body: "", want: "the response is empty"},
		{name: "blank", body: " \n", want: "the response is empty"},
		{name: "HTML", body: "<html><title>Sign in</title></html>", want: "an HTML page, not JSON: Sign in"},
		{name: "text", body: "OK", want: "not a JSON object: OK"},
		{name: "array", body: "[]", want: "not a JSON object"},
		{name: "null", body: "null", want: "not a JSON object"},
		{name: "invalid", body: `{"result":}`, want: "not valid JSON"},
		{name: "two objects", body: `{"result":{}}{}`, want: "not valid JSON"},
		{name: "cut", body: `{"status":200,"result":{"id":"333`, want: "cut short", transient: true},
		{name: "no result", body: `{"status":200}`, want: "no result"},
		{name: "no result but a text", body: `{"status":200,"message":"not today"}`, want: "no result: not today"},
		{name: "no envelope", body: `{"id":"x","encryptionKey":"hidden"}`, want: `{"encryptionKey":"***","id":"x"}`},
		{name: "result null", body: `{"result":null}`, want: "no result"},
		{name: "result a string", body: `{"result":"done"}`, want: "the result is a string, not an object"},
		{name: "result a boolean", body: `{"result":true}`, want: "the result is a boolean, not an object"},
		{name: "result a number", body: `{"result":-1}`, want: "the result is a number, not an object"},
		{name: "result an array", body: `{"result":[{}]}`, want: "the result is an array, not an object"},
		{name: "list an object", body: `{"result":{}}`, list: true, want: "the result is an object, not an array"},
		{name: "another id", body: `{"result":{"id":"` + otherID + `"}}`, want: "its id is " + otherID + ", not " + pipeID},
		{name: "error status", body: `{"status":404,"error":"no such pipe"}`, want: "no such pipe", status: 404},
		{name: "error status with a result", body: `{"status":403.0,"result":{"message":"not yours"}}`, want: "not yours", status: 403},
		{name: "error status as a string", body: `{"status":"503","message":"later"}`, want: "later", status: 503, transient: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := pipeRead()
			if r.List = test.list; r.List {
				r.ID = ""
			}
			_, err := openEnvelope(r, 200, http.Header{}, []byte(test.body))
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "get pipe: ") {
				t.Errorf("error %q, want one with %q", err, test.want)
			}
			wantStatus := test.status
			if wantStatus == 0 {
				wantStatus = 200
			}
			if err.Status != wantStatus || err.Transient != test.transient || err.OutcomeUnknown {
				t.Errorf("status %d, transient %t, outcome unknown %t", err.Status, err.Transient, err.OutcomeUnknown)
			}
		})
	}
}

// An id that cannot be compared costs the comparison, not the object.
func TestResultWithoutComparableID(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{}`, `{"id":null}`, `{"id":7}`, `{"id":{"uuid":"x"}}`} {
		if a, err := openEnvelope(pipeRead(), 200, http.Header{}, []byte(`{"result":`+result+`}`)); err != nil || string(a.Result) != result {
			t.Errorf("%s: %s, %v", result, a.Result, err)
		}
	}
}

func TestMalformedResponseToAWrite(t *testing.T) {
	t.Parallel()
	r := Request{Operation: "scale pipe", Method: http.MethodPatch, ID: pipeID, Effect: Idempotent}
	_, err := openEnvelope(r, 200, http.Header{}, []byte("<title>hello</title>"))
	if err == nil || !err.OutcomeUnknown {
		t.Errorf("error %+v", err)
	}
}

func FuzzOpenEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"status":200,"requestId":"r","result":{"id":"` + pipeID + `"}}`,
		`{"status":"500","result":[]}`, `{"result":`, `{"result":{"id":[]}}`, "<", "null", "", `{"requestId":"\u0000"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := openEnvelope(pipeRead(), 200, http.Header{}, body)
		if err == nil && (len(a.Result) == 0 || a.Result[0] != '{') {
			t.Errorf("accepted %q with the result %q", body, a.Result)
		}
		if err != nil && (err.Message == "" || err.Status == 0) {
			t.Errorf("error without words: %+v", err)
		}
	})
}
