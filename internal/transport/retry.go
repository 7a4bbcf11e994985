package transport

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A Budget limits the retries of one operation: their number and their time.
// An operation that needs several requests shares one among them.
type Budget struct {
	left      int
	backoffs  *backoff.ExponentialBackOff
	limit     time.Duration // for attempts and pauses, waiting for the rate limit excluded
	spent     time.Duration // of the limit
	last      time.Duration // duration of the last attempt
	exhausted bool          // a retry was refused
}

// NewBudget returns a budget for one operation.
func (c *Client) NewBudget() *Budget {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 500 * time.Millisecond
	b.MaxInterval = 10 * time.Second
	b.Multiplier = 2
	return &Budget{
		left:     c.maxRetries,
		backoffs: b,
		limit:    max(75*time.Second, c.timeout*5/2), // two timeouts, not three
	}
}

// Wait waits before another attempt. The error says that there is none: the
// budget is used up or the context has ended.
func (b *Budget) Wait(ctx context.Context) error {
	pause, ok := b.next(0)
	if !ok {
		return errors.New("no retries left")
	}
	return sleep(ctx, pause, nil)
}

// next returns the pause before the next attempt, which is at least asked, or
// false if there is none. An attempt is taken to last as long as the last one.
func (b *Budget) next(asked time.Duration) (pause time.Duration, ok bool) {
	pause = max(b.backoffs.NextBackOff(), asked)
	if b.left == 0 || b.spent+pause+b.last > b.limit {
		b.exhausted = true
		return 0, false
	}
	b.left--
	b.spent += pause
	return pause, true
}

func (b *Budget) recordAttempt(took time.Duration) {
	b.last = took
	b.spent += took
}

func (b *Budget) isUsedUp() bool { return b.left == 0 || b.exhausted }

// Do sends a request, and repeats it while another attempt may succeed. The
// error is an *Error.
func (c *Client) Do(ctx context.Context, r Request, b *Budget) (Response, error) {
	if !r.AfterStop {
		stoppable, release := c.untilStopped(ctx)
		defer release()
		ctx = stoppable
	}
	br := c.breakers.of(r.Operation)
	retry, failure := br.enter()
	if failure != nil {
		return Response{}, failure.forUnsent(r)
	}
	began := time.Now()
	resp, failed := c.attempts(ctx, r, b, retry, br)
	if failed == nil {
		return resp, nil
	}
	if failed.outage && (!retry || !failed.Transient || b.isUsedUp()) {
		br.recordFailure(began, failed)
	}
	return resp, failed
}

// attempts sends a request until it succeeds or no other attempt is to be made.
func (c *Client) attempts(ctx context.Context, r Request, b *Budget, retry bool, br *breaker) (Response, *Error) {
	outcomeUnknown := false
	for number := 1; ; number++ {
		resp, failed := c.attempt(ctx, r, b, number)
		if failed == nil || !failed.outage && failed.Status != 0 {
			br.recordSuccess()
		}
		if failed == nil {
			return resp, nil
		}
		// After one attempt of unknown outcome, the outcome stays unknown.
		outcomeUnknown = outcomeUnknown || failed.OutcomeUnknown
		failed.OutcomeUnknown = outcomeUnknown
		switch {
		case !failed.Transient, outcomeUnknown && r.Effect == NonIdempotent:
			return resp, failed
		case failed.Status == http.StatusTooManyRequests:
			c.log.LogAttrs(ctx, slog.LevelInfo, "waiting for the API's rate limit",
				slog.String("operation", r.Operation), slog.Duration("pause", failed.wait))
			continue // the next attempt waits at the gate
		case !retry:
			return resp, failed
		}
		pause, ok := b.next(failed.wait)
		if !ok {
			return resp, failed
		}
		c.log.LogAttrs(ctx, slog.LevelInfo, "retrying", slog.String("operation", r.Operation),
			slog.Duration("pause", pause), slog.String("reason", failed.Error()))
		if err := sleep(ctx, pause, nil); err != nil {
			return resp, &Error{
				Operation:      r.Operation,
				RequestID:      failed.RequestID,
				Message:        "stopped retrying after: " + failed.Message,
				Err:            err,
				OutcomeUnknown: outcomeUnknown,
			}
		}
	}
}

// sleep waits for d, for wake to be closed, or for the end of the context, whose
// error it returns.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
