package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// atChange serves a mock API and calls do at the n-th change of a path with this
// end, after it was made and before the response.
func atChange(t *testing.T, mock *mockapi.Server, suffix string, n int64, do func()) (baseURL string, reached *atomic.Int64) {
	t.Helper()
	reached = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(strings.NewReader(string(body)))
		mock.ServeHTTP(w, request)
		if !isRead(request.Method, body) && strings.HasSuffix(request.URL.Path, suffix) && reached.Add(1) == n {
			do()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, reached
}

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
	var out strings.Builder
	env := environment(baseURL, map[string]string{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID})
	err := test(ctx, &out, env, &settings{journal: filepath.Join(t.TempDir(), "journal.json"), doubt: testDoubt})
	if diff := cmp.Diff(before, objects(mock)); diff != "" {
		t.Fatalf("interrupted at change %d: not restored:\n%s\n%s", n, diff, &out)
	}
	if changes.Load() < n {
		return false
	}
	if !errors.Is(err, errInterrupted) || !strings.Contains(out.String(), "is as it was before") {
		t.Fatalf("interrupted at change %d: %v\n%s", n, err, &out)
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(strings.NewReader(string(body)))
		if !isRead(request.Method, body) && ctx.Err() == nil {
			interrupt()
			time.Sleep(testDoubt)
		}
		mock.ServeHTTP(w, request)
	}))
	defer server.Close()
	var out strings.Builder
	env := environment(server.URL, map[string]string{"DBPLATFORM_TEST_WRITES": "1"})
	err := test(ctx, &out, env, &settings{journal: filepath.Join(t.TempDir(), "journal.json"), doubt: time.Millisecond})
	server.Close() // waits for what is still served
	if diff := cmp.Diff(before, objects(mock)); diff != "" || !errors.Is(err, errInterrupted) {
		t.Errorf("%v, not restored:\n%s\n%s", err, diff, &out)
	}
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
	server := httptest.NewServer(mock)
	defer server.Close()
	before := objects(mock)
	s, err := newSettings(environment(server.URL, map[string]string{"DBPLATFORM_TEST_WRITES": "1"}))
	if err != nil {
		t.Fatal(err)
	}
	s.journal, s.doubt = filepath.Join(t.TempDir(), "journal.json"), testDoubt
	var out strings.Builder
	r := newRun(s, &out)
	r.record.transport = &panicker{RoundTripper: r.record.transport}
	defer func() {
		if recovered := recover(); recovered != "planted" {
			t.Errorf("recovered %v", recovered)
		}
		if diff := cmp.Diff(before, objects(mock)); diff != "" {
			t.Errorf("not restored:\n%s\n%s", diff, &out)
		}
		if strings.Contains(out.String(), "Everything that was tested works") {
			t.Errorf("the panic counts as a success:\n%s", &out)
		}
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
	env := environment(baseURL, map[string]string{
		"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID, "DBPLATFORM_TEST_API_KEY_ID": "",
	})
	mock.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) { service["ipAccessList"] = []any{} })
	before := objects(mock)
	options := &settings{journal: filepath.Join(t.TempDir(), "journal.json"), doubt: testDoubt}
	var out strings.Builder
	if err := test(t.Context(), &out, env, options); err == nil {
		t.Error("no error")
	}
	for _, want := range []string{"pipe " + mockapi.KafkaPipeID + " may not be restored", "replicas is 3, was 2", options.journal} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}

	out.Reset()
	lift()
	readOnly := func(name string) string {
		if name == "DBPLATFORM_TEST_WRITES" {
			return ""
		}
		return env(name)
	}
	if err := test(t.Context(), &out, readOnly, options); err == nil || !strings.Contains(err.Error(), "DBPLATFORM_TEST_WRITES=1") {
		t.Errorf("a run that only reads: %v", err)
	}
	if err := test(t.Context(), &out, env, options); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	if diff := cmp.Diff(before, objects(mock)); diff != "" {
		t.Errorf("not restored:\n%s\n%s", diff, &out)
	}
}
