package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTransientFailuresAreRetried(t *testing.T) {
	t.Parallel()
	failures := map[string]roundTripper{
		"connection refused":   refused,
		"name server down":     fails(&net.DNSError{IsTemporary: true}),
		"503 in the envelope":  returns(200, `{"status":503}`),
		"cut short":            breaksOff,
		"cut short, no length": returns(200, `{"status":200,"resu`),
		"no response":          hangs,
		"TLS alert":            fails(&net.OpError{Op: "remote error", Err: errors.New("tls: internal error")}),
	}
	for _, status := range []int{408, 409, 423, 425, 500, 502, 503, 504, 507, 520, 524, 525, 529, 530, 599} {
		failures[strconv.Itoa(status)] = returns(status, "<title>Bad gateway</title>")
	}
	for name, failure := range failures {
		virtual(t, name, func(t *testing.T) {
			c := clientOf(t, inOrder(t, failure, failure, failure, success), func(config *Config) { config.RequestTimeout = time.Millisecond })
			r := scalePipe(pipeID)
			r.Final = []int{400}
			started := time.Now()
			if err := do(t.Context(), c, r); err != nil {
				t.Error(err)
			}
			// 500 ms, 1 s and 2 s, each half as long to half as long again.
			checkTook(t, started, 1750*time.Millisecond, 5250*time.Millisecond)
		})
	}
}

// TestBusy: an object that is busy is tried six times. That opens no circuit breaker: others are retried, too.
func TestBusy(t *testing.T) {
	t.Parallel()
	for status, text := range map[int]string{409: "409 Conflict", 423: "423 Locked", 425: "425 Too Early"} {
		virtual(t, text, func(t *testing.T) {
			c := clientOf(t, returns(status, `{"error":"busy"}`), retries(12))
			for range minFailures + 1 {
				started := time.Now()
				if err := scale(t, c); IsOutcomeUnknown(err) || !strings.Contains(fmt.Sprint(err), "busy (HTTP "+text+", ") {
					t.Error(err)
				}
				checkTook(t, started, 7*time.Second, 24*time.Second)
			}
		})
	}
}

// TestBusyAfter429s: waits for the rate limit are no attempts of a busy API.
func TestBusyAfter429s(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := returns(429, "", "Retry-After", "1")
		c := clientOf(t, inOrder(t, limit, limit, limit, limit, limit, returns(409, ""), success), retries(12))
		if err := scale(t, c); err != nil {
			t.Error(err)
		}
	})
}

// TestOtherFailuresAreNotRetried: nor is a status that is final to the request. If a
// proxy may have sent it, the outcome of a write is unknown.
func TestOtherFailuresAreNotRetried(t *testing.T) {
	t.Parallel()
	unknown := []int{499, 501, 504, 505}
	for _, status := range append([]int{300, 304, 400, 401, 403, 404, 422, 424}, unknown...) {
		header := []string{"Location", "https://elsewhere.example"}
		if status < 400 { // would be a redirect
			header = nil
		}
		r := scalePipe(pipeID)
		r.Final = []int{504}
		e := asError(t, do(t.Context(), clientOf(t, inOrder(t, returns(status, "", header...))), r))
		if e.Status != status || !strings.HasPrefix(e.Message, http.StatusText(status)) || e.OutcomeUnknown != slices.Contains(unknown, status) {
			t.Errorf("%+v", e)
		}
	}
}

