package transport

import (
	"context"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// longestWait is how long the client waits when the API asks it to.
const longestWait = 60 * time.Second

// endurance is how long the client bears to hear nothing but that it should
// wait, the wait to come included.
const endurance = 75 * time.Second

// longestStall is how long requests stand back for the answers to others: those
// may have to be waited for in vain.
const longestStall = time.Second

// gentleStart is how long a client that has met no limit yet looks out for one.
// It costs a few round trips where those are short, and one where they are long.
const gentleStart = 150 * time.Millisecond

// A gate lets the requests of a client through as the API's rate limit allows.
// Nobody but the API knows that limit, and it tells by refusing. The first
// refusal holds back all requests until the API takes some again, and from how
// many it granted in the meantime the gate learns when to close by itself.
type gate struct {
	mu      sync.Mutex
	changed chan struct{} // closed at the next answer
	opens   time.Time     // requests wait until then, because the API asks them to
	window  *window       // the present one; nil before the first
	row     int           // good answers since the gate was last closed
	quota   quota
	pauses  *backoff.ExponentialBackOff // for refusals that do not say how long

	refusals    map[string]refusals // by operation, and of all of them under ""
	limitedLast time.Time           // when the last 429 of all came
}

// refusals are an unbroken row of 429s.
type refusals struct{ first, last time.Time }

func newGate() *gate {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval = 500 * time.Millisecond
	// The pauses of a row are a part of what it has lasted, and small: what a
	// pause is too long is lost.
	pauses.Multiplier, pauses.RandomizationFactor = 1.125, 0.1
	pauses.MaxInterval = 10 * time.Second
	return &gate{changed: make(chan struct{}), refusals: map[string]refusals{}, pauses: pauses}
}

// pass waits until a request may go. The window it goes in has to be told what
// came of it, by [gate.answered] or [gate.refused]. The error is the context's.
func (g *gate) pass(ctx context.Context) (*window, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w, wait, changed := g.enter(time.Now())
		if w != nil {
			return w, nil
		}
		if err := await(ctx, wait, changed); err != nil {
			return nil, err
		}
	}
}

// enter lets a request go, or says how long to wait at the most before asking
// again, and what else may bring about a change.
func (g *gate) enter(now time.Time) (w *window, wait time.Duration, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Before(g.opens) {
		return nil, g.opens.Sub(now), nil
	}
	if g.window == nil || g.window.closed || g.quota.isOver(g.window, now) {
		g.open(now)
	}
	if g.quota.isExhausted(g.window) && !g.window.explores {
		g.row = 0
		return nil, g.quota.renewal(g.window).Sub(now), nil
	}
	if stalled := now.Sub(g.window.moved); g.window.inFlight >= g.most(now) && stalled < longestStall {
		return nil, longestStall - stalled, g.changed
	}
	g.window.sent++
	g.window.inFlight++
	return g.window, 0, nil
}

// open begins a window.
func (g *gate) open(now time.Time) {
	if g.window != nil {
		g.quota.learn(g.window, now)
	}
	g.window = &window{opened: now, moved: now, explores: g.quota.isDue(now), quota: g.quota.n}
}

// most is how many requests may be under way at a time. The first one goes
// alone after the gate was closed: it finds out whether the API takes requests
// again, and at the beginning makes the connection that all can share over
// HTTP/2. Where it is not known how high the limit is, the others follow by and
// by, so that not all of them run into it at once; where it is not known that
// there is one, for a moment only.
func (g *gate) most(now time.Time) int {
	switch w := g.window; {
	case g.row == 0:
		return 1
	case !w.explores, !g.quota.exists && now.Sub(w.opened) > gentleStart:
		return unlimited
	case g.quota.isExhausted(w):
		return 1
	default:
		return 1 + g.row/4
	}
}

// isOpen reports whether the API takes requests, as far as is known.
func (g *gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !time.Now().Before(g.opens)
}

// withdrawn notes that a request that might have gone has not.
func (g *gate) withdrawn(w *window) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.broadcast()
	w.inFlight--
	w.sent--
}

// answered notes an answer other than a 429, or that there is none. One to a
// request that went before the last refusal says nothing about how the row of
// 429s goes on.
func (g *gate) answered(w *window, operation string, came bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.broadcast()
	w.inFlight--
	if !came {
		return
	}
	g.window.moved = time.Now()
	g.quota.passed(w)
	if w.opened.After(g.limitedLast) {
		g.row++
		g.pauses.Reset()
		delete(g.refusals, operation)
		delete(g.refusals, "")
	}
}

// refused notes a 429 that asks for a wait, or 0 where it does not say, closes
// the gate for that long, and reports whether to wait: not when that is too
// long, or when by then nothing else will have come of the operation, or of all,
// for longer than endurance. A row that rested longer than any wait is over: nobody had asked in the meantime.
func (g *gate) refused(w *window, operation string, stated time.Duration) (wait time.Duration, goOn bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.broadcast()
	w.inFlight--
	w.refused++
	g.window.closed = true // w is an older one where the answer was late
	g.row = 0
	g.quota.exists = true
	now := time.Now()
	g.limitedLast = now
	switch wait = stated; {
	case wait > 0:
	case now.Before(g.opens): // as one has found out that was under way at the same time
		wait = g.opens.Sub(now)
	default:
		wait = g.pauses.NextBackOff()
	}
	first := g.refusedSince(operation, now)
	if all := g.refusedSince("", now); all.Before(first) {
		first = all
	}
	if wait > longestWait || now.Add(wait).Sub(first) > endurance {
		g.window.refused, g.quota = 0, quota{exists: true} // what does not end is no window
		return wait, false
	}
	if opens := now.Add(wait); opens.After(g.opens) {
		g.opens = opens
	}
	return wait, true
}

// refusedSince adds a 429 to a row, and returns when that began.
func (g *gate) refusedSince(operation string, now time.Time) time.Time {
	row, ok := g.refusals[operation]
	if !ok || now.Sub(row.last) > 2*longestWait {
		row.first = now
	}
	row.last = now
	g.refusals[operation] = row
	return row.first
}

func (g *gate) broadcast() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// sleep waits for d or the end of the context, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error { return await(ctx, d, nil) }

// await waits for d, for something to be closed, or for the end of the context,
// whose error it returns.
func await(ctx context.Context, d time.Duration, closed <-chan struct{}) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
