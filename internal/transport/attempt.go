package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// maxBody limits a response, which must not use up the memory.
const maxBody = 32 << 20 // bytes

var errTooLarge = errors.New("the response is larger than 32 MiB")

// attempt waits until a request may be sent, sends it once and logs it.
func (c *Client) attempt(ctx context.Context, r Request, b *Budget, number int) (Response, *Error) {
	if err := c.admit(ctx); err != nil {
		return Response{}, &Error{Operation: r.Operation, Err: err}
	}
	started := time.Now()
	resp, header, failed := c.exchange(ctx, r)
	took := time.Since(started)
	b.recordAttempt(took)
	switch {
	case failed == nil:
		c.gate.recordResponse(started, r.Operation, exhaustedFor(header, time.Now()))
	case failed.Status == http.StatusTooManyRequests:
		failed.wait, failed.Transient = c.gate.record429(r.Operation, failed.wait)
	case failed.Status == 0:
		c.gate.recordNoResponse()
	default:
		c.gate.recordResponse(started, r.Operation, exhaustedFor(header, time.Now()))
	}
	c.logAttempt(ctx, r, number, took, resp, failed)
	return resp, failed
}

// admit waits for the API's rate limit and the client's own. The gate may close
// during the second wait.
func (c *Client) admit(ctx context.Context) error {
	for {
		began := time.Now()
		if err := c.gate.wait(ctx); err != nil {
			return fmt.Errorf("waiting for the API's rate limit: %w", err)
		}
		if waited := time.Since(began); waited > maxProbeWait {
			c.log.LogAttrs(ctx, slog.LevelInfo, "waited for the API's rate limit", slog.Duration("wait", waited))
		}
		if err := c.limiter.Wait(ctx); err != nil {
			if ctx.Err() == nil { // the limiter sees that the deadline will not be met
				err = context.DeadlineExceeded
			}
			return fmt.Errorf("waiting for the limit on requests per second: %w", err)
		}
		if c.gate.isOpen() {
			return nil
		}
	}
}

// exchange sends a request and reads the response.
func (c *Client) exchange(ctx context.Context, r Request) (Response, http.Header, *Error) {
	timed, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()

	// Once there is a connection, the API may have seen the request.
	var connected atomic.Bool
	req, failed := c.newHTTPRequest(httptrace.WithClientTrace(timed, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}), r)
	if failed != nil {
		return Response{}, nil, failed
	}
	resp, err := c.http.Do(req)
	if err != nil {
		failed = c.connectionError(ctx, r, err)
		failed.OutcomeUnknown = connected.Load() && r.Effect != ReadOnly
		return Response{}, nil, failed
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if len(body) > maxBody {
		body, err = nil, errTooLarge
	}
	c.logBodies(ctx, r, body)
	result, failed := readResponse(r, resp, body, err)
	if failed != nil {
		failed.Message = c.redact(failed.Message)
	}
	return result, resp.Header, failed
}

// readResponse returns the response or its error. readErr is why the body ended
// early, if it did.
func readResponse(r Request, resp *http.Response, body []byte, readErr error) (Response, *Error) {
	result := newResponse(r, resp.StatusCode, resp.Header, body)
	switch status := resp.StatusCode; {
	case status >= 300 && status < 400:
		return result, redirectError(result, resp)
	case status >= 300: // even if the body ended early
		return result, newStatusError(r, status, resp.Header, body)
	case errors.Is(readErr, errTooLarge):
		failed := result.malformed(errTooLarge.Error())
		failed.outage = true // to read as much for each request would take too long
		return result, failed
	case readErr != nil:
		return result, result.cutShort(readErr)
	}
	return openEnvelope(r, resp.StatusCode, resp.Header, body)
}

// connectionError returns the error of a request without a response. Trying
// again helps neither with a host name that does not exist, nor with a
// certificate that is not trusted, nor with a server that does not use TLS.
func (c *Client) connectionError(ctx context.Context, r Request, err error) *Error {
	// The outer error repeats the method and the address.
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	failed := &Error{Operation: r.Operation, Message: "no response from " + c.base.Host, Err: err}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	dns, ok := errors.AsType[*net.DNSError](err)
	noSuchHost := ok && dns.IsNotFound
	failed.Transient = !untrusted && !noSuchHost && !errors.Is(err, http.ErrSchemeMismatch) && ctx.Err() == nil
	failed.outage = failed.Transient
	switch {
	case ctx.Err() != nil:
		failed.Err = ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		failed.Message += " within " + c.timeout.String()
	}
	return failed
}

// redirectError names only the host: the rest of an address may hold secrets.
func redirectError(resp Response, from *http.Response) *Error {
	target := "an unknown address"
	if location, err := from.Location(); err == nil && location.Host != "" {
		target = location.Host
	}
	return &Error{
		Operation: resp.Operation,
		Status:    resp.Status,
		RequestID: resp.RequestID,
		Message:   "the API redirects to " + cleanText(target) + ", and redirects are not followed",
	}
}

// newStatusError returns the error for an error status of HTTP or of the
// envelope.
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
		failed.wait = requestedWait(header, time.Now())
	case http.StatusServiceUnavailable:
		failed.wait = requestedWait(header, time.Now())
		fallthrough
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		failed.Transient = true
		failed.OutcomeUnknown = r.Effect != ReadOnly
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity:
		if r.Effect == ReadOnly && r.Method == http.MethodPatch {
			failed.Err = ErrReadRefused
		}
	case http.StatusNotFound, http.StatusGone:
		if failed.NotFromAPI = !isJSONOrEmpty(body); failed.NotFromAPI {
			failed.Message = "something other than the API responded: " + failed.Message
		}
	}
	failed.outage = failed.Transient
	if failed.wait > maxWait {
		failed.Transient = false
		failed.RetryAfter = failed.wait
		failed.Message += "; the API asks to wait " + failed.wait.Round(time.Second).String()
	}
	return failed
}
