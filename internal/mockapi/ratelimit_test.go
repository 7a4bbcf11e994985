package mockapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// limited is what of a response's header is about the rate limit.
func limited(header http.Header) map[string]string {
	found := map[string]string{}
	for name := range header {
		if lower := strings.ToLower(name); strings.Contains(lower, "ratelimit") || lower == "retry-after" {
			found[lower] = header.Get(name)
		}
	}
	return found
}

func TestLimitRate(t *testing.T) {
	t.Parallel()
	type headers = map[string]string
	draft := func(remaining, reset string) headers {
		return headers{"ratelimit-limit": "2", "ratelimit-remaining": remaining, "ratelimit-reset": reset}
	}
	common := func(remaining, reset string) headers {
		return headers{"x-ratelimit-limit": "2", "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset}
	}
	for style, want := range map[RateLimitStyle][3]headers{ // the first, the last of a window, a refused request
		RetryAfterSeconds:    {{}, {}, {"retry-after": "8"}},
		RetryAfterDate:       {{}, {}, {"retry-after": "Fri, 02 Jan 2026 03:04:16 GMT"}},
		RateLimitReset:       {{}, {}, {"x-ratelimit-reset": "8"}},
		RateLimitResetUnix:   {{}, {}, {"x-ratelimit-reset": "1767323056"}},
		RateLimitResetUnixMs: {{}, {}, {"x-ratelimit-reset": "1767323055500"}},
		RateLimitSilent:      {{}, {}, {}},
		RateLimitRemaining:   {common("1", "10"), common("0", "8"), common("0", "8")},
		RateLimitDraft:       {draft("1", "10"), draft("0", "8"), draft("0", "8")},
		RateLimitDraftField: {
			{"ratelimit": "limit=2, remaining=1, reset=10"},
			{"ratelimit": "limit=2, remaining=0, reset=8"},
			{"ratelimit": "limit=2, remaining=0, reset=8"},
		},
		RateLimitDraftPolicy: {
			{"ratelimit": `"default";r=1;t=10`, "ratelimit-policy": `"default";q=2;w=10`},
			{"ratelimit": `"default";r=0;t=8`, "ratelimit-policy": `"default";q=2;w=10`},
			{"ratelimit": `"default";r=0;t=8`, "ratelimit-policy": `"default";q=2;w=10`},
		},
	} {
		t.Run(string(style), func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 1, 2, 3, 4, 5, 500e6, time.UTC)
			s := New(WithClock(func() time.Time { return now }))
			s.LimitRate(2, 10*time.Second, style)
			get := func(want int) http.Header {
				t.Helper()
				w := send(s, "GET", pipePath, "")
				if w.Code != want {
					t.Errorf("at %v: %d, want %d", now, w.Code, want)
				}
				return w.Header()
			}
			expect := func(header http.Header, want headers) {
				t.Helper()
				if diff := cmp.Diff(want, limited(header)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			expect(get(200), want[0])
			now = now.Add(2500 * time.Millisecond)
			expect(get(200), want[1])
			expect(get(429), want[2])
			now = now.Add(7500*time.Millisecond - 1)
			get(429)
			now = now.Add(1)
			expect(get(200), want[0])
			get(200)
			get(429)
			s.LimitRate(0, 0, style)
			expect(get(200), headers{})
		})
	}
	if len(RateLimitStyles()) != 10 {
		t.Errorf("%v", RateLimitStyles())
	}
}

// The Date of a response is the clock's, so that a client can compare a date
// in Retry-After with it.
func TestDate(t *testing.T) {
	t.Parallel()
	s := New(WithClock(func() time.Time { return time.Date(2031, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)) }))
	s.LimitRate(1, 5*time.Second, RetryAfterDate)
	for _, status := range []int{200, 429} {
		w := send(s, "GET", pipePath, "")
		if got := w.Header().Get("Date"); w.Code != status || got != "Thu, 02 Jan 2031 02:04:05 GMT" {
			t.Errorf("%d: Date %s", w.Code, got)
		}
		if got := w.Header().Get("Retry-After"); status == 429 && got != "Thu, 02 Jan 2031 02:04:10 GMT" {
			t.Errorf("Retry-After %s", got)
		}
	}
}
