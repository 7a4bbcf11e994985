package api

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
	"github.com/google/go-cmp/cmp"
)

const (
	organizationID = "11111111-1111-4111-8111-111111111111"
	serviceID      = "22222222-2222-4222-8222-222222222222"
	pipeID         = "33333333-3333-4333-8333-333333333333"
	keyID          = "44444444-4444-4444-8444-444444444444"
	otherID        = "55555555-5555-4555-8555-555555555555"
	keySecret      = "s3cr3t-of-the-key"
)

func newTestClient(t *testing.T, base string, change ...func(*transport.Config)) *Client {
	t.Helper()
	u, err := transport.ParseBaseURL(base)
	if err != nil {
		t.Fatal(err)
	}
	config := transport.Config{
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
	return New(config)
}

// serve starts a server and returns a client of it.
func serve(t *testing.T, handler http.HandlerFunc, change ...func(*transport.Config)) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newTestClient(t, server.URL, change...)
}

// A stub is an answer to be given.
type stub struct {
	status int
	header http.Header
	body   string
	broken bool // the connection is lost after body
}

// reply is an answer; header holds names and values by turns.
func reply(status int, body string, header ...string) stub {
	s := stub{status: status, header: http.Header{}, body: body}
	for i := 0; i < len(header); i += 2 {
		s.header.Set(header[i], header[i+1])
	}
	return s
}

// A network is a transport without one, for tests in synctest bubbles, where a
// goroutine that waits for a socket would stop the clock.
type network func(*http.Request) (stub, error)

func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	s, err := n(r)
	if err != nil {
		return nil, err
	}
	var body io.Reader = strings.NewReader(s.body)
	if s.broken {
		body = io.MultiReader(body, iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	return &http.Response{StatusCode: s.status, Header: s.header, Body: io.NopCloser(body), Request: r}, nil
}

func withoutNetwork(t *testing.T, n network, change ...func(*transport.Config)) *Client {
	t.Helper()
	return newTestClient(t, "https://api.example", append(change, func(config *transport.Config) { config.RoundTripper = n })...)
}

// ok is a success whose result is result.
func ok(result string) stub { return reply(http.StatusOK, enveloped(result)) }

func enveloped(result string) string {
	return `{"status":200,"requestId":"6f1c0e6e-8a55-4b5c-9d1e-0123456789ab","result":` + result + `}`
}

// sent is what a test's server has been asked.
type sent struct {
	Method, Path, Body string
}

// A conversation answers requests in order and notes them.
type conversation struct {
	t       *testing.T
	answers []network

	mu   sync.Mutex
	sent []sent
}

func converse(t *testing.T, answers ...network) *conversation {
	t.Helper()
	return &conversation{t: t, answers: answers}
}

func says(answer stub) network {
	return func(*http.Request) (stub, error) { return answer, nil }
}

func (c *conversation) answer(r *http.Request) (stub, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body := ""
	if r.Body != nil {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return stub{}, err
		}
		body = string(data)
	}
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/v1/organizations/"+organizationID+"/")
	c.sent = append(c.sent, sent{r.Method, path, body})
	if len(c.sent) > len(c.answers) {
		c.t.Errorf("request %d was not expected: %s %s %s", len(c.sent), r.Method, path, body)
		return reply(http.StatusTeapot, ""), nil
	}
	return c.answers[len(c.sent)-1](r)
}

// expect holds what was sent against what should have been.
func (c *conversation) expect(want ...sent) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(want, c.sent); diff != "" {
		c.t.Errorf("requests (-want +sent):\n%s", diff)
	}
}

// asJSON compares values by what they hold, absent and null included.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func sameJSON(t *testing.T, got any, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(asJSON(t, got)), &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
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

func isReadRefused(err error) bool { return errors.Is(err, transport.ErrReadRefused) }

// cut is a response that breaks off.
func cut() stub {
	return stub{status: http.StatusOK, body: `{"status":200,"resu`, broken: true}
}

func scale(ctx context.Context, c *Client) error {
	_, err := c.ScalePipe(ctx, serviceID, pipeID, Scaling{Replicas: ValueOf(int64(3))})
	return err
}

// TestMain gives the property tests a fixed seed, unless one is asked for, and
// fewer checks: each runs under 128 variants.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "40"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	m.Run()
}
