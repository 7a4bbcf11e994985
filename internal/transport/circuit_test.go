package transport

import (
	"context"
	"errors"
	"fmt"
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

func patient(config *Config) { config.MaxRetries = 6 }

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

// lasting are the faults that a whole API may have.
func lasting() map[string]network {
	return map[string]network{
		"refused":             fails(errRefused),
		"reset":               fails(syscall.ECONNRESET),
		"no answer":           hangs,
		"500":                 says(reply(500, "")),
		"502":                 says(reply(502, "<title>Bad gateway</title>")),
		"503":                 says(reply(503, "")),
		"503 for 7 s":         says(reply(503, "", "Retry-After", "7")),
		"503 for 60 s":        says(reply(503, "", "Retry-After", "60")),
		"504 after 5 s":       after(5*time.Second, says(reply(504, ""))),
		"504 after 20 s":      after(20*time.Second, says(reply(504, ""))),
		"504 after 29 s":      after(29*time.Second, says(reply(504, ""))),
		"429":                 says(reply(429, "")),
		"429 for 10 s":        says(reply(429, "", "Retry-After", "10")),
		"429 for 59 s":        says(reply(429, "", "Retry-After", "59")),
		"429 for 60 s":        says(reply(429, "", "X-RateLimit-Reset", "60")),
		"429 for an hour":     says(reply(429, "", "Retry-After", "3600")),
		"cut answer":          says(cut()),
		"503 in the envelope": says(reply(200, `{"status":503}`)),
	}
}

// crowd makes n calls, as many at a time as parallel says, and returns what
// came of them and how long all of it took.
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

// anyCall is one of the operations on the nth object.
func anyCall(ctx context.Context, c *Client, n int) (operation string, err error) {
	switch n % 4 {
	case 0:
		err = do(ctx, c, getPipe(objectID(n)))
		return "get pipe", err
	case 1:
		err = do(ctx, c, updateKey(objectID(n)))
		return "update key", err
	case 2:
		err = do(ctx, c, updateService(objectID(n)))
		return "update service", err
	default:
		err = do(ctx, c, scalePipe(objectID(n)))
		return "scale pipe", err
	}
}

// TestOutageEndsARun: no fault of the whole API takes a run of 1,000 requests
// longer than 90 s, wherever in the run it begins, and each request says why.
func TestOutageEndsARun(t *testing.T) {
	t.Parallel()
	for name, fault := range lasting() {
		for _, parallel := range []int{1, 10} {
			for _, healthy := range []int{0, 300} {
				t.Run(fmt.Sprintf("%s, %d at a time, after %d", name, parallel, healthy), func(t *testing.T) {
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
								return after(time.Millisecond, says(ok(`{}`)))(r)
							}
							return fault(r)
						}, patient)
						errs, took := crowd(1000, parallel, func(i int) error {
							operation, err := anyCall(t.Context(), c, i)
							if err != nil && asError(t, err).Operation != operation {
								t.Errorf("%s: %v", operation, err)
							}
							return err
						})
						expectOutage(t, errs, healthy, parallel)
						if took >= 90*time.Second {
							t.Errorf("took %s", took)
						}
					})
				})
			}
		}
	}
}

// expectOutage holds errors against those of an outage after some successes.
func expectOutage(t *testing.T, errs []error, healthy, parallel int) {
	t.Helper()
	failed, spokenFor := 0, 0
	for _, err := range errs {
		if err == nil {
			continue
		}
		failed++
		if strings.Contains(err.Error(), "not sent, because the API is down: ") {
			spokenFor++
			if IsOutcomeUnknown(err) {
				t.Errorf("what was not sent has no outcome: %v", err)
			}
		}
	}
	if want := len(errs) - healthy; failed != want || spokenFor < want-2*parallel {
		t.Errorf("%d of %d failed, %d of them without being sent: %v", failed, want, spokenFor, errs[len(errs)-1])
	}
}

func TestOutageIsNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answer := reply(503, `{"error":"down for repairs","requestId":"r-1"}`)
		c := withoutNetwork(t, says(answer), patient)
		for range 2 { // the second finds out that it is still so
			if err := scale(t.Context(), c); asError(t, err).Message != "down for repairs" {
				t.Errorf("error %v", err)
			}
		}
		err := do(t.Context(), c, listBackups())
		e := asError(t, err)
		if e.Operation != "list backups" || e.Status != 503 || e.RequestID != "r-1" || e.OutcomeUnknown ||
			e.Message != "not sent, because the API is down: scale pipe: down for repairs" {
			t.Errorf("%+v", e)
		}
	})
}

