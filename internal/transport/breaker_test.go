package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"slices"
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
// begins, 500 requests fail in little more than two minutes, or with 429s in six and a half. A
// 429 is reported as a rate limit. Other operations work, between the requests as well.
func TestOutageEndsARun(t *testing.T) {
	t.Parallel()
	for name, fault := range lasting() {
		for _, run := range []struct {
			healthy int
			reads   bool
		}{{300, false}, {0, true}} {
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
				most := 130 * time.Second
				if strings.HasPrefix(name, "429") {
					most = 6*time.Minute + 30*time.Second
				}
				checkTook(t, started, 0, most)
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
	for _, parallel := range []int{1, 2, 10} {
		check("others fail once", soon, 100, parallel, 6, func(i int) bool { return i%20 == 0 })
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

// TestShortOutages: if the API recovers after a minute, hardly any of 1,000 objects have
// failed, and if it recovers after 90 s, only those that were sent in the meantime.
func TestShortOutages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault roundTripper
		lasts time.Duration
		most  int // of 1,000
	}{
		"refused for 1 min":     {refused, time.Minute, 3},
		"503 for 1 min":         {returns(503, ""), time.Minute, 3},
		"503 after 5 s":         {after(5*time.Second, returns(503, "")), time.Minute, 10},
		"no response for 1 min": {hangs, time.Minute, 10},
		"no response for 90 s":  {hangs, 90 * time.Second, 20},
		"slow 503 for 90 s":     {after(5*time.Second, returns(503, "")), 90 * time.Second, 80},
	} {
		for _, begin := range []time.Duration{0, 3 * time.Second} {
			if begin == 0 && strings.HasPrefix(name, "refused") {
				continue // it would be a wrong address
			}
			virtual(t, fmt.Sprintf("%s, from %s on", name, begin), func(t *testing.T) {
				started := time.Now()
				c := clientOf(t, func(r *http.Request) (*http.Response, error) {
					if at := time.Since(started); at < begin || at >= begin+test.lasts {
						return after(100*time.Millisecond, success)(r)
					}
					return test.fault(r)
				}, retries(12))
				errs := inParallel(1000, 10, func(i int) error { return do(t.Context(), c, scalePipe(objectID(i))) })
				if failed := slices.DeleteFunc(errs, func(err error) bool { return err == nil }); len(failed) > test.most {
					t.Errorf("%d failed, such as with %v", len(failed), failed[len(failed)-1])
				}
			})
		}
	}
}

// TestOutage: requests of an operation that fails are first not retried and then not
// sent, until one succeeds. A refusal is a success as well; that the API is not there
// is none.
func TestOutage(t *testing.T) {
	t.Parallel()
	down := returns(503, `{"error":"down","requestId":"r-1"}`)
	for name, test := range map[string]struct {
		recovers roundTripper
		ends     bool
	}{
		"success": {success, true}, "refusal": {returns(400, ""), true}, "other outage": {returns(500, ""), false},
		"no such host": {fails(&net.DNSError{Err: "no such host", IsNotFound: true}), false},
	} {
		virtual(t, name, func(t *testing.T) {
			requests, respond := 0, down
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				requests++
				return respond(r)
			}, retries(1))
			check := func(want int, reason string) {
				t.Helper()
				requests = 0
				e := asError(t, scale(t, c))
				if requests != want || e.Reason() != reason || e.Message != "down" || e.Status != 503 || e.RequestID != "r-1" || e.OutcomeUnknown != (want > 0) {
					t.Errorf("%d requests, want %d: %+v", requests, want, e)
				}
			}
			const fails, notSent = "service unavailable (503)", "service unavailable (503)"
			for range minFailures {
				check(2, fails)
			}
			check(1, fails)
			respond = test.recovers
			_ = scale(t, c)
			respond = down
			if test.ends {
				for range minFailures {
					check(2, fails)
				}
			}
			time.Sleep(49 * time.Second)
			check(1, fails)
			time.Sleep(time.Second)
			check(1, fails)
			check(0, notSent)
			time.Sleep(time.Hour)
			check(0, notSent)
			interrupted, interrupt := context.WithCancel(t.Context())
			interrupt()
			if e := asError(t, do(interrupted, c, scalePipe(pipeID))); !errors.Is(e, context.Canceled) || e.Message != "not sent" {
				t.Errorf("an interrupt in an outage: %v", e)
			}
		})
	}
}

// TestWrongPort: until the API has responded once, what gets no response is tried five times.
func TestWrongPort(t *testing.T) {
	t.Parallel()
	slow := fails(&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded})
	noNames := fails(&net.OpError{Op: "dial", Err: &net.DNSError{Err: "connection refused", IsTemporary: true}})
	refusedByProxy := fails(&net.OpError{Op: "proxyconnect", Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}})
	for name, test := range map[string]struct {
		first, then roundTripper
		least, most time.Duration
	}{
		"at first": {refused, refused, 4 * time.Second, 12 * time.Second},
		"by proxy": {refusedByProxy, refusedByProxy, 4 * time.Second, 12 * time.Second},
		"later":    {success, refused, 55 * time.Second, 75 * time.Second},
		"an error": {returns(403, ""), refused, 55 * time.Second, 75 * time.Second},
		"slow":     {slow, slow, 4 * time.Second, 12 * time.Second},
		"no names": {noNames, noNames, 4 * time.Second, 12 * time.Second},
	} {
		virtual(t, name, func(t *testing.T) {
			sent := 0
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				if sent++; sent == 1 {
					return test.first(r)
				}
				return test.then(r)
			}, retries(12))
			started := time.Now()
			err := read(t, c)
			if sent == 1 {
				err = read(t, c)
			}
			if !strings.Contains(fmt.Sprint(err), "connection refused") && name != "slow" {
				t.Error(err)
			}
			checkTook(t, started, test.least, test.most)
		})
	}
}

// TestLookUpsThatFail: an update that cannot find out what its last attempt did counts as one
// failed request.
func TestLookUpsThatFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := clientOf(t, func(r *http.Request) (*http.Response, error) {
			requests++
			httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
			return hangs(r)
		}, retries(12))
		r := scalePipe(pipeID)
		r.Settle = func(context.Context) (bool, error) { return false, errors.New("hidden") }
		started := time.Now()
		for range 50 {
			if err := do(t.Context(), c, r); err == nil {
				t.Error("no error")
			}
		}
		// Three fail in 30 s each, and their pauses; 50 s later, no more are sent.
		checkTook(t, started, 140*time.Second, 160*time.Second)
		if requests != 5 {
			t.Errorf("%d requests", requests)
		}
	})
}
