package mockapi

import (
	"fmt"
	"testing"
	"time"
)

// Two requests in ten seconds, of which the second comes after 2.5 s: the header of
// the next one, which is refused, and of the second.
func TestLimitRate(t *testing.T) {
	t.Parallel()
	for style, want := range map[RateLimitStyle]struct {
		in2nd  bool
		header string
	}{
		RetryAfterSeconds:    {false, "map[Retry-After:[8]]"},
		RetryAfterDate:       {false, "map[Retry-After:[Fri, 02 Jan 2026 03:04:16 GMT]]"},
		RateLimitReset:       {false, "map[X-Ratelimit-Reset:[8]]"},
		RateLimitResetUnix:   {false, "map[X-Ratelimit-Reset:[1767323056]]"},
		RateLimitResetUnixMs: {false, "map[X-Ratelimit-Reset:[1767323055500]]"},
		RateLimitSilent:      {false, "map[]"},
		RateLimitRemaining:   {true, "map[X-Ratelimit-Limit:[2] X-Ratelimit-Remaining:[0] X-Ratelimit-Reset:[8]]"},
		RateLimitDraft:       {true, "map[Ratelimit-Limit:[2] Ratelimit-Remaining:[0] Ratelimit-Reset:[8]]"},
		RateLimitDraftField:  {true, "map[Ratelimit:[limit=2, remaining=0, reset=8]]"},
		RateLimitDraftPolicy: {true, `map[Ratelimit:["default";r=0;t=8] Ratelimit-Policy:["default";q=2;w=10]]`},
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
			isShown := i == 2 || i == 1 && want.in2nd
			if got := fmt.Sprint(w.Header()); w.Code != step.status || isShown && got != want.header || i == 1 && !isShown && got != "map[]" {
				t.Errorf("%s, request %d: %d %s", style, i+1, w.Code, got)
			}
		}
	}
}