// TestOneOperationDown: an outage of one operation ends a run just as soon, and
// fails no other operation.
func TestOneOperationDown(t *testing.T) {
	t.Parallel()
	for name, fault := range lasting() {
		if strings.HasPrefix(name, "429") || strings.HasPrefix(name, "503 for") {
			continue // these hold back all requests
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := withoutNetwork(t, func(r *http.Request) (stub, error) {
					if strings.HasSuffix(r.URL.Path, "/scaling") {
						return fault(r)
					}
					return after(time.Millisecond, says(ok(`{}`)))(r)
				}, patient)
				errs, took := crowd(1000, 10, func(i int) error {
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
				if took >= 90*time.Second {
					t.Errorf("took %s", took)
				}
				if err := errs[999]; !strings.Contains(err.Error(), "scale pipe: not sent, because the API is down for this operation: ") {
					t.Errorf("the last error is %v", err)
				}
			})
		})
	}
}

// TestOneObjectDown: what fails for one object alone fails for nobody else.
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
						return after(100*time.Millisecond, says(ok(`{}`)))(r)
					}, patient)
					errs, _ := crowd(100, parallel, func(i int) error {
						_, err := anyCall(t.Context(), c, i)
						return err
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

// TestOutageEnds: while the API is down one request at a time finds out whether
// it still is, and once it is not, everybody gets through again.
func TestOutageEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		down, asked, atATime, most := true, 0, 0, 0
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			mu.Lock()
			asked++
			atATime++
			most = max(most, atATime)
			isDown := down
			mu.Unlock()
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				atATime--
			}()
			if isDown {
				return hangs(r)
			}
			return ok(`{}`), nil
		}, patient)
		if err := scale(t.Context(), c); err == nil {
			t.Fatal("no error")
		}
		mu.Lock()
		asked, most = 0, 0
		mu.Unlock()
		for range 20 { // of them 15 s are the first one's half of its time
			_, _ = crowd(20, 20, func(i int) error { return fail(t, c, i) })
			time.Sleep(5 * time.Second)
		}
		mu.Lock()
		if most != 1 || asked < 2 || asked > 5 {
			t.Errorf("%d requests, %d at a time", asked, most)
		}
		down = false
		mu.Unlock()
		time.Sleep(30 * time.Second) // nothing is sent for longer
		errs, _ := crowd(20, 20, func(i int) error {
			_, err := anyCall(t.Context(), c, i)
			return err
		})
		if err := errors.Join(errs...); err != nil {
			t.Errorf("the API is up again: %v", err)
		}
	})
}

func fail(t *testing.T, c *Client, n int) error {
	t.Helper()
	_, err := anyCall(t.Context(), c, n)
	if err == nil {
		t.Error("no error while the API is down")
	}
	return err
}

// TestRetriesAreBackAfterAnOutage: the request that finds out that the API is up
// again gives all of them their retries back.
func TestRetriesAreBackAfterAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := says(reply(500, ""))
		fine := says(ok(`{}`))
		talk := converse(t, []network{broken, fine, broken, broken, fine}...)
		c := withoutNetwork(t, talk.answer, func(config *Config) { config.MaxRetries = 0 })
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

func TestWaitingForAProbeEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, hangs, patient)
		_ = scale(t.Context(), c)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 5 {
			all.Go(func() {
				if _, err := anyCall(ctx, c, i); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			})
		}
		synctest.Wait()
		started := time.Now()
		cancel()
		all.Wait()
		if took := time.Since(started); took != 0 {
			t.Errorf("took %s", took)
		}
		// The probe found out nothing; the next request does.
		if err := scale(t.Context(), c); !strings.Contains(err.Error(), "no response from api.example within 15s") {
			t.Errorf("error %v", err)
		}
	})
}

// TestPatience: an attempt that gets no answer is made twice, also where it may
// take minutes.
func TestPatience(t *testing.T) {
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
				}, patient, func(config *Config) { config.RequestTimeout = timeout })
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
