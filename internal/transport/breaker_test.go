package transport

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// objectID is the id of the nth object of a test.
func objectID(n int) string { return fmt.Sprintf("66666666-6666-4666-8666-%012d", n) }

func defaultRetries(config *Config) { config.MaxRetries = 6 }

func hangs(r *http.Request) (stub, error) {
	<-r.Context().Done()
	return stub{}, r.Context().Err()
}

func after(d time.Duration, then network) network {
	return func(r *http.Request) (stub, error) {
		select {
		case <-time.After(d):
			return then(r)
		case <-r.Context().Done():
			return stub{}, r.Context().Err()
		}
	}
}

// lasting returns the faults that a whole API or operation may have.
func lasting() map[string]network {
	return map[string]network{
		"refused":             fails(errRefused),
		"reset":               fails(syscall.ECONNRESET),
		"no response":         hangs,
		"500":                 returns(reply(500, "")),
		"502":                 returns(reply(502, "<title>Bad gateway</title>")),
		"503":                 returns(reply(503, "")),
		"503 for 7 s":         returns(reply(503, "", "Retry-After", "7")),
		"503 for 60 s":        returns(reply(503, "", "Retry-After", "60")),
		"504 after 5 s":       after(5*time.Second, returns(reply(504, ""))),
		"504 after 20 s":      after(20*time.Second, returns(reply(504, ""))),
		"504 after 29 s":      after(29*time.Second, returns(reply(504, ""))),
		"429":                 returns(reply(429, "")),
		"429 for 10 s":        returns(reply(429, "", "Retry-After", "10")),
		"429 for 59 s":        returns(reply(429, "", "Retry-After", "59")),
		"429 for 60 s":        returns(reply(429, "", "X-RateLimit-Reset", "60")),
		"429 for an hour":     returns(reply(429, "", "Retry-After", "3600")),
		"cut response":        returns(cut()),
		"503 in the envelope": returns(reply(200, `{"status":503}`)),
	}
}

// crowd makes n calls, parallel at a time, and returns their errors and how long
// all of them took.
func crowd(n, parallel int, call func(i int) error) ([]error, time.Duration) {
	started := time.Now()
	errs := make([]error, n)
	next := make(chan int)
	var all sync.WaitGroup
	for range parallel {
		all.Go(func() {
			for i := range next {
				errs[i] = call(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	return errs, time.Since(started)
}

// TestOutageEndsARun: whatever lasts of the whole API, and wherever in a run it
// begins, 500 requests of one operation fail within two minutes.
func TestOutageEndsARun(t *testing.T) {
	t.Parallel()
	for name, fault := range lasting() {
		for _, healthy := range []int{0, 300} {
			t.Run(fmt.Sprintf("%s, after %d", name, healthy), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var mu sync.Mutex
					asked := 0
					c := withoutNetwork(t, func(r *http.Request) (stub, error) {
						mu.Lock()
						asked++
						up := asked <= healthy
						mu.Unlock()
						if up {
							return after(100*time.Millisecond, returns(ok(`{}`)))(r)
						}
						return fault(r)
					}, defaultRetries)
					errs, took := crowd(healthy+500, 10, func(i int) error {
						return do(t.Context(), c, scalePipe(objectID(i)))
					})
					failed := 0
					for _, err := range errs {
						if err != nil {
							failed++
							checkUnsent(t, err, strings.HasPrefix(name, "429"))
						}
					}
					if failed != 500 {
						t.Errorf("%d failed", failed)
					}
					t.Logf("took %s", took)
					if took >= 2*time.Minute {
						t.Errorf("took %s", took)
					}
				})
			})
		}
	}
}

// checkUnsent checks the error of a request, if it was not sent.
func checkUnsent(t *testing.T, err error, isRateLimit bool) {
	t.Helper()
	e := asError(t, err)
	if e.Operation != "scale pipe" || isRateLimit != (e.Status == http.StatusTooManyRequests) {
		t.Errorf("%+v", e)
	}
	reason := "not sent, because this operation keeps failing"
	if isRateLimit {
		reason = "not sent, because the API still limits the rate of requests"
	}
	if strings.Contains(e.Message, "not sent") && (!strings.HasPrefix(e.Message, reason) || e.OutcomeUnknown) {
		t.Errorf("%+v", e)
	}
}

// TestSomeObjectsDown: while some objects always fail, requests for the others
// succeed, also if only one is sent at a time.
func TestSomeObjectsDown(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	shuffled := make([]bool, 300)
	for i := range shuffled {
		shuffled[i] = random.IntN(3) == 0
	}
	for name, isDown := range map[string]func(i int) bool{
		"every third":       func(i int) bool { return i%3 == 0 },
		"at random":         func(i int) bool { return shuffled[i] },
		"the first 100":     func(i int) bool { return i < 100 },
		"100 in the middle": func(i int) bool { return i >= 100 && i < 200 },
	} {
		for _, parallel := range []int{1, 2, 10} {
			for _, retries := range []int{0, 2, 6} {
				t.Run(fmt.Sprintf("%s, %d at a time, %d retries", name, parallel, retries), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						c := withoutNetwork(t, func(r *http.Request) (stub, error) {
							response := ok(`{}`)
							for i := range shuffled {
								if isDown(i) && strings.Contains(r.URL.Path, objectID(i)) {
									response = reply(http.StatusInternalServerError, "")
								}
							}
							return after(100*time.Millisecond, returns(response))(r)
						}, func(config *Config) { config.MaxRetries = retries })
						errs, _ := crowd(len(shuffled), parallel, func(i int) error {
							return do(t.Context(), c, scalePipe(objectID(i)))
						})
						for i, err := range errs {
							if (err != nil) != isDown(i) {
								t.Errorf("object %d: %v", i, err)
							}
						}
					})
				})
			}
		}
	}
}

