package transport

import (
	"sync"
	"time"
)

const (
	minFailures    = 3                // requests that must fail before others are not retried
	maxOutage      = 50 * time.Second // after minFailures; then none are sent
	max429Duration = 75 * time.Second // of nothing but 429s; the next one is not waited out
)

// An outage counts the requests of one operation that have failed despite their retries
// since its last success. Failures of single objects do not add up: others succeed in between.
type outage struct {
	mu       sync.Mutex
	failures int
	since    time.Time // when there were minFailures
	failure  *Error    // why no more requests are sent; nil: they are sent

	first429, last429 time.Time // of the streak of 429s, which a success that was sent after its first ends
}

func (c *Client) outage(operation string) *outage {
	entry, _ := c.outages.LoadOrStore(operation, &outage{})
	return entry.(*outage)
}

// state reports whether requests are retried; failure, if any, is why none are sent.
func (o *outage) state() (mayRetry bool, failure *Error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failures < minFailures, o.failure
}

// recordSuccess records that a request that was sent at this time has succeeded.
func (o *outage) recordSuccess(sent time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failures, o.failure = 0, nil
	if sent.After(o.first429) {
		o.first429 = time.Time{}
	}
}

// mayWait records a 429, and reports whether it is waited out.
func (o *outage) mayWait() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	isOld := now.Sub(o.last429) > maxWait+max429Duration // the request that got it was interrupted
	if o.last429 = now; o.first429.IsZero() || isOld {
		o.first429 = now
	}
	return now.Sub(o.first429) < max429Duration
}

// recordFailure records a request that is not sent again.
func (o *outage) recordFailure(failure *Error) {
	if !failure.isOutage() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failures++; o.failures <= minFailures {
		o.since = time.Now()
	}
	// If three 429s were not waited out, the next would not be either.
	if o.failures >= minFailures && (failure.is429() || time.Since(o.since) >= maxOutage) {
		o.failure = failure
	}
}
