package transport

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A limit grants or refuses a request, and says how long to wait.
type limit func(now time.Time) (granted bool, wait time.Duration)

// fixedWindows grant n requests in each window, which the first one opens.
func fixedWindows(n int, per time.Duration) limit {
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
func slidingWindow(n int, per time.Duration) limit {
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
func tokenBucket(n int, per time.Duration) limit {
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

// TestRateLimit: requests take little longer than the limit dictates, with a
// header that says when to continue and without.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	limits := map[string]func(int, time.Duration) limit{
		"fixed windows":  fixedWindows,
		"sliding window": slidingWindow,
		"token bucket":   tokenBucket,
	}
	headers := map[string]func(time.Duration) []string{
		"Retry-After": retryAfter, "X-RateLimit-Reset": rateLimitReset, "no header": silent,
	}
	for limitName, newLimit := range limits {
		for headerName, header := range headers {
			for _, latency := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
				for _, requests := range []int{40, 150} {
					t.Run(fmt.Sprintf("%s/%s/%s/%d", limitName, headerName, latency, requests), func(t *testing.T) {
						t.Parallel()
						synctest.Test(t, func(t *testing.T) {
							took := runLimited(t, newLimit(10, 10*time.Second), header, latency, requests)
							ratio := 1.1
							if headerName == "no header" {
								ratio = 1.25
							}
							checkDuration(t, took, requests, ratio)
						})
					})
				}
			}
		}
	}
}

// checkDuration compares with what a limit of 10 requests in 10 s dictates.
func checkDuration(t *testing.T, took time.Duration, requests int, ratio float64) {
	t.Helper()
	dictated := time.Duration(requests/10-1) * 10 * time.Second
	times := took.Seconds() / dictated.Seconds()
	t.Logf("%.3f times what the limit dictates", times)
	if times > ratio {
		t.Errorf("%d requests took %s, more than %.2f times what the limit dictates", requests, took, ratio)
	}
}

// runLimited sends requests, ten at a time, to an API that limits them, and
// returns how long that took.
func runLimited(t *testing.T, l limit, say func(time.Duration) []string, latency time.Duration, requests int, change ...func(*Config)) time.Duration {
	t.Helper()
	var mu sync.Mutex
	c := withoutNetwork(t, func(*http.Request) (stub, error) {
		time.Sleep(latency / 2)
		mu.Lock()
		granted, wait := l(time.Now())
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
	return time.Since(started)
}

// TestRateLimitAndRequestsPerSecond: a higher limit in the configuration adds
// nothing to the API's.
func TestRateLimitAndRequestsPerSecond(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{2, 5, 12, 50} {
		t.Run(strconv.FormatFloat(perSecond, 'g', -1, 64), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				took := runLimited(t, fixedWindows(10, 10*time.Second), retryAfter, 20*time.Millisecond, 80,
					func(c *Config) { c.RequestsPerSecond = perSecond })
				checkDuration(t, took, 80, 1.2)
			})
		})
	}
}

// TestRemainingZeroClosesTheGate: if the API says when its limit is reached,
// nothing is refused.
func TestRemainingZeroClosesTheGate(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]func(remaining int, reset time.Duration) []string{
		"X-RateLimit": func(remaining int, reset time.Duration) []string {
			return []string{"X-RateLimit-Remaining", strconv.Itoa(remaining), "X-RateLimit-Reset", wholeSeconds(reset)}
		},
		"RateLimit-": func(remaining int, reset time.Duration) []string {
			return []string{"RateLimit-Remaining", strconv.Itoa(remaining), "RateLimit-Reset", wholeSeconds(reset)}
		},
		"RateLimit": func(remaining int, reset time.Duration) []string {
			return []string{"RateLimit", fmt.Sprintf("limit=10, remaining=%d, reset=%s", remaining, wholeSeconds(reset))}
		},
		"RateLimit with parameters": func(remaining int, reset time.Duration) []string {
			return []string{"RateLimit", fmt.Sprintf(`"default";r=%d;t=%s`, remaining, wholeSeconds(reset))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const requests = 45
				var ends time.Time
				remaining, sent := 0, 0
				c := withoutNetwork(t, func(*http.Request) (stub, error) {
					now := time.Now()
					if !now.Before(ends) {
						ends, remaining = now.Add(10*time.Second), 10
					}
					sent++
					if remaining == 0 {
						t.Error("a request was refused")
						return reply(http.StatusTooManyRequests, "", "Retry-After", "1"), nil
					}
					remaining--
					return reply(http.StatusOK, enveloped(`[]`), header(remaining, ends.Sub(now))...), nil
				})
				started := time.Now()
				for range requests {
					if err := do(t.Context(), c, listBackups()); err != nil {
						t.Fatal(err)
					}
				}
				if took := time.Since(started); took != 40*time.Second || sent != requests {
					t.Errorf("%d requests in %s", sent, took)
				}
			})
		})
	}
}

func wholeSeconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// TestRemainingZeroWithoutAUsableReset: where the wait is unknown or too long, the
// API gets to decide.
func TestRemainingZeroWithoutAUsableReset(t *testing.T) {
	t.Parallel()
	for _, reset := range []string{"", "soon", "0", "3600"} {
		synctest.Test(t, func(t *testing.T) {
			c := withoutNetwork(t, returns(reply(http.StatusOK, enveloped(`[]`), "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset)))
			started := time.Now()
			for range 3 {
				if err := do(t.Context(), c, listBackups()); err != nil {
					t.Error(err)
				}
			}
			if took := time.Since(started); took != 0 {
				t.Errorf("reset %q: took %s", reset, took)
			}
		})
	}
}

func TestRequestedWait(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 500_000_000, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	unix := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).Unix(), 10) }
	for _, test := range []struct {
		name   string
		header []string
		want   time.Duration
	}{
		{"none", nil, 0},
		{"seconds", []string{"Retry-After", "7"}, 7 * time.Second},
		{"date", []string{"Retry-After", at(9 * time.Second)}, 8500 * time.Millisecond},
		{"date on a clock that is ahead", []string{"Retry-After", at(time.Hour + 9*time.Second), "Date", at(time.Hour)}, 9 * time.Second},
		{"date on a clock that is behind", []string{"Retry-After", at(9*time.Second - time.Hour), "Date", at(-time.Hour)}, 8 * time.Second},
		{"date on the same clock", []string{"Retry-After", at(9 * time.Second), "Date", at(0)}, 8500 * time.Millisecond},
		{"past date", []string{"Retry-After", at(-time.Minute)}, 0},
		{"Retry-After first", []string{"Retry-After", "3", "X-RateLimit-Reset", "30"}, 3 * time.Second},
		{"X-RateLimit-Reset", []string{"X-RateLimit-Reset", "5"}, 5 * time.Second},
		{"RateLimit-Reset", []string{"RateLimit-Reset", " 5 "}, 5 * time.Second},
		{"RateLimit", []string{"RateLimit", "limit=10, remaining=0, reset=5"}, 5 * time.Second},
		{"RateLimit with parameters", []string{"RateLimit", `"default";r=0;t=5`}, 5 * time.Second},
		{"Unix seconds", []string{"X-RateLimit-Reset", unix(20 * time.Second)}, 19500 * time.Millisecond},
		{"Unix milliseconds", []string{"X-RateLimit-Reset", strconv.FormatInt(now.Add(20*time.Second).UnixMilli(), 10)}, 20 * time.Second},
		{"past Unix seconds", []string{"X-RateLimit-Reset", unix(-20 * time.Second)}, 0},
		{"Unix seconds, other clock", []string{"X-RateLimit-Reset", unix(time.Hour + 20*time.Second), "Date", at(time.Hour)}, 20 * time.Second},
		{"nonsense", []string{"Retry-After", "soon", "RateLimit", "a=b;=,", "X-RateLimit-Reset", "NaN"}, 0},
		{"huge", []string{"Retry-After", "1e300"}, math.MaxInt64},
		{"negative", []string{"Retry-After", "-1"}, 0},
	} {
		header := reply(429, "", test.header...).header
		if got := requestedWait(header, now); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func FuzzRateLimitHeaders(f *testing.F) {
	for _, seed := range []string{"", "5", "1e300", "-1", "NaN", "Inf", "9223372036854775807", "1700000000", "1700000000000", "remaining=0, reset=5", `"a";r=0;t=9`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, name := range []string{"Retry-After", "X-RateLimit-Reset", "RateLimit", "Date"} {
			header := reply(429, "", name, value, "RateLimit-Remaining", "0").header
			if wait := requestedWait(header, time.Now()); wait < 0 {
				t.Errorf("%s: %s is a wait of %s", name, value, wait)
			}
			if wait := exhaustedFor(header, time.Now()); wait < 0 {
				t.Errorf("%s: %s is exhausted for %s", name, value, wait)
			}
		}
	})
}