// TestOpenBreaker: an open breaker lets one request through in 30 s, repeats the
// last failure to the others, and closes after a success.
func TestOpenBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, response := 0, reply(503, `{"error":"down for repairs","requestId":"r-1"}`)
		c := withoutNetwork(t, func(*http.Request) (stub, error) {
			asked++
			return response, nil
		}, defaultRetries)
		fail := func() *Error { return asError(t, scale(t.Context(), c)) }
		_ = fail()
		time.Sleep(15 * time.Second)
		for range minFailures {
			if e := fail(); e.Message != "down for repairs" {
				t.Errorf("%+v", e)
			}
		}
		for round := range 3 {
			asked = 0
			e := fail()
			if e.Message != "not sent, because this operation keeps failing: down for repairs" ||
				e.Status != 503 || e.RequestID != "r-1" || e.OutcomeUnknown || asked != 0 {
				t.Errorf("round %d: %+v", round, e)
			}
			time.Sleep(30 * time.Second)
			for range 10 {
				_ = fail()
			}
			if asked != 1 {
				t.Errorf("round %d: %d requests", round, asked)
			}
		}
		if err := do(t.Context(), c, updateKey(keyID)); strings.Contains(err.Error(), "not sent") {
			t.Errorf("another operation: %v", err)
		}
		response = ok(`{}`)
		time.Sleep(30 * time.Second)
		for range 10 {
			if err := scale(t.Context(), c); err != nil {
				t.Errorf("the API is up again: %v", err)
			}
		}
	})
}

// TestOneOperationDown: an outage of one operation ends a run as soon, and no
// other operation fails.
func TestOneOperationDown(t *testing.T) {
	t.Parallel()
	for name, fault := range lasting() {
		if strings.HasPrefix(name, "429") {
			continue // these hold back all requests
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := withoutNetwork(t, func(r *http.Request) (stub, error) {
					if strings.HasSuffix(r.URL.Path, "/scaling") {
						return fault(r)
					}
					return after(time.Millisecond, returns(ok(`{}`)))(r)
				}, defaultRetries)
				errs, took := crowd(500, 10, func(i int) error {
					if err := do(t.Context(), c, getPipe(objectID(i))); err != nil {
						t.Errorf("a read failed: %v", err)
					}
					err := do(t.Context(), c, scalePipe(objectID(i)))
					return err
				})
				for i, err := range errs {
					if err == nil {
						t.Errorf("request %d succeeded", i)
					}
				}
				if took >= 2*time.Minute {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

// TestOneObjectDown: a failure of one object, however slow, fails no other.
func TestOneObjectDown(t *testing.T) {
	t.Parallel()
	for name, fault := range lasting() {
		if strings.HasPrefix(name, "429") {
			continue // no object has a rate limit of its own
		}
		for _, parallel := range []int{1, 10} {
			t.Run(fmt.Sprintf("%s, %d at a time", name, parallel), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := withoutNetwork(t, func(r *http.Request) (stub, error) {
						if strings.Contains(r.URL.Path, objectID(4)) {
							return fault(r)
						}
						return after(100*time.Millisecond, returns(ok(`{}`)))(r)
					}, defaultRetries)
					errs, _ := crowd(100, parallel, func(i int) error {
						return do(t.Context(), c, scalePipe(objectID(i)))
					})
					for i, err := range errs {
						if (err != nil) != (i == 4) {
							t.Errorf("object %d: %v", i, err)
						}
					}
				})
			})
		}
	}
}

// TestRetriesAreBackAfterAnOutage: after a success, requests are retried again.
func TestRetriesAreBackAfterAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := returns(reply(500, ""))
		fine := returns(ok(`{}`))
		talk := converse(t, []network{broken, fine, broken, broken, fine}...)
		c := withoutNetwork(t, talk.respond, func(config *Config) { config.MaxRetries = 0 })
		if err := scale(t.Context(), c); err == nil {
			t.Fatal("no error")
		}
		c.maxRetries = 2
		for i := range 2 {
			if err := scale(t.Context(), c); err != nil {
				t.Errorf("request %d: %v", i, err)
			}
		}
	})
}

// TestTimeouts: an attempt without a response is made twice, even if it takes
// minutes.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	for timeout, attempts := range map[time.Duration]int{
		time.Second: 7, 5 * time.Second: 7, 10 * time.Second: 5, 30 * time.Second: 2, 2 * time.Minute: 2, time.Hour: 2,
	} {
		t.Run(timeout.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				c := withoutNetwork(t, func(r *http.Request) (stub, error) {
					requests++
					return hangs(r)
				}, defaultRetries, func(config *Config) { config.RequestTimeout = timeout })
				if err := scale(t.Context(), c); err == nil {
					t.Error("no error")
				}
				// The pauses are random, and so is how many attempts just fit.
				if requests < attempts-1 || requests > attempts+1 || timeout >= 30*time.Second && requests != 2 {
					t.Errorf("%d attempts, want about %d", requests, attempts)
				}
			})
		})
	}
}
