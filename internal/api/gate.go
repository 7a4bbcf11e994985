package api

import (
	"context"
	"sync"
	"time"
)

// longestWait is how long the client waits when the API asks it to, and how
// long it bears to hear nothing but that.
const longestWait = 60 * time.Second

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

// limited notes a 429 and reports whether to go on waiting: not when nothing
// else has come for longestWait. A row that rested longer than any wait is
// over: nobody had asked in the meantime.
func (g *gate) limited() (goOn bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.limitedSince.IsZero() || now.Sub(g.limitedLast) > 2*longestWait {
		g.limitedSince = now
	}
	g.limitedLast = now
	return now.Sub(g.limitedSince) < longestWait
}

// answered notes an answer other than a 429.
func (g *gate) answered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limitedSince = time.Time{}
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
