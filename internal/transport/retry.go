package transport

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

const (
	busyAttempts  = 6 // after 409, 423 or 425, in about 15 s: many APIs change one thing at a time
	firstAttempts = 5 // without any response, in about 8 s: the address is usually wrong
)

// Do sends a request and retries it. The error is an *Error, or that of MakeBody or Settle. A response without
// a status is that of a MakeBody that left nothing to send.
func (c *Client) Do(ctx context.Context, r Request, b *RetryBudget) (Response, error) {
	began, body := time.Now(), r.Body
	var last *Error // the last failure
	failures := 0   // without 429s
	for number := 1; ; number++ {
		if last != nil && last.OutcomeUnknown && r.Settle != nil {
			isKnown, err := r.Settle(ctx)
			if err != nil {
				return Response{}, c.notSentAgain(ctx, last, err)
			}
			last.OutcomeUnknown = !isKnown
		}
		var err error
		if body, err = c.prepare(ctx, r, body, last); err != nil {
			return Response{}, c.notSentAgain(ctx, last, err)
		}
		if body == nil && r.MakeBody != nil {
			return Response{}, nil
		}
		resp, failed := c.attempt(ctx, r, body, b, number)
		if failed == nil {
			r.Lock.record(nil, false)
			resp.recordReply(ctx)
			return resp, nil
		}
		// One attempt of unknown outcome makes that of the request unknown.
		failed.OutcomeUnknown = failed.OutcomeUnknown || (last != nil && last.OutcomeUnknown)
		if number > 1 && (failed.Transient || failed.isUnavailable()) {
			failed.note = fmt.Sprintf("%d attempts in %s", number, max(time.Since(began).Round(time.Second), time.Second))
		}
		last = failed
		if failed.Status == http.StatusUnauthorized {
			c.unauthorized.Store(failed)
		}
		if !failed.is429() {
			failures++
		}
		pause, again := c.decide(ctx, r, failed, b, failures)
		r.Lock.record(failed, again)
		if !again {
			c.breakers.record(r.Operation, failed)
			return resp, failed
		}
		if pause > 0 {
			c.config.Logger.LogAttrs(ctx, slog.LevelInfo, "retrying", slog.String("operation", r.Operation),
				slog.Duration("pause", pause), slog.String("reason", failed.Error()))
			if err := sleep(ctx, pause); err != nil {
				return resp, failed.interrupted(err)
			}
		}
	}
}

// prepare waits until a request may be sent, and returns its body; before is that of the last attempt.
func (c *Client) prepare(ctx context.Context, r Request, before []byte, last *Error) (body []byte, err error) {
	if err := c.whyUnsent(ctx, r); err != nil {
		return nil, err
	}
	if err := r.Lock.lock(ctx); err != nil {
		return nil, r.notSent(err)
	}
	if body = before; r.MakeBody != nil && !last.is429() {
		if body, err = r.MakeBody(ctx); err != nil || body == nil {
			return nil, err
		}
	}
	if err := c.limiter.wait(ctx); err != nil {
		return nil, r.notSent(err)
	}
	return body, c.whyUnsent(ctx, r)
}

// whyUnsent returns why a request is not sent, nil for no reason.
func (c *Client) whyUnsent(ctx context.Context, r Request) error {
	if err := ctx.Err(); err != nil { // whatever the circuit breaker says
		return r.notSent(err)
	}
	if failed := c.unauthorized.Load(); failed != nil {
		return failed.forUnsent("the credentials were refused")
	}
	if breaker := c.breakers.get(r.Operation); breaker.isOpen {
		return breaker.last.forUnsent(keepsFailing)
	}
	return nil
}

// decide decides whether a request is sent again after so many failures, and after what pause.
// After a 429 the rate limiter makes all requests wait, so there is no pause.
func (c *Client) decide(ctx context.Context, r Request, failed *Error, b *RetryBudget, failures int) (pause time.Duration, again bool) {
	switch {
	case !failed.Transient:
		return 0, false
	case failed.is429():
		wait := c.limiter.record429(r.Operation, failed.wait)
		c.logWait(ctx, r, wait)
		return 0, wait > 0
	case failed.isUnavailable() && c.breakers.get(r.Operation).failures >= minFailures:
		if b.retries > 0 {
			failed.note = cmp.Or(failed.note, "not retried, because "+keepsFailing)
		}
		return 0, false
	case failed.isBusy() && (failures >= busyAttempts || r.Lock.refusesAll()):
		return 0, false
	case failed.Status == 0 && !c.answered.Load() && failures >= firstAttempts:
		return 0, false
	}
	return b.spend(failed.wait)
}

// notSentAgain returns the error of a request that was not sent because of err. If that followed a
// failure of the request, it is that failure, with err added to its message.
func (c *Client) notSentAgain(ctx context.Context, last *Error, err error) error {
	switch {
	case last == nil:
		return err
	case ctx.Err() != nil:
		return last.interrupted(ctx.Err())
	}
	c.breakers.record(last.Operation, last)
	failed := *last
	failed.Message += "; not sent again: " + err.Error()
	return &failed
}

// sleep waits for d. The error is the context's.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
