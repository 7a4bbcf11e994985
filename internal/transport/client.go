package transport

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Config configures a Client.
type Config struct {
	BaseURL           *url.URL // from ParseBaseURL; required
	OrganizationID    string
	KeyID, KeySecret  string        // HTTP Basic
	RequestTimeout    time.Duration // of one attempt; 0 means 30 s
	RequestsPerSecond float64       // of the whole client; 0 means no limit
	UserAgent         string
	Logger            *slog.Logger      // gets a record of each attempt and each wait; nil discards them
	RoundTripper      http.RoundTripper // sends the requests; nil means connections of the client's own

	// MaxRetries limits the retries of one read or update, which may be several requests. Failed attempts and pauses
	// take about 75 s, or 2.5 × RequestTimeout if that is longer. Waits for the rate limit count neither as retries
	// nor towards this time.
	MaxRetries int
}

// A Client calls the API. It is safe for concurrent use.
type Client struct {
	config   Config
	limiter  *rateLimiter
	breakers breakers
	locks    sync.Map    // of *busyLock, by service
	answered atomic.Bool // the API has responded once
	masker   masker

	unauthorized atomic.Pointer[Error] // a 401: nothing more is sent
}

// New returns a client. It sends nothing. With LevelTrace, it logs the strings of the members
// of JSON that are named in logged, and of no others.
func New(config Config, logged []string) *Client {
	config.RequestTimeout = cmp.Or(config.RequestTimeout, 30*time.Second)
	config.Logger = cmp.Or(config.Logger, slog.New(slog.DiscardHandler))
	if config.RoundTripper == nil {
		config.RoundTripper = newHTTPTransport()
	}
	return &Client{
		config:   config,
		limiter:  newRateLimiter(config.RequestsPerSecond),
		breakers: breakers{of: map[string]breaker{}},
		masker:   newMasker(logged, config.KeySecret, base64.StdEncoding.EncodeToString([]byte(config.KeyID+":"+config.KeySecret))),
	}
}

func newHTTPTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{}).DialContext // its only limit is RequestTimeout
	// With fewer idle connections than Terraform's parallelism (10 by default), most
	// requests would open a new connection.
	t.MaxIdleConnsPerHost = t.MaxIdleConns
	// HTTP/2 puts all requests on one connection. Without pings, each attempt on a
	// dead one would wait for its whole timeout.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second}
	// net/http would show the proxy's words, which may repeat the password.
	t.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		return &net.OpError{Op: "proxyconnect", Err: fmt.Errorf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))}
	}
	return t
}
