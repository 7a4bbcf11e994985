package transport

import (
	"net/http"
	"sync"
	"time"
)

const (
	minFailures = 3                // requests that must fail before others are not retried
	maxOutage   = 50 * time.Second // after minFailures; then none are sent
)

// An outage counts the requests of one operation that have failed despite their
// retries since its last success. Those of single objects do not add up: others succeed.
type outage struct {
	mu       sync.Mutex
	failures int
	since    time.Time // when there were minFailures
	failure  *Error    // why no more requests are sent; nil: they are sent
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

func (o *outage) recordSuccess() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failures, o.failure = 0, nil
}

// recordFailure records a request that is not sent again.
func (o *outage) recordFailure(failure *Error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failures++; o.failures <= minFailures {
		o.since = time.Now()
	}
	// A 429 that is not sent again has used up its time: no need to wait for others.
	is429 := failure.Status == http.StatusTooManyRequests
	if o.failures >= minFailures && (is429 || time.Since(o.since) >= maxOutage) {
		o.failure = failure
	}
}
