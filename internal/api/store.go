package api

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// objects caches the objects of one kind, so that all readers of an object share
// one request.
type objects[T any] struct {
	mu   sync.Mutex
	byID map[string]*object[T]
}

// at returns the entry of an object. Ids that differ only in case share it.
func (o *objects[T]) at(ids ...string) *object[T] {
	id := strings.ToLower(strings.Join(ids, "/"))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byID == nil {
		o.byID = map[string]*object[T]{}
	}
	if o.byID[id] == nil {
		o.byID[id] = &object[T]{writing: make(chan struct{}, 1)}
	}
	return o.byID[id]
}

// An object is the cache entry of one object of the API.
type object[T any] struct {
	// writing is held during a write. It is a channel because waiting for it
	// ends with the context.
	writing chan struct{}

	mu      sync.Mutex
	known   *T         // the newest; nil: none. Replaced, never modified.
	refused error      // why the API does not return this object
	reading *flight[T] // the read in progress; nil: none, or one that began before the last write
}

// A flight is a read that callers share.
type flight[T any] struct {
	waiting int // callers; when the last one leaves, the request ends
	end     context.CancelFunc
	done    chan struct{}
	value   *T
	err     error
}

// read returns the cached object, or what fetch returns if there is none or fresh
// is set. If a caller's context ends, the others still get the object.
func (o *object[T]) read(ctx context.Context, operation string, fresh bool, fetch func(context.Context) (*T, error)) (*T, error) {
	o.mu.Lock()
	switch {
	case o.known != nil && !fresh:
		defer o.mu.Unlock()
		return o.known, nil
	case o.refused != nil:
		defer o.mu.Unlock()
		return nil, o.refused
	}
	f := o.reading
	if f == nil {
		f = o.launch(ctx, fetch)
	}
	f.waiting++
	o.mu.Unlock()

	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		o.leave(f)
		return nil, &transport.Error{Operation: operation, Err: ctx.Err()}
	}
}

// launch starts a read that does not end with the caller's context.
func (o *object[T]) launch(ctx context.Context, fetch func(context.Context) (*T, error)) *flight[T] {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight[T]{end: end, done: make(chan struct{})}
	o.reading = f
	go func() {
		defer end()
		f.value, f.err = fetch(ctx)
		o.land(f)
		close(f.done)
	}()
	return f
}

// land caches the result of a read, unless the object was written in the meantime:
// the API may have seen the read before the write.
func (o *object[T]) land(f *flight[T]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reading != f {
		return
	}
	o.reading = nil
	switch {
	case f.err == nil:
		o.known, o.refused = f.value, nil
	case errors.Is(f.err, transport.ErrReadRefused):
		o.refused = f.err
	case transport.IsNotFound(f.err):
		o.known = nil
	}
}

func (o *object[T]) leave(f *flight[T]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	f.end()
	if o.reading == f {
		o.reading = nil
	}
}

// newest returns the cached object, or nil.
func (o *object[T]) newest() *T {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known
}

// lock waits until no other write of the object is in progress.
func (o *object[T]) lock(ctx context.Context, operation string) (release func(), err error) {
	select {
	case o.writing <- struct{}{}:
		return func() { <-o.writing }, nil
	case <-ctx.Done():
		return nil, &transport.Error{Operation: operation, Err: ctx.Err()}
	}
}

// put caches the object after a write. The response may have only a few members,
// so if no object was cached before, this is not a complete one and is not cached,
// unless the API does not return complete ones.
func (o *object[T]) put(value *T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reading = nil
	if o.known != nil || o.refused != nil {
		o.known = value
	}
}

// forget drops the cached object: a write may have changed it.
func (o *object[T]) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reading = nil
	o.known = nil
}

// write sends a change of the object and caches the result. send gets the cached
// object, or nil.
func (o *object[T]) write(ctx context.Context, operation string, send func(known *T) (*T, error)) (*T, error) {
	release, err := o.lock(ctx, operation)
	if err != nil {
		return nil, err
	}
	defer release()
	value, err := send(o.newest())
	switch {
	case err == nil:
		o.put(value)
	case transport.IsOutcomeUnknown(err):
		o.forget()
	}
	return value, err
}

// fetch reads an object.
func fetch[T any](ctx context.Context, c *Client, r transport.Request, b *transport.Budget) (*T, error) {
	a, err := c.transport.Do(ctx, r, b)
	if err != nil {
		return nil, err
	}
	return layered[T](nil, nil, a)
}

// layered overlays the known object with what was sent and with the response,
// member by member: a response may leave members out. A null is a value. sent is
// JSON in the shape of a T, or nil.
func layered[T any](known *T, sent []byte, a transport.Response) (*T, error) {
	merged := new(T)
	if known != nil {
		*merged = *known
	}
	if sent != nil {
		if err := json.Unmarshal(sent, merged); err != nil {
			return nil, &transport.Error{Operation: a.Operation, Err: err}
		}
	}
	if err := a.Decode(merged); err != nil {
		return nil, err
	}
	return merged, nil
}

// overlay overlays the members of known with those of newer.
func overlay[T any](known, newer Value[T]) Value[T] {
	below, ok := known.Get()
	above, alsoOK := newer.Get()
	switch {
	case newer.IsAbsent():
		return known
	case !ok || !alsoOK:
		return newer
	}
	data, err := json.Marshal(above)
	if err != nil || json.Unmarshal(data, &below) != nil {
		return newer
	}
	return ValueOf(below)
}
