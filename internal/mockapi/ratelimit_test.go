package mockapi

import (
	"testing"
	"time"
)

func TestLimitRate(t *testing.T) {
	t.Parallel()
	for style, want := range map[RateLimitStyle]struct{ name, value string }{
		RetryAfterSeconds: {"Retry-After", "8"},
		RetryAfterDate:    {"Retry-After", "Fri, 02 Jan 2026 03:04:16 GMT"},
		RateLimitReset:    {"X-RateLimit-Reset", "8"},
		RateLimitSilent:   {},
	} {
		now := time.Date(2026, 1, 2, 3, 4, 5, 500e6, time.UTC)
		s := New(WithClock(func() time.Time { return now }))
		s.LimitRate(2, 10*time.Second, style)
		get := func(want int) (header func(string) string) {
			t.Helper()
			w := send(s, "GET", pipePath, "")
			if w.Code != want {
				t.Errorf("%s: at %v: %d, want %d", style, now, w.Code, want)
			}
			return w.Header().Get
		}
		get(200)
		now = now.Add(2500 * time.Millisecond)
		get(200)
		header := get(429)
		for _, name := range []string{"Retry-After", "X-RateLimit-Reset"} {
			expected := ""
			if name == want.name {
				expected = want.value
			}
			if got := header(name); got != expected {
				t.Errorf("%s: %s %q, want %q", style, name, got, expected)
			}
		}
		now = now.Add(7500*time.Millisecond - 1)
		get(429)
		now = now.Add(1)
		get(200)
		get(200)
		get(429)
		s.LimitRate(0, 0, style)
		get(200)
	}
}
