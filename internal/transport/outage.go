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

// record records a request that is not sent again, or with nil that the operation works.
func (o *outages) record(operation string, failed *Error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch now := o.of[operation]; {
	case failed == nil:
		delete(o.of, operation)
	case failed.isOutage():
		if now.failures++; now.failures <= minFailures {
			now.since = time.Now()
		}
		now.last, now.isLong = failed, time.Since(now.since) >= maxOutage
		o.of[operation] = now
	}
}
