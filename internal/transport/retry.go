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

// Do sends a request and retries it. The error is an *Error, or that of MakeBody. A response without
// a status is that of a MakeBody that left nothing to send.
func (c *Client) Do(ctx context.Context, r Request, b *RetryBudget) (Response, error) {
	switch breaker := c.breakers.get(r.Operation); {
	case ctx.Err() != nil: // whatever the breaker says
		return Response{}, r.notSent(ctx.Err())
	case breaker.isOpen:
		return Response{}, breaker.last.forUnsent(keepsFailing)
	}
	if refused := c.unauthorized.Load(); refused != nil {
		return Response{}, refused.forUnsent("the credentials were refused")
	}
	return c.attempts(ctx, r, b)
}

// attempts sends a request until it succeeds or is not to be sent again.
func (c *Client) attempts(ctx context.Context, r Request, b *RetryBudget) (Response, error) {
	lock, isLocked, began := c.lockOf(r), false, time.Now()
	defer func() {
		if isLocked {
			lock.unlock()
		}
	}()
	var last *Error // the last failure
	for number := 1; ; number++ {
		if !isLocked && lock.isNeeded.Load() {
			if err := lock.lock(ctx); err != nil {
				return Response{}, c.notSentAgain(ctx, last, r.notSent(err))
			}
			isLocked = true
		}
		if r.MakeBody != nil && !last.is429() {
			body, err := r.MakeBody(ctx, last)
			if err != nil {
				return Response{}, c.notSentAgain(ctx, last, err)
			}
			if body == nil {
				return Response{}, nil
			}
			r.Body = body
		}
		if err := c.limiter.wait(ctx); err != nil {
			return Response{}, c.notSentAgain(ctx, last, r.notSent(err))
		}
		resp, failed := c.attempt(ctx, r, b, number)
		if failed == nil {
			lock.failures.Store(0)
			resp.recordReply(ctx)
			return resp, nil
		}
		// One attempt of unknown outcome makes that of the request unknown.
		failed.OutcomeUnknown = failed.OutcomeUnknown || last != nil && last.OutcomeUnknown
		if number > 1 && (failed.Transient || failed.isUnavailable()) {
			failed.note = fmt.Sprintf("%d attempts in %s", number, max(time.Since(began).Round(time.Second), time.Second))
		}
		if last = failed; failed.Status == http.StatusUnauthorized {
			c.unauthorized.Store(failed)
		}
		pause, again := c.decide(ctx, r, failed, b, lock, number)
		lock.record(failed, again)
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

// decide decides whether a request is sent again after a failure, the number of the attempt, and after what pause.
// After a 429 the rate limiter makes all requests wait, so there is no pause.
func (c *Client) decide(ctx context.Context, r Request, failed *Error, b *RetryBudget, lock *busyLock, number int) (pause time.Duration, again bool) {
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
	case failed.isBusy() && (number >= busyAttempts || lock.failures.Load() >= minFailures): // it refuses every change
		return 0, false
	case failed.Status == 0 && !c.answered.Load() && number >= firstAttempts:
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
