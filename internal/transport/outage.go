package transport

import (
	"sync"
	"time"
)

const (
	minFailures = 3                // requests in a row that must fail before others are not retried
	maxOutage   = 50 * time.Second // after minFailures; then none are sent
)

// outages count, by operation, the requests that have failed in a row despite their retries.
// Failures of single objects do not add up: others succeed in between.
type outages struct {
	mu sync.Mutex
	of map[string]outage
}

type outage struct {
	failures int
	since    time.Time // when there were minFailures
	isLong   bool      // no more requests are sent
	last     *Error
}

func (o *outages) get(operation string) outage {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[operation]
}

// record records a request that has failed and is not sent again.
func (o *outages) record(operation string, failed *Error) {
	if !failed.isOutage() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	current := o.of[operation]
	if current.failures++; current.failures <= minFailures {
		current.since = time.Now()
	}
	current.last, current.isLong = failed, time.Since(current.since) >= maxOutage
	o.of[operation] = current
}

// recordSuccess records that the operation works.
func (o *outages) recordSuccess(operation string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.of, operation)
}
