package transport

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// requestedWait returns how long a 429 or 503 asks to wait; 0 if it does not.
// Retry-After counts before the headers that name a reset.
func requestedWait(header http.Header, now time.Time) time.Duration {
	after := header.Get("Retry-After")
	if date, err := http.ParseTime(after); err == nil {
		return max(date.Sub(serverTime(header, now)), 0)
	}
	if wait := seconds(after); wait > 0 {
		return wait
	}
	_, reset := rateLimit(header)
	return untilReset(reset, serverTime(header, now))
}

// exhaustedFor returns how long the API accepts no more requests; 0 if it does
// not say that none remain.
func exhaustedFor(header http.Header, now time.Time) time.Duration {
	remaining, reset := rateLimit(header)
	if n, err := strconv.Atoi(remaining); err != nil || n > 0 {
		return 0
	}
	return untilReset(reset, serverTime(header, now))
}

// rateLimit returns the number of requests that remain and when the limit is
// reset, from X-RateLimit-*, RateLimit-*, or RateLimit in the forms of the IETF
// draft: `limit=10, remaining=0, reset=5` and `"default";r=0;t=5`.
func rateLimit(header http.Header) (remaining, reset string) {
	fields := map[string]string{}
	separator := func(r rune) bool { return r == ',' || r == ';' || r == ' ' }
	for _, field := range strings.FieldsFunc(header.Get("RateLimit"), separator) {
		if name, value, ok := strings.Cut(field, "="); ok {
			fields[strings.ToLower(name)] = value
		}
	}
	first := func(values ...string) string {
		for _, value := range values {
			if value != "" {
				return strings.TrimSpace(value)
			}
		}
		return ""
	}
	return first(header.Get("X-RateLimit-Remaining"), header.Get("RateLimit-Remaining"), fields["remaining"], fields["r"]),
		first(header.Get("X-RateLimit-Reset"), header.Get("RateLimit-Reset"), fields["reset"], fields["t"])
}

// untilReset reads a reset in seconds, or as a Unix time in seconds or
// milliseconds.
func untilReset(reset string, now time.Time) time.Duration {
	// Durations are below 3 years (1e8 s), Unix seconds below the year 5138
	// (1e11), and Unix milliseconds above.
	const unixSeconds, unixMilliseconds = 1e8, 1e11
	n, err := strconv.ParseFloat(reset, 64)
	switch {
	case err != nil:
		return 0
	case n >= unixMilliseconds && n < math.MaxInt64:
		return max(time.UnixMilli(int64(n)).Sub(now), 0)
	case n >= unixSeconds && n < math.MaxInt64:
		return max(time.Unix(int64(n), 0).Sub(now), 0)
	}
	return seconds(reset)
}

// serverTime returns the time of the server's clock: now, moved into the second
// that the response's Date names.
func serverTime(header http.Header, now time.Time) time.Time {
	date, err := http.ParseTime(header.Get("Date"))
	switch {
	case err != nil:
		return now
	case now.Before(date):
		return date
	case now.After(date.Add(time.Second)):
		return date.Add(time.Second)
	}
	return now
}

// seconds reads a number of seconds; 0 for anything else, and the longest
// duration if it does not fit.
func seconds(s string) time.Duration {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) {
		return 0
	}
	if n >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(n * float64(time.Second))
}
