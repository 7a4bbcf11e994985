package transport

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A rateLimit grants or refuses a request, and says how long to wait.
type rateLimit func(now time.Time) (granted bool, wait time.Duration)

// fixedWindows grant n requests in each window, which the first one opens.
func fixedWindows(n int, per time.Duration) rateLimit {
	var ends time.Time
	taken := 0
	return func(now time.Time) (bool, time.Duration) {
		if !now.Before(ends) {
			ends, taken = now.Add(per), 0
		}
		taken++
		return taken <= n, ends.Sub(now)
	}
}

// slidingWindow grants n requests in any time of length per.
func slidingWindow(n int, per time.Duration) rateLimit {
	var granted []time.Time
	return func(now time.Time) (bool, time.Duration) {
		for len(granted) > 0 && now.Sub(granted[0]) >= per {
			granted = granted[1:]
		}
		if len(granted) == n {
			return false, per - now.Sub(granted[0])
		}
		granted = append(granted, now)
		return true, 0
	}
}

// tokenBucket holds n tokens and gets one back every per/n.
func tokenBucket(n int, per time.Duration) rateLimit {
	tokens, last, one := float64(n), time.Now(), per/time.Duration(n)
	return func(now time.Time) (bool, time.Duration) {
		tokens = min(tokens+float64(now.Sub(last))/float64(one), float64(n))
		last = now
		if tokens < 1 {
			return false, time.Duration((1 - tokens) * float64(one))
		}
		tokens--
		return true, 0
	}
}

// The ways in which a 429 says when to come back, in whole seconds.
func retryAfter(wait time.Duration) []string {
	return []string{"Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds())))}
}

func rateLimitReset(wait time.Duration) []string {
	return []string{"X-RateLimit-Reset", strconv.Itoa(int(math.Ceil(wait.Seconds())))}
}

func silent(time.Duration) []string { return nil }

// TestRateLimit: whatever the limit is, and however little the API says of it,
// requests end about as soon as it admits, and few of them are refused.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	limits := map[string]func(int, time.Duration) rateLimit{
		"fixed windows":  fixedWindows,
		"sliding window": slidingWindow,
		"token bucket":   tokenBucket,
	}
	says := map[string]func(time.Duration) []string{
		"Retry-After": retryAfter, "X-RateLimit-Reset": rateLimitReset, "silent": silent,
	}
	for limitName, limit := range limits {
		for saysName, say := range says {
			for _, latency := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 200 * time.Millisecond} {
				for _, requests := range []int{40, 160} {
					name := limitName + "/" + saysName + "/" + latency.String() + "/" + strconv.Itoa(requests)
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						synctest.Test(t, func(t *testing.T) {
							took, refused := runLimited(t, limit(10, 10*time.Second), say, latency, requests)
							holdLimited(t, took, refused, requests, goalOf(limitName, saysName, latency))
						})
					})
				}
			}
		}
	}
}

// A goal is what share of all requests may be refused, and how much longer than
// the limit dictates they may take.
type goal struct{ refused, took float64 }

// goalOf is what is asked for of the limits that are most common, where an answer
// does not take long, and otherwise what is still bearable.
func goalOf(limit, says string, latency time.Duration) goal {
	switch {
	case limit == "token bucket", latency > 20*time.Millisecond:
		return goal{refused: 0.6, took: 2}
	case says == "silent":
		return goal{refused: 0.4, took: 1.3}
	default:
		return goal{refused: 0.1, took: 1.1}
	}
}

func holdLimited(t *testing.T, took time.Duration, refused, requests int, most goal) {
	t.Helper()
	dictated := time.Duration(requests/10-1) * 10 * time.Second
	share, times := float64(refused)/float64(requests+refused), took.Seconds()/dictated.Seconds()
	t.Logf("%d refused, %.2f × what the limit dictates", refused, times)
	if share > most.refused || times > most.took {
		t.Errorf("%.2f of all were refused, and it took %.2f × what the limit dictates, more than %+v", share, times, most)
	}
}

// runLimited sends requests, ten at a time, to an API that limits them, and
// returns how long that took and how many were refused.
func runLimited(t *testing.T, limit rateLimit, say func(time.Duration) []string, latency time.Duration, requests int, change ...func(*Config)) (took time.Duration, refused int) {
	t.Helper()
	var mu sync.Mutex
	c := withoutNetwork(t, func(*http.Request) (stub, error) {
		time.Sleep(latency / 2)
		mu.Lock()
		granted, wait := limit(time.Now())
		if !granted {
			refused++
		}
		mu.Unlock()
		time.Sleep(latency / 2)
		if !granted {
			return reply(http.StatusTooManyRequests, "", say(wait)...), nil
		}
		return ok(`[]`), nil
	}, change...)
	started := time.Now()
	var all sync.WaitGroup
	places := make(chan struct{}, 10)
	for range requests {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			if err := do(t.Context(), c, listBackups()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return time.Since(started), refused
}

// TestRateLimitThatPasses: what was learned of a limit that is there no more, or
// never was, does not slow down the rest of a run.
func TestRateLimitThatPasses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limit   func() rateLimit
		latency time.Duration
		most    time.Duration // for 600 requests, ten at a time
	}{
		"one stray refusal":                     {strayRefusal(5 * time.Second), 50 * time.Millisecond, 12 * time.Second},
		"a stray refusal, answers take long":    {strayRefusal(time.Second), 300 * time.Millisecond, 24 * time.Second},
		"a stray refusal, answers take longest": {strayRefusal(5 * time.Second), 2 * time.Second, 160 * time.Second},
		"one in thirty seconds, for a while":    {overload(30*time.Second, 90*time.Second), 50 * time.Millisecond, 110 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if took, _ := runLimited(t, test.limit(), retryAfter, test.latency, 600); took > test.most {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

// strayRefusal refuses the third request and no other.
func strayRefusal(wait time.Duration) func() rateLimit {
	return func() rateLimit {
		n := 0
		return func(time.Time) (bool, time.Duration) {
			n++
			return n != 3, wait
		}
	}
}

// overload grants one request in so long, until it is over.
func overload(each, lasts time.Duration) func() rateLimit {
	return func() rateLimit {
		started := time.Now()
		narrow := fixedWindows(1, each)
		return func(now time.Time) (bool, time.Duration) {
			if now.Sub(started) > lasts {
				return true, 0
			}
			return narrow(now)
		}
	}
}

// TestRateLimitBesideOneOfOnesOwn: a limit in the configuration that is higher
// than the API's makes a run no slower than the API's does.
func TestRateLimitBesideOneOfOnesOwn(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{2, 5, 12, 50} {
		t.Run(strconv.FormatFloat(perSecond, 'g', -1, 64), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				took, refused := runLimited(t, fixedWindows(10, 10*time.Second), retryAfter, 20*time.Millisecond, 80,
					func(c *Config) { c.RequestsPerSecond = perSecond })
				holdLimited(t, took, refused, 80, goal{refused: 0.1, took: 1.2})
			})
		})
	}
}
