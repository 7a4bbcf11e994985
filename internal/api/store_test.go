package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// TestConcurrentReadsAreOneRequest: also if a caller leaves, even the first one.
func TestConcurrentReadsAreOneRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := newClient(t, func(*http.Request) (response, error) {
			requests++
			time.Sleep(10 * time.Second)
			return ok(`{"name":"orders"}`), nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := c.Pipe(ctx, serviceID, pipeID); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
		synctest.Wait()
		for i := range 10 {
			all.Go(func() {
				id := pipeID
				if i%2 == 0 {
					id = strings.ToUpper(id)
				}
				if p, err := c.Pipe(t.Context(), serviceID, id); err != nil || p.Returned.Text("name") != "orders" {
					t.Errorf("%v, %v", p, err)
				}
			})
		}
		all.Wait()
		if _, err := c.Fresh().Pipe(ctx, serviceID, pipeID); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if readPipe(t, c); requests != 1 {
			t.Errorf("%d requests", requests)
		}
	})
}

func TestObjectsAreCachedApart(t *testing.T) {
	t.Parallel()
	c, _ := scripted(t, ok(`{"name":"a"}`), ok(`{"name":"b"}`))
	a := readPipe(t, c)
	b, err := c.Pipe(t.Context(), serviceID, otherID)
	if err != nil || a.Returned.Text("name") != "a" || b.Returned.Text("name") != "b" || c.pipes.at(serviceID, pipeID).newest() != a {
		t.Errorf("%v, %v, %v", a, b, err)
	}
}

// TestFreshReads replace what is cached. An error is not cached; a 404 empties the
// cache.
func TestFreshReads(t *testing.T) {
	t.Parallel()
	c, _ := scripted(t, reply(403, ""), ok(`{"name":"old","state":"running"}`), ok(`{"name":"new"}`), reply(500, ""), reply(404, ""), ok(`{"name":"back"}`))
	if _, err := c.Pipe(t.Context(), serviceID, pipeID); err == nil {
		t.Error("no error")
	}
	readPipe(t, c)
	readPipe(t, c.Fresh())
	sameJSON(t, readPipe(t, c), `{"name":"new"}`)
	if _, err := c.Fresh().Pipe(t.Context(), serviceID, pipeID); err == nil {
		t.Error("no error")
	}
	sameJSON(t, readPipe(t, c), `{"name":"new"}`)
	if _, err := c.Fresh().Pipe(t.Context(), serviceID, pipeID); !transport.IsNotFound(err) {
		t.Error("found")
	}
	sameJSON(t, readPipe(t, c), `{"name":"back"}`)
}

// TestRefusedReadIsCached: nobody asks again, and responses to writes are all that
// there is to return.
func TestRefusedReadIsCached(t *testing.T) {
	t.Parallel()
	c, script := scripted(t, reply(405, ""), ok(`{"name":"n"}`), ok(`{"state":"disabled"}`))
	for range 2 {
		if _, err := c.Key(t.Context(), keyID); !isHidden(err) {
			t.Errorf("error %v", err)
		}
	}
	for _, change := range []KeyUpdate{{Name: ValueOf("n")}, {State: ValueOf("disabled")}} {
		if _, err := c.UpdateKey(t.Context(), keyID, change); err != nil {
			t.Fatal(err)
		}
	}
	key, err := c.Key(t.Context(), keyID)
	if err != nil || c.keys.at(keyID).newest() != key {
		t.Fatal(err)
	}
	sameJSON(t, key, `{"name":"n","state":"disabled"}`)
	if _, err := c.Fresh().Key(t.Context(), keyID); !isHidden(err) {
		t.Errorf("error %v", err)
	}
	script.expect(patchKey(`{}`), patchKey(`{"name":"n"}`), patchKey(`{"state":"disabled"}`))
}

func TestNothingToWriteIsARead(t *testing.T) {
	t.Parallel()
	c, script := scripted(t, slices.Repeat([]response{ok(`{}`)}, 3)...)
	ctx := t.Context()
	for range 2 {
		_, scaled := c.ScalePipe(ctx, serviceID, pipeID, Scaling{})
		_, set := c.UpdatePipeSettings(ctx, serviceID, pipeID, Settings{DBMaxThreads: NullOf[int64]()}, threads())
		_, updated := c.UpdateService(ctx, serviceID, ServiceUpdate{})
		_, changed := c.UpdateKey(ctx, keyID, KeyUpdate{})
		if err := errors.Join(scaled, set, updated, changed); err != nil {
			t.Fatal(err)
		}
	}
	script.expect(getPipe(), patchService(`{}`), patchKey(`{}`))
}

