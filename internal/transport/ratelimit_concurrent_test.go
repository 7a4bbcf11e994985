package transport

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var seed = flag.Uint64("seed", 1, "seed of the random tests: go test ./internal/transport -args -seed=N")

// pair is a write whose body is made from a read.
func pair(c *Client, id string) Request {
	r := scalePipe(id)
	r.MakeBody = func(ctx context.Context) ([]byte, error) { return []byte("{}"), do(ctx, c, getPipe(id)) }
	return r
}

// TestLimitOfConcurrentRequests: an API that serves only so many requests at a time gets all of
// them done, also if each takes longer than the refusals of the others.
func TestLimitOfConcurrentRequests(t *testing.T) {
	t.Parallel()
	const objects = 200
	for _, most := range []int{1, 2, 3} {
		for _, latency := range []time.Duration{900 * time.Millisecond, 1100 * time.Millisecond, 2 * time.Second, 5 * time.Second} {
			for _, header := range [][]string{nil, {"Retry-After", "1"}} {
				virtual(t, fmt.Sprintf("%d at a time, %s, %v", most, latency, header), func(t *testing.T) {
					slots := make(chan struct{}, most)
					c := clientOf(t, func(r *http.Request) (*http.Response, error) {
						select {
						case slots <- struct{}{}:
							defer func() { <-slots }()
							return after(latency, success)(r)
						default:
							return after(5*time.Millisecond, returns(429, "", header...))(r)
						}
					}, retries(12))
					started := time.Now()
					for _, err := range inParallel(objects, 10, func(i int) error { return do(t.Context(), c, scalePipe(objectID(i))) }) {
						if err != nil {
							t.Error(err)
						}
					}
					checkTook(t, started, 0, 3*objects*latency/time.Duration(most)+time.Minute)
				})
			}
		}
	}
}

// TestProcessesShareALimit: four processes with one key get the same share of its requests, so
// none of them fails, although a Retry-After in whole seconds brings them back in the same order.
func TestProcessesShareALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const processes, objects, perWindow, window = 4, 100, 10, 10 * time.Second
		var mu sync.Mutex
		started, granted := time.Now(), map[time.Duration]int{} // by window
		respond := func(r *http.Request) (*http.Response, error) {
			time.Sleep(20 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			passed := time.Since(started)
			if granted[passed/window] == perWindow {
				rest := window - passed%window
				return returns(429, "", "Retry-After", strconv.Itoa(int(math.Ceil(rest.Seconds()))))(r)
			}
			granted[passed/window]++
			return success(r)
		}
		var all sync.WaitGroup
		for p := range processes {
			all.Go(func() {
				time.Sleep(time.Duration(p) * time.Second / 3)
				c := clientOf(t, respond, retries(12))
				for _, err := range inParallel(objects, 10, func(i int) error { return do(t.Context(), c, scalePipe(objectID(i))) }) {
					if err != nil {
						t.Errorf("process %d: %v", p, err)
					}
				}
			})
		}
		all.Wait()
		checkTook(t, started, 390*time.Second, 430*time.Second)
	})
}

// TestOutageAfterA429: updates that wait for the rate limit when the API goes down end as
// soon as others, and say that it is down.
func TestOutageAfterA429(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]roundTripper{"refused": refused, "503": returns(503, ""), "no response": hangs} {
		virtual(t, name, func(t *testing.T) {
			started, outage := time.Now(), 500*time.Millisecond
			c := clientOf(t, after(10*time.Millisecond, func(r *http.Request) (*http.Response, error) {
				switch {
				case time.Since(started) > outage:
					return down(r)
				case r.Method == http.MethodGet:
					return success(r)
				}
				return returns(429, "", "Retry-After", "1")(r)
			}), retries(12))
			for _, err := range inParallel(10, 10, func(i int) error { return do(t.Context(), c, pair(c, objectID(i))) }) {
				if err == nil || strings.Contains(err.Error(), "429") {
					t.Error(err)
				}
			}
			checkTook(t, started, 0, 110*time.Second)
		})
	}
}

// TestRequestsPerSecond: whatever is sent, fails, is refused or cancelled, nothing goes faster than
// requests_per_second.
func TestRequestsPerSecond(t *testing.T) {
	t.Parallel()
	for i := range uint64(100) {
		virtual(t, fmt.Sprintf("%d-%d", *seed, i), func(t *testing.T) {
			random := rand.New(rand.NewPCG(*seed, i))
			var mu sync.Mutex
			draw := func(n int) int {
				mu.Lock()
				defer mu.Unlock()
				return random.IntN(n)
			}
			perSecond := []float64{0.5, 1, 3}[draw(3)]
			var last time.Time
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				mu.Lock()
				now := time.Now()
				apart := time.Duration(float64(time.Second) / perSecond)
				if since := now.Sub(last); since < apart {
					t.Errorf("%s after the request before", since)
				}
				last = now
				mu.Unlock()
				answers := []roundTripper{
					success, success, success, returns(429, "", "Retry-After", strconv.Itoa(draw(20))), returns(429, ""), returns(503, ""),
					refused, lost, hangs,
				}
				return after(time.Duration(draw(5000))*time.Millisecond, answers[draw(len(answers))])(r)
			}, func(config *Config) { config.RequestsPerSecond = perSecond })
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() {
					for range 5 {
						r := []Request{getPipe(objectID(i)), scalePipe(objectID(i)), pair(c, objectID(i))}[draw(3)]
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(draw(200))*time.Second)
						_ = do(ctx, c, r)
						cancel()
					}
				})
			}
			all.Wait()
		})
	}
}