// An error of an outage says how often and how long the request was tried, or that
// it was not retried or not even sent. A text that repeats the status is left out.
func TestErrorNamesAttempts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		respond       roundTripper
		reason, notes string
	}{
		"no response": {refused, "no response from api.example: dial: connect: connection refused", `refused \(4 attempts in [2-5]s\)$`},
		"an outage":   {returns(503, `{"error":"service unavailable"}`), "service unavailable (503)", `: service unavailable \(HTTP 503, 4 attempts in [2-5]s, the API may have applied it\)$`},
	} {
		virtual(t, name, func(t *testing.T) {
			c := clientOf(t, test.respond)
			if got := asError(t, scale(t, c)); got.Reason() != test.reason || !regexp.MustCompile(test.notes).MatchString(got.Error()) {
				t.Errorf("got %q, %q", got.Reason(), got)
			}
			_, _ = scale(t, c), scale(t, c)
			err := scale(t, c)
			if !strings.Contains(err.Error(), "not retried, because this operation keeps failing") {
				t.Error(err)
			}
			time.Sleep(timeToOpen)
			_, err = scale(t, c), scale(t, c)
			if unsent := err.Error(); !strings.Contains(unsent, "not sent, because this operation keeps failing") ||
				strings.Contains(unsent, "not retried") || strings.Contains(unsent, "attempts") {
				t.Error(err)
			}
		})
	}
	virtual(t, "others", func(t *testing.T) {
		limited := inOrder(t, refused, refused, refused, refused, refused, refused, returns(429, ""), refused)
		for name, c := range map[string]*Client{
			"no retries": clientOf(t, refused, retries(0)), "a 429": clientOf(t, limited, retries(1)),
		} {
			r := scalePipe(pipeID)
			for range minFailures {
				_ = do(t.Context(), c, r)
			}
			if err := do(t.Context(), c, r); strings.Contains(err.Error(), "not retried") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestPauses(t *testing.T) {
	t.Parallel()
	b := clientOf(t, success, retries(7)).NewRetryBudget()
	b.backoffs.RandomizationFactor = 0
	for _, want := range []float64{0.5, 1, 2, 4, 8, 10, 10} {
		if pause, ok := b.spend(0); pause.Seconds() != want || !ok {
			t.Errorf("%s, %t, want %g s", pause, ok, want)
		}
	}
}

// Successes take nothing from a budget: an update that polls for minutes still retries.
func TestSuccessesAreFree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := after(29*time.Second, success)
		c := clientOf(t, inOrder(t, slow, slow, slow, returns(503, ""), success))
		b := c.NewRetryBudget()
		for range 4 {
			if _, err := c.Do(t.Context(), getPipe(pipeID), b); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestRetriesEndInTime: attempts of equal length take at most 75 s or 2.5 timeouts,
// so that an attempt without a response is repeated, but only once if it takes long.
func TestRetriesEndInTime(t *testing.T) {
	t.Parallel()
	for timeout, attempts := range map[time.Duration]int{
		0: 2, time.Second: 7, 5 * time.Second: 7, 10 * time.Second: 5, 30 * time.Second: 2, 2 * time.Minute: 2, time.Hour: 2,
	} {
		virtual(t, timeout.String(), func(t *testing.T) {
			requests := 0
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				requests++
				return hangs(r)
			}, retries(6), func(config *Config) { config.RequestTimeout = timeout })
			c.answered.Store(true)
			started := time.Now()
			timeout := cmp.Or(timeout, 30*time.Second)
			if e := asError(t, scale(t, c)); !strings.HasSuffix(e.Message, "within "+timeout.String()) {
				t.Errorf("%+v", e)
			}
			// The pauses are random, and so is how many short attempts just fit.
			if requests < attempts-1 || requests > attempts+1 || attempts == 2 && requests != 2 {
				t.Errorf("%d attempts, want about %d", requests, attempts)
			}
			checkTook(t, started, time.Duration(requests)*timeout, max(75*time.Second, timeout*5/2))
		})
	}
}

// TestOutcomeUnknown: after one attempt that the API may have applied, the outcome of a
// write stays unknown, unless Settle finds it out.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	forbidden := returns(403, "")
	for name, test := range map[string]struct {
		request   func(string) Request
		responses []http.RoundTripper
		finds     bool
		want      bool
	}{
		"never connected":           {scalePipe, []http.RoundTripper{refused, forbidden}, false, false},
		"connection lost":           {scalePipe, []http.RoundTripper{lost, forbidden}, false, true},
		"connection lost to a read": {getPipe, []http.RoundTripper{lost, forbidden}, false, false},
		"server error":              {scalePipe, []http.RoundTripper{returns(502, ""), forbidden}, false, true},
		"server error to a read":    {getPipe, []http.RoundTripper{returns(502, ""), forbidden}, false, false},
		"rate limit":                {scalePipe, []http.RoundTripper{returns(429, ""), forbidden}, false, false},
		"HTML":                      {scalePipe, []http.RoundTripper{returns(200, "<html></html>")}, false, true},
		"found out":                 {scalePipe, []http.RoundTripper{returns(502, ""), forbidden}, true, false},
		"found out once":            {scalePipe, []http.RoundTripper{returns(502, ""), returns(500, ""), returns(504, ""), returns(502, "")}, true, true},
		"a proxy's error":           {scalePipe, []http.RoundTripper{returns(520, ""), forbidden}, false, true},
		"cut response":              {scalePipe, []http.RoundTripper{breaksOff, forbidden}, false, true},
	} {
		virtual(t, name, func(t *testing.T) {
			r := test.request(pipeID)
			if test.finds {
				r.Settle = func(context.Context) (bool, error) { return true, nil }
			}
			err := do(t.Context(), clientOf(t, inOrder(t, test.responses...)), r)
			if e := asError(t, err); e.OutcomeUnknown != test.want || IsOutcomeUnknown(err) != test.want {
				t.Errorf("%+v", e)
			}
		})
	}
}

// TestMakeBody: the body is made before the first attempt and after each failure except a
// 429. None means that there is nothing to send. An error of its own ends the request: before
// the first attempt it is the error, and later it is a note of the failure before, which
// keeps its status and its outcome.
func TestMakeBody(t *testing.T) {
	t.Parallel()
	unread, errNothing := errors.New("unread"), errors.New("no body")
	for name, test := range map[string]struct {
		responses []http.RoundTripper
		errs      []error // of MakeBody
		sent      []string
		says      string
		unknown   bool
	}{
		"retried":            {responses: []http.RoundTripper{returns(503, ""), returns(429, "", "Retry-After", "1"), success}, sent: []string{"1", "2", "2"}},
		"a conflict":         {responses: []http.RoundTripper{returns(409, ""), success}, sent: []string{"1", "2"}},
		"nothing to send":    {errs: []error{errNothing}},
		"nothing is left":    {responses: []http.RoundTripper{returns(503, "")}, errs: []error{nil, errNothing}, sent: []string{"1"}},
		"unread at first":    {errs: []error{unread}, says: "unread"},
		"unread after a 503": {[]http.RoundTripper{returns(503, `{"error":"down"}`)}, []error{nil, unread}, []string{"1"}, "down; not sent again: unread (HTTP 503", true},
	} {
		virtual(t, name, func(t *testing.T) {
			var sent []string
			answer := inOrder(t, test.responses...)
			c := clientOf(t, func(r *http.Request) (*http.Response, error) {
				body, _ := io.ReadAll(r.Body)
				sent = append(sent, string(body))
				return answer(r)
			})
			r, made := scalePipe(pipeID), 0
			r.MakeBody = func(context.Context) ([]byte, error) {
				made++
				var err error
				if made <= len(test.errs) {
					err = test.errs[made-1]
				}
				if errors.Is(err, errNothing) {
					return nil, nil
				}
				return []byte(strconv.Itoa(made)), err
			}
			err := do(t.Context(), c, r)
			if (err != nil) != (test.says != "") || err != nil && !strings.Contains(err.Error(), test.says) || IsOutcomeUnknown(err) != test.unknown || !slices.Equal(sent, test.sent) {
				t.Errorf("%v after %q", err, sent)
			}
		})
	}

	virtual(t, "interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, r := clientOf(t, inOrder(t, returns(503, ""))), scalePipe(pipeID)
		made := 0
		r.MakeBody = func(ctx context.Context) ([]byte, error) {
			if made++; made == 2 {
				cancel()
			}
			return []byte("{}"), ctx.Err()
		}
		if err := do(ctx, c, r); !errors.Is(err, context.Canceled) || !IsOutcomeUnknown(err) {
			t.Error(err)
		}
	})
}

