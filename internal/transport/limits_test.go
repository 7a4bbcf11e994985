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

// tokenBucket has tokens for burst requests, and gets one every second. Its header says when
// it grants the next one.
func tokenBucket(burst float64, latency time.Duration, header string) roundTripper {
	var mu sync.Mutex
	tokens, at := burst, time.Now()
	return func(r *http.Request) (*http.Response, error) {
		time.Sleep(latency / 2)
		defer time.Sleep(latency / 2)
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		tokens, at = min(burst, tokens+now.Sub(at).Seconds()), now
		if tokens >= 1-1e-9 {
			tokens--
			return success(r)
		}
		return returns(429, "", header, strconv.Itoa(int(math.Ceil(1-tokens))))(r)
	}
}

var seed = flag.Uint64("seed", 1, "seed of the random tests: go test ./internal/transport -args -seed=N")

// pair is a write whose body is made from a read.
func pair(c *Client, id string) Request {
	r := scalePipe(id)
	r.MakeBody = func(ctx context.Context, _ *Error) ([]byte, error) { return []byte("{}"), do(ctx, c, getPipe(id)) }
	return r
}

// TestPairsUnderALimit: reads and the writes that repeat them get through any rate limit,
// in little more than the time that 100 requests need.
func TestPairsUnderALimit(t *testing.T) {
	t.Parallel()
	const pairs = 50
	check := func(name string, respond func() roundTripper, least time.Duration, ratio float64) {
		virtual(t, name, func(t *testing.T) {
			c := clientOf(t, respond())
			started := time.Now()
			for _, err := range inParallel(pairs, 10, func(i int) error { return do(t.Context(), c, pair(c, objectID(i))) }) {
				if err != nil {
					t.Error(err)
				}
			}
			took := time.Since(started).Seconds() / least.Seconds()
			t.Logf("%.2f times %s", took, least)
			if took > ratio {
				t.Errorf("%.2f times as long as needed", took)
			}
		})
	}
	for _, header := range []string{"Retry-After", "X-RateLimit-Reset", "none"} {
		for _, latency := range []time.Duration{time.Millisecond, 100 * time.Millisecond, time.Second} {
			for _, n := range []int{1, 3, 10} {
				least, ratio := time.Duration((2*pairs-1)/n)*10*time.Second+latency, 1.15
				if latency == time.Second { // without a header, each probe takes this long
					ratio = 1.2
				}
				check(fmt.Sprintf("%d in 10 s, %s, %s", n, header, latency),
					func() roundTripper { return slidingWindow(n, 10*time.Second, latency, header) }, least, ratio)
			}
			if latency == time.Second {
				continue // no bucket of one per second
			}
			for _, burst := range []float64{1, 2, 10} {
				least := time.Duration(2*pairs-burst)*time.Second + latency
				check(fmt.Sprintf("burst of %g, %s, %s", burst, header, latency),
					func() roundTripper { return tokenBucket(burst, latency, header) }, least, 1.6)
			}
		}
	}
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

// TestBusyObjects: objects that always get a 429 fail, but none of the others does.
func TestBusyObjects(t *testing.T) {
	t.Parallel()
	const objects = 300
	for _, header := range [][]string{nil, {"Retry-After", "1"}, {"Retry-After", "30"}} {
		for busy := 1; busy <= 3; busy++ {
			virtual(t, fmt.Sprintf("%d, %v", busy, header), func(t *testing.T) {
				c := clientOf(t, func(r *http.Request) (*http.Response, error) {
					for i := range busy {
						if strings.Contains(r.URL.Path, objectID(i)) {
							return returns(429, "", header...)(r)
						}
					}
					return after(100*time.Millisecond, success)(r)
				}, retries(12))
				for i, err := range inParallel(objects, 10, func(i int) error { return do(t.Context(), c, scalePipe(objectID(i))) }) {
					if (err != nil) != (i < busy) {
						t.Errorf("object %d: %v", i, err)
					}
				}
			})
		}
	}
}

// TestFast429s: refusals come sooner than successes, which may even arrive after the next
// refusal. The API grants requests of both operations all the time, so none fails.
func TestFast429s(t *testing.T) {
	t.Parallel()
	for n, windows := range map[int][]time.Duration{
		5: {10 * time.Second, 20 * time.Second, 30 * time.Second}, 10: {10 * time.Second, 30 * time.Second, 50 * time.Second},
		20: {50 * time.Second}, 60: {50 * time.Second},
	} {
		for _, per := range windows {
			for _, latency := range []time.Duration{100 * time.Millisecond, 2 * time.Second} {
				for _, share := range []int{2, 3, 10} {
					virtual(t, fmt.Sprintf("%d in %s, success %s, every %dth another operation", n, per, latency, share), func(t *testing.T) {
						limit := slidingWindow(n, per, 0, "Retry-After")
						c := clientOf(t, func(r *http.Request) (*http.Response, error) {
							resp, err := limit(r)
							if resp.StatusCode == http.StatusOK {
								time.Sleep(latency)
							}
							return resp, err
						})
						for _, err := range inParallel(20*n, 10, func(i int) error {
							if i%share == 0 {
								return do(t.Context(), c, getPipe(objectID(i)))
							}
							return do(t.Context(), c, scalePipe(objectID(i)))
						}) {
							if err != nil {
								t.Error(err)
							}
						}
					})
				}
			}
		}
	}
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

// TestHangingRead: an object whose reads hang does not hold up the updates of others.
func TestHangingRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var attempts sync.Map // by method and path
		c := clientOf(t, after(50*time.Millisecond, func(r *http.Request) (*http.Response, error) {
			_, again := attempts.LoadOrStore(r.Method+r.URL.Path, true)
			switch isFaulty := strings.Contains(r.URL.Path, objectID(0)); {
			case isFaulty && r.Method == http.MethodGet && again:
				return hangs(r)
			case isFaulty && r.Method == http.MethodPatch:
				return returns(503, "")(r)
			case r.Method == http.MethodPatch && !again:
				return returns(429, "", "Retry-After", "1")(r)
			}
			return success(r)
		}))
		started := time.Now()
		inParallel(5, 5, func(i int) error {
			err := do(t.Context(), c, pair(c, objectID(i)))
			if i > 0 && err != nil {
				t.Error(err)
			}
			if i > 0 {
				checkTook(t, started, 0, 20*time.Second)
			}
			return nil
		})
	})
}

// TestMadeBodiesDoNotHoldUpOthers: requests whose bodies have been made, from a read or not, do
// not hold up others that wait for requests_per_second.
func TestMadeBodiesDoNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	for name, reads := range map[string]bool{"bodies from reads": true, "bodies from nothing": false} {
		virtual(t, name, func(t *testing.T) {
			c := clientOf(t, after(100*time.Millisecond, success), func(config *Config) { config.RequestsPerSecond = 1 })
			var all sync.WaitGroup
			for i := range 9 {
				all.Go(func() {
					r := pair(c, objectID(i))
					if !reads {
						r.MakeBody = func(context.Context, *Error) ([]byte, error) { return []byte("{}"), nil }
					}
					for range 30 {
						if err := do(t.Context(), c, r); err != nil {
							t.Error(err)
						}
					}
				})
			}
			time.Sleep(10 * time.Second)
			started := time.Now()
			if err := do(t.Context(), c, getPipe(objectID(50))); err != nil {
				t.Error(err)
			}
			checkTook(t, started, 0, 20*time.Second)
			all.Wait()
		})
	}
}

// TestRate: whatever is sent, fails, is refused or cancelled, nothing goes faster than
// requests_per_second.
func TestRate(t *testing.T) {
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
