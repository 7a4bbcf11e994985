package transport

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	maxWait        = 60 * time.Second // that the client accepts from the API
	max429Duration = 75 * time.Second // of an operation that returns only 429s, with the next wait
	maxProbeWait   = time.Second      // of other requests, for the probe's response
)

// A gate spaces requests by RequestsPerSecond, and holds them back while the API limits
// their rate. A 429 closes it for as long as the response asks, or else for a short
// backoff. Then one request is sent first, as a probe. The others follow its response;
// until then, one more goes every maxProbeWait. A new gate begins with a probe: the others
// then share its HTTP/2 connection.
//
//	open ── 429, or none remain ──▶ closed ── opensAt ──▶ probing ── other response ──▶ open
//	                                  ▲                      │
//	                                  └───────── 429 ────────┘     no response: another probe
type gate struct {
	spacing time.Duration // between requests
	turn    chan struct{} // full while a request waits; the others queue for it, first come, first served

	mu         sync.Mutex
	next       time.Time                   // nothing is sent before, because of the spacing
	opensAt    time.Time                   // nothing is sent before; zero: open
	probeUntil time.Time                   // nothing else is sent before, unless there is a response
	changed    chan struct{}               // closed and replaced after each response but a 429
	first429   map[string]time.Time        // the first 429 since another response, by operation
	backoffs   *backoff.ExponentialBackOff // for 429s that do not say how long to wait
}

func newGate(perSecond float64) *gate {
	g := &gate{
		turn:     make(chan struct{}, 1),
		opensAt:  time.Now(),
		changed:  make(chan struct{}),
		first429: map[string]time.Time{},
		backoffs: backoff.NewExponentialBackOff(),
	}
	g.backoffs.InitialInterval = 500 * time.Millisecond
	// Keep backoff short; overshooting wastes time.
	g.backoffs.Multiplier, g.backoffs.RandomizationFactor = 1.125, 0.1
	if perSecond > 0 {
		g.spacing = time.Duration(float64(time.Second) / perSecond)
	}
	return g
}

// wait waits until a request may be sent. An urgent one waits neither for the spacing nor
// for others. One whose body has just been made from a read goes next: it was that read's
// turn.
func (g *gate) wait(ctx context.Context, r Request) error {
	var reserved time.Time
	switch {
	case r.AfterStop:
	case r.MakeBody != nil:
		reserved = g.reserve()
	default:
		select {
		case g.turn <- struct{}{}:
			defer func() { <-g.turn }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for ctx.Err() == nil {
		pause, changed := g.enter(r.AfterStop, reserved)
		if pause <= 0 {
			return nil
		}
		_ = sleep(ctx, pause, changed)
	}
	return ctx.Err()
}

// reserve returns the next time at which the spacing lets a request go, for one alone.
func (g *gate) reserve() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	reserved := time.Now()
	if g.next.After(reserved) {
		reserved = g.next
	}
	g.next = reserved.Add(g.spacing)
	return reserved
}

// enter returns 0 if a request may be sent, or else how long to wait before asking
// again, unless changed is closed earlier. reserved is zero if the request has to wait for
// g.next.
func (g *gate) enter(urgent bool, reserved time.Time) (pause time.Duration, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	pause = max(g.opensAt.Sub(now), g.probeUntil.Sub(now), reserved.Sub(now))
	if !urgent && reserved.IsZero() {
		pause = max(pause, g.next.Sub(now))
	}
	if pause > 0 {
		return pause, g.changed
	}
	if next := now.Add(g.spacing); reserved.IsZero() && next.After(g.next) {
		g.next = next
	}
	if !g.opensAt.IsZero() { // this request is the probe
		g.probeUntil = now.Add(maxProbeWait)
	}
	return 0, nil
}

// record429 closes the gate for the wait that the API asked for, or for another one if
// that is 0. The request must not be repeated if the wait is too long, or the operation
// has returned only 429s for too long; the gate stays as it is then.
func (g *gate) record429(operation string, asked time.Duration) (wait time.Duration, mayRepeat bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	wait = cmp.Or(asked, max(g.opensAt.Sub(now), 0)) // or else for the rest of a concurrent 429's wait
	if wait == 0 {
		wait = g.backoffs.NextBackOff()
	}
	if _, ok := g.first429[operation]; !ok {
		g.first429[operation] = now
	}
	if wait > maxWait || now.Add(wait).Sub(g.first429[operation]) > max429Duration {
		g.probeUntil = time.Time{} // another request is the next probe
		return 0, false
	}
	g.closeUntil(now.Add(wait))
	return wait, true
}

// record records a response other than a 429. If no requests remain, it closes the gate
// and returns for how long. Without a response, the next request is the probe.
func (g *gate) record(operation string, sent time.Time, resp Response) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.changed)
	g.changed = make(chan struct{})
	if !sent.Before(g.opensAt) { // else it was sent before the API began to refuse
		g.probeUntil = time.Time{}
		if resp.Status != 0 {
			g.opensAt = time.Time{}
			g.backoffs.Reset()
			delete(g.first429, operation)
		}
	}
	now := time.Now()
	remaining, err := strconv.Atoi(rateLimit(resp.header, "Remaining"))
	wait := until(resp.header, rateLimit(resp.header, "Reset"), now)
	if err != nil || remaining != 0 || wait <= 0 || wait > maxWait {
		return 0
	}
	g.closeUntil(now.Add(wait))
	return wait
}

func (g *gate) closeUntil(until time.Time) {
	g.probeUntil = time.Time{}
	if until.After(g.opensAt) {
		g.opensAt = until
	}
}

// requestedWait returns how long a 429 asks to wait; 0 if it does not.
func requestedWait(header http.Header, now time.Time) time.Duration {
	return cmp.Or(until(header, header.Get("Retry-After"), now), until(header, rateLimit(header, "Reset"), now))
}

// rateLimitMembers matches members of RateLimit in the forms of the IETF draft:
// `limit=10, remaining=0, reset=5` and `"default";r=0;t=5`.
var rateLimitMembers = map[string]*regexp.Regexp{
	"Remaining": regexp.MustCompile(`(?i)\b(?:remaining|r)=(\d+)`),
	"Reset":     regexp.MustCompile(`(?i)\b(?:reset|t)=(\d+)`),
}

// rateLimit returns X-RateLimit-Remaining or -Reset, or the same from a similar header.
func rateLimit(header http.Header, name string) string {
	value := cmp.Or(header.Get("X-RateLimit-"+name), header.Get("RateLimit-"+name))
	if match := rateLimitMembers[name].FindStringSubmatch(header.Get("RateLimit")); value == "" && match != nil {
		return match[1]
	}
	return value
}

// until returns the time until value, which is a number of seconds, a Unix time in
// seconds or milliseconds, or a date; 0 for anything else.
func until(header http.Header, value string, now time.Time) time.Duration {
	// Use the server's clock if it differs by more than rounding and latency.
	if date, err := http.ParseTime(header.Get("Date")); err == nil && now.Sub(date).Abs() > 2*time.Second {
		now = date
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0)
	}
	// A duration is below 1e8 s (3 years), a Unix time below 1e11 s (the year 5138).
	n, _ := strconv.ParseFloat(value, 64) // 0 if it is no number
	switch {
	case !(n > 0):
		return 0
	case n >= 1e11:
		return max(time.UnixMilli(int64(min(n, 1e15))).Sub(now), 0)
	case n >= 1e8:
		return max(time.Unix(int64(n), 0).Sub(now), 0)
	}
	return time.Duration(n * float64(time.Second))
}
