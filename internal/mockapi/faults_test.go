package mockapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// network serves s and returns a client whose connections are its own.
func network(t *testing.T, s *Server) (*http.Client, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = s.ConnState
	server.Start()
	t.Cleanup(server.Close)
	client := server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client, server.URL
}

// delivered is what of an response came over the network.
type delivered struct {
	http2    bool
	announce int64 // bytes
	body     int64 // bytes
}

// over sends a request over the network and reads most bytes of the response.
func over(t *testing.T, client *http.Client, method, url, body string, most int64) (delivered, error) {
	t.Helper()
	r := request(method, url, body)
	r.RequestURI = ""
	response, err := client.Do(r.WithContext(t.Context()))
	if err != nil {
		return delivered{}, err
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(response.Body, most))
	return delivered{response.ProtoMajor == 2, response.ContentLength, n}, err
}

func TestFaultAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  Fault
		status int
		body   string // contained in the response's
		absent string // not contained in it
	}{
		"status":         {Fault{Status: 503}, 503, `"error":"service unavailable"`, "result"},
		"status, body":   {Fault{Status: 200, Body: `{"status":200}`}, 200, `{"status":200}`, "result"},
		"html":           {Fault{Kind: FaultHTML}, 200, "<title>200 OK</title>", "result"},
		"html, status":   {Fault{Kind: FaultHTML, Status: 502}, 502, "<title>502 Bad Gateway</title>", "result"},
		"html, 404":      {Fault{Kind: FaultHTML, Status: 404}, 404, "<title>404 Not Found</title>", "result"},
		"plain":          {Fault{Kind: FaultPlain}, 404, "404 not found\n", "{"},
		"plain, chosen":  {Fault{Kind: FaultPlain, Status: 503, Body: "try later"}, 503, "try later", "{"},
		"empty":          {Fault{Kind: FaultEmpty}, 200, "", "{"},
		"empty, status":  {Fault{Kind: FaultEmpty, Status: 500}, 500, "", "{"},
		"error envelope": {Fault{Kind: FaultErrorEnvelope}, 200, `"status":500`, "result"},
		"error envelope, chosen": {
			Fault{Kind: FaultErrorEnvelope, Status: 403, Body: "not for you"}, 200, `{"error":"not for you",`, "result",
		},
		"no result":     {Fault{Kind: FaultNoResult}, 200, `"status":200`, "result"},
		"null result":   {Fault{Kind: FaultNullResult}, 200, `"result":null`, "replicas"},
		"string result": {Fault{Kind: FaultStringResult}, 200, `"result":"done"`, "replicas"},
		"other id":      {Fault{Kind: FaultOtherID}, 200, `"replicas":2`, "22222222-2222-4222-8222-111111111111"},
		"redirect":      {Fault{Kind: FaultRedirect, Header: http.Header{"location": {"/elsewhere"}}}, 302, "", "result"},
		"redirect, 307": {Fault{Kind: FaultRedirect, Status: 307, Header: http.Header{"Location": {"/elsewhere"}}}, 307, "", "result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New()
			s.Fail(test.fault)
			w := send(s, "GET", pipePath, "")
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) || strings.Contains(w.Body.String(), test.absent) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if test.fault.Kind == FaultRedirect && w.Header().Get("Location") != "/elsewhere" {
				t.Errorf("Location: %v", w.Header())
			}
			if got := s.Requests()[0].Status; got != test.status {
				t.Errorf("recorded status %d", got)
			}
		})
	}
}

func TestFaultHeaderReplacesTheAnswers(t *testing.T) {
	t.Parallel()
	s := New()
	s.Fail(Fault{Status: 429, Header: http.Header{"retry-after": {"7"}, "content-type": {"text/plain"}}, Body: "slow down"})
	w := send(s, "GET", pipePath, "")
	if w.Header().Get("Retry-After") != "7" || w.Header().Get("Content-Type") != "text/plain" || w.Body.String() != "slow down" {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
}

func TestFaultMatching(t *testing.T) {
	t.Parallel()
	s := New()
	expect := func(what, method, path, body string, want int) {
		t.Helper()
		if w := send(s, method, path, body); w.Code != want {
			t.Errorf("%s: %d, want %d", what, w.Code, want)
		}
	}
	remove := s.Fail(Fault{Operation: "getPipe", ID: strings.ToUpper(KafkaPipeID), Skip: 1, Times: 2, Status: 500})
	expect("another operation", "PATCH", pipePath+"/scaling", `{}`, 200)
	expect("another id", "GET", servicePath+"/pipes/"+KinesisPipeID, "", 200)
	expect("skipped", "GET", pipePath, "", 200)
	expect("first", "GET", pipePath, "", 500)
	expect("another id in between", "GET", servicePath+"/pipes/"+KinesisPipeID, "", 200)
	expect("second", "GET", pipePath, "", 500)
	expect("spent", "GET", pipePath, "", 200)
	remove()

	first := s.Fail(Fault{Status: 501})
	second := s.Fail(Fault{Status: 502, Times: 1})
	expect("the first of two", "GET", pipePath, "", 501)
	expect("an unknown path", "GET", "/", "", 501)
	first()
	first()
	expect("the second, which counted none", "GET", pipePath, "", 502)
	expect("both over", "GET", pipePath, "", 200)
	second()
}

func TestFaultWithoutEffectIsAMistake(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("accepted")
		}
	}()
	New().Fail(Fault{Operation: "getPipe"})
}

func TestFaultDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		s.Fail(Fault{Delay: time.Minute, Times: 1})
		start := time.Now()
		result[Object](t, s, "GET", pipePath, "")
		if took := time.Since(start); took != time.Minute {
			t.Errorf("responded after %v", took)
		}
		s.Fail(Fault{Delay: time.Hour})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.ServeHTTP(httptest.NewRecorder(), request("GET", pipePath, "").WithContext(ctx))
		if took := time.Since(start); took != time.Minute {
			t.Errorf("waited for a client that has left: %v", took)
		}
	})
}

func TestFaultOtherIDOfBackups(t *testing.T) {
	t.Parallel()
	s := New()
	s.Fail(Fault{Kind: FaultOtherID})
	for _, backup := range result[[]any](t, s, "GET", servicePath+"/backups", "") {
		if backup.(Object)["serviceId"] == ServiceID {
			t.Error("a backup is of its own service")
		}
	}
	settings := result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":9}`)
	if _, ok := settings["id"]; ok || settings["db_max_threads"] != int64(9) {
		t.Errorf("settings: %v", settings)
	}
	if w := send(s, "GET", servicePath+"/pipes/"+unknownID, ""); w.Code != 404 {
		t.Errorf("an error: %d", w.Code)
	}
}

func TestFaultReset(t *testing.T) {
	t.Parallel()
	s := New()
	client, url := network(t, s)
	s.Fail(Fault{Kind: FaultReset, Times: 1})
	if _, err := over(t, client, "PATCH", url+keyPath, `{}`, 0); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("error %v", err)
	}
	if got := s.Requests()[0].Status; got != 0 {
		t.Errorf("recorded status %d", got)
	}
}

func TestFaultResetOverHTTP2(t *testing.T) {
	t.Parallel()
	s := New()
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	s.Fail(Fault{Kind: FaultReset, Times: 1})
	if _, err := over(t, server.Client(), "PATCH", server.URL+keyPath, `{}`, 0); err == nil {
		t.Error("no error")
	}
	if response, err := over(t, server.Client(), "PATCH", server.URL+keyPath, `{}`, 0); err != nil || !response.http2 {
		t.Errorf("%+v %v", response, err)
	}
}

func TestFaultCut(t *testing.T) {
	t.Parallel()
	s := New()
	client, url := network(t, s)
	s.Fail(Fault{Kind: FaultCut, Times: 1})
	response, err := over(t, client, "PATCH", url+pipePath+"/scaling", `{"replicas":9}`, 1<<20)
	if !errors.Is(err, io.ErrUnexpectedEOF) || response.body == 0 || response.body != response.announce/2 {
		t.Errorf("%+v, error %v", response, err)
	}
	if got := s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"]; got != int64(9) {
		t.Errorf("it did not act: %v", got)
	}
}

// A request hangs until its client leaves or the fault is removed.
func TestFaultHang(t *testing.T) {
	t.Parallel()
	for _, leaves := range []bool{true, false} {
		s := New()
		client, url := network(t, s)
		remove := s.Fail(Fault{Kind: FaultHang})
		ctx, leave := context.WithCancel(t.Context())
		t.Cleanup(leave)
		r := request("PATCH", url+keyPath, `{}`).WithContext(ctx)
		r.RequestURI = ""
		hung := make(chan error)
		go func() {
			response, err := client.Do(r)
			if err == nil {
				_ = response.Body.Close()
			}
			hung <- err
		}()
		for len(s.Requests()) == 0 {
			time.Sleep(time.Millisecond)
		}
		if leaves {
			leave()
		} else {
			remove()
		}
		if err := <-hung; err == nil {
			t.Error("the hanging request got a response")
		}
	}
}

func TestFaultEndless(t *testing.T) {
	t.Parallel()
	s := New()
	client, url := network(t, s)
	s.Fail(Fault{Kind: FaultEndless})
	const much = 8 << 20
	if response, err := over(t, client, "GET", url+pipePath, "", much); err != nil || response.body != much {
		t.Errorf("it ended: %+v, error %v", response, err)
	}
}
