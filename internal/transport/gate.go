package transport

import (
	"context"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// maxWait is the longest wait that the client accepts from the API.
	maxWait = 60 * time.Second
	// max429Duration is how long a streak of 429s may last, including the next
	// wait.
	max429Duration = 75 * time.Second
	// maxProbeWait is how long requests wait for the response to the probe.
	maxProbeWait = time.Second
)

// A gate holds back all requests while the API limits their rate. When it opens,
// one request goes first as a probe; the others follow after its response.
type gate struct {
	mu       sync.Mutex
	opens    time.Time                   // nothing is sent before
	probing  bool                        // no response yet since the gate was closed
	probed   time.Time                   // when the probe was sent; zero if none is
	changed  chan struct{}               // closed and replaced after each response
	closed   time.Time                   // when a response last closed the gate
	streaks  map[string]streak           // of 429s, by operation; "" is for all
	backoffs *backoff.ExponentialBackOff // for 429s that do not say how long to wait
}

// A streak is a sequence of 429s without another response in between.
type streak struct{ first, last time.Time }

// newGate returns a gate whose first request is a probe: over HTTP/2 the others
// then share its connection.
func newGate() *gate {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = 500 * time.Millisecond
	// Keep pauses short compared with the wait so far; overshooting wastes time.
	b.Multiplier, b.RandomizationFactor = 1.125, 0.1
	b.MaxInterval = 10 * time.Second
	return &gate{probing: true, changed: make(chan struct{}), streaks: map[string]streak{}, backoffs: b}
}

// wait blocks until a request may go. The error is the context's.
func (g *gate) wait(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		pause, changed := g.enter(time.Now())
		if pause <= 0 {
			return nil
		}
		if err := sleep(ctx, pause, changed); err != nil {
			return err
		}
	}
}

// enter lets a request go, or returns how long to wait before trying again.
func (g *gate) enter(now time.Time) (pause time.Duration, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Before(g.opens) {
		return g.opens.Sub(now), nil
	}
	if !g.probing {
		return 0, nil
	}
	if pause := g.probed.Add(maxProbeWait).Sub(now); pause > 0 {
		return pause, g.changed
	}
	g.probed = now
	return 0, nil
}

func (g *gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !time.Now().Before(g.opens)
}

// recordResponse records a response other than a 429. exhausted is how long the
// API will accept no more requests; 0 if it accepts them.
func (g *gate) recordResponse(sent time.Time, operation string, exhausted time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	// A request sent before the gate was closed shows nothing of the time after.
	if sent.After(g.closed) {
		g.probing = false
		g.backoffs.Reset()
		delete(g.streaks, operation)
		delete(g.streaks, "")
	}
	if exhausted > 0 && exhausted <= maxWait {
		g.close(time.Now().Add(exhausted))
	}
	g.broadcast()
}

// recordNoResponse lets the next request go as a probe.
func (g *gate) recordNoResponse() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.probed = time.Time{}
	g.broadcast()
}

// record429 closes the gate for the wait that the API asked for; 0 means that it
// did not. It returns the wait, and false if the request is not to be repeated:
// the wait is too long, or the streak of 429s would be.
func (g *gate) record429(operation string, asked time.Duration) (wait time.Duration, retry bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.broadcast()
	now := time.Now()
	g.closed = now
	switch wait = asked; {
	case wait > 0:
	case now.Before(g.opens): // a concurrent request was refused as well
		wait = g.opens.Sub(now)
	default:
		wait = g.backoffs.NextBackOff()
	}
	first := g.extendStreak(operation, now)
	if all := g.extendStreak("", now); all.Before(first) {
		first = all
	}
	if wait > maxWait || now.Add(wait).Sub(first) > max429Duration {
		g.probed = time.Time{}
		return wait, false
	}
	g.close(now.Add(wait))
	return wait, true
}

func (g *gate) close(until time.Time) {
	g.closed = time.Now()
	g.probing, g.probed = true, time.Time{}
	if until.After(g.opens) {
		g.opens = until
	}
}

// extendStreak adds a 429 and returns when the streak began. After a time in
// which nothing was sent, a new streak begins.
func (g *gate) extendStreak(operation string, now time.Time) time.Time {
	s, ok := g.streaks[operation]
	if !ok || now.Sub(s.last) > 2*maxWait {
		s.first = now
	}
	s.last = now
	g.streaks[operation] = s
	return s.first
}

func (g *gate) broadcast() {
	close(g.changed)
	g.changed = make(chan struct{})
}
