package provider

import (
	"strings"
	"time"
)

// canonicalInstant is the same for all notations of an instant.
func canonicalInstant(text string) string {
	if at, ok := instant(text); ok {
		return at.UTC().Format(time.RFC3339Nano)
	}
	return text
}

// instantLayouts are notations of ISO 8601. time.Parse accepts fractions in each of them.
var instantLayouts = []string{
	time.RFC3339,
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	time.DateOnly,
}

// isNoTime reports whether a timestamp is one that some platforms store for no time at all: the beginning of the
// year 1, in any time zone, or of 1970.
func isNoTime(s string) bool {
	at, ok := instant(s)
	return ok && (at.Sub(time.Time{}).Abs() < 24*time.Hour || at.Unix() == 0)
}

// instant reads a timestamp leniently. One without an offset is taken as UTC.
func instant(s string) (time.Time, bool) {
	s = strings.ToUpper(s) // RFC 3339 also allows "t" and "z"
	for _, layout := range instantLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
