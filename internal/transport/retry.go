package transport

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A Budget is how often one operation may still be tried again, how long it
// pauses before, and how long all of that may take. All requests of the
// operation draw on the same one. It is the BackOff that backoff.Retry asks.
type Budget struct {
	left   int
	pauses *backoff.ExponentialBackOff

	most  time.Duration // for everything but rate limits, which have an end of their own
	spent time.Duration // on attempts and pauses
	last  time.Duration // that the last attempt took
	asked time.Duration // that the API asks to wait before the next one
	over  bool          // another attempt was asked for and refused
}

func (c *Client) NewBudget() *Budget {
	// Time for two attempts that wait in vain for an answer, but not for three.
	most := max(75*time.Second, c.timeout*5/2)
	return &Budget{left: c.maxRetries, pauses: newPauses(), most: most}
}

// newPauses returns the growing, jittered pauses between attempts.
func newPauses() *backoff.ExponentialBackOff {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval = 500 * time.Millisecond
	pauses.MaxInterval = 10 * time.Second
	pauses.Multiplier = 2
	return pauses
}

// NextBackOff draws on the Budget. Another attempt is taken to need as long as
// the last one did.
func (b *Budget) NextBackOff() time.Duration {
	pause := max(b.pauses.NextBackOff(), b.asked)
	if b.left == 0 || b.spent+pause+b.last > b.most {
		b.over = true
		return backoff.Stop
	}
	b.left--
	b.spent += pause
	return pause
}

// Reset does nothing: a second request of the same operation gets what the
// first left.
func (b *Budget) Reset() {}

// Wait waits before another attempt. The error says that there is none: the
// budget is used up or the context has ended.
func (b *Budget) Wait(ctx context.Context) error {
	pause := b.NextBackOff()
	if pause == backoff.Stop {
		return errors.New("no attempts left")
	}
	return sleep(ctx, pause)
}

// took notes how long an attempt took.
func (b *Budget) took(d time.Duration) {
	b.last = d
	b.spent += d
}

func (b *Budget) isUsedUp() bool { return b.left == 0 || b.over }

// Do sends a request, and sends it again while another attempt may succeed.
func (c *Client) Do(ctx context.Context, r Request, b *Budget) (Response, error) {
	if !r.AfterStop {
		stoppable, release := c.untilStopped(ctx)
		defer release()
		ctx = stoppable
	}
	p, failed := c.circuits.enter(ctx, r)
	if failed != nil {
		return Response{}, failed
	}
	defer p.leave()
	timeout := c.timeout
	if p.probes() {
		timeout /= 2 // others have waited the whole of it in vain
	}
	a, failed := c.attempts(ctx, r, b, p, timeout)
	if failed == nil {
		return a, nil
	}
	if failed.outage {
		p.failed(failed, !failed.Transient || b.isUsedUp())
	}
	return a, failed
}

// attempts sends a request until it is answered or another attempt would do no
// better.
func (c *Client) attempts(ctx context.Context, r Request, b *Budget, p *passage, timeout time.Duration) (Response, *Error) {
	var last *Error
	attempts, outcomeUnknown := 0, false
	a, err := backoff.Retry(ctx, func() (Response, error) {
		a, failed := c.attemptPastLimit(ctx, r, b, p, timeout, &attempts)
		if failed == nil {
			return a, nil
		}
		// One attempt that may have been acted on leaves the whole in doubt.
		outcomeUnknown = outcomeUnknown || failed.OutcomeUnknown
		failed.OutcomeUnknown = outcomeUnknown
		last = failed
		if !failed.Transient || p.isBlocked() || (outcomeUnknown && r.Effect == NonIdempotent) {
			return a, backoff.Permanent(failed)
		}
		return a, failed
	}, backoff.WithBackOff(b), backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, pause time.Duration) {
		c.log.LogAttrs(ctx, slog.LevelInfo, "trying again", slog.String("operation", r.Operation),
			slog.Duration("pause", pause), slog.String("reason", err.Error()))
	}))
	if err == nil {
		return a, nil
	}
	if failed, ok := errors.AsType[*Error](err); ok {
		return a, failed
	}
	// The context ended during a pause; what the pause was for says more.
	return a, &Error{
		Operation:      r.Operation,
		RequestID:      last.RequestID,
		Message:        "gave up trying again after: " + last.Message,
		Err:            ctx.Err(),
		OutcomeUnknown: outcomeUnknown,
	}
}

// attemptPastLimit attempts a request until something other than a 429 comes.
// A 429 closes the gate for all requests of the client, and the next attempt
// waits there.
func (c *Client) attemptPastLimit(ctx context.Context, r Request, b *Budget, p *passage, timeout time.Duration, attempts *int) (Response, *Error) {
	for {
		*attempts++
		a, failed := c.attempt(ctx, r, b, timeout, *attempts)
		if failed == nil || (!failed.outage && failed.Status != 0) {
			p.works()
		}
		if failed == nil || !failed.Transient {
			return a, failed
		}
		if failed.Status != http.StatusTooManyRequests {
			b.asked = failed.wait
			return a, failed
		}
		c.log.LogAttrs(ctx, slog.LevelInfo, "waiting for the API's rate limit",
			slog.String("operation", r.Operation), slog.Duration("pause", failed.wait))
	}
}

// statedWait returns how long an answer asks to wait, 0 where it does not say:
// Retry-After in seconds or as a date, else X-RateLimit-Reset in seconds or as
// a Unix time.
func statedWait(header http.Header, now time.Time) time.Duration {
	after := header.Get("Retry-After")
	if date, err := http.ParseTime(after); err == nil {
		return max(date.Sub(now), 0)
	}
	if wait := seconds(after); wait > 0 {
		return wait
	}
	// No limit is reset in three years; such a number is a Unix time.
	const unixTimes = 100_000_000 * time.Second
	wait := seconds(header.Get("X-RateLimit-Reset"))
	if wait >= unixTimes {
		return max(time.Unix(int64(wait/time.Second), 0).Sub(now), 0)
	}
	return wait
}

// seconds reads a count of seconds; 0 for what is none. What does not fit is
// the longest duration there is.
func seconds(s string) time.Duration {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) {
		return 0
	}
	if n >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(n * float64(time.Second))
}
