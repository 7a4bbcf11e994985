package mockapi

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Two requests in ten seconds, of which the second comes after 2.5 s: the headers of
// the second and of a refused one. The live tests also read what they announce.
func TestLimitRate(t *testing.T) {
	t.Parallel()
	accepted := map[RateLimitStyle]http.Header{
		RateLimitRemaining:   {"X-Ratelimit-Limit": {"2"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"8"}},
		RateLimitDraft:       {"Ratelimit-Limit": {"2"}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"8"}},
		RateLimitDraftField:  {"Ratelimit": {"limit=2, remaining=0, reset=8"}},
		RateLimitDraftPolicy: {"Ratelimit": {`"default";r=0;t=8`}, "Ratelimit-Policy": {`"default";q=2;w=10`}},
	}
	refused := map[RateLimitStyle]http.Header{
		RetryAfterSeconds:    {"Retry-After": {"8"}},
		RetryAfterDate:       {"Retry-After": {"Fri, 02 Jan 2026 03:04:16 GMT"}},
		RateLimitReset:       {"X-Ratelimit-Reset": {"8"}},
		RateLimitResetUnix:   {"X-Ratelimit-Reset": {"1767323056"}},
		RateLimitResetUnixMs: {"X-Ratelimit-Reset": {"1767323055500"}},
	}
	maps.Copy(refused, accepted) // those have the same headers
	for _, style := range RateLimitStyles() {
		now := time.Date(2026, 1, 2, 3, 4, 5, 500e6, time.UTC)
		s := New(WithClock(func() time.Time { return now }))
		expect := func(wait time.Duration, status int, header ...http.Header) {
			t.Helper()
			now = now.Add(wait)
			w := send(s, pipePath, "")
			if w.Code != status {
				t.Errorf("%s at %v: %d", style, now, w.Code)
			}
			for _, want := range header {
				for _, other := range []string{"Content-Type", "Content-Length", "Date"} {
					w.Header().Del(other)
				}
				if diff := cmp.Diff(want, w.Header()); len(want)+len(w.Header()) > 0 && diff != "" {
					t.Errorf("%s at %v (-want +got):\n%s", style, now, diff)
				}
			}
		}
		s.LimitRate(2, 10*time.Second, style)
		expect(0, 200)
		expect(2500*time.Millisecond, 200, accepted[style])
		expect(0, 429, refused[style])
		expect(7500*time.Millisecond-1, 429)
		expect(1, 200)
		s.LimitRate(0, 0, style)
		expect(0, 200, nil)
	}
}
