package api

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Config is what a Client needs to know.
type Config struct {
	// BaseURL is the API's address, from ParseBaseURL. Required.
	BaseURL *url.URL
	// OrganizationID is part of every path.
	OrganizationID string
	// KeyID and KeySecret are the credentials (specification,
	// "Authentication").
	KeyID, KeySecret string
	// RequestTimeout bounds one attempt; 0 means 30 s.
	RequestTimeout time.Duration
	// MaxRetries is how often a request is sent again after its first attempt,
	// as far as all of that takes no longer than 75 s, or five halves of
	// RequestTimeout where that is more. Waiting out a 429 does not count. While
	// the API is down, as other requests have found out, it is not sent again.
	MaxRetries int
	// RequestsPerSecond limits the whole client; 0 means no limit.
	RequestsPerSecond float64
	// UserAgent is sent with every request.
	UserAgent string
	// Logger receives one record per attempt; nil discards them.
	Logger *slog.Logger
}

// A Client calls the API. It is safe for concurrent use.
type Client struct {
	base           *url.URL
	organizationID string
	authorization  string
	userAgent      string
	timeout        time.Duration
	http           *http.Client

	maxRetries   int
	firstPause   time.Duration
	longestPause time.Duration
	limiter      *rate.Limiter
	gate         *gate
	circuits     *circuits

	log    *slog.Logger
	redact *strings.Replacer

	stopped context.Context //nolint:containedctx // it is the client's own end
	stop    context.CancelFunc

	fresh    bool
	pipes    *objects[Pipe]
	services *objects[Service]
	keys     *objects[Key]
}

// New returns a client. It sends nothing.
func New(config Config) *Client {
	credentials := base64.StdEncoding.EncodeToString([]byte(config.KeyID + ":" + config.KeySecret))
	limit := rate.Inf
	if config.RequestsPerSecond > 0 {
		limit = rate.Limit(config.RequestsPerSecond)
	}
	stopped, stop := context.WithCancel(context.Background())
	return &Client{
		base:           config.BaseURL,
		organizationID: config.OrganizationID,
		authorization:  "Basic " + credentials,
		userAgent:      config.UserAgent,
		timeout:        cmp.Or(config.RequestTimeout, 30*time.Second),
		http: &http.Client{
			Transport: newTransport(),
			// A followed 301, 302 or 303 would turn a PATCH into a GET and
			// call that a success.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		maxRetries:   max(config.MaxRetries, 0),
		firstPause:   500 * time.Millisecond,
		longestPause: 10 * time.Second,
		limiter:      rate.NewLimiter(limit, 1),
		gate:         newGate(),
		circuits:     &circuits{},
		log:          cmp.Or(config.Logger, slog.New(slog.DiscardHandler)),
		redact:       newRedactor(credentials, config.KeySecret),
		stopped:      stopped,
		stop:         stop,
		pipes:        &objects[Pipe]{},
		services:     &objects[Service]{},
		keys:         &objects[Key]{},
	}
}

// Fresh returns the same client, with the same connections and the same
// memory, whose reads always ask the API and share what they find.
func (c *Client) Fresh() *Client {
	fresh := *c
	fresh.fresh = true
	return &fresh
}

// Stop ends all requests, those that wait for their turn and those that come
// later included: they return [context.Canceled].
func (c *Client) Stop() { c.stop() }

// untilStopped returns a context that also ends when the client is stopped. It
// has to be released.
func (c *Client) untilStopped(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	if c.stopped.Err() != nil {
		cancel() // AfterFunc would, in a moment
	}
	detach := context.AfterFunc(c.stopped, cancel)
	return ctx, func() {
		detach()
		cancel()
	}
}

// newTransport returns a transport of the client's own. net/http's default
// keeps two idle connections per host and its pooled relatives GOMAXPROCS+1,
// fewer than there are requests at a time: each of the others would pay for a
// connection of its own.
func newTransport() *http.Transport {
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

// effect says what sending a request once more may do.
type effect uint8

const (
	changesNothing effect = iota
	repeatable            // a write that says how things should be
	unrepeatable          // a write that says what to add or remove
)

// A request is one operation on one object.
type request struct {
	operation string // for errors and logs
	method    string
	path      []string // segments below the organization, not escaped
	body      []byte   // JSON, or nil
	effect    effect
	id        string // the id the result has to have where it has one; "": none
	list      bool   // the result is an array

	timeout time.Duration // of one attempt
}

// newHTTPRequest writes r as HTTP. Ids are escaped, and one that would name
// another path than its own is refused before anything is sent.
func (c *Client) newHTTPRequest(ctx context.Context, r request) (*http.Request, *Error) {
	segments := append([]string{strings.TrimRight(c.base.EscapedPath(), "/"), "v1", "organizations", c.organizationID}, r.path...)
	for i, segment := range segments[1:] {
		if segment == "" || segment == "." || segment == ".." {
			return nil, &Error{Operation: r.operation, Message: "an id is empty or not an id"}
		}
		segments[i+1] = url.PathEscape(segment)
	}
	target := *c.base
	target.RawPath = strings.Join(segments, "/")
	target.Path, _ = url.PathUnescape(target.RawPath) // was escaped above

	req, err := http.NewRequestWithContext(ctx, r.method, target.String(), bodyReader(r.body))
	if err != nil {
		return nil, &Error{Operation: r.operation, Err: err}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", c.authorization)
	req.Header.Set("User-Agent", c.userAgent)
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}
