package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

const (
	organizationID = "11111111-1111-4111-8111-111111111111"
	serviceID      = "22222222-2222-4222-8222-222222222222"
	pipeID         = "33333333-3333-4333-8333-333333333333"
	keySecret      = "s3cr3t-of&lt;the-key"
)

// documented are the members whose strings a log shows.
var documented = []string{"id", "name", "roles", "topics", "path", "url", "description", "source"}

// A roundTripper responds without sockets: in a synctest bubble, waiting for a
// socket would stop the clock.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// returns responds to each request in the same way; header holds names and values
// alternately.
func returns(status int, body string, header ...string) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
		for i := 0; i < len(header); i += 2 {
			resp.Header.Set(header[i], header[i+1])
		}
		return resp, nil
	}
}

var success = returns(http.StatusOK, `{"status":200,"requestId":"r-ok","result":{}}`)

func fails(err error) roundTripper {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

var refused = fails(&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)})

// breaksOff returns a response whose connection is lost.
var breaksOff = endsWith(io.ErrUnexpectedEOF)

func endsWith(err error) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(`{"result":{}}`), iotest.ErrReader(err))
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
	}
}

// lost loses the connection after the request.
var lost roundTripper = func(r *http.Request) (*http.Response, error) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	return nil, io.EOF
}

// hangs responds when the client gives up.
var hangs roundTripper = func(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func after(d time.Duration, then roundTripper) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		if err := sleep(r.Context(), d); err != nil {
			return nil, err
		}
		return then(r)
	}
}

// inOrder responds with each response once. More or fewer requests fail the test.
func inOrder(t *testing.T, responses ...http.RoundTripper) roundTripper {
	t.Helper()
	var requests atomic.Int64
	t.Cleanup(func() {
		if n := int(requests.Load()); n != len(responses) {
			t.Errorf("%d requests, want %d", n, len(responses))
		}
	})
	return func(r *http.Request) (*http.Response, error) {
		if n := int(requests.Add(1)); n <= len(responses) {
			return responses[n-1].RoundTrip(r)
		}
		return returns(http.StatusTeapot, "")(r)
	}
}

func newTestClient(t *testing.T, base string, change ...func(*Config)) *Client {
	t.Helper()
	u, err := ParseBaseURL(base)
	if err != nil {
		t.Fatal(err)
	}
	config := Config{
		BaseURL:        u,
		OrganizationID: organizationID,
		KeyID:          "key-id",
		KeySecret:      keySecret,
		MaxRetries:     3,
		UserAgent:      "terraform-provider-dbplatform/test",
	}
	for _, f := range change {
		f(&config)
	}
	return New(config, documented)
}

// clientOf returns a client whose requests respond handles.
func clientOf(t *testing.T, respond roundTripper, change ...func(*Config)) *Client {
	t.Helper()
	return newTestClient(t, "https://api.example", append(change, func(config *Config) { config.RoundTripper = respond })...)
}

func retries(n int) func(*Config) { return func(config *Config) { config.MaxRetries = n } }

// objectID is the id of the nth object of a test.
func objectID(n int) string { return fmt.Sprintf("66666666-6666-4666-8666-%012d", n) }

func getPipe(id string) Request {
	return Request{
		Operation: "get pipe", Method: http.MethodGet,
		Path: []string{"services", serviceID, "pipes", id}, ID: id,
	}
}

func scalePipe(id string) Request {
	return Request{
		Operation: "scale pipe", Method: http.MethodPatch, Body: []byte(`{"replicas":3}`), Writes: true,
		Path: []string{"services", serviceID, "pipes", id, "scaling"}, ID: id,
	}
}

func do(ctx context.Context, c *Client, r Request) error {
	_, err := c.Do(ctx, r, c.NewRetryBudget())
	return err
}

func read(t *testing.T, c *Client) error { t.Helper(); return do(t.Context(), c, getPipe(pipeID)) }

func scale(t *testing.T, c *Client) error { t.Helper(); return do(t.Context(), c, scalePipe(pipeID)) }

func asError(t *testing.T, err error) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error is %T (%v), want *Error", err, err)
	}
	return e
}

// virtual runs a parallel subtest in virtual time.
func virtual(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// checkTook checks how long it is since started.
func checkTook(t *testing.T, started time.Time, least, most time.Duration) {
	t.Helper()
	if took := time.Since(started); took < least || took > most {
		t.Errorf("took %s, want %s to %s", took, least, most)
	}
}

// inParallel makes n calls, parallel at a time, and returns their errors.
func inParallel(n, parallel int, call func(i int) error) []error {
	errs := make([]error, n)
	next := make(chan int)
	var all sync.WaitGroup
	for range parallel {
		all.Go(func() {
			for i := range next {
				errs[i] = call(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	return errs
}

// succeed makes n requests, parallel at a time. Each has to succeed.
func succeed(t *testing.T, c *Client, n, parallel int) {
	t.Helper()
	for _, err := range inParallel(n, parallel, func(int) error { return scale(t, c) }) {
		if err != nil {
			t.Error(err)
		}
	}
}
