package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A client sends this program's own requests: what the provider never does, and
// the restoring, which must not depend on the provider.
type client struct {
	record *record
	http   *http.Client
	s      *settings
	say    func(format string, args ...any)
}

func newClient(s *settings, r *record) *client {
	const timeout = 30 * time.Second
	return &client{record: r, s: s, http: &http.Client{
		Transport:     r,
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// attempts is how often a request is sent that fails for a reason that may pass.
// A 429 does not count.
const attempts = 4

// do returns the response, whatever its status. It waits for the rate limit.
func (c *client) do(ctx context.Context, method, path string, body any) (*exchange, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	for attempt := 1; ; attempt++ {
		if err := c.waitForRateLimit(ctx); err != nil {
			return nil, err
		}
		e, err := c.once(ctx, method, path, text)
		switch {
		case err == nil && e.status == http.StatusTooManyRequests:
			attempt--
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case attempt == attempts || err == nil && (e.status < http.StatusInternalServerError || e.status == http.StatusNotImplemented):
			return e, err
		default:
			if err := sleep(ctx, time.Duration(attempt*attempt)*100*time.Millisecond); err != nil {
				return nil, err
			}
		}
	}
}

func (c *client) once(ctx context.Context, method, path string, body []byte) (*exchange, error) {
	url := c.s.baseURL.String() + "/v1/organizations/" + c.s.organizationID + path
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(c.s.keyID, c.s.keySecret)
	if body == nil {
		request.Body = nil
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	e := &exchange{method: method, path: path, sent: body, status: response.StatusCode, header: response.Header, at: time.Now()}
	if e.received, err = io.ReadAll(response.Body); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return e, nil
}

// waitForRateLimit waits until the latest response, to whomever, allows another
// request.
func (c *client) waitForRateLimit(ctx context.Context) error {
	all := c.record.all()
	if len(all) == 0 {
		return nil
	}
	latest := all[len(all)-1]
	const unknown = 5 * time.Second // without a header about it
	wait := resetAfter(latest)
	switch {
	case latest.status == http.StatusTooManyRequests && wait < 0:
		wait = unknown
	case latest.status != http.StatusTooManyRequests && !isExhausted(latest.header):
		return nil
	}
	wait = time.Until(latest.at.Add(wait))
	if wait > time.Second {
		c.say("    … waiting %v for the rate limit", wait.Round(time.Second))
	}
	return sleep(ctx, wait)
}

// isExhausted reports whether the headers say that no request is left.
func isExhausted(header http.Header) bool {
	return header.Get("X-RateLimit-Remaining") == "0" || header.Get("RateLimit-Remaining") == "0" ||
		limitPart(header, "remaining", "r") == "0"
}

// resetAfter is how long after a response the next request is allowed; negative
// if no header says so.
func resetAfter(e *exchange) time.Duration {
	for _, value := range []string{
		e.header.Get("Retry-After"), e.header.Get("X-RateLimit-Reset"), e.header.Get("RateLimit-Reset"), limitPart(e.header, "reset", "t"),
	} {
		if date, err := http.ParseTime(value); err == nil {
			return max(0, date.Sub(serverTime(e)))
		}
		number, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil || number < 0:
		case number > unixMillis:
			return max(0, time.UnixMilli(number).Sub(serverTime(e)))
		case number > unixSeconds:
			return max(0, time.Unix(number, 0).Sub(serverTime(e)))
		default:
			return time.Duration(number) * time.Second
		}
	}
	return -1
}

// Larger numbers are points in time, in these units.
const (
	unixSeconds = 1e9
	unixMillis  = 1e12
)

// serverTime is when the server sent a response, by its own clock.
func serverTime(e *exchange) time.Time {
	if date, err := http.ParseTime(e.header.Get("Date")); err == nil {
		return date
	}
	return e.at
}

// sleep ends early with ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
