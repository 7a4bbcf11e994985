package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync/atomic"
	"time"
)

const maxBody = 8 << 20 // bytes of a response, decompressed; several times that in memory

var errTooLarge = errors.New("the response is larger than 8 MiB")

// A Request calls one operation on one object.
type Request struct {
	Operation string // for errors, logs and circuit breakers
	Method    string
	Path      []string // segments below the organization, not escaped
	Writes    bool     // it changes something
	Body      []byte   // JSON, or nil
	ID        string   // a result with another id is an error; "" for no check
	Final     []int    // more statuses after which another attempt is useless
	Lock      *Lock    // of the update; nil for none

	// The rest is for requests that are made anew for each attempt, and may be nil.

	// MakeBody makes the body before each attempt, except after a 429: that has changed nothing, so the
	// body is sent again. It returns nil if nothing is left to send. An error ends the request.
	MakeBody func(ctx context.Context) ([]byte, error)
	// Settle finds out what an attempt of unknown outcome has done, before the next body is made, and
	// reports whether that is known now. An error ends the request.
	Settle func(ctx context.Context) (isKnown bool, err error)
	// Sending is called right before each attempt is sent.
	Sending func()
}

// notSent returns the error of a request that was never sent.
func (r Request) notSent(why error) *Error {
	return &Error{Operation: r.Operation, Message: "not sent", Err: why}
}

// attempt sends a request once, and records how that went.
func (c *Client) attempt(ctx context.Context, r Request, body []byte, b *RetryBudget, number int) (Response, *Error) {
	if r.Sending != nil {
		r.Sending()
	}
	sent := time.Now()
	resp, failed := c.exchange(ctx, r, body)
	took := time.Since(sent)
	c.logAttempt(ctx, r, number, took, resp, failed)
	b.record(took, failed != nil)
	if failed == nil || failed.Status != 0 && !failed.isUnavailable() { // a refusal shows that the operation works
		c.breakers.recordSuccess(r.Operation)
	}
	if !failed.is429() && resp.Status != 0 {
		c.limiter.recordOther(r.Operation)
	}
	return resp, failed
}

func (c *Client) exchange(ctx context.Context, r Request, body []byte) (Response, *Error) {
	timed, cancel := context.WithTimeout(ctx, c.config.RequestTimeout)
	defer cancel()

	// Once there is a connection, the API may receive the request.
	var connected atomic.Bool
	req, err := c.newHTTPRequest(httptrace.WithClientTrace(timed, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}), r, body)
	if err != nil {
		return Response{}, &Error{Operation: r.Operation, Err: err}
	}
	// An http.Client would follow redirects. Following a 301, 302 or 303 would turn a
	// PATCH into a GET, whose success would look like the success of the PATCH.
	resp, err := c.config.RoundTripper.RoundTrip(req)
	if err != nil {
		failed := c.connectionError(ctx, r, err)
		failed.OutcomeUnknown = connected.Load() && r.Writes
		return Response{}, failed
	}
	defer resp.Body.Close()
	c.answered.Store(true)
	received, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if len(received) > maxBody {
		received, err = nil, errTooLarge
	}
	received = bytes.TrimPrefix(received, []byte("\ufeff")) // some servers put a byte order mark before JSON
	c.logBodies(ctx, r, body, received)
	return readResponse(r, resp, received, err, c.masker)
}

// newHTTPRequest refuses ids that would change the path.
func (c *Client) newHTTPRequest(ctx context.Context, r Request, body []byte) (*http.Request, error) {
	segments := append([]string{"v1", "organizations", c.config.OrganizationID}, r.Path...)
	for i, segment := range segments {
		if slices.Contains([]string{"", ".", ".."}, segment) {
			return nil, fmt.Errorf("an id is empty or not an id: %q", segment)
		}
		segments[i] = url.PathEscape(segment)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.config.BaseURL.JoinPath(segments...).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(c.config.KeyID, c.config.KeySecret)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.config.UserAgent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// connectionError returns the error of a request without a response. It is not transient if the host does not
// exist or is not trusted.
func (c *Client) connectionError(ctx context.Context, r Request, err error) *Error {
	failed := &Error{Operation: r.Operation, Message: "no response from " + c.config.BaseURL.Host, Err: ctx.Err()}
	if failed.Err != nil {
		return failed
	}
	if errors.Is(err, context.DeadlineExceeded) {
		failed.Message += " within " + c.config.RequestTimeout.String()
	}
	dns, isDNS := errors.AsType[*net.DNSError](err)
	_, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	failed.Transient = !isUntrusted && (!isDNS || !dns.IsNotFound)
	failed.Err = err
	if !isUntrusted { // that quotes the certificate, not a response
		failed.Err = c.masker.err(err)
	}
	return failed
}
