package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestConcurrentReadsAreOneRequest: also if a caller leaves, even the first one.
func TestConcurrentReadsAreOneRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := newClient(t, func(r *http.Request) (response, error) {
			requests++
			select {
			case <-time.After(10 * time.Second):
			case <-r.Context().Done():
				return response{}, r.Context().Err()
			}
			return ok(`{"name":"` + r.URL.Path[len(r.URL.Path)-len(pipeID):] + `"}`), nil
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
				if p, err := c.Pipe(t.Context(), serviceID, id); err != nil || nameOf(p) != pipeID {
					t.Errorf("%v, %v", p, err)
				}
			})
		}
		all.Wait()
		if _, err := c.Fresh().Pipe(ctx, serviceID, pipeID); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		other, err := c.Pipe(t.Context(), serviceID, otherID)
		if err != nil || nameOf(other) != otherID || nameOf(readPipe(t, c)) != pipeID || requests != 2 {
			t.Errorf("%v, %v, %d requests", other, err, requests)
		}
	})
}

// TestAbandonedRead: a read that nobody waits for any more ends, and the next one sends a request of its own.
func TestAbandonedRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := newClient(t, func(r *http.Request) (response, error) {
			if requests++; requests > 1 {
				return ok(`{"name":"n"}`), nil
			}
			<-r.Context().Done()
			time.Sleep(time.Second) // until the connection is closed
			return response{}, r.Context().Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Pipe(ctx, serviceID, pipeID); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		for range 2 {
			if p, err := c.Pipe(t.Context(), serviceID, pipeID); err != nil || nameOf(p) != "n" {
				t.Errorf("%v, %v", p, err)
			}
			time.Sleep(2 * time.Second)
		}
		if requests != 2 {
			t.Errorf("%d requests", requests)
		}
	})
}

func nameOf(p *Pipe) string {
	var object Object
	if p == nil || json.Unmarshal(p.Returned, &object) != nil {
		return ""
	}
	return object.Text("name")
}

// TestFreshReads replace what is cached. An error is not cached; a 404 empties the
// cache.
func TestFreshReads(t *testing.T) {
	t.Parallel()
	c, _ := scripted(t, response{403, ""}, ok(`{"source":{"kafka":{}}}`), ok(`{"scaling":{"replicas":2}}`), response{500, ""}, response{404, ""}, ok(`{"scaling":{"replicas":3}}`),
		ok(`{"scaling":{"replicas":3}}`))
	fails := func(c *Client, status int) {
		t.Helper()
		if _, err := c.Pipe(t.Context(), serviceID, pipeID); asError(t, err).Status != status {
			t.Error(err)
		}
	}
	fails(c, 403)
	readPipe(t, c)
	readPipe(t, c.Fresh())
	sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":2}}`)
	fails(c.Fresh(), 500)
	sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":2}}`)
	fails(c.Fresh(), 404)
	sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
	if _, err := scale(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		sameJSON(t, readPipe(t, c), `{"scaling":{"replicas":3}}`)
	}
}

// TestHiddenObjectIsCached: it is not asked for again, and responses to writes do not replace a read.
func TestHiddenObjectIsCached(t *testing.T) {
	t.Parallel()
	c, script := scripted(t, response{405, ""}, ok(`{"name":"n"}`))
	isHidden := func(c *Client) {
		t.Helper()
		if _, err := c.Key(t.Context(), keyID); !errors.Is(err, ErrHidden) {
			t.Errorf("error %v", err)
		}
	}
	isHidden(c)
	if key, err := c.UpdateKey(t.Context(), keyID, KeyUpdate{Name: ValueOf("n")}); err != nil || key.Name != ValueOf("n") {
		t.Errorf("%+v, %v", key, err)
	}
	isHidden(c)
	isHidden(c.Fresh())
	script.expect(patchKey(`{}`), patchKey(`{"name":"n"}`))
}

func TestNothingToWriteIsARead(t *testing.T) {
	t.Parallel()
	c, script := scripted(t, slices.Repeat([]response{ok(`{}`)}, 3)...)
	ctx := t.Context()
	for range 2 {
		_, scaled := c.ScalePipe(ctx, serviceID, pipeID, Scaling{})
		_, written := c.UpdatePipeSettings(ctx, serviceID, pipeID, Settings{}, threads())
		_, updated := c.UpdateService(ctx, serviceID, ServiceUpdate{})
		_, changed := c.UpdateKey(ctx, keyID, KeyUpdate{})
		if err := errors.Join(scaled, written, updated, changed); err != nil {
			t.Fatal(err)
		}
	}
	script.expect(getPipe(), patchService(`{}`), patchKey(`{}`))
}

