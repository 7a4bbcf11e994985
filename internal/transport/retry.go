package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Do sends a request and retries it. The error is an *Error, or that of MakeBody.
func (c *Client) Do(ctx context.Context, r Request, b *Budget) (Response, error) {
	ctx, cancel := c.limit(ctx, r)
	defer cancel()
	o := c.outage(r.Operation)
	_, failure := o.state()
	switch {
	case ctx.Err() != nil: // not because of an outage
		return Response{}, &Error{Operation: r.Operation, Message: "not sent", Err: ctx.Err()}
	case failure != nil && !r.AfterStop:
		return Response{}, failure.forUnsent()
	}
	began := time.Now()
	var last *Error
	for number := 1; ; number++ {
		resp, failed, err := c.attemptWithBody(ctx, r, b, number, last)
		if err != nil {
			return Response{}, last.notRepeated(ctx, err)
		}
		if failed == nil || failed.Status != 0 && !failed.isOutage() {
			o.recordSuccess() // a refusal shows that the operation works
		}
		if failed == nil {
			return resp, nil
		}
		// One attempt of unknown outcome makes that of the request unknown.
		failed.OutcomeUnknown = failed.OutcomeUnknown || last != nil && last.OutcomeUnknown
		if number > 1 && failed.isOutage() {
			failed.note = fmt.Sprintf("%d attempts in %s", number, max(time.Since(began).Round(time.Second), time.Second))
		}
		mayRetry, _ := o.state()
		next, pause := b.judge(r, failed, mayRetry || r.AfterStop), time.Duration(0)
		if next == again && failed.Status != http.StatusTooManyRequests { // the gate makes a 429 wait
			var ok bool
			if pause, ok = b.spend(failed.wait); !ok {
				next = giveUp
			}
		}
		switch next {
		case settled:
			return resp, failed
		case notRetried:
			failed.Transient, failed.note = false, cmp.Or(failed.note, "not retried, because "+keepsFailing)
			fallthrough
		case giveUp:
			o.recordFailure(failed)
			return resp, failed
		}
		last = failed
		if pause > 0 {
			c.config.Logger.LogAttrs(ctx, slog.LevelInfo, "retrying", slog.String("operation", r.Operation),
				slog.Duration("pause", pause), slog.String("reason", failed.Error()))
			if err := sleep(ctx, pause, nil); err != nil {
				return resp, failed.interrupted(err)
			}
		}
	}
}

// attemptWithBody makes the body, if that is to be made, and attempts the request; last is
// the failure before, if any. err is why there is no body.
//
// After a 429, one such request goes at a time: if ten made their bodies at once, their
// reads would use up the API's rate limit, and what they read for would be refused again.
func (c *Client) attemptWithBody(ctx context.Context, r Request, b *Budget, number int, last *Error) (resp Response, failed *Error, err error) {
	if r.MakeBody == nil {
		resp, failed = c.attempt(ctx, r, b, number)
		return resp, failed, nil
	}
	if last != nil && last.Status == http.StatusTooManyRequests {
		select {
		case c.afterLimit <- struct{}{}:
			defer func() { <-c.afterLimit }()
		case <-ctx.Done():
			return resp, nil, ctx.Err()
		}
	}
	if r.Body, err = r.MakeBody(ctx); err != nil {
		return resp, nil, err
	}
	resp, failed = c.attempt(ctx, r, b, number)
	return resp, failed, nil
}

// limit returns the context of a request: Ctrl-C and Stop end it. With AfterStop, only
// Ctrl-C does, and later.
func (c *Client) limit(ctx context.Context, r Request) (context.Context, context.CancelFunc) {
	if r.AfterStop {
		return finishing(ctx)
	}
	limited, cancel := context.WithCancel(ctx)
	if c.stopped.Err() != nil {
		cancel() // AfterFunc does, but later
	}
	stop := context.AfterFunc(c.stopped, cancel)
	return limited, func() { stop(); cancel() }
}

// A Budget limits the number and time of all retries of one read or update.
type Budget struct {
	retries  int // that are left
	backoffs *backoff.ExponentialBackOff
	left     time.Duration // for failed attempts and pauses, without waits for the rate limit
	last     time.Duration // duration of the last attempt
}

// NewBudget returns the budget of one read or update.
func (c *Client) NewBudget() *Budget {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = 500*time.Millisecond, 10*time.Second, 2
	return &Budget{
		retries:  c.config.MaxRetries,
		backoffs: b,
		left:     max(75*time.Second, c.config.RequestTimeout*5/2), // two attempts that time out
	}
}

// record records how long an attempt took. A success costs nothing.
func (b *Budget) record(took time.Duration, failed bool) {
	if b.last = took; failed {
		b.left -= took
	}
}

// spend takes a retry and the pause before it, at least as long as the failed attempt asks.
// It is false if there is no time for an attempt as long as the last one.
func (b *Budget) spend(asked time.Duration) (pause time.Duration, ok bool) {
	pause = max(b.backoffs.NextBackOff(), asked)
	if b.retries <= 0 || pause+b.last > b.left {
		b.retries = 0
		return 0, false
	}
	b.retries--
	b.left -= pause
	return pause, true
}

// Wait waits before a caller sends a failed request anew, at least as long as the API asks.
// It fails if the budget is used up or the context has ended.
func (c *Client) Wait(ctx context.Context, b *Budget, failed *Error) error {
	hadRetries := b.retries > 0
	pause, ok := b.spend(failed.wait)
	switch {
	case ok:
		return sleep(ctx, pause, nil)
	case hadRetries: // else Do has counted the failure
		c.outage(failed.Operation).recordFailure(failed)
	}
	return errors.New("no retries left")
}

// A verdict says what follows an attempt that has failed.
type verdict uint8

const (
	settled    verdict = iota // nothing: this is no outage, or the caller may send it anew
	giveUp                    // nothing: the request counts as failed
	notRetried                // nothing: the same, because the operation keeps failing
	again                     // another attempt
)

// judge says what follows a failed attempt. mayRetry is false while the operation keeps
// failing.
func (b *Budget) judge(r Request, failed *Error, mayRetry bool) verdict {
	switch {
	case !failed.isOutage():
		return settled
	case !failed.Transient: // the wait would be too long, or the status is final
		return giveUp
	case failed.Status == http.StatusTooManyRequests: // no retry
		return again
	case b.retries <= 0:
		return giveUp
	case !mayRetry:
		return notRetried
	case r.Effect == NonIdempotent && failed.OutcomeUnknown && b.last < b.left:
		return settled // its caller has a retry, and time for it
	}
	return again
}

// sleep waits for d, or until wake is closed. The error is the context's.
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
