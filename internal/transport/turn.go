package transport

import (
	"context"
	"sync/atomic"
)

// turns are those of one service's updates. Many APIs make one change of a service at a time, and
// refuse others meanwhile, usually with a 409. Once that has happened, this client's updates take turns:
// they would compete until their retries are used up.
type turns struct {
	areTaken atomic.Bool
	failures atomic.Int32  // updates in a row that found the service busy to the end
	held     chan struct{} // by the update whose turn it is; the others queue for it
}

// A turn is one request's.
type turn struct {
	*turns
	isMine bool
}

func (c *Client) turnOf(r Request) *turn {
	all := &turns{held: make(chan struct{}, 1)}
	if r.TurnOf != "" {
		shared, _ := c.turns.LoadOrStore(r.TurnOf, all)
		all = shared.(*turns)
	}
	return &turn{turns: all}
}

// wait waits until it is the request's turn, if turns are taken. It reports whether it has waited.
func (t *turn) wait(ctx context.Context) (waited bool, err error) {
	if t.isMine || !t.areTaken.Load() {
		return false, nil
	}
	select {
	case t.held <- struct{}{}: // at once
		t.isMine = true
		return false, ctx.Err()
	default:
	}
	select {
	case t.held <- struct{}{}:
		t.isMine = true
		return true, ctx.Err() // both may have come
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// record records a failure, and whether the request is sent again.
func (t *turn) record(failed *Error, again bool) {
	switch {
	case !failed.isBusy():
	case again:
		t.areTaken.Store(true)
	default:
		t.failures.Add(1)
	}
}

func (t *turn) end() {
	if t.isMine {
		<-t.held
	}
}
