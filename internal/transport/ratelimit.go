package transport

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	maxWait        = 60 * time.Second       // that the client accepts from the API
	max429Duration = 75 * time.Second       // of nothing but 429s; the next one is not waited out
	probeSpacing   = 250 * time.Millisecond // between requests, from a 429 until one gets another response
)

// A rateLimiter spaces requests by RequestsPerSecond, and holds all of them back while the API
// limits their rate: after a 429 for as long as the response asks, or else for a short backoff. A request
// that is asked to wait longer than maxWait fails and holds back no other: each is asked the same.
type rateLimiter struct {
	spacing time.Duration // between requests
	queue   chan struct{} // held by the request that goes next; the others wait for it in their order

	mu           sync.Mutex
	next         time.Time                   // nothing is sent before, because of the spacing
	blockedUntil time.Time                   // nothing is sent before, because of the API's limit
	isLimited    bool                        // the last response was a 429
	first429     map[string]time.Time        // when the API began to return only 429s to an operation
	backoffs     *backoff.ExponentialBackOff // for 429s that do not say how long to wait
}

func newRateLimiter(perSecond float64) *rateLimiter {
	l := &rateLimiter{queue: make(chan struct{}, 1), first429: map[string]time.Time{}, backoffs: backoff.NewExponentialBackOff()}
	l.backoffs.InitialInterval = 500 * time.Millisecond
	// Keep backoff short; overshooting wastes time.
	l.backoffs.Multiplier, l.backoffs.RandomizationFactor = 1.1, 0.1
	if perSecond > 0 {
		l.spacing = time.Duration(float64(time.Second) / perSecond)
	}
	return l
}

// wait waits until a request may be sent.
func (l *rateLimiter) wait(ctx context.Context) error {
	select {
	case l.queue <- struct{}{}:
		defer func() { <-l.queue }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for pause := l.pause(); pause > 0; pause = l.pause() {
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// pause returns how long the next request has to wait, 0 if it is sent now.
func (l *rateLimiter) pause() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	pause := max(l.blockedUntil.Sub(now), l.next.Sub(now), 0)
	if pause == 0 {
		l.next = now.Add(l.spacing)
		if l.isLimited { // the API may still refuse: one at a time
			l.next = now.Add(max(l.spacing, probeSpacing))
		}
	}
	return pause
}

// record429 holds all requests back after a 429, for as long as the API asked (0: it did not), and
// returns for how long; 0 if there was nothing else for the operation for too long.
func (l *rateLimiter) record429(operation string, asked time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.isLimited = true; l.first429[operation].IsZero() {
		l.first429[operation] = now
	}
	wait, rest := asked, l.blockedUntil.Sub(now)
	switch {
	case now.Sub(l.first429[operation]) >= max429Duration:
		return 0
	case asked == 0 && rest > 0: // concurrent 429s are one
		return rest
	case asked == 0:
		wait = l.backoffs.NextBackOff()
	}
	if until := now.Add(wait); until.After(l.blockedUntil) {
		l.blockedUntil = until
	}
	return wait
}

// recordOther records a response other than a 429.
func (l *rateLimiter) recordOther(operation string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.first429, operation)
	l.isLimited = false
	l.backoffs.Reset()
}

// requestedWait returns how long the value of a header asks to wait, which is a number of seconds, a Unix time in
// seconds, or a date; 0 for anything else.
func requestedWait(value string) time.Duration {
	if date, err := http.ParseTime(value); err == nil {
		return max(time.Until(date), 0)
	}
	n, _ := strconv.ParseFloat(value, 64) // 0 if it is no number
	switch {
	case !(n > 0) || n >= 1e11:
		return 0
	case n >= 1e8: // 3 years, or the year 1973
		return max(time.Until(time.Unix(int64(n), 0)), 0)
	}
	return time.Duration(n * float64(time.Second))
}
