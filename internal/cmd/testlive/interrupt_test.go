package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A run that is interrupted at any of its changes restores the objects, also
// where a read does not show the change yet.
func TestInterruptedRunRestores(t *testing.T) {
	t.Parallel()
	// All of the plain changes, and for the variants as many as show their part.
	for name, step := range map[string]int64{"": 1, "late=old": 4, "stale_services=50ms": 4} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variants, _ := mockapi.ParseVariants(strings.Fields(name)...)
			n := int64(1)
			for interruptAt(t, mockapi.New(mockapi.WithVariants(variants)), n) {
				n += step
			}
		})
	}
}

// interruptAt interrupts a run at its n-th change. It returns false after the last.
func interruptAt(t *testing.T, mock *mockapi.Server, n int64) bool {
	t.Helper()
	before := objects(mock)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	baseURL, changes := atChange(t, mock, "", n, interrupt)
	out, err := runTest(ctx, t, baseURL, writes(env{"DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID}))
	expectRestored(t, mock, before, out)
	if changes.Load() < n || t.Failed() {
		return false
	}
	if contains(t, out, "is as it was before"); !errors.Is(err, errInterrupted) || strings.Contains(out, "make mock") {
		t.Fatalf("interrupted at change %d: %v\n%s", n, err, out)
	}
	return true
}

// A change that the API makes only after the interrupt is undone, too: the run
// waits for the response to what it has sent.
func TestInterruptedRunWaits(t *testing.T) {
	t.Parallel()
	mock := mockapi.New()
	before := objects(mock)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	baseURL := serve(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.ContentLength > int64(len("{}")) && ctx.Err() == nil {
			interrupt()
			time.Sleep(300 * time.Millisecond)
		}
		mock.ServeHTTP(w, request)
	}))
	s := testSettings(t, baseURL, writes(nil))
	s.patience = time.Millisecond
	var out strings.Builder
	if err := newRun(s, &out).do(ctx, t.TempDir()); !errors.Is(err, errInterrupted) {
		t.Error(err)
	}
	expectRestored(t, mock, before, out.String())
}

// A change that shows late is undone, by default if it takes as long as the provider
// waits for one. What never shows is named.
func TestLateList(t *testing.T) {
	t.Parallel()
	only := writes(env{"DBPLATFORM_TEST_PIPE_ID": "", "DBPLATFORM_TEST_API_KEY_ID": ""})
	for patience, wants := range map[time.Duration][]string{
		testPatience:          {"is as it was before"},
		10 * time.Millisecond: {"an added address is accepted, but does not show within 10ms", "unable to confirm", "an addition to ipAccessList was accepted and does not show"},
	} {
		mock := mockapi.New(mockapi.WithVariants(mockapi.Variants{StaleServices: time.Second}))
		before := objects(mock)
		s := testSettings(t, serve(t, mock), only)
		s.patience = patience
		var out strings.Builder
		err := newRun(s, &out).do(t.Context(), t.TempDir())
		if contains(t, out.String(), wants...); (err == nil) != (patience == testPatience) {
			t.Errorf("%v: %v", patience, err)
		}
		if err == nil {
			expectRestored(t, mock, before, out.String())
		} else {
			expectFlags(t, out.String(), nil)
		}
	}
}

// A change that the API makes after its gateway has given up is undone.
func TestLostChange(t *testing.T) {
	t.Parallel()
	mock := mockapi.New()
	before := objects(mock)
	var late sync.WaitGroup
	lost := false
	baseURL := serve(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if lost || !strings.HasSuffix(request.URL.Path, "/scaling") {
			mock.ServeHTTP(w, request)
			return
		}
		lost = true
		body, _ := io.ReadAll(request.Body)
		request = request.Clone(context.WithoutCancel(request.Context()))
		request.Body = io.NopCloser(bytes.NewReader(body))
		late.Go(func() {
			time.Sleep(testPatience / 2)
			mock.ServeHTTP(httptest.NewRecorder(), request)
		})
		w.WriteHeader(http.StatusGatewayTimeout)
	}))
	out, err := runTest(t.Context(), t, baseURL, writes(env{"DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID, "DBPLATFORM_TEST_API_KEY_ID": ""}))
	late.Wait()
	if contains(t, out, "a change without a response may still be made", "it was set back just now"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	expectRestored(t, mock, before, out)
}

// A panicker panics once, after a change was made.
type panicker struct {
	http.RoundTripper
	panicked bool
}

func (p *panicker) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := p.RoundTripper.RoundTrip(request)
	if strings.HasSuffix(request.URL.Path, "/scaling") && !p.panicked {
		p.panicked = true
		panic("planted")
	}
	return response, err
}

// A run that panics restores the objects first.
func TestPanickingRunRestores(t *testing.T) {
	t.Parallel()
	mock := mockapi.New()
	before := objects(mock)
	var out strings.Builder
	r := newRun(testSettings(t, serve(t, mock), writes(nil)), &out)
	r.record.transport = &panicker{RoundTripper: r.record.transport}
	defer func() {
		if recovered := recover(); recovered != "planted" || strings.Contains(out.String(), "Everything that was tested works") {
			t.Errorf("recovered %v\n%s", recovered, &out)
		}
		expectRestored(t, mock, before, out.String())
	}()
	_ = r.do(t.Context(), t.TempDir())
	t.Error("no panic")
}

// What cannot be restored is named, with both values, and is restored by the next
// run.
func TestNotRestored(t *testing.T) {
	t.Parallel()
	mock := mockapi.New()
	var lift func()
	refuse := func() { lift = mock.Fail(mockapi.Fault{Operation: "scalePipe", Status: http.StatusForbidden}) }
	baseURL, _ := atChange(t, mock, "", 1, refuse)
	mock.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) { service["ipAccessList"] = []any{} })
	before := objects(mock)
	s := testSettings(t, baseURL, env{"DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID, "DBPLATFORM_TEST_API_KEY_ID": ""})
	again := func(canWrite bool) (string, error) {
		var out strings.Builder
		s.writes = canWrite
		err := newRun(s, &out).do(t.Context(), t.TempDir())
		return out.String(), err
	}
	out, err := again(true)
	if contains(t, out, "pipe "+mockapi.KafkaPipeID+" is restored: ", "replicas is 3, was 2", s.journal); err == nil {
		t.Error("no error")
	}
	lift()
	if out, err = again(false); err == nil || !strings.Contains(err.Error(), "run again with DBPLATFORM_TEST_WRITES=1") {
		t.Errorf("a run that only reads: %v\n%s", err, out)
	}
	if out, err = again(true); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	expectRestored(t, mock, before, out)
}

// A second run refuses to begin while a first one may change objects, and leaves
// them and the journal alone.
func TestSecondRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no lock")
	}
	mock := mockapi.New()
	before := objects(mock)
	var s *settings
	var second strings.Builder
	var secondErr error
	baseURL, _ := atChange(t, mock, "", 1, func() {
		requests := len(mock.Requests())
		secondErr = newRun(s, &second).do(t.Context(), t.TempDir())
		if got := len(mock.Requests()); got != requests {
			t.Errorf("the second run sent %d requests", got-requests)
		}
	})
	s = testSettings(t, baseURL, writes(env{"DBPLATFORM_TEST_PIPE_ID": ""}))
	file, err := openJournal(s)
	if err != nil {
		t.Fatal(err)
	}
	if there := isAt(file, s.journal); !there || closeJournal(file) != nil || isAt(file, s.journal) {
		t.Error("a journal that another run has removed counts as open")
	}
	var first strings.Builder
	if err := newRun(s, &first).do(t.Context(), t.TempDir()); err != nil {
		t.Errorf("the first run: %v\n%s", err, &first)
	}
	if secondErr == nil || !strings.Contains(secondErr.Error(), "another run in this folder") {
		t.Errorf("the second run: %v\n%s", secondErr, &second)
	}
	expectRestored(t, mock, before, first.String())
	if _, err := os.Stat(s.journal); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal is left: %v", err)
	}
}
