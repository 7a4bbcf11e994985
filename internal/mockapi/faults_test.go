package mockapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The others are tested with the provider. A header's name may have any case.
func TestFaultResponses(t *testing.T) {
	t.Parallel()
	const acted = `"replicas":2`
	for name, test := range map[string]struct {
		fault  Fault
		status int
		body   string // a part of the response's
		absent string // no part of it
	}{
		"status":                 {Fault{Status: 503}, 503, `"error":"service unavailable"`, "result"},
		"status, body":           {Fault{Status: 200, Body: `{"status":200}`}, 200, `{"status":200}`, "result"},
		"status, header":         {Fault{Status: 429, Header: http.Header{"retry-after": {"7"}, "content-type": {"text/plain"}}, Body: "slow down"}, 429, "slow down", "{"},
		"plain, status, body":    {Fault{Kind: FaultPlain, Status: 503, Body: "try later"}, 503, "try later", "{"},
		"error envelope, status": {Fault{Kind: FaultErrorEnvelope, Status: 403, Body: "not for you"}, 200, `{"error":"not for you",`, "result"},
		"error, a word":          {Fault{Kind: FaultErrorStatus, Body: "quota of replicas"}, 200, `"message":"quota of replicas",`, acted},
		"error, its status":      {Fault{Kind: FaultErrorStatus}, 200, `"result":{},"status":"error"}`, acted},
		"error, a member":        {Fault{Kind: FaultErrorMember}, 200, `{"error":"quota exceeded",`, "result"},
		"error, a list":          {Fault{Kind: FaultErrorList}, 200, `{"errors":[{"message":"quota exceeded"}],`, "result"},
		"no result":              {Fault{Kind: FaultNoResult}, 200, `"status":200`, "result"},
		"string result":          {Fault{Kind: FaultStringResult}, 200, `"result":"done"`, acted},
		"another's id":           {Fault{Kind: FaultOtherID}, 200, acted, KafkaPipeID},
		"empty":                  {Fault{Kind: FaultEmpty}, 200, "", "{"},
		"empty, status":          {Fault{Kind: FaultEmpty, Status: 404}, 404, "", "{"},
		"redirect":               {Fault{Kind: FaultRedirect, Header: http.Header{"Location": {"/"}}}, 302, "", "{"},
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
	for _, kind := range []FaultKind{FaultErrorStatus, FaultErrorMember, FaultErrorList} {
		s := New()
		unchanged(t, s)
		s.Fail(Fault{Kind: kind, Times: 1})
		send(s, scalingPath, `{"replicas":9}`)
	}
	s := New()
	s.Fail(Fault{Kind: FaultOtherID})
	if backups := fmt.Sprint(result(t, s, backupsPath, "")); strings.Contains(backups, "serviceId:"+ServiceID) {
		t.Errorf("a backup is of its own service: %s", backups)
	}
	same(t, "settings have no id", object(t, s, settingsPath, `{"db_max_threads":9}`)["db_max_threads"], `9`)
}

// Which fault comes first, and when, is tested with the options of `make mock`.
func TestFaultMatching(t *testing.T) {
	t.Parallel()
	s := New()
	replicas := func() any { return s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"] }
	lettered := s.AddPipe(ServiceID, Object{"id": "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"})
	removeOther := s.Fail(Fault{ID: strings.ToUpper(lettered), Operation: "getPipe", Status: 503})
	refused(t, s, 503, servicePath+"/pipes/"+lettered, "")
	object(t, s, servicePath+"/pipes/"+lettered+"/scaling", `{}`)
	removeOther()
	object(t, s, servicePath+"/pipes/"+strings.ToUpper(lettered), "")
	remove := s.Fail(Fault{ID: KafkaPipeID, Status: 502})
	object(t, s, kinesisPath, "")
	refused(t, s, 502, scalingPath, `{"replicas":8}`)
	same(t, "before acting", replicas(), `2`)
	remove()
	remove()
	s.Fail(Fault{Status: 503, Skip: 1, Times: 2})
	for i, want := range []int{200, 503, 503, 200} {
		if got := send(s, pipePath, "").Code; got != want {
			t.Errorf("request %d: %d, not %d", i, got, want)
		}
	}
	s.Fail(Fault{Status: 502, AfterActing: true})
	refused(t, s, 502, scalingPath, `{"replicas":9}`)
	same(t, "after acting", replicas(), `9`)
	refused(t, s, 502, "/", "")

	s = New()
	s.Fail(Fault{Status: 503, Percent: 30})
	failed := 0
	for range 2000 {
		if send(s, pipePath, "").Code == 503 {
			failed++
		}
	}
	if failed < 450 || failed > 750 { // 600, and seven standard deviations
		t.Errorf("%d of 2000 requests failed, not 30 %%", failed)
	}
}

// Without a connection of its own, a response is aborted.
func TestDelays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		took := func(ctx context.Context) (d time.Duration) {
			start := time.Now()
			defer func() {
				_ = recover() // the server aborts what hangs
				d = time.Since(start)
			}()
			serve(s, request("GET", pipePath, "").WithContext(ctx))
			return d
		}
		s.Fail(Fault{Delay: time.Minute, Times: 1})
		s.Latency(time.Hour)
		if got := took(t.Context()); got != time.Hour+time.Minute {
			t.Errorf("responded after %v", got)
		}
		left, leave := context.WithCancel(t.Context())
		leave()
		remove := s.Fail(Fault{Status: 503, Delay: time.Hour})
		for _, latency := range []time.Duration{time.Hour, 0} {
			s.Latency(latency)
			if got := took(left); got != 0 {
				t.Errorf("waited %v for a client that has left", got)
			}
		}
		remove()
		s.Fail(Fault{Kind: FaultReset, Times: 1})
		took(t.Context())
		for i, request := range s.Requests() {
			if (request.Status == 0) != (i > 0) {
				t.Errorf("request %d has status %d", i, request.Status)
			}
		}
		time.AfterFunc(time.Second, s.Fail(Fault{Kind: FaultHang}))
		if got := took(t.Context()); got != time.Second {
			t.Errorf("what hangs ended after %v, not with its fault", got)
		}
	})
}

