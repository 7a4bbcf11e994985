package api

import (
	"context"
	"sync"
	"time"
)

// longestWait is how long the client waits when the API asks it to.
const longestWait = 60 * time.Second

// endurance is how long the client bears to hear nothing but that it should
// wait, the wait to come included.
const endurance = 75 * time.Second

// placeInQueue is the time between two requests that waited at the gate: all
// at once they would only close it again.
const placeInQueue = 50 * time.Millisecond

// A gate holds back all requests of a client while the API asks it to slow
// down. The zero gate is open.
type gate struct {
	mu    sync.Mutex
	opens time.Time // requests wait until then
	place time.Time // when the next of those that wait may go

	limitedSince time.Time // of an unbroken row of 429s, the first
	limitedLast  time.Time // and the last
}

// isOpen reports whether requests may go.
func (g *gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !time.Now().Before(g.opens)
}

// pass waits until the gate is open, and while others wait, for its turn. The
// error is the context's.
func (g *gate) pass(ctx context.Context) error {
	for {
		turn, open := g.queue()
		if open {
			return ctx.Err()
		}
		if err := sleep(ctx, time.Until(turn)); err != nil {
			return err
		}
	}
}

func (g *gate) queue() (turn time.Time, open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !time.Now().Before(g.opens) {
		return time.Time{}, true
	}
	if g.place.Before(g.opens) {
		g.place = g.opens
	}
	turn = g.place
	g.place = g.place.Add(placeInQueue)
	return turn, false
}

// hold closes the gate for at least wait from now on.
func (g *gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if opens := time.Now().Add(wait); opens.After(g.opens) {
		g.opens = opens
	}
}

// limited notes a 429 and reports whether to wait as long as it takes: not
// when by then nothing else will have come for longer than endurance. A row
// that rested longer than any wait is over: nobody had asked in the meantime.
func (g *gate) limited(wait time.Duration) (goOn bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.limitedSince.IsZero() || now.Sub(g.limitedLast) > 2*longestWait {
		g.limitedSince = now
	}
	g.limitedLast = now
	return now.Add(wait).Sub(g.limitedSince) <= endurance
}

// answered notes an answer other than a 429. One to a request that was sent
// before the row began says nothing about how the row goes on.
func (g *gate) answered(sent time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !sent.Before(g.limitedSince) {
		g.limitedSince = time.Time{}
	}
}

// sleep waits for d or the end of the context, whose error it returns.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
