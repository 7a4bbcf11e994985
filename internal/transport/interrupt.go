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
	unregister := context.AfterFunc(c.stopped, cancel)
	return ctx, func() { unregister(); cancel() }
}

// Finishing returns a context for an update of several requests that must not end half-way. It
// ends with ctx or Stop: at once if none of its writes has been sent, or else timeToFinish later.
func (c *Client) Finishing(ctx context.Context) (context.Context, context.CancelFunc) {
	interrupted, release := c.interruptible(ctx)
	f := new(finishing)
	ctx, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), finishingKey{}, f))
	if interrupted.Err() != nil {
		cancel() // AfterFunc does, but later
	}
	unregister := context.AfterFunc(interrupted, func() {
		if f.end() {
			cancel()
		}
		time.AfterFunc(timeToFinish, cancel)
	})
	return ctx, func() { unregister(); cancel(); release() }
}

// A finishing is where an update stands that must not end half-way.
type finishing struct{ phase atomic.Int32 }

const (
	notBegun int32 = iota // no write has been sent
	begun                 // one has
	ended                 // by Ctrl-C or Stop, before that
)

// begin records that a write is sent. It reports false if the update has ended before.
func (f *finishing) begin() bool {
	return f.phase.CompareAndSwap(notBegun, begun) || f.phase.Load() == begun
}

// end ends the update if no write has been sent, and reports whether it did.
func (f *finishing) end() bool { return f.phase.CompareAndSwap(notBegun, ended) }

type finishingKey struct{}

// finishingOf returns where the update of a context stands; nil if that is not of Finishing.
func finishingOf(ctx context.Context) *finishing {
	f, _ := ctx.Value(finishingKey{}).(*finishing)
	return f
}