// TestResponseToAWrite: what is absent stays as it was sent or else as it was
// before; what the response returns counts, null and unreadable values too.
func TestResponseToAWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, before, response, want string }{
		{
			"sparse", `{"name":"orders","state":"running","scaling":{"replicas":2,"concurrency":5,"replicaMemoryGb":1},"settings":{"db_max_threads":4,"x":1}}`,
			`{"state":null,"scaling":{"concurrency":null},"settings":{"x":2}}`,
			`{"name":"orders","state":null,"scaling":{"replicas":3,"concurrency":null,"replicaMemoryGb":1},"settings":{"db_max_threads":4,"x":2}}`,
		},
		{"another value", `{"scaling":{"replicas":1}}`, `{"scaling":{"replicas":2}}`, `{"scaling":{"replicas":2}}`},
		{"unreadable", `{"scaling":{"replicas":1}}`, `{"scaling":{"replicas":"many"}}`, `{"scaling":{"replicas":"many"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, script := scripted(t, ok(test.before), ok(test.response))
			before := readPipe(t, c)
			after, err := c.ScalePipe(t.Context(), serviceID, pipeID, replicas(3))
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, after, test.want)
			if readPipe(t, c) != after {
				t.Error("the result is not cached")
			}
			sameJSON(t, before, test.before) // callers share it
			script.expect(getPipe(), scalePipe(`{"replicas":3}`))
		})
	}
}

func TestSparseResponseIsNoWholeObject(t *testing.T) {
	t.Parallel()
	c, script := scripted(t, ok(`{}`), ok(`{"name":"orders","scaling":{"replicas":3}}`))
	got, err := c.ScalePipe(t.Context(), serviceID, pipeID, replicas(3))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `{"scaling":{"replicas":3}}`)
	sameJSON(t, readPipe(t, c), `{"name":"orders","scaling":{"replicas":3}}`)
	script.expect(scalePipe(`{"replicas":3}`), getPipe())
}

// TestFailedWrite: after a write of unknown outcome the object is read again.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		response response
		requests int
	}{
		{"server error", reply(500, ""), 3},
		{"not JSON", reply(200, "OK"), 3},
		{"refused", reply(400, ""), 2},
		{"not found", reply(404, ""), 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, script := scripted(t, ok(`{}`), test.response, ok(`{}`))
			readPipe(t, c)
			if err := scale(t.Context(), c); err == nil {
				t.Error("no error")
			}
			readPipe(t, c)
			script.expect([]request{getPipe(), scalePipe(`{"replicas":3}`), getPipe()}[:test.requests]...)
		})
	}
}

// TestReadsDuringAWrite return the old object from the cache. A read that began
// before the write does not replace its result.
func TestReadsDuringAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, func(r *http.Request) (response, error) {
			if r.Method == http.MethodPatch {
				time.Sleep(time.Second)
				return ok(`{"scaling":{"replicas":3}}`), nil
			}
			time.Sleep(2 * time.Second)
			return ok(`{"scaling":{"replicas":2}}`), nil
		})
		readPipe(t, c)
		var all sync.WaitGroup
		all.Go(func() { readPipe(t, c.Fresh()) })
		all.Go(func() {
			if err := scale(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":2}}`)
		all.Wait()
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
	})
}

// TestReadAfterAFailedWrite joins none that began before it.
func TestReadAfterAFailedWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		c := newClient(t, func(r *http.Request) (response, error) {
			if r.Method == http.MethodPatch {
				return reply(500, ""), nil
			}
			if reads++; reads == 1 {
				time.Sleep(20 * time.Second)
				return ok(`{"scaling":{"replicas":2}}`), nil
			}
			return ok(`{"scaling":{"replicas":3}}`), nil
		})
		var early sync.WaitGroup
		early.Go(func() { readPipe(t, c) })
		synctest.Wait()
		if err := scale(t.Context(), c); err == nil {
			t.Error("no error")
		}
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
		early.Wait()
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
	})
}

// TestWritesToOneObjectAreSerialized: scaling and settings of a pipe are one
// object, another pipe is another. Waiting ends with the context.
func TestWritesToOneObjectAreSerialized(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, func(r *http.Request) (response, error) {
			if r.Method != http.MethodGet {
				time.Sleep(time.Second)
			}
			return ok(`{}`), nil
		})
		readPipe(t, c) // the client sends its first request alone
		began := time.Now()
		var all sync.WaitGroup
		for _, id := range []string{pipeID, otherID} {
			all.Go(func() {
				if _, err := c.ScalePipe(t.Context(), serviceID, id, replicas(3)); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				if _, err := c.UpdatePipeSettings(t.Context(), serviceID, id, threads(), Settings{}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if e := asError(t, scale(ctx, c)); !errors.Is(e, context.DeadlineExceeded) || e.Operation != "scale pipe" || e.OutcomeUnknown {
			t.Errorf("%+v", e)
		}
		all.Wait()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("two writes of two objects took %s", took)
		}
	})
}