// TestOtherObject: the response to a read about another object is an error; that to an update may be an operation.
func TestOtherObject(t *testing.T) {
	t.Parallel()
	c, script := scripted(t, ok(`{"id":"`+otherID+`"}`), ok(`{"id":"op-1","state":"pending"}`), ok(`{"scaling":{"replicas":3}}`))
	if _, err := c.Pipe(t.Context(), serviceID, pipeID); !strings.Contains(fmt.Sprint(err), "about another object") {
		t.Error(err)
	}
	if _, err := scale(t.Context(), c); err != nil {
		t.Error(err)
	}
	readPipe(t, c)
	script.expect(getPipe(), scalePipe(`{"replicas":3}`), getPipe())
}

// TestFailedWrite: after a write of unknown outcome the object is read again. Settings
// are not written without a read.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	for pair := range slices.Chunk(operations()[:6], 2) {
		read, write := pair[0], pair[1]
		for _, resp := range []response{{500, ""}, {200, "<html>"}, {400, ""}, {404, ""}} {
			c, script := scripted(t, ok(read.result), resp, ok(read.result))
			requests := []request{read.sent, write.sent, read.sent}
			if resp.status == 400 || resp.status == 404 {
				requests = requests[:2]
			}
			_, readErr := read.call(t.Context(), c)
			_, writeErr := write.call(t.Context(), c)
			if _, err := read.call(t.Context(), c); errors.Join(readErr, err) != nil || writeErr == nil {
				t.Errorf("%v, %v, %v", readErr, writeErr, err)
			}
			script.expect(requests...)
		}
	}
	c, script := scripted(t, response{403, ""})
	if _, err := set(t.Context(), c); asError(t, err).Status != 403 {
		t.Error(err)
	}
	script.expect(getPipe())
}

// TestNoEarlierReadIsJoined: one that began before a write, or before the read that
// belongs to it, may be older.
func TestNoEarlierReadIsJoined(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		write                      func(context.Context, *Client) (*Pipe, error)
		older, newer, result, want string
	}{
		{scale, `{"scaling":{"replicas":2}}`, `{"scaling":{"replicas":3}}`, "lost", `{"scaling":{"replicas":3}}`},
		{scale, `{"scaling":{"replicas":2}}`, `{}`, `{"scaling":{"replicas":3}}`, `{"scaling":{"replicas":3}}`},
		{
			set, `{"settings":{"db_max_insert_threads":4}}`, `{"settings":{"db_max_insert_threads":5}}`, `{"db_max_threads":8}`,
			`{"settings":{"db_max_threads":8,"db_max_insert_threads":5}}`,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var reads atomic.Int32
			c := newClient(t, func(r *http.Request) (response, error) {
				switch {
				case r.Method != http.MethodGet && test.result == "lost":
					return response{200, "<html>"}, nil
				case r.Method != http.MethodGet:
					return ok(test.result), nil
				}
				switch reads.Add(1) {
				case 1:
					return ok(test.older), nil
				case 2:
					time.Sleep(20 * time.Second)
					return ok(test.older), nil
				}
				return ok(test.newer), nil
			})
			sameJSON(t, readPipe(t, c), test.older)
			var early sync.WaitGroup
			early.Go(func() { sameJSON(t, readPipe(t, c.Fresh()), test.older) })
			synctest.Wait()
			if _, err := test.write(t.Context(), c); (err != nil) != (test.result == "lost") {
				t.Error(err)
			}
			sameJSON(t, readPipe(t, c), test.want)
			early.Wait()
			sameJSON(t, readPipe(t, c), test.want)
		})
	}
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
			all.Go(func() { _, _ = c.ScalePipe(t.Context(), serviceID, id, replicas(3)) })
			all.Go(func() { _, _ = c.UpdatePipeSettings(t.Context(), serviceID, id, threads(), Settings{}) })
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		_, err := scale(ctx, c)
		if e := asError(t, err); !errors.Is(e, context.DeadlineExceeded) || e.Operation != "scale pipe" || e.OutcomeUnknown {
			t.Errorf("%+v", e)
		}
		all.Wait()
		if took := time.Since(began).Round(10 * time.Millisecond); took != 2*time.Second {
			t.Errorf("two writes of two objects took %s", took)
		}
	})
}
