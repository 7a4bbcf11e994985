package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestSuccess(t *testing.T) {
	t.Parallel()
	for body, requestID := range map[string]string{
		`{"status":200,"requestId":"r-1","result":{}}`:                               "r-1",
		`{"requestId":"r-1","result":{}}`:                                            "r-1",
		`{"status":"200","requestId":"r-1","result":{}}`:                             "r-1",
		`{"status":1000,"requestId":"r-1","result":{}}`:                              "r-1",
		`{"status":{"code":500},"requestId":"r-1","result":{}}`:                      "r-1",
		`{"status":200,"result":{}}`:                                                 "from-header",
		`{"status":200,"requestId":"","result":{}}`:                                  "from-header",
		`{"status":200,"requestId":{"a":1},"result":{}}`:                             "from-header",
		"\ufeff" + `{"requestId":"r-1","result":{}}`:                                 "r-1",
		" {\"requestId\":\"r-1\", \"result\" : {} }\r\n":                             "r-1",
		`{"requestId":"r-1","result":{"id":"AAAAAAAA-3333-4333-8333-333333333333"}}`: "r-1",
		`{"requestId":"r-1","result":{"id":{"uuid":"x"}}}`:                           "r-1",
	} {
		for _, status := range []int{200, 201} {
			c := clientOf(t, inOrder(t, returns(status, body, "X-Request-Id", "from-header")))
			resp, err := c.Do(t.Context(), getPipe("aaaaaaaa-3333-4333-8333-333333333333"), c.NewRetryBudget())
			if err != nil || resp.RequestID != requestID || resp.Status != status || !strings.HasPrefix(string(resp.Result), "{") {
				t.Errorf("%s: %+v, %v", body, resp, err)
			}
		}
	}
	r := getPipe(pipeID)
	r.ID = "" // the result may have any
	if err := do(t.Context(), clientOf(t, returns(200, `{"result":{"id":"x"}}`)), r); err != nil {
		t.Error(err)
	}
}

// TestInvalidResponses: they are errors, and not retried.
func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body, want string
		status           int  // of the error; 0: 200
		isRefusal        bool // of the API, in words
		isAccepted       bool // if it is the response to a write: the caller decides what it means
	}{
		{name: "empty", body: "", want: "the response is empty", isAccepted: true},
		{name: "HTML", body: "<html><title>Sign in</title></html>", want: "an HTML page, not JSON: Sign in"},
		{name: "text", body: "OK", want: "not a JSON object: OK", isAccepted: true},
		{name: "scalar", body: `"Updated"`, want: "not a JSON object", isAccepted: true},
		{name: "array", body: "[]", want: "not a JSON object", isAccepted: true},
		{name: "result null", body: `{"result":null}`, want: "no result", isAccepted: true},
		{name: "invalid", body: `{"result":}`, want: "not a JSON object", isAccepted: true},
		{name: "no result", body: `{"status":200}`, want: "no result", isAccepted: true},
		{name: "no result but a text", body: `{"status":200,"message":"not today"}`, want: "no result: not today", isAccepted: true},
		{name: "refused in words", body: `{"status":"Error","message":"no such pipe"}`, want: "no such pipe (HTTP 200", isRefusal: true},
		{name: "an error beside a result", body: `{"error":"over quota","result":{"name":"a"}}`, want: "over quota (HTTP 200", isRefusal: true},
		{name: "errors beside a result", body: `{"status":200,"errors":[{"message":"over quota"}],"result":{"name":"a"}}`, want: "over quota", isRefusal: true},
		{name: "error: true", body: `{"error":true,"message":"over quota","result":{}}`, want: "over quota (HTTP 200", isRefusal: true},
		{name: "no envelope", body: `{"id":"x","encryptionKey":"hidden"}`, want: "no result: " + withheld, isAccepted: true},
		{name: "another id", body: `{"result":{"id":"` + serviceID + `"}}`, want: "its id is " + serviceID + ", not " + pipeID, isAccepted: true},
		{name: "error status", body: `{"status":400,"error":"no such pipe"}`, want: "no such pipe", status: 400},
		{name: "unknown status", body: `{"status":999,"error":"no such pipe"}`, want: "no such pipe", status: 999},
		{name: "error status with a result", body: `{"status":403.0,"result":{"message":"not yours"}}`, want: `{"message":"not yours"}`, status: 403},
		{name: "huge id", body: `{"requestId":"` + strings.Repeat("x", 1<<20) + ` encryptionKey"}`, want: "request " + strings.Repeat("x", 100) + "…", isAccepted: true},
	} {
		for _, r := range []Request{getPipe(pipeID), scalePipe(pipeID)} {
			err := do(t.Context(), clientOf(t, inOrder(t, returns(200, test.body))), r)
			if test.isAccepted && r.Writes {
				if err != nil {
					t.Errorf("%s: %v", test.name, err)
				}
				continue
			}
			e := asError(t, err)
			if !strings.HasPrefix(err.Error(), r.Operation+": ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %q, want one with %q", test.name, err, test.want)
			}
			// The API may have applied a write, unless it refused it.
			unknown := r.Writes && !test.isRefusal && (test.status == 0 || test.status >= 500)
			if e.Status != max(test.status, 200) || e.OutcomeUnknown != unknown {
				t.Errorf("%s: %+v", test.name, e)
			}
		}
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	type scaling struct{ Replicas, Concurrency int }
	for _, test := range []struct {
		result, want string
		into         any
	}{
		{`{"replicas":3}`, "", &scaling{Concurrency: 5}},
		{`[{}]`, "", &[]scaling{}},
		{`"done"`, "the result has a wrong type: string, not object", &scaling{}},
		{`[{}]`, "the result has a wrong type: array, not object", &scaling{}},
		{`{}`, "the result has a wrong type: object, not array", &[]scaling{}},
		{`{"replicas":}`, "the result cannot be read: invalid character '}' looking for beginning of value", &scaling{}},
	} {
		err := Response{request: scalePipe(pipeID), Status: 200, RequestID: "r-1", Result: []byte(test.result)}.Decode(test.into)
		switch {
		case test.want != "":
			if want := "scale pipe: " + test.want + " (HTTP 200 OK, request r-1, the API may have applied it)"; err == nil || err.Error() != want {
				t.Errorf("%s: %v", test.result, err)
			}
		case err != nil:
			t.Errorf("%s: %v", test.result, err)
		}
		if got, ok := test.into.(*scaling); ok && test.want == "" && *got != (scaling{3, 5}) {
			t.Errorf("%+v", got)
		}
	}
}

