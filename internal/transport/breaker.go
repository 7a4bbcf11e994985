package transport

import (
	"net/http"
	"sync"
	"time"
)

const (
	// minFailures is how many requests without retries fail before a breaker
	// opens.
	minFailures = 3
	// probeInterval is how often an open breaker lets a request through.
	probeInterval = 30 * time.Second
)

// A breaker keeps the requests of one operation from each waiting for it while
// it is down. After a request has failed despite its retries, later ones are
// not retried. If only failures follow for some time, requests fail without
// being sent, except one in each probeInterval. Any success closes it, so that
// objects that fail for themselves alone do not open it.
type breaker struct {
	minDuration time.Duration // of failures before it opens

	mu        sync.Mutex
	succeeded time.Time // when the operation last worked
	failure   *Error    // the last one; nil: closed
	since     time.Time // when retries ended
	failures  int       // since then
	openUntil time.Time // nothing is sent until then; zero: not open
}

func (c *Client) breaker(operation string) *breaker {
	b, _ := c.breakers.LoadOrStore(operation, &breaker{minDuration: c.config.RequestTimeout / 2})
	return b.(*breaker)
}

// enter returns whether a request may be retried, or an error if it must not be
// sent.
func (b *breaker) enter() (retry bool, failure *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch now := time.Now(); {
	case b.failure == nil:
		return true, nil
	case b.openUntil.IsZero():
		return false, nil
	case now.Before(b.openUntil):
		return false, b.failure
	default:
		b.openUntil = now.Add(probeInterval) // this request is the probe
		return false, nil
	}
}

func (b *breaker) recordSuccess() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.succeeded = time.Now()
	b.failure = nil
	b.openUntil = time.Time{}
}

// recordFailure records a request that began at began and failed despite its
// retries, or without any left to it.
func (b *breaker) recordFailure(began time.Time, failure *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	switch {
	case b.failure != nil:
		b.failures++
	case now.Sub(b.succeeded) < now.Sub(began)/2:
		return // other objects' requests succeed
	default:
		b.since, b.failures = now, 0
	}
	b.failure = failure
	isRateLimit := failure.Status == http.StatusTooManyRequests // which has lasted already
	if isRateLimit || b.failures >= minFailures && now.Sub(b.since) >= b.minDuration {
		b.openUntil = now.Add(probeInterval)
	}
}
