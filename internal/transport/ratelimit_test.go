package transport

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slidingWindow grants n requests in any time of length per. Its header says when it grants another.
func slidingWindow(n int, per, latency time.Duration, header string) roundTripper {
	var mu sync.Mutex
	var granted []time.Time
	return func(r *http.Request) (*http.Response, error) {
		time.Sleep(latency / 2)
		defer time.Sleep(latency / 2)
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		granted = slices.DeleteFunc(granted, func(at time.Time) bool { return now.Sub(at) >= per })
		if len(granted) < n {
			granted = append(granted, now)
			return success(r)
		}
		wait := per - now.Sub(granted[0])
		return returns(429, "", header, strconv.Itoa(int(math.Ceil(wait.Seconds()))))(r)
	}
}

// TestRateLimit: requests take little longer than the limit dictates, with a
// header that says when to continue and without, and if requests_per_second is
// set as well. However long that takes, all succeed.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	const per = 10 * time.Second
	check := func(name string, respond roundTripper, requests int, perSecond float64, most time.Duration) {
		virtual(t, name, func(t *testing.T) {
			c := clientOf(t, respond, func(config *Config) { config.RequestsPerSecond = perSecond })
			started := time.Now()
			succeed(t, c, requests, 10)
			checkTook(t, started, 0, most)
		})
	}
	for header, most := range map[string]time.Duration{"Retry-After": 11 * time.Second, "X-RateLimit-Reset": 11 * time.Second, "none": 12500 * time.Millisecond} {
		for _, latency := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
			for _, windows := range []int{4, 15} {
				check(fmt.Sprintf("%s/%s/%d", header, latency, windows), slidingWindow(10, per, latency, header), 10*windows, 0, time.Duration(windows-1)*most)
			}
		}
	}
	for _, perSecond := range []float64{2, 5, 12, 50} {
		check(fmt.Sprintf("%g per second", perSecond), slidingWindow(10, per, 20*time.Millisecond, "Retry-After"), 80, perSecond, 7*12*time.Second)
	}
	check("slow progress", slidingWindow(1, 15*time.Second, 0, "Retry-After"), 20, 0, 5*time.Minute)
}

// TestRequestedWait: a 429 is waited out for as long as its headers ask.
func TestRequestedWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for value, want := range map[string]time.Duration{
			"1.5": 1500 * time.Millisecond,
			now.Add(9 * time.Second).UTC().Format(http.TimeFormat):     9 * time.Second,
			now.Add(-9 * time.Second).UTC().Format(http.TimeFormat):    0,
			strconv.FormatInt(now.Add(20*time.Second).Unix(), 10):      20 * time.Second,
			strconv.FormatInt(now.Add(-20*time.Second).Unix(), 10):     0,
			strconv.FormatInt(now.Add(20*time.Second).UnixMilli(), 10): 0,
			"soon": 0, "NaN": 0, "1e999": 0, "-1": 0, "": 0,
		} {
			if got := requestedWait(value); got != want {
				t.Errorf("%s: %s, want %s", value, got, want)
			}
		}
	})
}

// TestRequestedWaitCostsNoRetry: a 429 is waited out without costing a retry, a 503 as a retry. The
// client does not wait for more than a minute.
func TestRequestedWaitCostsNoRetry(t *testing.T) {
	t.Parallel()
	const least, most = 250 * time.Millisecond, 750 * time.Millisecond // without a usable header
	const slow, tooLong = `{"error":"slow down"}`, "slow down; the API asks to wait 1m1s"
	for name, test := range map[string]struct {
		response    roundTripper
		retries     int
		least, most time.Duration
		failure     string
	}{
		"429":                       {returns(429, ""), 0, least, most, ""},
		"429 with the longest wait": {returns(429, "", "RateLimit-Reset", "60"), 0, time.Minute, time.Minute, ""},
		"429 with a longer wait":    {returns(429, slow, "Retry-After", "61"), 3, 0, 0, tooLong},
		"429 with a wait of zero":   {returns(429, "", "Retry-After", "0"), 0, least, most, ""},
		"429 in the envelope":       {returns(200, `{"status":429}`, "Retry-After", "7"), 0, 7 * time.Second, 7 * time.Second, ""},
		"503 with the longest wait": {returns(503, "", "Retry-After", "60"), 1, time.Minute, time.Minute, ""},
		"503 with a longer wait":    {returns(503, slow, "Retry-After", "61"), 3, 0, 0, tooLong},
		"503, retries below zero":   {returns(503, slow, "Retry-After", "60"), -1, 0, 0, "slow down"},
	} {
		virtual(t, name, func(t *testing.T) {
			responses := []http.RoundTripper{test.response, success}
			if test.failure != "" {
				responses = responses[:1]
			}
			started := time.Now()
			err := scale(t, clientOf(t, inOrder(t, responses...), retries(test.retries)))
			if (err == nil) != (test.failure == "") || err != nil && asError(t, err).Message != test.failure {
				t.Error(err)
			}
			checkTook(t, started, test.least, test.most)
		})
	}
}

// TestOnly429s: a request of an operation that returns nothing else for 75 s fails, with
// the API's message.
func TestOnly429s(t *testing.T) {
	t.Parallel()
	for name, header := range map[string][]string{"with a header": {"Retry-After", "10"}, "without": nil} {
		virtual(t, name, func(t *testing.T) {
			c := clientOf(t, returns(429, `{"error":"slow down"}`, header...))
			check := func(want string, least time.Duration) {
				t.Helper()
				started := time.Now()
				if e := asError(t, scale(t, c)); e.Status != 429 || e.Message != "slow down" || e.Reason() != want || e.OutcomeUnknown {
					t.Errorf("%+v", e)
				}
				checkTook(t, started, least, 90*time.Second)
			}
			check("too many requests (429)", 75*time.Second)
			check("too many requests (429)", 0)
			check("too many requests (429)", 0)
		})
	}
}

