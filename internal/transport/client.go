package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
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
	config   Config // with defaults
	http     *http.Client
	limiter  *rate.Limiter
	gate     *gate
	breakers sync.Map // of *breaker, by operation
	masker   masker

	stopped context.Context //nolint:containedctx // it is the client's own end
	stop    context.CancelFunc
}

// New returns a client. It sends nothing.
func New(config Config) *Client {
	config.RequestTimeout = cmp.Or(config.RequestTimeout, 30*time.Second)
	config.MaxRetries = max(config.MaxRetries, 0)
	config.Logger = cmp.Or(config.Logger, slog.New(slog.DiscardHandler))
	if config.RoundTripper == nil {
		config.RoundTripper = newHTTPTransport()
	}
	limit := rate.Inf
	if config.RequestsPerSecond > 0 {
		limit = rate.Limit(config.RequestsPerSecond)
	}
	stopped, stop := context.WithCancel(context.Background())
	return &Client{
		config: config,
		http: &http.Client{
			Transport: config.RoundTripper,
			// A followed 301, 302 or 303 would turn a PATCH into a GET and
			// call that a success.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		limiter: rate.NewLimiter(limit, 1),
		gate:    newGate(),
		masker:  newMasker(config.KeySecret, base64.StdEncoding.EncodeToString([]byte(config.KeyID+":"+config.KeySecret))),
		stopped: stopped,
		stop:    stop,
	}
}

// Stop ends all requests, including those that are waiting and those that come
// later, with [context.Canceled]. Only a request with AfterStop still goes.
func (c *Client) Stop() { c.stop() }

// newHTTPTransport keeps more idle connections per host than net/http (2): with
// fewer than Terraform's parallelism, most requests would open a connection of
// their own.
func newHTTPTransport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		// net/http dials without the request's deadline. Without a timeout of
		// its own, a dial never tries the next address of a host.
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     90 * time.Second,
		// Without pings, every attempt on a dead connection waits out its
		// whole timeout, because HTTP/2 puts them all on the same one.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second},
	}
}
