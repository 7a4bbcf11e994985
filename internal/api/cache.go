package api

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A cache has the objects of one kind: all that ask for one share a request.
type cache[T any] struct {
	byID sync.Map // of *cacheEntry[T]
}

// at returns the entry of an object. Ids that differ only in case share it.
func (c *cache[T]) at(ids ...string) *cacheEntry[T] {
	id := strings.ToLower(strings.Join(ids, "/"))
	entry, _ := c.byID.LoadOrStore(id, &cacheEntry[T]{writing: make(chan struct{}, 1)})
	return entry.(*cacheEntry[T])
}

// A cacheEntry is the cache of one object of the API.
type cacheEntry[T any] struct {
	writing chan struct{} // held during a write; no mutex, because waits end with the context

	mu      sync.Mutex
	latest  *T             // the result of the last read or write; nil: none. Never changed, only replaced.
	written bool           // latest is the result of a write
	hidden  error          // why the API does not return this object
	reading *sharedRead[T] // nil: none under way, or one that began before the last write
}

// A sharedRead is a read that callers share.
type sharedRead[T any] struct {
	done    chan struct{}
	value   *T
	err     error
	waiting int    // callers, under the entry's mu
	cancel  func() // when none is left
}

// read returns the latest object, from the cache unless the client is fresh. If a caller's context ends, the read
// goes on while others wait for it.
func (e *cacheEntry[T]) read(ctx context.Context, c *Client, r transport.Request) (*T, error) {
	if err := ctx.Err(); err != nil {
		return nil, &transport.Error{Operation: r.Operation, Err: err}
	}
	e.mu.Lock()
	switch {
	case e.latest != nil && !c.isFresh && (!c.isAsReturned || !e.written):
		defer e.mu.Unlock()
		return e.latest, nil
	case e.hidden != nil:
		defer e.mu.Unlock()
		return nil, e.hidden
	}
	reading := e.reading
	if reading == nil {
		shared, cancel := context.WithCancel(context.WithoutCancel(ctx))
		reading = &sharedRead[T]{done: make(chan struct{}), cancel: cancel}
		e.reading = reading
		go func() {
			defer cancel()
			defer close(reading.done)
			reading.value, reading.err = fetchOrHidden[T](shared, c, r, c.transport.NewRetryBudget())
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.reading == reading { // else a write came in between, and the API may have seen it first or last
				e.record(reading.value, reading.err)
			}
		}()
	}
	reading.waiting++
	e.mu.Unlock()

	select {
	case <-reading.done:
		return reading.value, reading.err
	case <-ctx.Done():
		e.mu.Lock()
		defer e.mu.Unlock()
		if reading.waiting--; reading.waiting == 0 {
			if reading.cancel(); e.reading == reading {
				e.reading = nil
			}
		}
		return nil, &transport.Error{Operation: r.Operation, Err: ctx.Err()}
	}
}

// record caches what a read has found. The caller holds mu.
func (e *cacheEntry[T]) record(value *T, err error) {
	e.reading = nil
	switch {
	case err == nil:
		e.latest, e.written = value, false
	case errors.Is(err, ErrHidden):
		e.hidden = err
	case transport.IsNotFound(err):
		e.latest = nil
	}
}

// isHidden reports whether a read has found that the API does not return the object.
func (e *cacheEntry[T]) isHidden() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.hidden != nil
}

// forget empties the cache: a write may have changed the object in another way than it shows.
func (e *cacheEntry[T]) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reading, e.latest = nil, nil
}

// readToWrite reads an object under the write lock, for a request that repeats parts of
// it. If the object is hidden, it returns what is known of it.
func (e *cacheEntry[T]) readToWrite(ctx context.Context, c *Client, r transport.Request, b *transport.RetryBudget) (T, error) {
	if !e.isHidden() {
		value, err := fetchOrHidden[T](ctx, c, r, b)
		e.mu.Lock()
		e.record(value, err)
		e.mu.Unlock()
		if !errors.Is(err, ErrHidden) {
			return e.latestOrZero(), err
		}
	}
	return e.latestOrZero(), nil
}

// write waits until no other write of the object is in progress, sends a change, and caches
// the result, unless nothing was cached before: it may then lack members. The result of send is nil if only a
// read tells what the update did; write then returns the zero T.
func (e *cacheEntry[T]) write(ctx context.Context, operation string, send func() (*T, error)) (*T, error) {
	select {
	case e.writing <- struct{}{}:
		defer func() { <-e.writing }()
	case <-ctx.Done():
		return nil, &transport.Error{Operation: operation, Err: ctx.Err()}
	}
	value, err := send()
	switch {
	case err != nil && transport.IsOutcomeUnknown(err):
		e.forget()
		return nil, err
	case err != nil:
		return nil, err
	case value == nil:
		e.forget()
		return new(T), nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reading = nil; e.latest != nil {
		e.latest, e.written = value, true
	}
	return value, nil
}

// latestOrZero returns the latest object, or the zero T if none is known.
func (e *cacheEntry[T]) latestOrZero() (latest T) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.latest != nil {
		latest = *e.latest
	}
	return latest
}
