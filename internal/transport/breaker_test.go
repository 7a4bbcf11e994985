package transport

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// lasting returns the faults that an API or one of its operations may have for
// long.
func lasting() map[string]roundTripper {
	return map[string]roundTripper{
		"refused":         refused,
		"no response":     hangs,
		"500":             returns(500, ""),
		"503 for an hour": returns(503, "", "Retry-After", "3600"),
		"504 after 29 s":  after(29*time.Second, returns(504, "")),
		"429":             returns(429, ""),
		"429 for 1 s":     returns(429, "", "Retry-After", "1"),
		"429 for 59 s":    returns(429, "", "Retry-After", "59"),
		"429 for an hour": returns(429, "", "Retry-After", "3600"),
		"429 after 1 s":   after(time.Second, returns(429, "")),
		"cut response":    breaksOff,
	}
}

// TestOutageEndsARun: whatever fault an operation has, and wherever in a run it
// begins, 500 requests fail within two minutes. A 429 is reported as a rate limit.
// Other operations work, between the requests as well.
func TestOutageEndsARun(t *testing.T) {
	t.Parallel()
	for name, fault := range lasting() {
		for _, run := range []struct {
			healthy int
			reads   bool
		}{{0, false}, {300, false}, {0, true}} {
			virtual(t, fmt.Sprintf("%s, after %d, reads %t", name, run.healthy, run.reads), func(t *testing.T) {
				var writes atomic.Int64
				c := clientOf(t, func(r *http.Request) (*http.Response, error) {
					if r.Method == http.MethodGet || writes.Add(1) <= int64(run.healthy) {
						return after(100*time.Millisecond, success)(r)
					}
					return fault(r)
				}, retries(6))
				started := time.Now()
				errs := inParallel(run.healthy+500, 10, func(i int) error {
					if run.reads {
						if err := do(t.Context(), c, getPipe(objectID(i))); err != nil {
							t.Errorf("a read failed: %v", err)
						}
					}
					return do(t.Context(), c, scalePipe(objectID(i)))
				})
				checkTook(t, started, 0, 2*time.Minute)
				failed := 0
				for _, err := range errs {
					if err != nil {
						failed++
						if isRateLimit := asError(t, err).Status == http.StatusTooManyRequests; isRateLimit != strings.HasPrefix(name, "429") {
							t.Error(err)
						}
					}
				}
				if failed != 500 {
					t.Errorf("%d failed", failed)
				}
			})
		}
	}
}

// TestFaultyObjects: while some objects fail, however slowly, requests for the
// others succeed, also if only one is sent at a time. The others are
// retried.
func TestFaultyObjects(t *testing.T) {
	t.Parallel()
	check := func(name string, fault roundTripper, objects, parallel, n int, isFaulty func(i int) bool) {
		virtual(t, fmt.Sprintf("%s, %d at a time, %d retries", name, parallel, n), func(t *testing.T) {
			var attempted sync.Map // by path
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				_, again := attempted.LoadOrStore(r.URL.Path, true)
				i, _ := strconv.Atoi(strings.Split(r.URL.Path, "/")[7][24:])
				if isFaulty(i) || name == "others fail once" && !again {
					return fault(r)
				}
				return after(100*time.Millisecond, success)(r)
			}, retries(n))
			for i, err := range inParallel(objects, parallel, func(i int) error { return do(t.Context(), c, scalePipe(objectID(i))) }) {
				if (err != nil) != isFaulty(i) {
					t.Errorf("object %d: %v", i, err)
				}
			}
		})
	}
	soon := after(100*time.Millisecond, returns(500, ""))
	check("others fail once", soon, 100, 10, 3, func(i int) bool { return i == 0 })
	for _, parallel := range []int{1, 2, 10} {
		for name, fault := range lasting() {
			if !strings.HasPrefix(name, "429") { // no object has a rate limit of its own
				check(name, fault, 100, parallel, 6, func(i int) bool { return i == 4 })
			}
		}
		for _, n := range []int{0, 2, 6} {
			check("every third", soon, 300, parallel, n, func(i int) bool { return i%3 == 0 })
			check("the first 100", soon, 300, parallel, n, func(i int) bool { return i < 100 })
			check("100 in the middle", soon, 300, parallel, n, func(i int) bool { return i >= 100 && i < 200 })
		}
	}
}

