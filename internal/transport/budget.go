package transport

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A RetryBudget limits the number and time of all retries of one read or update.
type RetryBudget struct {
	retries  int // that are left
	backoffs *backoff.ExponentialBackOff
	left     time.Duration // for failed attempts and pauses, without waits for the rate limit
	last     time.Duration // duration of the last attempt
}

// NewRetryBudget returns the budget of one read or update.
func (c *Client) NewRetryBudget() *RetryBudget {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = 500*time.Millisecond, 10*time.Second, 2
	return &RetryBudget{
		retries:  c.config.MaxRetries,
		backoffs: b,
		left:     max(75*time.Second, c.config.RequestTimeout*5/2), // two attempts that time out
	}
}

// record records how long an attempt took. A success costs nothing.
func (b *RetryBudget) record(took time.Duration, failed bool) {
	if b.last = took; failed {
		b.left -= took
	}
}

// spend takes one retry from the budget, and returns the pause before it: at least asked. If there is no retry, or no
// time for the pause and an attempt as long as the last, it returns false, and leaves nothing.
func (b *RetryBudget) spend(asked time.Duration) (pause time.Duration, ok bool) {
	pause = max(b.backoffs.NextBackOff(), asked)
	if b.retries <= 0 || pause+b.last > b.left {
		b.retries = 0
		return 0, false
	}
	b.retries--
	b.left -= pause
	return pause, true
}
