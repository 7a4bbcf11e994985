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
	failures atomic.Int32  // updates in a row whose retries all found the service busy
	holder   chan struct{} // has an element while an update holds the lock; the others queue for it
}

// A Lock is the lock of a service for one of its updates, which may be several requests. The first request
// that is sent after the service was busy takes it; the update holds it until Unlock.
type Lock struct {
	*busyLock
	isHeld bool
}

// NewLock returns the lock of a service for one update.
func (c *Client) NewLock(service string) *Lock {
	lock, _ := c.locks.LoadOrStore(service, &busyLock{holder: make(chan struct{}, 1)})
	return &Lock{busyLock: lock.(*busyLock)}
}

// Unlock ends the update.
func (l *Lock) Unlock() {
	if l.isHeld {
		<-l.holder
		l.isHeld = false
	}
}

// lock waits until no other update holds the lock, if it is needed.
func (l *Lock) lock(ctx context.Context) error {
	if l == nil || l.isHeld {
		return nil
	}
	if !l.isNeeded.Load() { // this update takes it if it is free, to hold it if the service turns out to be busy
		select {
		case l.holder <- struct{}{}:
			l.isHeld = true
		default:
		}
		return nil
	}
	select {
	case l.holder <- struct{}{}:
		l.isHeld = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refusesAll reports whether the service refuses every change.
func (l *Lock) refusesAll() bool { return l != nil && l.failures.Load() >= minFailures }

// record records how an attempt ended (nil: it succeeded), and whether the request is sent again.
func (l *Lock) record(failed *Error, again bool) {
	switch {
	case l == nil:
	case failed == nil:
		l.failures.Store(0)
	case !failed.isBusy():
	case again:
		l.isNeeded.Store(true)
	default:
		l.failures.Add(1)
	}
}
