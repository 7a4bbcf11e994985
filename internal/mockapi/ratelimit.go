package mockapi

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// RateLimitStyle is how headers show the rate limit.
type RateLimitStyle string

// The headers of a 429. Relative times are whole seconds, rounded up.
const (
	RetryAfterSeconds  RateLimitStyle = "retry-after"            // Retry-After: 3
	RetryAfterDate     RateLimitStyle = "retry-after-date"       // Retry-After: Fri, 02 Jan 2026 03:04:05 GMT
	RateLimitReset     RateLimitStyle = "x-ratelimit-reset"      // X-RateLimit-Reset: 3
	RateLimitResetUnix RateLimitStyle = "x-ratelimit-reset-unix" // X-RateLimit-Reset: 1767323045
	RateLimitSilent    RateLimitStyle = "silent"                 // none
)

// RateLimitStyles are all styles.
func RateLimitStyles() []RateLimitStyle {
	return []RateLimitStyle{RetryAfterSeconds, RetryAfterDate, RateLimitReset, RateLimitResetUnix, RateLimitSilent}
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
		return nil, nil
	}
	return l.header(now), refuse(http.StatusTooManyRequests, "more than %d requests in %v", l.limit, l.per)
}

// header is the header of a 429.
func (l *limiter) header(now time.Time) http.Header {
	const roundUp = time.Second - time.Nanosecond
	ends := l.ends.Add(roundUp)
	reset := strconv.Itoa(int(math.Ceil(l.ends.Sub(now).Seconds())))
	switch l.style {
	case RetryAfterSeconds:
		return http.Header{"Retry-After": {reset}}
	case RetryAfterDate:
		return http.Header{"Retry-After": {ends.UTC().Format(http.TimeFormat)}}
	case RateLimitReset:
		return http.Header{"X-Ratelimit-Reset": {reset}}
	case RateLimitResetUnix:
		return http.Header{"X-Ratelimit-Reset": {strconv.FormatInt(ends.Unix(), 10)}}
	}
	return nil
}
