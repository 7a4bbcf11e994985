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

// waitTurn spaces requests by RequestsPerSecond. They hand the time of the next one
// to each other, so a request that ends while it waits leaves no gap.
func (c *Client) waitTurn(ctx context.Context) error {
	select {
	case next := <-c.turn:
		err := sleep(ctx, time.Until(next), nil)
		if perSecond := c.config.RequestsPerSecond; err == nil && perSecond > 0 {
			next = time.Now().Add(time.Duration(float64(time.Second) / perSecond))
		}
		c.turn <- next
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A gate holds back all requests while the API limits their rate. A 429 closes
// it for as long as the response asks, or else for a short backoff. Then one
// request is sent first, as a probe; the others follow its response.
//
//	open ── 429, or none remain ──▶ closed ── time ──▶ probing ── other response ──▶ open
//	                                   ▲───── 429 ────────┘
type gate struct {
	mu       sync.Mutex
	opens    time.Time                   // nothing is sent before; after a probe, maxProbeWait later
	probing  bool                        // no response since the gate was closed
	closed   time.Time                   // when a response last closed the gate
	changed  chan struct{}               // closed and replaced after each response but a 429
	first429 map[string]time.Time        // the first 429 since another response, by operation
	backoffs *backoff.ExponentialBackOff // for 429s that do not say how long to wait
}

// newGate returns a gate whose first request is a probe, so that the others share
// its HTTP/2 connection.
func newGate() *gate {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 500 * time.Millisecond
	// Keep backoff short; overshooting wastes time.
	b.Multiplier, b.RandomizationFactor = 1.125, 0.1
	return &gate{probing: true, changed: make(chan struct{}), first429: map[string]time.Time{}, backoffs: b}
}

// wait waits until a request may be sent. The error is the context's, at once if
// that ends before the gate opens.
func (g *gate) wait(ctx context.Context) error {
	for ctx.Err() == nil {
		pause, changed := g.enter()
		if pause <= 0 {
			return nil
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < pause {
			return context.DeadlineExceeded
		}
		_ = sleep(ctx, pause, changed)
	}
	return ctx.Err()
}

// enter returns 0 if a request may be sent, or else how long to wait before asking
// again, unless changed is closed earlier.
func (g *gate) enter() (pause time.Duration, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if pause = time.Until(g.opens); pause > 0 {
		return pause, g.changed
	}
	if g.probing {
		g.opens = time.Now().Add(maxProbeWait)
	}
	return 0, nil
}

// record429 closes the gate for the wait that the API asked for; 0 if it did not.
// It returns the wait; 0 if the request must not be repeated: the wait is too long,
// or the operation has returned only 429s for too long.
func (g *gate) record429(operation string, sent time.Time, asked time.Duration) (wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if sent.After(g.closed) {
		g.opens = time.Time{} // others have only waited for the probe
	}
	wait = cmp.Or(asked, max(g.opens.Sub(now), 0)) // or else for the rest of a concurrent 429's wait
	if wait == 0 {
		wait = g.backoffs.NextBackOff()
	}
	if _, ok := g.first429[operation]; !ok {
		g.first429[operation] = now
	}
	if wait > maxWait || now.Add(wait).Sub(g.first429[operation]) > max429Duration {
		wait = 0
	}
	g.close(now.Add(wait))
	return wait
}

// record records a response other than a 429. If it says that no requests remain,
// record closes the gate, and returns for how long. Without a response, the next
// request is the probe.
func (g *gate) record(operation string, sent time.Time, resp Response) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.changed)
	g.changed = make(chan struct{})
	if sent.After(g.closed) { // else it was sent before the API began to refuse
		g.opens = time.Time{}
		if resp.Status != 0 {
			g.probing = false
			g.backoffs.Reset()
			delete(g.first429, operation)
		}
	}
	now := time.Now()
	remaining, err := strconv.Atoi(rateLimit(resp.header, "Remaining"))
	wait := until(resp.header, rateLimit(resp.header, "Reset"), now)
	if err != nil || remaining > 0 || wait <= 0 || wait > maxWait {
		return 0
	}
	g.close(now.Add(wait))
	return wait
}

func (g *gate) close(until time.Time) {
	g.closed, g.probing = time.Now(), true
	if until.After(g.opens) {
		g.opens = until
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

// rateLimit returns X-RateLimit-Remaining or X-RateLimit-Reset, or the same from
// headers of similar names.
func rateLimit(header http.Header, name string) string {
	if value := cmp.Or(header.Get("X-RateLimit-"+name), header.Get("RateLimit-"+name)); value != "" {
		return value
	}
	if match := rateLimitMembers[name].FindStringSubmatch(header.Get("RateLimit")); match != nil {
		return match[1]
	}
	return ""
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
	// A duration is below 3 years (1e8 s), and Unix seconds are before the year
	// 5138 (1e11).
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