// TestErrorMessage: an error has the operation, the API's message, the status and
// the request id. Its reason is shorter.
func TestErrorMessage(t *testing.T) {
	t.Parallel()
	const none = "no response from api.example"
	missing := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "api.example", IsNotFound: true}}
	viaProxy := &net.OpError{Op: "proxyconnect", Net: "tcp", Err: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}}
	unreadable := fmt.Errorf("malformed HTTP response %q", `{"encryptionKey":"hidden`) // net/http quotes it
	const status500, status200 = "(HTTP 500 Internal Server Error", "(HTTP 200 OK"
	for want, test := range map[string]struct {
		respond roundTripper
		reason  string
	}{
		none + ": dial tcp: lookup api.example: no such host":                                        {inOrder(t, fails(missing)), none + ": dial tcp: lookup api.example: no such host"},
		none + ": " + withheld:                                                                       {fails(unreadable), none + ": " + withheld},
		none + ": " + strings.Repeat("x", 140):                                                       {fails(errors.New(strings.Repeat("x", 140))), none + ": " + strings.Repeat("x", 150-len(none)-2) + "…"},
		none + ": proxyconnect tcp: dial tcp: connect: connection refused":                           {fails(viaProxy), none + ": proxyconnect tcp: dial tcp: connect: connection refused"},
		none + ": tls: failed to verify certificate: invalid signature":                              {fails(&tls.CertificateVerificationError{Err: errors.New("invalid signature")}), none + ": tls: failed to verify certificate: invalid signature"},
		none + ": read: broken pipe":                                                                 {fails(&net.OpError{Op: "read", Err: syscall.EPIPE}), none + ": read: broken pipe"},
		none + " within 30s: context deadline exceeded":                                              {hangs, none + " within 30s"},
		"FAILED_DEPENDENCY: state: idle (HTTP 424 Failed Dependency, request r-1)":                   {returns(424, `{"error":"FAILED_DEPENDENCY: state: idle","requestId":"r-1"}`), "failed dependency (424)"},
		"Internal Server Error (HTTP 500, the API may have applied it)":                              {returns(500, ""), "internal server error (500)"},
		"the response is an HTML page, not JSON: 200 OK (HTTP 200, the API may have applied it)":     {returns(200, "<html><title>200 OK</title>"), "the response is an HTML page, not JSON: 200 OK"},
		"down. " + status500 + ", the API may have applied it)":                                      {returns(500, "down."), "internal server error (500)"},
		strings.Repeat("x", 151) + " " + status500 + ", the API may have applied it)":                {returns(500, strings.Repeat("x", 151)), "internal server error (500)"},
		"an HTML page: 500 " + status500 + ", the API may have applied it)":                          {returns(500, "\n<HTML><title>500</title>nginx"), "internal server error (500)"},
		"the response was cut short: unexpected EOF " + status200 + ", the API may have applied it)": {breaksOff, "the response was cut short: unexpected EOF"},
	} {
		virtual(t, want, func(t *testing.T) {
			err := scale(t, clientOf(t, test.respond, retries(0)))
			if got := asError(t, err).Reason(); err.Error() != "scale pipe: "+want || got != test.reason {
				t.Errorf("error %q with the reason %q; want %q", err, got, test.reason)
			}
		})
	}
	if e := (&Error{Operation: "read service", Message: "not sent: interrupted", Err: context.Canceled}); e.Error() != "read service: not sent: interrupted" || e.Reason() != "interrupted" {
		t.Errorf("%q, %q", e, e.Reason())
	}
	if e := (&Error{Err: errors.New("a\x1b\nb")}); strings.ContainsAny(e.Error()+e.Reason(), "\x1b\n") {
		t.Errorf("%q, %q", e, e.Reason())
	}
}

// TestAcceptedInWords: an update that succeeds and shows no object is accepted, and what stands for no error is none.
func TestAcceptedInWords(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"result":true}`, `{"result":"ok"}`, `{"result":[]}`, "Accepted", "true", "7",
		`{"error":0,"errors":[],"result":{}}`, `{"error":"","errors":{},"result":{}}`, `{"error":false,"errors":null,"result":{}}`, "{\"errors\" : [ ], \"error\" : { }}",
	} {
		if err := do(t.Context(), clientOf(t, returns(200, body)), scalePipe(pipeID)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}
