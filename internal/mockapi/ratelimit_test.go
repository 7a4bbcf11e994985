package mockapi

import (
	"fmt"
	"testing"
	"time"
)

// Two requests in ten seconds, of which the second comes after 2.5 s: the header of the next
// one, which is refused.
func TestLimitRate(t *testing.T) {
	t.Parallel()
	for style, want := range map[RateLimitStyle]string{
		RetryAfterSeconds:  "map[Retry-After:[8]]",
		RetryAfterDate:     "map[Retry-After:[Fri, 02 Jan 2026 03:04:16 GMT]]",
		RateLimitReset:     "map[X-Ratelimit-Reset:[8]]",
		RateLimitResetUnix: "map[X-Ratelimit-Reset:[1767323056]]",
		RateLimitSilent:    "map[]",
	} {
		now := time.Date(2026, 1, 2, 3, 4, 5, 500e6, time.UTC)
		s := New(WithClock(func() time.Time { return now }))
		s.LimitRate(2, 10*time.Second, style)
		for i, step := range []struct {
			wait   time.Duration
			status int
		}{{0, 200}, {2500 * time.Millisecond, 200}, {0, 429}, {7500*time.Millisecond - 1, 429}, {1, 200}} {
			now = now.Add(step.wait)
			w := send(s, pipePath, "")
			for _, other := range []string{"Content-Type", "Content-Length", "Date"} {
				w.Header().Del(other)
			}
			if got := fmt.Sprint(w.Header()); w.Code != step.status || i == 1 && got != "map[]" || i == 2 && got != want {
				t.Errorf("%s, request %d: %d %s", style, i+1, w.Code, got)
			}
		}
		object(t, s, pipePath, "")
		s.LimitRate(2, 10*time.Second, style) // opens a new window
		object(t, s, pipePath, "")
	}
}
