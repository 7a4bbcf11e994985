package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// maxBody limits a response, which must not use up the memory.
const maxBody = 32 << 20 // bytes

var errTooLarge = errors.New("the response is larger than 32 MiB")

// attempt sends a request once, when it may be sent, and logs how that went.
func (c *Client) attempt(ctx context.Context, r Request, b *Budget, timeout time.Duration, number int) (Response, *Error) {
	w, err := c.admit(ctx)
	if err != nil {
		return Response{}, &Error{Operation: r.Operation, Err: err}
	}
	started := time.Now()
	a, failed := c.exchange(ctx, r, timeout)
	took := time.Since(started)
	b.took(took)
	if failed != nil && failed.Status == http.StatusTooManyRequests {
		failed.wait, failed.Transient = c.gate.refused(w, r.Operation, failed.wait)
	} else {
		c.gate.answered(w, r.Operation, failed == nil || failed.Status != 0)
	}
	c.logAttempt(ctx, r, number, took, a, failed)
	return a, failed
}

// admit waits until the API lets the client ask again and the client's own
// limit has room. The gate may close while the limiter makes its callers wait.
func (c *Client) admit(ctx context.Context) (*window, error) {
	for {
		began := time.Now()
		w, err := c.gate.pass(ctx)
		if err != nil {
			return nil, fmt.Errorf("waiting for the API's rate limit: %w", err)
		}
		if waited := time.Since(began); waited > longestStall {
			c.log.LogAttrs(ctx, slog.LevelInfo, "waited for the API's rate limit", slog.Duration("wait", waited))
		}
		err = c.limiter.Wait(ctx)
		if err == nil && c.gate.isOpen() {
			return w, nil
		}
		c.gate.withdrawn(w)
		if err != nil {
			if ctx.Err() == nil { // the limiter sees that the deadline will not be met
				err = context.DeadlineExceeded
			}
			return nil, fmt.Errorf("waiting for the limit on requests per second: %w", err)
		}
	}
}

// exchange sends a request and reads the answer.
func (c *Client) exchange(ctx context.Context, r Request, timeout time.Duration) (Response, *Error) {
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	// From the moment there is a connection, the API may have seen the request.
	var connected atomic.Bool
	req, failed := c.newHTTPRequest(httptrace.WithClientTrace(timed, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}), r)
	if failed != nil {
		return Response{}, failed
	}
	resp, err := c.http.Do(req)
	if err != nil {
		failed = c.transportError(ctx, r, timeout, err)
		failed.OutcomeUnknown = connected.Load() && r.Effect != ReadOnly
		return Response{}, failed
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if len(body) > maxBody {
		body, err = nil, errTooLarge // nothing that is said in so many words is worth reading
	}
	c.logBodies(ctx, r, body)
	return c.read(r, resp, body, err)
}

// read makes an answer or an error of what came back. readErr is why the body
// ended early, if it did.
func (c *Client) read(r Request, resp *http.Response, body []byte, readErr error) (Response, *Error) {
	a := newResponse(r, resp.StatusCode, resp.Header, body)
	var failed *Error
	switch status := resp.StatusCode; {
	case status >= 300 && status < 400:
		failed = newRedirectError(a, resp)
	case status >= 300: // whatever of the body has come
		failed = newStatusError(r, status, resp.Header, body)
	case errors.Is(readErr, errTooLarge):
		failed = a.malformed(errTooLarge.Error())
		failed.outage = true // to read as much for each request would take too long
	case readErr != nil:
		failed = a.cutShort(readErr)
	default:
		a, failed = openEnvelope(r, status, resp.Header, body)
	}
	if failed != nil {
		failed.Message = c.redact.Replace(failed.Message)
	}
	return a, failed
}

// transportError is the error of a request that got no answer. A certificate
// that is not trusted now will not be the next time either, nor does a server
// begin to speak TLS.
func (c *Client) transportError(ctx context.Context, r Request, timeout time.Duration, err error) *Error {
	// The outer error repeats the method and the address.
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	failed := &Error{Operation: r.Operation, Message: "no response from " + c.base.Host, Err: err}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	failed.Transient = !untrusted && !errors.Is(err, http.ErrSchemeMismatch) && ctx.Err() == nil
	failed.outage = failed.Transient
	switch {
	case ctx.Err() != nil:
		failed.Err = ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		failed.Message += " within " + timeout.String()
	}
	return failed
}

// newRedirectError names the host alone: the rest of an address can hold
// secrets.
func newRedirectError(a Response, resp *http.Response) *Error {
	target := "nowhere"
	if location, err := resp.Location(); err == nil && location.Host != "" {
		target = location.Host
	}
	return &Error{
		Operation: a.Operation,
		Status:    a.Status,
		RequestID: a.RequestID,
		Message:   "the API redirects to " + cleanText(target) + ", and redirects are not followed",
	}
}

// newStatusError is the error of an answer with an error status, whether HTTP
// has it or the envelope.
func newStatusError(r Request, status int, header http.Header, body []byte) *Error {
	failed := &Error{
		Operation: r.Operation,
		Status:    status,
		RequestID: requestID(header, body),
		Message:   errorText(status, body),
	}
	switch status {
	case http.StatusTooManyRequests:
		failed.Transient = true
		failed.wait = statedWait(header, time.Now())
	case http.StatusServiceUnavailable:
		failed.wait = statedWait(header, time.Now())
		fallthrough
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		failed.Transient = true
		failed.OutcomeUnknown = r.Effect != ReadOnly
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity:
		if r.Effect == ReadOnly && r.Method == http.MethodPatch {
			failed.Err = ErrReadRefused
		}
	}
	failed.outage = failed.Transient
	if failed.wait > longestWait {
		failed.Transient = false
		failed.RetryAfter = failed.wait
		failed.Message += "; the API asks to wait " + failed.wait.Round(time.Second).String()
	}
	return failed
}
