package api

import (
	"math"
	"time"
)

// exploreAfter is after how many requests the client once asks for more than its
// quota: the limit may have become higher, or others may have had a share of
// what it was learned from.
const exploreAfter = 64

const unlimited = math.MaxInt

// A window is the time from when the API takes requests to when it takes no
// more.
type window struct {
	opened   time.Time // when the first request went
	moved    time.Time // when the last request went, or was answered
	sent     int       // requests
	refused  int       // of these, with a 429
	passed   int       // of these, answered otherwise
	inFlight int       // of these, not answered yet
	closed   bool      // the next request begins another window
	explores bool      // it goes on past the quota, to find out how high that is
}

// granted is how many requests the API took.
func (w *window) granted() int { return w.sent - w.refused }

// A quota is what is known of the API's rate limit: how many requests it takes
// in a window, and how long one is.
type quota struct {
	exists  bool          // there has been a refusal
	n       int           // 0: not known
	period  time.Duration // 0: not known
	learned time.Time     // when the window began that n was learned from; zero once the period is known
	trust   int           // how many requests may go before it is explored again
}

// learn draws the lesson of a window that is over. One that ended without a
// refusal holds none, and one in which nothing was granted never began.
func (q *quota) learn(w *window) {
	n := w.granted()
	q.trust -= n
	if w.explores {
		q.trust = exploreAfter
	}
	if w.refused == 0 || n == 0 {
		return
	}
	if n != q.n {
		*q = quota{exists: true, n: n}
	}
	q.learned = w.opened
}

// isDue reports whether the next window is to find out more.
func (q *quota) isDue() bool { return q.trust <= 0 }

// passed notes an answer. The first of a window shows that the one before has
// ended when it began, and one past the quota that there is more to be had.
func (q *quota) passed(w *window) {
	if !q.learned.IsZero() && w.opened.After(q.learned) {
		q.period = w.opened.Sub(q.learned)
		q.learned = time.Time{}
	}
	if q.n > 0 && w.granted() > q.n {
		q.n += max(q.n/4, 1)
	}
}

// isKnown reports whether there is enough to go by.
func (q *quota) isKnown() bool { return q.n > 0 && q.period > 0 }

// isExhausted reports whether a window has had all that it is granted.
func (q *quota) isExhausted(w *window) bool { return q.isKnown() && w.granted() >= q.n }

// isOver reports whether the time of a window has passed.
func (q *quota) isOver(w *window, now time.Time) bool {
	return q.isKnown() && !now.Before(q.renewal(w))
}

// renewal is when a window's time is over: a little later than it was learned,
// because a request that comes too early costs more than that.
func (q *quota) renewal(w *window) time.Time {
	return w.opened.Add(q.period + q.period/100)
}
