package transport

import (
	"context"
	"sync/atomic"
)

// A busyLock is for the updates of one service. Many APIs make one change of a service at a time, and
// refuse others meanwhile, usually with a 409. Once that has happened, this client makes one
// update of the service at a time: they would compete until their retries are used up.
type busyLock struct {
	isNeeded atomic.Bool   // the service has been busy
	failures atomic.Int32  // updates since the last success that found the service busy to the end
	holder   chan struct{} // has an element while an update holds the lock; the others queue for it
}

// lockOf returns the lock of a request.
func (c *Client) lockOf(r Request) *busyLock {
	lock := &busyLock{holder: make(chan struct{}, 1)}
	if r.Lock != "" {
		shared, _ := c.locks.LoadOrStore(r.Lock, lock)
		lock = shared.(*busyLock)
	}
	return lock
}

// lock waits until no other update holds the lock.
func (l *busyLock) lock(ctx context.Context) error {
	select {
	case l.holder <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *busyLock) unlock() { <-l.holder }

// record records a failure, and whether the request is sent again.
func (l *busyLock) record(failed *Error, again bool) {
	switch {
	case !failed.isBusy():
	case again:
		l.isNeeded.Store(true)
	default:
		l.failures.Add(1)
	}
}
