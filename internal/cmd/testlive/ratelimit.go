package main

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// limitPart returns a number of the RateLimit header, which has two forms:
// limit=10, remaining=0, reset=3 and "default";r=0;t=3.
func limitPart(header http.Header, names ...string) string {
	return fieldPart(header.Get("RateLimit"), names...)
}

func fieldPart(field string, names ...string) string {
	for _, part := range strings.FieldsFunc(field, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		if name, value, _ := strings.Cut(part, "="); slices.Contains(names, name) {
			return value
		}
	}
	return ""
}

// headerNames are those that can be about a rate limit.
var headerNames = regexp.MustCompile(`(?i)rate-?limit|^retry-after$`)

// rateLimit is what the run showed of the rate limit.
func rateLimit(r *run, _ *survey) finding {
	all := r.record.all()
	var names []string
	var refused, latest *exchange
	refusedAt, refusals := 0, 0
	var window time.Duration // the longest time to a reset that was announced
	for i, e := range all {
		for name := range e.header {
			if headerNames.MatchString(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		window = max(window, resetAfter(e))
		if e.status == http.StatusTooManyRequests {
			if refusals++; refused == nil {
				refused, refusedAt = e, i
			}
		}
		latest = e
	}
	if len(names) == 0 && refused == nil {
		return finding{why: fmt.Sprintf("none of %d requests was refused, and no header is about a rate limit", len(all))}
	}
	slices.Sort(names)
	seen := "headers: " + strings.Join(names, ", ")
	if len(names) == 0 {
		seen = "no headers"
	}
	style := limitStyle(latest, refused)
	requests := announced(latest.header)
	if refused != nil {
		seen += fmt.Sprintf("; %d of %d requests refused with 429, the first after %d", refusals, len(all), refusedAt)
		if requests == 0 {
			requests = max(1, refusedAt)
			window = max(time.Second, refused.at.Sub(all[0].at)+max(0, resetAfter(refused)))
		}
	}
	f := finding{seen: seen}
	if requests > 0 && style != "" {
		f.flags = append(f.flags, fmt.Sprintf("-rate %d/%ds -rate-headers %s", requests, max(1, int(math.Round(window.Seconds()))), style))
	}
	if refused != nil && strings.TrimSpace(string(refused.received)) == `{"error":"TOO_MANY_REQUESTS"}` {
		f.add("", "bare_429")
	}
	return f
}

// announced is the number of requests that headers allow; 0 without one.
func announced(header http.Header) int {
	for _, text := range []string{
		header.Get("X-RateLimit-Limit"), header.Get("RateLimit-Limit"), limitPart(header, "limit"), fieldPart(header.Get("RateLimit-Policy"), "q"),
	} {
		if number, err := strconv.Atoi(text); err == nil && number > 0 {
			return number
		}
	}
	return 0
}

// limitStyle names the headers as the mock API does.
func limitStyle(latest, refused *exchange) string {
	switch {
	case latest.header.Get("X-RateLimit-Remaining") != "":
		return "x-ratelimit-remaining"
	case latest.header.Get("RateLimit-Remaining") != "":
		return "ratelimit-remaining"
	case limitPart(latest.header, "r") != "":
		return "ratelimit-policy"
	case limitPart(latest.header, "remaining") != "":
		return "ratelimit"
	case refused == nil:
		return ""
	}
	if after := refused.header.Get("Retry-After"); after != "" {
		if _, err := strconv.Atoi(after); err != nil {
			return "retry-after-date"
		}
		return "retry-after"
	}
	reset, err := strconv.ParseInt(refused.header.Get("X-RateLimit-Reset"), 10, 64)
	switch {
	case err != nil:
		return "silent"
	case reset > unixMillis:
		return "x-ratelimit-reset-unixms"
	case reset > unixSeconds:
		return "x-ratelimit-reset-unix"
	}
	return "x-ratelimit-reset"
}
