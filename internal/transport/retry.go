package transport

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Do sends a request, and repeats it while another attempt may succeed. The
// error is an *Error.
func (c *Client) Do(ctx context.Context, r Request, b *Budget) (Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !r.AfterStop {
		defer context.AfterFunc(c.stopped, cancel)()
		if c.stopped.Err() != nil {
			cancel() // AfterFunc does, but later
		}
	}
	br := c.breaker(r.Operation)
	retry, failure := br.enter()
	if failure != nil && !r.AfterStop {
		return Response{}, failure.forUnsent()
	}
	if retry = retry || r.AfterStop; !retry {
		b = &Budget{} // of no retries
	}
	resp, failed := c.attempts(ctx, r, b, br)
	if failed == nil {
		return resp, nil
	}
	// A request that was sent again after a 429 was retried, and the caller retries
	// one that is NonIdempotent.
	failed.unretried = !retry && failed.attempts == 1 && c.config.MaxRetries > 0 && r.Effect != NonIdempotent
	// The failure is the last one unless the caller has retries left.
	if failed.isOutage() && (!failed.Transient || b.retries == 0) {
		br.recordFailure(failed)
	}
	return resp, failed
}

// attempts sends a request until it succeeds or must not be sent again.
func (c *Client) attempts(ctx context.Context, r Request, b *Budget, br *breaker) (Response, *Error) {
	began, outcomeUnknown := time.Now(), false
	for number := 1; ; number++ {
		resp, failed := c.attempt(ctx, r, b, number)
		if failed == nil || failed.Status != 0 && !failed.isOutage() {
			br.recordSuccess() // a refusal shows that the operation works
		}
		if failed == nil {
			return resp, nil
		}
		// One attempt of unknown outcome makes that of the request unknown.
		outcomeUnknown = outcomeUnknown || failed.OutcomeUnknown
		failed.OutcomeUnknown = outcomeUnknown
		if failed.isOutage() {
			failed.attempts, failed.took = number, time.Since(began)
		}
		if !failed.Transient || outcomeUnknown && r.Effect == NonIdempotent {
			return resp, failed
		}
		if failed.Status == http.StatusTooManyRequests {
			// The next attempt waits at the gate. A 429 that lasts for
			// max429Duration is no longer transient.
			continue
		}
		pause, ok := b.next(failed.wait)
		if !ok {
			return resp, failed
		}
		c.config.Logger.LogAttrs(ctx, slog.LevelInfo, "retrying", slog.String("operation", r.Operation),
			slog.Duration("pause", pause), slog.String("reason", failed.Error()))
		if err := sleep(ctx, pause, nil); err != nil {
			failed.Status, failed.Transient, failed.Err = 0, false, err
			failed.Message = "stopped retrying after: " + failed.Message
			return resp, failed
		}
	}
}

// A Budget limits the number and time of the retries of one read or update,
// whose requests share it.
type Budget struct {
	retries  int // that are left
	backoffs *backoff.ExponentialBackOff
	left     time.Duration // for attempts and pauses, without waits for the rate limit
	last     time.Duration // duration of the last attempt
}

// NewBudget returns the budget of one read or update.
func (c *Client) NewBudget() *Budget {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 500 * time.Millisecond
	b.MaxInterval = 10 * time.Second
	b.Multiplier = 2
	return &Budget{
		retries:  c.config.MaxRetries,
		backoffs: b,
		left:     max(75*time.Second, c.config.RequestTimeout*5/2), // at most two timeouts
	}
}

// Wait waits before another attempt. With an error there is none: the budget is
// used up or the context has ended.
func (b *Budget) Wait(ctx context.Context) error {
	pause, ok := b.next(0)
	if !ok {
		return errors.New("no retries left")
	}
	return sleep(ctx, pause, nil)
}

// next returns the pause before the next attempt, at least asked; false if there is
// no time for an attempt as long as the last one.
func (b *Budget) next(asked time.Duration) (pause time.Duration, ok bool) {
	if b.retries == 0 {
		return 0, false
	}
	pause = max(b.backoffs.NextBackOff(), asked)
	if pause+b.last > b.left {
		b.retries = 0
		return 0, false
	}
	b.retries--
	b.left -= pause
	return pause, true
}

// sleep waits for d, or until wake is closed. If the context ends first, it returns
// the context's error.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
