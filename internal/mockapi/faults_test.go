package mockapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFaultResponses(t *testing.T) {
	t.Parallel()
	const acted, id = `"replicas":2`, KafkaPipeID
	elsewhere := http.Header{"location": {"/elsewhere"}} // a header's name may have any case
	for name, test := range map[string]struct {
		fault  Fault
		status int
		body   string // a part of the response's
		absent string // no part of it
	}{
		"status":                 {Fault{Status: 503}, 503, `"error":"service unavailable"`, "result"},
		"status, body":           {Fault{Status: 200, Body: `{"status":200}`}, 200, `{"status":200}`, "result"},
		"status, header":         {Fault{Status: 429, Header: http.Header{"retry-after": {"7"}, "content-type": {"text/plain"}}, Body: "slow down"}, 429, "slow down", "{"},
		"html":                   {Fault{Kind: FaultHTML}, 200, "<title>200 OK</title>", "result"},
		"html, status":           {Fault{Kind: FaultHTML, Status: 502}, 502, "<title>502 Bad Gateway</title>", "result"},
		"plain":                  {Fault{Kind: FaultPlain}, 404, "404 not found\n", "{"},
		"plain, status, body":    {Fault{Kind: FaultPlain, Status: 503, Body: "try later"}, 503, "try later", "{"},
		"empty":                  {Fault{Kind: FaultEmpty}, 200, "", "{"},
		"empty, status":          {Fault{Kind: FaultEmpty, Status: 500}, 500, "", "{"},
		"error envelope":         {Fault{Kind: FaultErrorEnvelope}, 200, `"status":500`, "result"},
		"error envelope, status": {Fault{Kind: FaultErrorEnvelope, Status: 403, Body: "not for you"}, 200, `{"error":"not for you",`, "result"},
		"no result":              {Fault{Kind: FaultNoResult}, 200, `"status":200`, "result"},
		"null result":            {Fault{Kind: FaultNullResult}, 200, `"result":null`, acted},
		"string result":          {Fault{Kind: FaultStringResult}, 200, `"result":"done"`, acted},
		"other id":               {Fault{Kind: FaultOtherID}, 200, acted, id},
		"redirect":               {Fault{Kind: FaultRedirect, Header: elsewhere}, 302, "", "result"},
		"redirect, status":       {Fault{Kind: FaultRedirect, Status: 307, Header: elsewhere}, 307, "", "result"},
	} {
		s := New()
		s.Fail(test.fault)
		w := send(s, pipePath, "")
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) || strings.Contains(w.Body.String(), test.absent) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		for header, values := range test.fault.Header {
			if got := w.Header().Get(header); got != values[0] {
				t.Errorf("%s: %s is %s", name, header, got)
			}
		}
		if got := s.Requests()[0].Status; got != test.status {
			t.Errorf("%s: recorded status %d", name, got)
		}
	}
	s := New()
	s.Fail(Fault{Kind: FaultOtherID})
	if backups := fmt.Sprint(result(t, s, backupsPath, "")); strings.Contains(backups, "serviceId:"+ServiceID) {
		t.Errorf("a backup is of its own service: %s", backups)
	}
	same(t, "settings have no id", object(t, s, settingsPath, `{"db_max_threads":9}`)["db_max_threads"], `9`)
	s.SetVariants(Variants{ErrorShape: ErrorPlain})
	if w := send(s, unknownPipe, ""); w.Body.String() != "pipe "+unknownID+" not found\n" {
		t.Errorf("a plain error: %s", w.Body)
	}
}

func TestFaultMatching(t *testing.T) {
	t.Parallel()
	s := New()
	expect := func(what, path, body string, want int) {
		t.Helper()
		if w := send(s, path, body); w.Code != want {
			t.Errorf("%s: %d, want %d", what, w.Code, want)
		}
	}
	remove := s.Fail(Fault{Operation: "getPipe", ID: strings.ToUpper(KafkaPipeID), Skip: 1, Times: 2, Status: 500})
	expect("another operation", scalingPath, `{}`, 200)
	expect("another id", kinesisPath, "", 200)
	expect("skipped", pipePath, "", 200)
	expect("first", pipePath, "", 500)
	expect("another id in between", kinesisPath, "", 200)
	expect("second", pipePath, "", 500)
	expect("spent", pipePath, "", 200)
	remove()

	first := s.Fail(Fault{Status: 501})
	second := s.Fail(Fault{Status: 502, Times: 1})
	expect("the first of two", pipePath, "", 501)
	expect("an unknown path", "/", "", 501)
	first()
	first()
	expect("the second, which counted none", pipePath, "", 502)
	expect("both over", pipePath, "", 200)
	second()
}