// errReset is what the network returns. The ECONNRESET of Go's syscall package
// is another number on Windows.
var errReset = func() syscall.Errno {
	if runtime.GOOS == "windows" {
		return 10054 // WSAECONNRESET
	}
	return syscall.ECONNRESET
}()

// Faults of the connection, as a client sees them over the network.
func TestFaultsOfTheConnection(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind FaultKind
		want error
	}{
		{FaultReset, errReset},
		{FaultHang, context.Canceled},
		{FaultCut, io.ErrUnexpectedEOF},
	} {
		s := New()
		s.Fail(Fault{Kind: test.kind})
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if test.kind == FaultHang {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			s.ServeHTTP(w, r)
		}))
		server.Config.ConnState = s.ConnState
		server.Start()
		t.Cleanup(server.Close)
		r := request("PATCH", server.URL+scalingPath, `{"replicas":9}`).WithContext(ctx)
		r.RequestURI = ""
		response, err := server.Client().Do(r)
		if err == nil {
			t.Cleanup(func() { _ = response.Body.Close() })
			_, err = io.Copy(io.Discard, response.Body)
		}
		if !errors.Is(err, test.want) || s.Connections() != 1 {
			t.Errorf("%s: error %v, want %v; %d connections", test.kind, err, test.want, s.Connections())
		}
		acted := s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"] == int64(9)
		if acted != (test.kind == FaultCut) {
			t.Errorf("%s: the server acted: %t", test.kind, acted)
		}
	}
}

func TestParseFault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Fault{
		"updateService:reset,acted,times=1":      {Operation: "updateService", Kind: FaultReset, AfterActing: true, Times: 1},
		"getService:html,503,skip=2,id=abc@5%":   {Operation: "getService", Kind: FaultHTML, Status: 503, Skip: 2, ID: "abc", Percent: 5},
		"503@30%":                                {Status: 503, Percent: 30},
		":delay=1.5s@100%":                       {Delay: 1500 * time.Millisecond, Percent: 100},
		"redirect,location=https://a@b.example/": {Kind: FaultRedirect, Header: http.Header{"Location": {"https://a@b.example/"}}},
	} {
		got, err := ParseFault(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
	for _, text := range []string{
		"getPipe", "getPipe:", "getPipes:reset", "getPipe:explode", "getPipe:reset,", "getPipe:acted",
		"abc", "1", "skip=x,reset", "delay=1,reset", "503@0%", "503@101%", "503@30",
	} {
		if _, err := ParseFault(text); err == nil {
			t.Errorf("%q: accepted", text)
		}
	}
}
