package mockapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLimitRate(t *testing.T) {
	t.Parallel()
	type headers = map[string]string
	quota := func(prefix, remaining, reset string) headers {
		return headers{prefix + "-limit": "2", prefix + "-remaining": remaining, prefix + "-reset": reset}
	}
	styles := map[RateLimitStyle][3]headers{ // of the first and the last request of a window, and of a refused one
		RetryAfterSeconds:    {{}, {}, {"retry-after": "8"}},
		RetryAfterDate:       {{}, {}, {"retry-after": "Fri, 02 Jan 2026 03:04:16 GMT"}},
		RateLimitReset:       {{}, {}, {"x-ratelimit-reset": "8"}},
		RateLimitResetUnix:   {{}, {}, {"x-ratelimit-reset": "1767323056"}},
		RateLimitResetUnixMs: {{}, {}, {"x-ratelimit-reset": "1767323055500"}},
		RateLimitSilent:      {{}, {}, {}},
		RateLimitRemaining:   {quota("x-ratelimit", "1", "10"), quota("x-ratelimit", "0", "8"), quota("x-ratelimit", "0", "8")},
		RateLimitDraft:       {quota("ratelimit", "1", "10"), quota("ratelimit", "0", "8"), quota("ratelimit", "0", "8")},
		RateLimitDraftField: {
			{"ratelimit": "limit=2, remaining=1, reset=10"}, {"ratelimit": "limit=2, remaining=0, reset=8"}, {"ratelimit": "limit=2, remaining=0, reset=8"},
		},
		RateLimitDraftPolicy: {
			{"ratelimit": `"default";r=1;t=10`, "ratelimit-policy": `"default";q=2;w=10`},
			{"ratelimit": `"default";r=0;t=8`, "ratelimit-policy": `"default";q=2;w=10`},
			{"ratelimit": `"default";r=0;t=8`, "ratelimit-policy": `"default";q=2;w=10`},
		},
	}
	if len(RateLimitStyles()) != len(styles) {
		t.Errorf("%v", RateLimitStyles())
	}
	for _, style := range RateLimitStyles() {
		t.Run(string(style), func(t *testing.T) {
			t.Parallel()
			now := time.Date(2026, 1, 2, 3, 4, 5, 500e6, time.UTC)
			s := New(WithClock(func() time.Time { return now }))
			s.LimitRate(2, 10*time.Second, style)
			first, last, refused := styles[style][0], styles[style][1], styles[style][2]
			for _, step := range []struct {
				wait   time.Duration
				status int
				want   headers
			}{
				{0, 200, first},
				{2500 * time.Millisecond, 200, last},
				{0, 429, refused},
				{7500*time.Millisecond - 1, 429, nil},
				{1, 200, first},
				{0, 200, nil},
				{0, 429, nil},
			} {
				now = now.Add(step.wait)
				w := send(s, pipePath, "")
				if diff := cmp.Diff(step.want, limitHeaders(w.Header())); w.Code != step.status || step.want != nil && diff != "" {
					t.Errorf("at %v: %d, want %d (-want +got):\n%s", now, w.Code, step.status, diff)
				}
			}
			s.LimitRate(0, 0, style)
			if w := send(s, pipePath, ""); w.Code != 200 || len(limitHeaders(w.Header())) > 0 {
				t.Errorf("without a limit: %d %v", w.Code, w.Header())
			}
		})
	}
}

// limitHeaders is the part of a header that is about the rate limit.
func limitHeaders(header http.Header) map[string]string {
	found := map[string]string{}
	for name := range header {
		if lower := strings.ToLower(name); strings.Contains(lower, "ratelimit") || lower == "retry-after" {
			found[lower] = header.Get(name)
		}
	}
	return found
}

// The Date of a response is the clock's, so that a client can compare a date
// in Retry-After with it.
func TestDate(t *testing.T) {
	t.Parallel()
	s := New(WithClock(func() time.Time { return time.Date(2031, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)) }))
	s.LimitRate(1, 5*time.Second, RetryAfterDate)
	for i, retryAfter := range []string{"", "Thu, 02 Jan 2031 02:04:10 GMT"} {
		header := send(s, pipePath, "").Header()
		if header.Get("Date") != "Thu, 02 Jan 2031 02:04:05 GMT" || header.Get("Retry-After") != retryAfter {
			t.Errorf("request %d: %v", i, header)
		}
	}
}
