package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Config configures a Client.
type Config struct {
	// BaseURL is the API's address, from ParseBaseURL. Required.
	BaseURL *url.URL
	// OrganizationID is part of every path.
	OrganizationID string
	// KeyID and KeySecret are the credentials (HTTP Basic).
	KeyID, KeySecret string
	// RequestTimeout limits one attempt; 0 means 30 s.
	RequestTimeout time.Duration
	// MaxRetries limits how often a request is sent again. All attempts together
	// take at most 75 s, or 2.5 × RequestTimeout if that is longer. Waiting for
	// the rate limit counts neither as a retry nor towards this time.
	MaxRetries int
	// RequestsPerSecond limits the whole client; 0 means no limit.
	RequestsPerSecond float64
	// UserAgent is sent with every request.
	UserAgent string
	// Logger receives one record per attempt; nil discards them.
	Logger *slog.Logger
	// RoundTripper sends the requests; nil means a pool of connections of the
	// client's own.
	RoundTripper http.RoundTripper
}

// A Client calls the API. It is safe for concurrent use.
type Client struct {
	base           *url.URL
	organizationID string
	authorization  string
	userAgent      string
	timeout        time.Duration
	maxRetries     int
	http           *http.Client

	limiter  *rate.Limiter
	gate     *gate
	breakers *breakers

	log     *slog.Logger
	secrets *strings.Replacer

	stopped context.Context //nolint:containedctx // it is the client's own end
	stop    context.CancelFunc
}

// New returns a client. It sends nothing.
func New(config Config) *Client {
	credentials := base64.StdEncoding.EncodeToString([]byte(config.KeyID + ":" + config.KeySecret))
	limit := rate.Inf
	if config.RequestsPerSecond > 0 {
		limit = rate.Limit(config.RequestsPerSecond)
	}
	roundTripper := config.RoundTripper
	if roundTripper == nil {
		roundTripper = newHTTPTransport()
	}
	timeout := cmp.Or(config.RequestTimeout, 30*time.Second)
	stopped, stop := context.WithCancel(context.Background())
	return &Client{
		base:           config.BaseURL,
		organizationID: config.OrganizationID,
		authorization:  "Basic " + credentials,
		userAgent:      config.UserAgent,
		timeout:        timeout,
		maxRetries:     max(config.MaxRetries, 0),
		http: &http.Client{
			Transport: roundTripper,
			// A followed 301, 302 or 303 would turn a PATCH into a GET and
			// call that a success.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		limiter:  rate.NewLimiter(limit, 1),
		gate:     newGate(),
		breakers: &breakers{minDuration: timeout / 2},
		log:      cmp.Or(config.Logger, slog.New(slog.DiscardHandler)),
		secrets:  newReplacer(credentials, config.KeySecret),
		stopped:  stopped,
		stop:     stop,
	}
}

// Stop ends all requests, including those that are waiting and those that come
// later, with [context.Canceled]. Only a request with AfterStop still goes.
func (c *Client) Stop() { c.stop() }

// untilStopped returns a context that also ends when the client is stopped. It
// has to be released.
func (c *Client) untilStopped(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	if c.stopped.Err() != nil {
		cancel() // AfterFunc would, but later
	}
	detach := context.AfterFunc(c.stopped, cancel)
	return ctx, func() {
		detach()
		cancel()
	}
}

// newHTTPTransport keeps more idle connections per host than net/http (2) and
// pooled relatives (GOMAXPROCS+1): with fewer than Terraform's parallelism, most
// requests would open a connection of their own.
func newHTTPTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          64,
		MaxIdleConnsPerHost:   32,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		// Without pings, every attempt on a dead connection waits out its
		// whole timeout, because HTTP/2 puts them all on the same one.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second},
	}
}

// An Effect says what sending a request a second time may do.
type Effect uint8

// The effects of a request.
const (
	ReadOnly      Effect = iota // changes nothing
	Idempotent                  // sets values
	NonIdempotent               // adds or removes; never resent if its outcome is unknown
)

// A Request calls one operation on one object.
type Request struct {
	Operation string // for errors and logs
	Method    string
	Path      []string // segments below the organization, not escaped
	Body      []byte   // JSON, or nil
	Effect    Effect
	ID        string // of the object; a result with another id is an error; "" for no check
	List      bool   // the result is an array
	AfterStop bool   // also sent after Stop
}

// newHTTPRequest escapes the ids in the path, and refuses one that would name
// another path.
func (c *Client) newHTTPRequest(ctx context.Context, r Request) (*http.Request, *Error) {
	segments := append([]string{strings.TrimRight(c.base.EscapedPath(), "/"), "v1", "organizations", c.organizationID}, r.Path...)
	for i, segment := range segments[1:] {
		if segment == "" || segment == "." || segment == ".." {
			return nil, &Error{Operation: r.Operation, Message: "an id is empty or not an id"}
		}
		segments[i+1] = url.PathEscape(segment)
	}
	target := *c.base
	target.RawPath = strings.Join(segments, "/")
	target.Path, _ = url.PathUnescape(target.RawPath) // was escaped above

	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, target.String(), body)
	if err != nil {
		return nil, &Error{Operation: r.Operation, Err: err}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", c.authorization)
	req.Header.Set("User-Agent", c.userAgent)
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}
