package transport

import (
	"net/http"
	"sync"
	"time"
)

const (
	minFailures   = 3                // requests without retries that must fail before a breaker opens
	probeInterval = 30 * time.Second // between the requests that an open breaker sends
)

// A breaker saves the requests of one operation their retries while the operation
// is down. After one request has failed despite its retries, later ones are not
// retried. If they also fail for minDuration, the breaker opens: requests fail
// without being sent, except one in each probeInterval. Any success closes it.
// Failures of single objects do not open it.
type breaker struct {
	minDuration time.Duration // how long requests must fail before it opens

	mu        sync.Mutex
	succeeded time.Time // when the operation last worked
	failure   *Error    // the last failure despite retries; nil: requests are retried
	since     time.Time // when that was first set
	failures  int       // since then
	openUntil time.Time // nothing is sent before; zero: not open
}

// Half a timeout, so that a second round of requests without a response opens the
// breaker: a whole timeout would not quite have passed.
func (c *Client) breaker(operation string) *breaker {
	b, _ := c.breakers.LoadOrStore(operation, &breaker{minDuration: c.config.RequestTimeout / 2})
	return b.(*breaker)
}

// enter reports whether a request may be retried; or, with an error, that it must
// not be sent.
func (b *breaker) enter() (retry bool, failure *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.openUntil.IsZero() {
		return b.failure == nil, nil
	}
	now := time.Now()
	if now.Before(b.openUntil) {
		return false, b.failure
	}
	b.openUntil = now.Add(probeInterval) // this request is the probe
	return false, nil
}

func (b *breaker) recordSuccess() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.succeeded = time.Now()
	b.failure = nil
	b.openUntil = time.Time{}
}

// recordFailure records a request that has no retries left.
func (b *breaker) recordFailure(failure *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	switch {
	case b.failure != nil:
		b.failures++
	case now.Sub(b.succeeded) < failure.took/2:
		return // requests for other objects succeed; an earlier success may be from before the outage
	default:
		b.since, b.failures = now, 0
	}
	b.failure = failure
	isRateLimit := failure.Status == http.StatusTooManyRequests // record429 gave up on it
	if isRateLimit || b.failures >= minFailures && now.Sub(b.since) >= b.minDuration {
		b.openUntil = now.Add(probeInterval)
	}
}
