package transport

import (
	"context"
	"sync/atomic"
	"time"
)

const gracePeriod = 10 * time.Second // after Ctrl-C

// Stop ends all requests with [context.Canceled], as Ctrl-C does, also those that wait and
// later ones. Those with a grace period may end later.
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

// WithGracePeriod returns a context for an update of several requests that must not end half-way. After
// ctx or Stop, it ends at once if no write has been sent, or else after the grace period.
func (c *Client) WithGracePeriod(ctx context.Context) (context.Context, context.CancelFunc) {
	interrupted, release := c.interruptible(ctx)
	u := new(gracefulUpdate)
	ctx, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), gracefulUpdateKey{}, u))
	if interrupted.Err() != nil {
		cancel() // AfterFunc does, but later
	}
	unregister := context.AfterFunc(interrupted, func() {
		if u.end() {
			cancel()
		}
		time.AfterFunc(gracePeriod, cancel)
	})
	return ctx, func() { unregister(); cancel(); release() }
}

// A gracefulUpdate says how far an update with a grace period is.
type gracefulUpdate struct{ phase atomic.Int32 }

const (
	notBegun int32 = iota // no write has been sent
	begun                 // one has
	ended                 // by Ctrl-C or Stop, before that
)

// begin records that a write is sent. It reports false if the update has ended before.
func (u *gracefulUpdate) begin() bool {
	return u.phase.CompareAndSwap(notBegun, begun) || u.phase.Load() == begun
}

// end ends the update if no write has been sent, and reports whether it did.
func (u *gracefulUpdate) end() bool { return u.phase.CompareAndSwap(notBegun, ended) }

type gracefulUpdateKey struct{}

// gracefulUpdateOf returns the update of a context; nil if that has no grace period.
func gracefulUpdateOf(ctx context.Context) *gracefulUpdate {
	u, _ := ctx.Value(gracefulUpdateKey{}).(*gracefulUpdate)
	return u
}