// TestRefusedCredentials: after a 401, nothing more is sent.
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	c := clientOf(t, inOrder(t, returns(401, `{"error":"no such key"}`)))
	_ = scale(t, c)
	for _, r := range []Request{scalePipe(pipeID), getPipe(pipeID)} {
		e := asError(t, do(t.Context(), c, r))
		if e.Status != 401 || e.OutcomeUnknown || !strings.Contains(e.Error(), "no such key (HTTP 401 Unauthorized, not sent, because the credentials were refused)") {
			t.Error(e)
		}
	}
}

// TestRefusedCredentialsEndWaits: a 401 also ends what waits in the queue of the rate limiter, or to be sent again.
func TestRefusedCredentialsEndWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := objectID(9)
		requests := 0
		c := clientOf(t, func(r *http.Request) (*http.Response, error) {
			requests++
			if strings.Contains(r.URL.Path, down) {
				return returns(503, "")(r)
			}
			return after(200*time.Millisecond, returns(401, ""))(r)
		}, retries(12), func(config *Config) { config.RequestsPerSecond = 2 })
		for i, err := range inParallel(10, 10, func(i int) error {
			time.Sleep(time.Duration(10-i) * time.Millisecond)
			return do(t.Context(), c, getPipe(objectID(i)))
		}) {
			if !strings.Contains(fmt.Sprint(err), "credentials were refused") && asError(t, err).Status != 401 {
				t.Errorf("%d: %v", i, err)
			}
		}
		if requests != 2 {
			t.Errorf("%d requests", requests)
		}
	})
}

// TestForbiddenForAWhile: a 403 that asks to wait is a rate limit, also where a 403 is final.
func TestForbiddenForAWhile(t *testing.T) {
	t.Parallel()
	virtual(t, "", func(t *testing.T) {
		r := getPipe(pipeID)
		r.Final = []int{403}
		started := time.Now()
		if err := do(t.Context(), clientOf(t, inOrder(t, returns(403, "", "Retry-After", "7"), success)), r); err != nil {
			t.Error(err)
		}
		checkTook(t, started, 7*time.Second, 8*time.Second)
	})
}
