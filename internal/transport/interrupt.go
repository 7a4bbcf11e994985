package transport

import (
	"context"
	"sync/atomic"
	"time"
)

const timeToFinish = 10 * time.Second // after Ctrl-C

// Stop ends all requests with [context.Canceled], as Ctrl-C does, also those that wait and
// later ones. Those of Finishing may end later.
func (c *Client) Stop() { c.stop() }

// interruptible returns a context that ends with ctx, which Ctrl-C ends, or with Stop.
func (c *Client) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if c.stopped.Err() != nil {
		cancel() // AfterFunc does, but later
	}
	onStop := context.AfterFunc(c.stopped, cancel)
	return ctx, func() { onStop(); cancel() }
}

// Finishing returns a context for an update of several requests that must not end half-way. It
// ends with ctx or Stop: at once if none of its writes has been sent, or else timeToFinish later.
func (c *Client) Finishing(ctx context.Context) (context.Context, context.CancelFunc) {
	interrupted, release := c.interruptible(ctx)
	u := new(update)
	finishing, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), updateKey{}, u))
	if interrupted.Err() != nil {
		cancel() // AfterFunc does, but later
	}
	keep := context.AfterFunc(interrupted, func() {
		if u.endUnsent() {
			cancel()
		}
		time.AfterFunc(timeToFinish, cancel)
	})
	return finishing, func() { keep(); cancel(); release() }
}

// An update is one that Finishing keeps from ending half-way.
type update struct{ phase atomic.Int32 }

const (
	unsent int32 = iota // no write has been sent
	begun               // one has
	ended               // by Ctrl-C or Stop, before that
)

// begin records that a write is sent. It reports false if the update has ended before.
func (u *update) begin() bool {
	return u.phase.CompareAndSwap(unsent, begun) || u.phase.Load() == begun
}

// endUnsent ends the update if no write has been sent, and reports whether it did.
func (u *update) endUnsent() bool { return u.phase.CompareAndSwap(unsent, ended) }

type updateKey struct{}

// updateOf returns the update of a context; nil if that is not of Finishing.
func updateOf(ctx context.Context) *update {
	u, _ := ctx.Value(updateKey{}).(*update)
	return u
}