// TestOpenBreaker: an open breaker lets one request through in 30 s, repeats the
// last failure to the others, and closes after a success.
func TestOpenBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		respond := returns(503, `{"error":"down for repairs","requestId":"r-1"}`)
		c := clientOf(t, func(r *http.Request) (*http.Response, error) {
			requests.Add(1)
			return respond(r)
		}, retries(6))
		fail := func() *Error { return asError(t, scale(t, c)) }
		_ = fail()
		time.Sleep(15 * time.Second)
		for range minFailures {
			if e := fail(); e.Message != "down for repairs" {
				t.Errorf("%+v", e)
			}
		}
		respond = after(time.Second, respond)
		for round := range 3 {
			requests.Store(0)
			if e := fail(); e.Message != "not sent, because this operation keeps failing: down for repairs" ||
				e.Status != 503 || e.RequestID != "r-1" || e.OutcomeUnknown || requests.Load() != 0 {
				t.Errorf("round %d: %+v", round, e)
			}
			putBack := scalePipe(pipeID)
			putBack.AfterStop = true
			if err := do(t.Context(), c, putBack); asError(t, err).attempts != 7 {
				t.Errorf("round %d: what must not be missing: %v", round, err)
			}
			requests.Store(0)
			time.Sleep(30 * time.Second)
			_ = inParallel(10, 10, func(int) error { return scale(t, c) })
			if n := requests.Load(); n != 1 {
				t.Errorf("round %d: %d requests", round, n)
			}
		}
		down := respond
		respond = success
		time.Sleep(30 * time.Second)
		succeed(t, c, 10, 1)
		respond = down
		for range minFailures {
			if e := fail(); e.Message != "down for repairs" {
				t.Errorf("not open again yet: %+v", e)
			}
		}
	})
}

// TestRetriesAfterAnOutage: after a request has failed despite its retries, later
// ones are not retried until one succeeds. A refusal is a success as well; that the
// API is not there is none.
func TestRetriesAfterAnOutage(t *testing.T) {
	t.Parallel()
	broken := returns(500, "")
	missing := fails(&net.DNSError{Err: "no such host", IsNotFound: true})
	for name, then := range map[string][]http.RoundTripper{
		"success": {success, broken, success}, "refusal": {returns(400, ""), broken, success}, "no such host": {missing, broken},
	} {
		virtual(t, name, func(t *testing.T) {
			c := clientOf(t, inOrder(t, append([]http.RoundTripper{broken, broken, broken}, then...)...), retries(1))
			for range 3 {
				_ = scale(t, c)
			}
			if err := scale(t, c); (err != nil) != (name == "no such host") {
				t.Error(err)
			}
		})
	}
}

// TestCallersRetry: the failure of a request that its caller repeats does not
// count until the budget is used up.
func TestCallersRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := returns(500, "")
		c := clientOf(t, inOrder(t, broken, broken, success, broken, broken, broken), retries(1))
		r := scalePipe(pipeID)
		r.Effect = NonIdempotent
		b := c.NewBudget()
		_, _ = c.Do(t.Context(), r, b)
		if err := scale(t, c); err != nil { // still retried
			t.Error(err)
		}
		_, _ = c.Do(t.Context(), r, b)
		if err := b.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		_, _ = c.Do(t.Context(), r, b)
		if err := b.Wait(t.Context()); err == nil {
			t.Error("a second retry")
		}
		if err := scale(t, c); err == nil { // no longer
			t.Error("no error")
		}
	})
}
