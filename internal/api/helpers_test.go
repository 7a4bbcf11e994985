package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
	"github.com/google/go-cmp/cmp"
)

const (
	organizationID = "11111111-1111-4111-8111-111111111111"
	serviceID      = "22222222-2222-4222-8222-222222222222"
	pipeID         = "33333333-3333-4333-8333-333333333333"
	keyID          = "44444444-4444-4444-8444-444444444444"
	updateTimeout  = 30 * time.Second
	otherID        = "55555555-5555-4555-8555-555555555555"
)

// A response is what a test's API returns.
type response struct {
	status int
	body   string
}

// ok returns a success with a result.
func ok(result string) response {
	return response{http.StatusOK, `{"status":200,"requestId":"6f1c0e6e-8a55-4b5c-9d1e-0123456789ab","result":` + result + `}`}
}

// A fakeAPI responds without a network, for tests in synctest bubbles, where a
// goroutine that waits for a socket would stop the clock.
type fakeAPI func(*http.Request) (response, error)

func (f fakeAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := f(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: resp.status, Body: io.NopCloser(strings.NewReader(resp.body)), Request: r}, nil
}

func newClient(t *testing.T, f fakeAPI, change ...func(*Config)) *Client {
	t.Helper()
	u, err := transport.ParseBaseURL("https://api.example")
	if err != nil {
		t.Fatal(err)
	}
	config := Config{UpdateTimeout: updateTimeout, HidesRefused: true, Transport: transport.Config{BaseURL: u, OrganizationID: organizationID, KeyID: "key-id", KeySecret: "secret", RoundTripper: f}}
	for _, f := range change {
		f(&config)
	}
	return New(config)
}

func retries(n int) func(*Config) {
	return func(config *Config) { config.Transport.MaxRetries = n }
}

// A request is one that a test's API has received.
type request struct {
	Method, Path, Body string
}

func getPipe() request { return request{"GET", "services/" + serviceID + "/pipes/" + pipeID, ""} }
func scalePipe(body string) request {
	return request{"PATCH", "services/" + serviceID + "/pipes/" + pipeID + "/scaling", body}
}

func putSettings(body string) request {
	return request{"PUT", "services/" + serviceID + "/pipes/" + pipeID + "/settings", body}
}
func patchService(body string) request { return request{"PATCH", "services/" + serviceID, body} }
func patchKey(body string) request     { return request{"PATCH", "keys/" + keyID, body} }

// A script is an API that returns its responses in order and records requests.
type script struct {
	t         *testing.T
	responses []response

	mu       sync.Mutex
	requests []request
}

// scripted returns a client of a script.
func scripted(t *testing.T, responses ...response) (*Client, *script) {
	t.Helper()
	s := &script{t: t, responses: responses}
	return newClient(t, s.respond), s
}

func (s *script) respond(r *http.Request) (response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return response{}, err
	}
	body := string(data)
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/v1/organizations/"+organizationID+"/")
	s.requests = append(s.requests, request{r.Method, path, body})
	if len(s.requests) > len(s.responses) {
		s.t.Errorf("unexpected request %d: %s %s %s", len(s.requests), r.Method, path, body)
		return response{http.StatusTeapot, ""}, nil
	}
	return s.responses[len(s.requests)-1], nil
}

// expect compares the requests with those that should have been sent.
func (s *script) expect(want ...request) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.requests); diff != "" {
		s.t.Errorf("requests (-want +sent):\n%s", diff)
	}
}

func sameJSON(t *testing.T, got any, want string) {
	t.Helper()
	data, err := json.Marshal(got)
	var g, w any
	if err := errors.Join(err, json.Unmarshal(data, &g), json.Unmarshal([]byte(want), &w)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func asError(t *testing.T, err error) *transport.Error {
	t.Helper()
	e, ok := errors.AsType[*transport.Error](err)
	if !ok {
		t.Fatalf("error is %T (%v), want *transport.Error", err, err)
	}
	return e
}

func replicas(n int64) Scaling { return Scaling{Replicas: ValueOf(n)} }

func scale(ctx context.Context, c *Client) (*Pipe, error) {
	return c.ScalePipe(ctx, serviceID, pipeID, replicas(3))
}

func set(ctx context.Context, c *Client) (*Pipe, error) {
	return c.UpdatePipeSettings(ctx, serviceID, pipeID, threads(), Settings{})
}

func readPipe(t *testing.T, c *Client) *Pipe {
	t.Helper()
	p, err := c.Pipe(t.Context(), serviceID, pipeID)
	if err != nil {
		t.Error(err)
	}
	return p
}
