package transport

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
// API asks to wait, and afterwards one goes ahead.
func TestFirst429HoldsBackEverybody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const latency = 300 * time.Millisecond
		started := time.Now()
		var mu sync.Mutex
		var times []time.Duration
		c := withoutNetwork(t, func(*http.Request) (stub, error) {
			mu.Lock()
			times = append(times, time.Since(started))
			first := len(times) == 1
			mu.Unlock()
			time.Sleep(latency)
			if first {
				return reply(429, "", "Retry-After", "20"), nil
			}
			return ok(`[]`), nil
		})
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if err := do(t.Context(), c, listBackups()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(times) != 11 {
			t.Fatalf("%d requests", len(times))
		}
		if at := times[1]; at != 20*time.Second+latency {
			t.Errorf("the one that goes ahead does so after %s", at)
		}
		if at := times[2]; at != 20*time.Second+2*latency {
			t.Errorf("the next one goes after %s", at)
		}
	})
}

// TestFirstRequestGoesAlone: the first request of a client goes ahead, and the
// others follow after its response, or after maxProbeWait.
func TestFirstRequestGoesAlone(t *testing.T) {
	t.Parallel()
	for latency, second := range map[time.Duration]time.Duration{
		200 * time.Millisecond: 200 * time.Millisecond,
		20 * time.Second:       time.Second,
	} {
		t.Run(latency.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				started := time.Now()
				var mu sync.Mutex
				at := map[time.Duration]int{}
				c := withoutNetwork(t, func(*http.Request) (stub, error) {
					mu.Lock()
					at[time.Since(started)]++
					mu.Unlock()
					time.Sleep(latency)
					return ok(`[]`), nil
				})
				var all sync.WaitGroup
				for range 10 {
					all.Go(func() {
						if err := do(t.Context(), c, listBackups()); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if at[0] != 1 || at[second] == 0 {
					t.Errorf("requests went at %v", at)
				}
			})
		})
	}
}

func TestGateClosesAgainForWaitingRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		g.record429("op", 10*time.Second)
		started := time.Now()
		go func() {
			time.Sleep(5 * time.Second)
			g.record429("op", 15*time.Second)
			g.record429("op", time.Second) // does not open it earlier
		}()
		enter(t, g)
		if took := time.Since(started); took != 20*time.Second {
			t.Errorf("passed after %s", took)
		}
	})
}

// TestProbeWithoutResponse: if a probe fails, the next request is the probe at
// once.
func TestProbeWithoutResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		enter(t, g)
		go func() {
			time.Sleep(100 * time.Millisecond)
			g.recordNoResponse()
		}()
		started := time.Now()
		enter(t, g)
		enter(t, g) // the second probe gets no response either
		if took := time.Since(started); took != 100*time.Millisecond+maxProbeWait {
			t.Errorf("took %s", took)
		}
	})
}

func enter(t *testing.T, g *gate) time.Time {
	t.Helper()
	if err := g.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return time.Now()
}

// TestGateClosesDuringTheLimit: a request that waits for the client's own limit
// notices that the API asks to wait in the meantime.
func TestGateClosesDuringTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, func(*http.Request) (stub, error) { return ok(`[]`), nil },
			func(config *Config) { config.RequestsPerSecond = 0.1 })
		started := time.Now()
		for range 2 {
			if err := do(t.Context(), c, listBackups()); err != nil {
				t.Fatal(err)
			}
			go func() {
				time.Sleep(5 * time.Second)
				c.gate.record429("op", 20*time.Second)
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
		err := do(ctx, c, listBackups())
		if e := asError(t, err); !errors.Is(err, context.DeadlineExceeded) || e.Operation != "list backups" || time.Since(started) != time.Second {
			t.Errorf("%v after %s", err, time.Since(started))
		}
	})
}

func TestStreakOf429s(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		refused := func(wait time.Duration) bool {
			enter(t, g)
			_, retry := g.record429("op", wait)
			return retry
		}
		if !refused(time.Minute) {
			t.Error("gave up after the first")
		}
		sent := enter(t, g) // a minute later
		if _, retry := g.record429("op", 15*time.Second); !retry {
			t.Error("did not wait until 75 s were over")
		}
		if refused(time.Second) {
			t.Error("waits longer than 75 s")
		}
		time.Sleep(10 * time.Minute)
		if !refused(time.Minute) {
			t.Error("a streak of ten minutes ago still counts")
		}
		g.recordResponse(sent, "op", 0)
		if refused(time.Minute) {
			t.Error("the response to an older request ended the streak")
		}
		time.Sleep(time.Millisecond)
		g.recordResponse(enter(t, g), "op", 0)
		if !refused(time.Minute) {
			t.Error("a response did not end the streak")
		}
	})
}

// TestOneOperationLimited: if the API limits only one operation, and never stops,
// a run ends as soon as if it limited all.
func TestOneOperationLimited(t *testing.T) {
	t.Parallel()
	for _, wait := range []string{"0", "1", "10", "59"} {
		t.Run(wait, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := withoutNetwork(t, func(r *http.Request) (stub, error) {
					time.Sleep(time.Millisecond)
					if r.Method == http.MethodGet {
						return ok(`{}`), nil
					}
					return reply(429, "", "Retry-After", wait), nil
				}, defaultRetries)
				errs, took := crowd(1000, 10, func(i int) error {
					if err := do(t.Context(), c, getPipe(objectID(i))); err != nil {
						t.Errorf("a read: %v", err)
					}
					err := do(t.Context(), c, scalePipe(objectID(i)))
					return err
				})
				for i, err := range errs {
					if err == nil || asError(t, err).Status != http.StatusTooManyRequests {
						t.Errorf("write %d: %v", i, err)
					}
				}
				if took >= 110*time.Second {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}
