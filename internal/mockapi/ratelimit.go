package mockapi

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// RateLimitStyle is how a 429 says when to come back.
type RateLimitStyle string

// The ways in which a 429 says when to come back. All of them are whole
// seconds, rounded up.
const (
	RetryAfterSeconds RateLimitStyle = "retry-after"       // Retry-After: 3
	RetryAfterDate    RateLimitStyle = "retry-after-date"  // Retry-After: Fri, 02 Jan 2026 03:04:05 GMT
	RateLimitReset    RateLimitStyle = "x-ratelimit-reset" // X-RateLimit-Reset: 3
	RateLimitSilent   RateLimitStyle = "silent"            // not at all
)

// LimitRate lets n requests pass in each window of length per, and answers the
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
	ends  time.Time // of the present window
	taken int       // in the present window
}

// take lets one request pass, or refuses it.
func (l *limiter) take(now time.Time) *problem {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit == 0 {
		return nil
	}
	if !now.Before(l.ends) {
		l.ends, l.taken = now.Add(l.per), 0
	}
	if l.taken < l.limit {
		l.taken++
		return nil
	}
	refusal := refuse(http.StatusTooManyRequests, "more than %d requests in %v", l.limit, l.per)
	refusal.header = l.header(l.ends.Sub(now), l.ends)
	return refusal
}

func (l *limiter) header(left time.Duration, ends time.Time) http.Header {
	seconds := strconv.Itoa(int(math.Ceil(left.Seconds())))
	switch l.style {
	case RetryAfterSeconds:
		return http.Header{"Retry-After": {seconds}}
	case RetryAfterDate:
		date := ends.Add(time.Second - time.Nanosecond).UTC()
		return http.Header{"Retry-After": {date.Format(http.TimeFormat)}}
	case RateLimitReset:
		return http.Header{"X-Ratelimit-Reset": {seconds}}
	}
	return nil
}
