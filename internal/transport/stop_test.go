package transport

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestStop: whatever a request waits for, it waits no longer, and none is sent
// afterwards.
func TestStop(t *testing.T) {
	t.Parallel()
	tests := map[string]network{
		"a response": func(r *http.Request) (stub, error) {
			<-r.Context().Done()
			return stub{}, r.Context().Err()
		},
		"the limit":   func(*http.Request) (stub, error) { return reply(429, "", "Retry-After", "30"), nil },
		"what is up":  func(*http.Request) (stub, error) { return reply(503, "", "Retry-After", "30"), nil },
		"the network": func(*http.Request) (stub, error) { return stub{}, errors.New("connection refused") },
	}
	for name, respond := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				c := withoutNetwork(t, func(r *http.Request) (stub, error) {
					requests++
					return respond(r)
				})
				ended := make(chan error)
				go func() {
					err := do(t.Context(), c, scalePipe(pipeID))
					ended <- err
				}()
				synctest.Wait()
				before, stopped := requests, time.Now()
				c.Stop()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("the request under way: %v", err)
				}
				if err := do(t.Context(), c, getPipe(pipeID)); !errors.Is(err, context.Canceled) {
					t.Errorf("a read: %v", err)
				}
				if err := do(t.Context(), c, listBackups()); !errors.Is(err, context.Canceled) {
					t.Errorf("another read: %v", err)
				}
				if took := time.Since(stopped); took > 0 {
					t.Errorf("it took %s", took)
				}
				if before == 0 || requests != before {
					t.Errorf("%d requests before and %d after", before, requests)
				}
			})
		})
	}
}

// TestAfterStop: a request that is marked may be sent, and ends with its own
// context.
func TestAfterStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := false
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			if hang {
				<-r.Context().Done()
				return stub{}, r.Context().Err()
			}
			return ok(`{}`), nil
		})
		c.Stop()
		r := scalePipe(pipeID)
		if err := do(t.Context(), c, r); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		r.AfterStop = true
		if err := do(t.Context(), c, r); err != nil {
			t.Error(err)
		}
		hang = true
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		started := time.Now()
		if err := do(ctx, c, r); !errors.Is(err, context.DeadlineExceeded) || time.Since(started) != 10*time.Second {
			t.Errorf("error %v after %s", err, time.Since(started))
		}
	})
}
