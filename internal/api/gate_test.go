package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestFirst429HoldsBackEverybody: no request of any operation leaves while the
// API asks to wait, and afterwards they do not leave all at once.
func TestFirst429HoldsBackEverybody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		var mu sync.Mutex
		var times []time.Duration
		c := withoutNetwork(t, func(*http.Request) (stub, error) {
			mu.Lock()
			defer mu.Unlock()
			times = append(times, time.Since(started))
			if len(times) == 1 {
				return reply(429, "", "Retry-After", "20"), nil
			}
			return ok(`[]`), nil
		})
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := c.Backups(t.Context(), serviceID); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait() // the 429 has come
		for range 9 {
			all.Go(func() {
				if _, err := c.Backups(t.Context(), otherID); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(times) != 11 {
			t.Fatalf("%d requests", len(times))
		}
		for i, at := range times[1:] {
			if want := 20*time.Second + time.Duration(i)*50*time.Millisecond; at != want {
				t.Errorf("request %d after %s, want %s", i+1, at, want)
			}
		}
	})
}

func TestGateClosesAgainForThoseWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{}
		g.hold(10 * time.Second)
		started := time.Now()
		go func() {
			time.Sleep(5 * time.Second)
			g.hold(15 * time.Second)
			g.hold(time.Second) // opens no earlier for it
		}()
		if err := g.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(started); took != 20*time.Second {
			t.Errorf("passed after %s", took)
		}
	})
}

// TestGateClosesDuringTheLimit: who waits for a place in the client's own limit
// notices when the API asks to wait in the meantime.
func TestGateClosesDuringTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, func(*http.Request) (stub, error) { return ok(`[]`), nil },
			func(config *Config) { config.RequestsPerSecond = 0.1 })
		started := time.Now()
		for range 2 {
			if _, err := c.Backups(t.Context(), serviceID); err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(5 * time.Second)
				c.gate.hold(20 * time.Second)
			}()
		}
		if took := time.Since(started); took < 25*time.Second {
			t.Errorf("the second request left after %s", took)
		}
		synctest.Wait()
		time.Sleep(5 * time.Second)
	})
}

func TestGateEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, func(*http.Request) (stub, error) { return reply(429, "", "Retry-After", "30"), nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		started := time.Now()
		_, err := c.Backups(ctx, serviceID)
		if e := asError(t, err); !errors.Is(err, context.DeadlineExceeded) || e.Operation != "list backups" || time.Since(started) != time.Second {
			t.Errorf("%v after %s", err, time.Since(started))
		}
	})
}

func TestOldRowOf429sIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &gate{}
		if !g.limited(time.Minute) {
			t.Error("gave up at the first")
		}
		time.Sleep(15 * time.Second)
		if !g.limited(time.Minute) {
			t.Error("did not wait until 75 s are over")
		}
		if g.limited(61 * time.Second) {
			t.Error("waits longer than 75 s")
		}
		time.Sleep(10 * time.Minute)
		if !g.limited(time.Minute) {
			t.Error("a row of ten minutes ago still counts")
		}
		before := time.Now().Add(-time.Second)
		time.Sleep(50 * time.Second)
		g.answered(before)
		if g.limited(time.Minute) {
			t.Error("an answer to an older request ended the row")
		}
		g.answered(time.Now())
		if !g.limited(time.Minute) {
			t.Error("an answer did not end the row")
		}
	})
}
