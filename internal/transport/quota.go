package transport

import (
	"math"
	"time"
)

// exploreEvery is how often the client asks for more than its quota: the limit
// may have become higher, or others may have had a share of what it was learned
// from.
const exploreEvery = 30 * time.Second

const unlimited = math.MaxInt

// A window is the time from when the API takes requests to when it takes no
// more.
type window struct {
	opened   time.Time // when the first request went
	moved    time.Time // when the last answer came, or it was opened
	sent     int       // requests
	refused  int       // of these, with a 429
	inFlight int       // of these, not answered yet
	closed   bool      // by a refusal: the next request begins another window
	explores bool      // it goes on past the quota, to find out how high that is
	quota    int       // that was known when it was opened
}

// granted is how many requests the API took.
func (w *window) granted() int { return w.sent - w.refused }

// A quota is what is known of the API's rate limit: how many requests it takes
// in a window, and how long one is.
type quota struct {
	exists   bool          // there has been a refusal
	n        int           // 0: not known
	period   time.Duration // 0: not known
	learned  time.Time     // when the window began that n was learned from; zero once the period is known
	explored time.Time     // when that was last done
}

// learn draws the lesson of a window that is over. One in which nothing was
// granted never began, and one that asked for no more than its quota holds none.
// One that got more, for all of its time, shows that there is no such limit.
func (q *quota) learn(w *window, now time.Time) {
	n := w.granted()
	switch {
	case n == 0, w.refused == 0 && n <= w.quota:
		return
	case w.refused == 0:
		*q = quota{}
		return
	}
	if n != q.n {
		*q = quota{exists: true, n: n} // to be explored at once
	} else if w.explores {
		q.explored = now
	}
	q.learned = w.opened
}

// isDue reports whether a window that opens now is to find out more.
func (q *quota) isDue(now time.Time) bool { return now.Sub(q.explored) >= exploreEvery }

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

// isKnown reports whether there is enough to go by. A period that is longer than
// the API may ask to wait is none: it is how long nobody met the limit.
func (q *quota) isKnown() bool { return q.n > 0 && q.period > 0 && q.period <= longestWait }

// isExhausted reports whether a window has had all that it is granted.
func (q *quota) isExhausted(w *window) bool { return q.isKnown() && w.granted() >= q.n }

// isOver reports whether the time of a window has passed. One that explores
// goes on until it has asked for more than the quota.
func (q *quota) isOver(w *window, now time.Time) bool {
	return q.isKnown() && !now.Before(q.renewal(w)) && (!w.explores || w.granted() > w.quota)
}

// renewal is when a window's time is over: a little later than it was learned,
// because a request that comes too early costs more than that.
func (q *quota) renewal(w *window) time.Time {
	return w.opened.Add(q.period + q.period/100)
}