func TestDelays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		s.Fail(Fault{Delay: time.Minute, Times: 1})
		s.Latency(time.Hour)
		start := time.Now()
		object(t, s, pipePath, "")
		if took := time.Since(start); took != time.Hour+time.Minute {
			t.Errorf("responded after %v", took)
		}
		start = time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		serve(s, request("GET", pipePath, "").WithContext(ctx))
		s.Latency(0)
		s.Fail(Fault{Delay: time.Hour})
		serve(s, request("GET", pipePath, "").WithContext(ctx))
		if took := time.Since(start); took != 0 {
			t.Errorf("waited %v for a client that has left", took)
		}
	})
}

// A fault can come before the server acts or after it: then the client does not
// know the outcome.
func TestFaultAfterActing(t *testing.T) {
	t.Parallel()
	for _, fault := range []Fault{{Status: 502}, {Kind: FaultHTML, Status: 502}, {Kind: FaultReset}, {Kind: FaultHang}} {
		for acts, replicas := range map[bool]string{false: `2`, true: `9`} {
			fault.AfterActing = acts
			synctest.Test(t, func(t *testing.T) { // fails at once where a hang does not end
				s := New()
				remove := s.Fail(fault)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				go func() { // what hangs ends by either
					synctest.Wait()
					if acts {
						remove()
					} else {
						leave()
					}
				}()
				if status := sendAborted(s, request("PATCH", scalingPath, `{"replicas":9}`).WithContext(ctx)); status == http.StatusOK {
					t.Errorf("%+v: status %d", fault, status)
				}
				same(t, fmt.Sprintf("replicas after %+v", fault), s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"], replicas)
			})
		}
	}
}

// sendAborted returns the status of a response, or 0 if the server aborts.
func sendAborted(s *Server, r *http.Request) (status int) {
	defer func() {
		if aborted := recover(); aborted != nil {
			status = 0
		}
	}()
	return serve(s, r).Code
}

// Faults of the connection, as a client sees them over the network.
func TestFaultsOfTheConnection(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind  FaultKind
		http2 bool
		want  error // nil over HTTP/2: any
	}{
		{FaultReset, false, syscall.ECONNRESET},
		{FaultReset, true, nil},
		{FaultHang, false, context.DeadlineExceeded},
		{FaultCut, false, io.ErrUnexpectedEOF},
		{FaultEndless, false, nil},
	} {
		s := New()
		s.Fail(Fault{Kind: test.kind})
		server := httptest.NewUnstartedServer(s)
		server.Config.ConnState = s.ConnState
		if server.EnableHTTP2 = test.http2; test.http2 {
			server.StartTLS()
		} else {
			server.Start()
		}
		t.Cleanup(server.Close)
		ctx, cancel := context.WithCancel(t.Context())
		if test.kind == FaultHang {
			ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
		}
		t.Cleanup(cancel)
		r := request("PATCH", server.URL+scalingPath, `{"replicas":9}`).WithContext(ctx)
		r.RequestURI = ""
		response, err := server.Client().Do(r)
		var read int64
		if err == nil {
			t.Cleanup(func() { _ = response.Body.Close() })
			read, err = io.Copy(io.Discard, io.LimitReader(response.Body, 8<<20))
		}
		if test.http2 && err == nil || !test.http2 && !errors.Is(err, test.want) || s.Connections() != 1 {
			t.Errorf("%s: error %v, want %v; %d connections", test.kind, err, test.want, s.Connections())
		}
		replicas := s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"]
		if test.kind == FaultCut && (read == 0 || read != response.ContentLength/2 || replicas != int64(9)) || test.kind == FaultEndless && read != 8<<20 {
			t.Errorf("%s: %d bytes, replicas %v", test.kind, read, replicas)
		}
	}
}

func TestParseFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Fault{
		"updateService:reset,acted,times=1":   {Operation: "updateService", Kind: FaultReset, AfterActing: true, Times: 1},
		"getService:status=503,skip=2,id=abc": {Operation: "getService", Status: 503, Skip: 2, ID: "abc"},
		":delay=1.5s":                         {Delay: 1500 * time.Millisecond},
		":redirect,location=/elsewhere":       {Kind: FaultRedirect, Header: http.Header{"Location": {"/elsewhere"}}},
	} {
		got, err := ParseFault(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
	for _, text := range []string{
		"getPipe", "getPipe:", "getPipes:reset", "getPipe:explode", "getPipe:reset,", "getPipe:acted",
		"getPipe:status=abc", "getPipe:status=1", "getPipe:skip=x,reset", "getPipe:delay=1,reset",
	} {
		if _, err := ParseFault(text); err == nil {
			t.Errorf("%q: accepted", text)
		}
	}
}
