package transport

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	maxWait      = 60 * time.Second // that the client accepts from the API
	maxProbeWait = time.Second      // of other requests, for the probe's response
	urgent       = 0                // place of a request that waits neither for others nor for the spacing
)

// A gate spaces requests by RequestsPerSecond, and holds them back while the API limits
// their rate. A 429 closes it for as long as the response asks, or else for a short
// backoff. Then one request is sent first, as a probe. The others follow its response;
// until then, one more goes every maxProbeWait. A new gate begins with a probe: the others
// then share its HTTP/2 connection.
//
// Of the requests that wait, the one that called Do first goes first. A retry keeps its place,
// and so does a request while its MakeBody reads: none waits forever, and what was read is sent
// soon.
//
//	open ── 429, or none remain ──▶ closed ── opensAt ──▶ probing ── other response ──▶ open
//	                                  ▲                      │
//	                                  └───────── 429 ────────┘     no response: another probe
type gate struct {
	spacing time.Duration // between requests

	mu         sync.Mutex
	waiting    []uint64                    // the places of requests that wait, in order
	next       time.Time                   // nothing is sent before, because of the spacing
	opensAt    time.Time                   // nothing is sent before; zero: open
	probeUntil time.Time                   // nothing else is sent before, unless there is a response
	changed    chan struct{}               // closed and replaced when what waits has to look again
	backoffs   *backoff.ExponentialBackOff // for 429s that do not say how long to wait
}

func newGate(perSecond float64) *gate {
	g := &gate{
		spacing:  100 * time.Microsecond, // requests arrive in their order
		changed:  make(chan struct{}),
		opensAt:  time.Now(),
		backoffs: backoff.NewExponentialBackOff(),
	}
	g.backoffs.InitialInterval = 500 * time.Millisecond
	// Keep backoff short; overshooting wastes time.
	g.backoffs.Multiplier, g.backoffs.RandomizationFactor = 1.1, 0.1
	if perSecond > 0 {
		g.spacing = time.Duration(float64(time.Second) / perSecond)
	}
	return g
}

// wait waits until a request may be sent. After Ctrl-C, one with FinishRequest waits only for
// the API's own limit.
func (g *gate) wait(ctx, finish context.Context, r Request) error {
	err := g.pass(ctx, r.place)
	if err != nil && r.Finish == FinishRequest {
		err = g.pass(finish, urgent)
	}
	return err
}

func (g *gate) pass(ctx context.Context, place uint64) error {
	defer g.leave(place)
	for ctx.Err() == nil {
		pause, changed := g.enter(place)
		if pause <= 0 {
			return nil
		}
		_ = sleep(ctx, pause, changed)
	}
	return ctx.Err()
}

// enter returns 0 if a request may be sent, or else how long to wait before asking
// again, unless changed is closed earlier.
func (g *gate) enter(place uint64) (pause time.Duration, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	pause = max(g.opensAt.Sub(now), g.probeUntil.Sub(now))
	if place != urgent {
		if i, isIn := slices.BinarySearch(g.waiting, place); !isIn {
			g.waiting = slices.Insert(g.waiting, i, place)
		}
		pause = max(pause, g.next.Sub(now))
		if place != g.waiting[0] {
			pause = math.MaxInt64
		}
	}
	if pause > 0 {
		return pause, g.changed
	}
	g.next = now.Add(g.spacing)
	if !g.opensAt.IsZero() { // this request is the probe
		g.probeUntil = now.Add(maxProbeWait)
	}
	return 0, nil
}

func (g *gate) leave(place uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(p uint64) bool { return p == place })
	g.wake()
}

// wake lets those that wait look again.
func (g *gate) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// record429 closes the gate after a 429 that is waited out, for as long as the API asked
// (0: it did not), and returns for how long.
func (g *gate) record429(asked time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.wake()
	now := time.Now()
	wait := asked
	if rest := g.opensAt.Sub(now); wait == 0 && rest > 0 {
		wait = rest // concurrent 429s are one
	} else if wait == 0 {
		wait = g.backoffs.NextBackOff()
	}
	g.closeUntil(now.Add(wait))
	return wait
}

// letNext lets another request be the probe: this 429 is not waited out.
func (g *gate) letNext() {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.wake()
	g.probeUntil = time.Time{}
}

// record records a response other than a 429. If no requests remain, it closes the gate
// and returns for how long. Without a response, the next request is the probe.
func (g *gate) record(sent time.Time, resp Response) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.wake()
	if !sent.Before(g.opensAt) { // else it was sent before the API began to refuse
		g.probeUntil = time.Time{}
		if resp.Status != 0 {
			g.opensAt = time.Time{}
			g.backoffs.Reset()
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
