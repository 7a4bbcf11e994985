package transport

import (
	"sync"
	"time"
)

const (
	minFailures = 3                // requests in a row that must fail before others are not retried
	timeToOpen  = 50 * time.Second // after minFailures
)

// breakers are circuit breakers, one for each operation.
type breakers struct {
	mu sync.Mutex
	of map[string]breaker
}

// A breaker counts the requests that have failed in a row despite their retries. After minFailures,
// a failed request is not retried. If that lasts, the breaker opens, and the run sends no more
// of them. Failures of single objects do not add up: others succeed in between.
type breaker struct {
	failures int
	since    time.Time // when there were minFailures
	isOpen   bool
	last     *Error
}

func (b *breakers) get(operation string) breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of[operation]
}

// record records a request that has failed and is not sent again.
func (b *breakers) record(operation string, failed *Error) {
	if !failed.isUnavailable() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	current := b.of[operation]
	if current.failures++; current.failures <= minFailures {
		current.since = time.Now()
	}
	current.last, current.isOpen = failed, time.Since(current.since) >= timeToOpen
	b.of[operation] = current
}

// recordSuccess records that the operation works.
func (b *breakers) recordSuccess(operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.of, operation)
}
