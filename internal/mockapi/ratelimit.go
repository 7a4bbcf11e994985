package mockapi

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// RateLimitStyle is how headers show the rate limit.
type RateLimitStyle string

// The headers about a rate limit. Relative times are whole seconds, rounded up.
const (
	RetryAfterSeconds    RateLimitStyle = "retry-after"              // Retry-After: 3
	RetryAfterDate       RateLimitStyle = "retry-after-date"         // Retry-After: Fri, 02 Jan 2026 03:04:05 GMT
	RateLimitReset       RateLimitStyle = "x-ratelimit-reset"        // X-RateLimit-Reset: 3
	RateLimitResetUnix   RateLimitStyle = "x-ratelimit-reset-unix"   // X-RateLimit-Reset: 1767323045
	RateLimitResetUnixMs RateLimitStyle = "x-ratelimit-reset-unixms" // X-RateLimit-Reset: 1767323045000
	RateLimitSilent      RateLimitStyle = "silent"                   // none
	RateLimitRemaining   RateLimitStyle = "x-ratelimit-remaining"    // X-RateLimit-Limit, -Remaining and -Reset in every response
	RateLimitDraft       RateLimitStyle = "ratelimit-remaining"      // RateLimit-Limit, -Remaining and -Reset in every response
	RateLimitDraftField  RateLimitStyle = "ratelimit"                // RateLimit: limit=10, remaining=0, reset=3 in every response
	RateLimitDraftPolicy RateLimitStyle = "ratelimit-policy"         // RateLimit: "default";r=0;t=3 in every response
)

// RateLimitStyles are all styles.
func RateLimitStyles() []RateLimitStyle {
	return []RateLimitStyle{
		RetryAfterSeconds, RetryAfterDate, RateLimitReset, RateLimitResetUnix, RateLimitResetUnixMs, RateLimitSilent,
		RateLimitRemaining, RateLimitDraft, RateLimitDraftField, RateLimitDraftPolicy,
	}
}

// LimitRate accepts n requests in each window of length per, and refuses the
// others with 429. The first request of a window opens it. n = 0 lifts the
// limit.
func (s *Server) LimitRate(n int, per time.Duration, style RateLimitStyle) {
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	s.limiter.limit, s.limiter.per, s.limiter.style = n, per, style
	s.limiter.ends, s.limiter.taken = time.Time{}, 0
}

// limiter counts requests in windows of fixed length.
type limiter struct {
	mu    sync.Mutex
	limit int
	per   time.Duration
	style RateLimitStyle
	ends  time.Time // of the current window
	taken int       // in the current window
}

// take accepts one request or refuses it. The header is for its response.
func (l *limiter) take(now time.Time) (http.Header, *problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit == 0 {
		return nil, nil
	}
	if !now.Before(l.ends) {
		l.ends, l.taken = now.Add(l.per), 0
	}
	if l.taken < l.limit {
		l.taken++
		return l.header(now, false), nil
	}
	return l.header(now, true), refuse(http.StatusTooManyRequests, "more than %d requests in %v", l.limit, l.per)
}

// seconds is a duration in whole seconds, rounded up.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// header is the header of a response. Most styles have one only in a 429.
func (l *limiter) header(now time.Time, refused bool) http.Header {
	limit, remaining, reset := strconv.Itoa(l.limit), strconv.Itoa(l.limit-l.taken), seconds(l.ends.Sub(now))
	switch l.style {
	case RateLimitRemaining:
		return http.Header{"X-Ratelimit-Limit": {limit}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}}
	case RateLimitDraft:
		return http.Header{"Ratelimit-Limit": {limit}, "Ratelimit-Remaining": {remaining}, "Ratelimit-Reset": {reset}}
	case RateLimitDraftField:
		return http.Header{"Ratelimit": {fmt.Sprintf("limit=%s, remaining=%s, reset=%s", limit, remaining, reset)}}
	case RateLimitDraftPolicy:
		return http.Header{
			"Ratelimit":        {fmt.Sprintf(`"default";r=%s;t=%s`, remaining, reset)},
			"Ratelimit-Policy": {fmt.Sprintf(`"default";q=%s;w=%s`, limit, seconds(l.per))},
		}
	}
	if !refused {
		return nil
	}
	const roundUp = time.Second - time.Nanosecond
	switch l.style {
	case RetryAfterSeconds:
		return http.Header{"Retry-After": {reset}}
	case RetryAfterDate:
		return http.Header{"Retry-After": {l.ends.Add(roundUp).UTC().Format(http.TimeFormat)}}
	case RateLimitReset:
		return http.Header{"X-Ratelimit-Reset": {reset}}
	case RateLimitResetUnix:
		return http.Header{"X-Ratelimit-Reset": {strconv.FormatInt(l.ends.Add(roundUp).Unix(), 10)}}
	case RateLimitResetUnixMs:
		return http.Header{"X-Ratelimit-Reset": {strconv.FormatInt(l.ends.UnixMilli(), 10)}}
	}
	return nil
}
