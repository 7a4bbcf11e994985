package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
)

const (
	organizationID = "11111111-1111-4111-8111-111111111111"
	serviceID      = "22222222-2222-4222-8222-222222222222"
	pipeID         = "33333333-3333-4333-8333-333333333333"
	keyID          = "44444444-4444-4444-8444-444444444444"
	otherID        = "55555555-5555-4555-8555-555555555555"
	keySecret      = "s3cr3t-of-the-key"
)

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
	return New(config)
}

// serve starts a server and returns a client of it.
func serve(t *testing.T, handler http.HandlerFunc, change ...func(*Config)) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newTestClient(t, server.URL, change...)
}

// A stub is a response.
type stub struct {
	status int
	header http.Header
	body   string
	broken bool // the connection is lost after body
}

// reply returns a response; header holds names and values alternately.
func reply(status int, body string, header ...string) stub {
	s := stub{status: status, header: http.Header{}, body: body}
	for i := 0; i < len(header); i += 2 {
		s.header.Set(header[i], header[i+1])
	}
	return s
}

// A network responds without sockets: in a synctest bubble, waiting for a socket
// would stop the clock.
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

func withoutNetwork(t *testing.T, n network, change ...func(*Config)) *Client {
	t.Helper()
	return newTestClient(t, "https://api.example", append(change, func(config *Config) { config.RoundTripper = n })...)
}

// ok returns a success.
func ok(result string) stub { return reply(http.StatusOK, enveloped(result)) }

func enveloped(result string) string {
	return `{"status":200,"requestId":"6f1c0e6e-8a55-4b5c-9d1e-0123456789ab","result":` + result + `}`
}

// sent is a request as the server saw it.
type sent struct {
	Method, Path, Body string
}

// A conversation responds to requests in order and records them.
type conversation struct {
	t         *testing.T
	responses []network

	mu   sync.Mutex
	sent []sent
}

func converse(t *testing.T, responses ...network) *conversation {
	t.Helper()
	return &conversation{t: t, responses: responses}
}

func returns(response stub) network {
	return func(*http.Request) (stub, error) { return response, nil }
}

func fails(err error) network {
	return func(*http.Request) (stub, error) { return stub{}, err }
}

func (c *conversation) respond(r *http.Request) (stub, error) {
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
	if len(c.sent) > len(c.responses) {
		c.t.Errorf("request %d was not expected: %s %s %s", len(c.sent), r.Method, path, body)
		return reply(http.StatusTeapot, ""), nil
	}
	return c.responses[len(c.sent)-1](r)
}

func asError(t *testing.T, err error) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error is %T (%v), want *Error", err, err)
	}
	return e
}

func getPipe(id string) Request {
	return Request{
		Operation: "get pipe", Method: http.MethodGet,
		Path: []string{"services", serviceID, "pipes", id}, ID: id,
	}
}

func scalePipe(id string) Request {
	return Request{
		Operation: "scale pipe", Method: http.MethodPatch, Body: []byte(`{"replicas":3}`), Effect: Idempotent,
		Path: []string{"services", serviceID, "pipes", id, "scaling"}, ID: id,
	}
}

func updateKey(id string) Request {
	return Request{
		Operation: "update key", Method: http.MethodPatch, Body: []byte(`{"name":"n"}`), Effect: Idempotent,
		Path: []string{"keys", id}, ID: id,
	}
}

func listBackups() Request {
	return Request{
		Operation: "list backups", Method: http.MethodGet,
		Path: []string{"services", serviceID, "backups"}, List: true,
	}
}

func do(ctx context.Context, c *Client, r Request) error {
	_, err := c.Do(ctx, r, c.NewBudget())
	return err
}

func scale(ctx context.Context, c *Client) error { return do(ctx, c, scalePipe(pipeID)) }