// TestConcurrent429s: requests that are refused at the same time make one backoff.
func TestConcurrent429s(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		c := clientOf(t, after(10*time.Millisecond, func(r *http.Request) (*http.Response, error) {
			if time.Since(started) < 20*time.Millisecond {
				return returns(429, "")(r)
			}
			return success(r)
		}))
		succeed(t, c, 10, 10)
		checkTook(t, started, 450*time.Millisecond, 850*time.Millisecond) // a backoff, and the spacing of the first two after it
	})
}

// TestAllWaitForTheLongest429: a 429 that asks to wait less does not end the wait that another one has asked for, also if the request
// of that one is no longer waiting.
func TestAllWaitForTheLongest429(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		c := clientOf(t, func(r *http.Request) (*http.Response, error) {
			switch isLong := strings.Contains(r.URL.Path, objectID(0)); {
			case isLong:
				return after(time.Second, returns(429, "", "Retry-After", "30"))(r)
			case time.Since(started) < time.Second:
				return after(3*time.Second, returns(429, "", "Retry-After", "5"))(r)
			}
			return success(r)
		})
		inParallel(2, 2, func(i int) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(2+98*i)*time.Second)
			defer cancel()
			err := do(ctx, c, scalePipe(objectID(i)))
			if (err == nil) != (i == 1) {
				t.Errorf("object %d: %v", i, err)
			}
			return nil
		})
		checkTook(t, started, 31*time.Second, 32*time.Second)
	})
}

// TestLostConnectionsAmong429s: a lost connection is no response. An operation that gets nothing but 429s otherwise fails
// after 75 s all the same.
func TestLostConnectionsAmong429s(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]roundTripper{"refused": refused, "lost": lost} {
		virtual(t, name, func(t *testing.T) {
			started, requests := time.Now(), 0
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				if requests++; requests%2 == 0 {
					return fault(r)
				}
				return returns(429, "", "Retry-After", "10")(r)
			}, retries(12))
			if e := asError(t, scale(t, c)); e.Status != 429 {
				t.Error(e)
			}
			checkTook(t, started, 75*time.Second, 100*time.Second)
		})
	}
}

// TestOneLimitedOperation: an operation that gets nothing but 429s ends, while others are served.
func TestOneLimitedOperation(t *testing.T) {
	t.Parallel()
	for _, wait := range []string{"5", "60"} {
		virtual(t, wait, func(t *testing.T) {
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPatch {
					return returns(429, "", "Retry-After", wait)(r)
				}
				return after(100*time.Millisecond, success)(r)
			})
			started := time.Now()
			for i, err := range inParallel(300, 10, func(i int) error {
				if err := do(t.Context(), c, getPipe(objectID(i))); err != nil || i%6 > 0 {
					return err
				}
				return do(t.Context(), c, scalePipe(objectID(i)))
			}) {
				if (err != nil) != (i%6 == 0) {
					t.Errorf("object %d: %v", i, err)
				}
			}
			checkTook(t, started, 75*time.Second, 10*time.Minute)
		})
	}
}

// TestOneLimitedObject: an object whose requests always get 429 does not fail the others.
func TestOneLimitedObject(t *testing.T) {
	t.Parallel()
	for _, wait := range []string{"1", "60", "61", "3600"} {
		virtual(t, wait, func(t *testing.T) {
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				if strings.Contains(r.URL.Path, objectID(30)) {
					return returns(429, "", "Retry-After", wait)(r)
				}
				return after(100*time.Millisecond, success)(r)
			})
			for i, err := range inParallel(300, 10, func(i int) error { return do(t.Context(), c, scalePipe(objectID(i))) }) {
				if (err != nil) != (i == 30) {
					t.Errorf("object %d: %v", i, err)
				}
			}
		})
	}
}

// TestFirstComeFirstServed: with requests_per_second, requests go in their order.
func TestFirstComeFirstServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, success, func(config *Config) { config.RequestsPerSecond = 0.9 })
		succeed(t, c, 1, 1)
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				for n := range 4 { // each waits for the nine others
					started := time.Now()
					if err := scale(t, c); err != nil {
						t.Error(err)
					}
					if took := time.Since(started); took > 12*time.Second {
						t.Errorf("request %d of %d waited %s", n, i, took)
					}
				}
			})
		}
		all.Wait()
	})
}

// TestInterruptInTheQueue: a request that waits for others ends with its context, and they
// go on.
func TestInterruptInTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, success, func(config *Config) { config.RequestsPerSecond = 0.1 })
		succeed(t, c, 1, 1)
		started := time.Now()
		var others sync.WaitGroup
		others.Go(func() { succeed(t, c, 1, 1) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		others.Go(func() {
			if err := do(ctx, c, scalePipe(pipeID)); !strings.Contains(err.Error(), "not sent: context deadline exceeded") {
				t.Error(err)
			}
			checkTook(t, started, time.Second, time.Second)
		})
		synctest.Wait()
		others.Go(func() { succeed(t, c, 1, 1) })
		others.Wait()
		checkTook(t, started, 20*time.Second, 20*time.Second)
	})
}

// TestInterruptAtTheHead: if the first in the queue is interrupted, the next goes when it could
// have gone.
func TestInterruptAtTheHead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := clientOf(t, success, func(config *Config) { config.RequestsPerSecond = 0.1 })
		succeed(t, c, 1, 1)
		started := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() { _ = do(ctx, c, scalePipe(pipeID)) }()
		synctest.Wait()
		succeed(t, c, 1, 1)
		checkTook(t, started, 10*time.Second, 10*time.Second)
	})
}
