package mockapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Two requests in ten seconds: the headers of the first and the last that are
// accepted and of a refused one.
func TestLimitRate(t *testing.T) {
	t.Parallel()
	type headers = map[string]string
	quota := func(prefix, remaining, reset string) headers {
		return headers{prefix + "-limit": "2", prefix + "-remaining": remaining, prefix + "-reset": reset}
	}
	draft := func(value string) headers {
		return headers{"ratelimit": `"default";` + value, "ratelimit-policy": `"default";q=2;w=10`}
	}
	styles := map[RateLimitStyle][3]headers{
		RetryAfterSeconds:    {{}, {}, {"retry-after": "8"}},
		RetryAfterDate:       {{}, {}, {"retry-after": "Fri, 02 Jan 2026 03:04:16 GMT"}},
		RateLimitReset:       {{}, {}, {"x-ratelimit-reset": "8"}},
		RateLimitResetUnix:   {{}, {}, {"x-ratelimit-reset": "1767323056"}},
		RateLimitResetUnixMs: {{}, {}, {"x-ratelimit-reset": "1767323055500"}},
		RateLimitSilent:      {{}, {}, {}},
		RateLimitRemaining:   {quota("x-ratelimit", "1", "10"), quota("x-ratelimit", "0", "8"), quota("x-ratelimit", "0", "8")},
		RateLimitDraft:       {quota("ratelimit", "1", "10"), quota("ratelimit", "0", "8"), quota("ratelimit", "0", "8")},
		RateLimitDraftField:  {{"ratelimit": "limit=2, remaining=1, reset=10"}, {"ratelimit": "limit=2, remaining=0, reset=8"}, {"ratelimit": "limit=2, remaining=0, reset=8"}},
		RateLimitDraftPolicy: {draft("r=1;t=10"), draft("r=0;t=8"), draft("r=0;t=8")},
	}
	for _, style := range RateLimitStyles() {
		now := time.Date(2026, 1, 2, 3, 4, 5, 500e6, time.UTC)
		s := New(WithClock(func() time.Time { return now }))
		s.LimitRate(2, 10*time.Second, style)
		for _, step := range []struct {
			wait   time.Duration
			status int
			want   headers
		}{
			{0, 200, styles[style][0]},
			{2500 * time.Millisecond, 200, styles[style][1]},
			{0, 429, styles[style][2]},
			{7500*time.Millisecond - 1, 429, nil},
			{1, 200, styles[style][0]},
			{0, 200, nil},
			{0, 429, nil},
		} {
			now = now.Add(step.wait)
			w := send(s, pipePath, "")
			if diff := cmp.Diff(step.want, limitHeaders(w.Header())); w.Code != step.status || step.want != nil && diff != "" {
				t.Errorf("%s at %v: %d, want %d (-want +got):\n%s", style, now, w.Code, step.status, diff)
			}
			if date := w.Header().Get("Date"); date != now.Format(http.TimeFormat) {
				t.Errorf("Date %s", date)
			}
		}
		s.LimitRate(0, 0, style)
		if w := send(s, pipePath, ""); w.Code != 200 || len(limitHeaders(w.Header())) > 0 {
			t.Errorf("%s without a limit: %d %v", style, w.Code, w.Header())
		}
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
