package transport

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var errRefused = &url.Error{Op: "Patch", URL: "https://api.example/x", Err: syscall.ECONNREFUSED}

// cut is a response that breaks off.
func cut() stub {
	return stub{status: http.StatusOK, body: `{"status":200,"resu`, broken: true}
}

func TestTransientFailuresAreTriedAgain(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]network{
		"connection refused":  fails(errRefused),
		"500":                 returns(reply(500, "")),
		"502":                 returns(reply(502, "<title>Bad gateway</title>")),
		"503":                 returns(reply(503, "")),
		"504":                 returns(reply(504, "")),
		"cut response":        returns(cut()),
		"cut without a sign":  returns(reply(200, `{"status":200,"resu`)),
		"503 in the envelope": returns(reply(200, `{"status":503}`)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				talk := converse(t, append(slices.Repeat([]network{failure}, 3), returns(ok(`{}`)))...)
				started := time.Now()
				if err := scale(t.Context(), withoutNetwork(t, talk.respond)); err != nil {
					t.Error(err)
				}
				// 500 ms, 1 s and 2 s, each half as long to half as long again.
				if took := time.Since(started); took < 1750*time.Millisecond || took > 5250*time.Millisecond {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

func TestRetriesEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unavailable := returns(reply(503, `{"error":"down for repairs"}`))
		talk := converse(t, slices.Repeat([]network{unavailable}, 4)...)
		err := scale(t.Context(), withoutNetwork(t, talk.respond))
		if e := asError(t, err); e.Status != 503 || e.Message != "down for repairs" || !e.OutcomeUnknown {
			t.Errorf("%+v", e)
		}
		if len(talk.sent) != 4 {
			t.Errorf("%d attempts, want the first and three more", len(talk.sent))
		}
	})
}

func TestNoRetries(t *testing.T) {
	t.Parallel()
	talk := converse(t, returns(reply(500, "")))
	c := withoutNetwork(t, talk.respond, func(config *Config) { config.MaxRetries = 0 })
	if err := scale(t.Context(), c); err == nil {
		t.Error("no error")
	}
}

func TestFinalFailuresEndAtOnce(t *testing.T) {
	t.Parallel()
	for _, resp := range []stub{
		reply(400, ""), reply(401, ""), reply(403, ""), reply(404, ""), reply(408, ""), reply(409, ""), reply(422, ""), reply(424, ""),
		reply(501, ""), reply(200, "<html>"), reply(200, ""), reply(200, `{"status":404}`), ok(`[]`), ok(`{"id":"x"}`),
	} {
		talk := converse(t, returns(resp))
		if err := scale(t.Context(), withoutNetwork(t, talk.respond)); err == nil {
			t.Errorf("%d: no error", resp.status)
		}
	}
}

func TestOutcomeOfAWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		responses []network
		unknown   bool
	}{
		{"never connected", []network{fails(errRefused)}, false},
		{"server error", []network{returns(reply(500, ""))}, true},
		{"refused", []network{returns(reply(400, ""))}, false},
		{"server error, then refused", []network{returns(reply(502, "")), returns(reply(403, ""))}, true},
		{"never connected, then refused", []network{fails(errRefused), returns(reply(403, ""))}, false},
		{"not JSON", []network{returns(reply(200, "OK"))}, true},
		{"redirected", []network{returns(reply(302, ""))}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := withoutNetwork(t, converse(t, test.responses...).respond, func(config *Config) {
					config.MaxRetries = len(test.responses) - 1
				})
				if e := asError(t, scale(t.Context(), c)); e.OutcomeUnknown != test.unknown {
					t.Errorf("%+v", e)
				}
			})
		})
	}
}

// TestConnectionLostAfterTheRequest: if a real connection closes without a
// response, the outcome of a write is unknown.
func TestConnectionLostAfterTheRequest(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		requests.Add(1)
		panic(http.ErrAbortHandler)
	}, func(config *Config) { config.MaxRetries = 1 })
	if e := asError(t, scale(t.Context(), c)); !e.OutcomeUnknown || e.Status != 0 || requests.Load() != 2 {
		t.Errorf("%+v after %d requests", e, requests.Load())
	}
	err := do(t.Context(), c, getPipe(pipeID))
	if e := asError(t, err); e.OutcomeUnknown {
		t.Errorf("a read has no outcome: %+v", e)
	}
}

// TestRefusedConnectionIsNamed: while the client waits for a server to come up,
// the log says for which and why.
func TestRefusedConnectionIsNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}, Err: syscall.ECONNREFUSED}
		talk := converse(t, append(slices.Repeat([]network{fails(refused)}, 2), returns(ok(`{}`)))...)
		_, records := logged(t, slog.LevelInfo, talk.respond, func(c *Client) {
			if err := scale(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
		const reason = "scale pipe: no response from api.example: dial tcp 192.0.2.1:443: connection refused"
		if len(records) != 2 {
			t.Fatalf("records: %v", records)
		}
		for _, record := range records {
			if record["level"] != "INFO" || record["msg"] != "retrying" || record["reason"] != reason {
				t.Errorf("%v", record)
			}
		}
	})
}

// TestHostThatDoesNotExist: it fails at once, and the error names it.
func TestHostThatDoesNotExist(t *testing.T) {
	t.Parallel()
	lookup := func(isNotFound bool) error {
		return &net.OpError{
			Op: "dial", Net: "tcp",
			Err: &net.DNSError{Err: "no such host", Name: "api.example", IsNotFound: isNotFound, IsTemporary: !isNotFound},
		}
	}
	err := scale(t.Context(), withoutNetwork(t, converse(t, fails(lookup(true))).respond))
	if want := "scale pipe: no response from api.example: dial tcp: lookup api.example: no such host"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	synctest.Test(t, func(t *testing.T) { // a name server that is down is another matter
		if err := scale(t.Context(), withoutNetwork(t, converse(t, fails(lookup(false)), returns(ok(`{}`))).respond)); err != nil {
			t.Error(err)
		}
	})
}

func TestContextEndsAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		talk := converse(t, returns(reply(500, `{"error":"broken"}`)))
		err := scale(ctx, withoutNetwork(t, talk.respond))
		e := asError(t, err)
		if !errors.Is(err, context.DeadlineExceeded) || e.Operation != "scale pipe" || !e.OutcomeUnknown || !strings.Contains(e.Message, "broken") {
			t.Errorf("%+v", e)
		}
	})
}

func TestRequestedWaitsAreWaited(t *testing.T) {
	t.Parallel()
	const pause = 500 * time.Millisecond // plus or minus half, without a usable header
	for _, test := range []struct {
		name        string
		status      int
		header      []string
		least, most time.Duration
	}{
		{"429 with Retry-After", 429, []string{"Retry-After", "7"}, 7 * time.Second, 7 * time.Second},
		{"429 with a fraction", 429, []string{"Retry-After", "1.5"}, 1500 * time.Millisecond, 1500 * time.Millisecond},
		{"429 with the longest wait", 429, []string{"RateLimit-Reset", "60"}, time.Minute, time.Minute},
		{"429 without a header", 429, nil, pause / 2, pause * 3 / 2},
		{"429 with a wait of zero", 429, []string{"Retry-After", "0"}, pause / 2, pause * 3 / 2},
		{"503 with Retry-After", 503, []string{"Retry-After", "7"}, 7 * time.Second, 7 * time.Second},
		{"503 without a header", 503, nil, pause / 2, pause * 3 / 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				talk := converse(t, returns(reply(test.status, "", test.header...)), returns(ok(`{}`)))
				c := withoutNetwork(t, talk.respond, func(config *Config) {
					if test.status == 429 {
						config.MaxRetries = 0 // waiting for a 429 does not count
					}
				})
				started := time.Now()
				if err := scale(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(started); took < test.least || took > test.most {
					t.Errorf("took %s, want %s to %s", took, test.least, test.most)
				}
			})
		})
	}
}

func TestLongWaitsAreReported(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		value  string
		want   time.Duration
		text   string
	}{
		{429, "61", 61 * time.Second, "slow down; the API asks to wait 1m1s"},
		{429, "3600", time.Hour, "slow down; the API asks to wait 1h0m0s"},
		{503, "600", 10 * time.Minute, "slow down; the API asks to wait 10m0s"},
	} {
		talk := converse(t, returns(reply(test.status, `{"error":"slow down"}`, "Retry-After", test.value)))
		e := asError(t, scale(t.Context(), withoutNetwork(t, talk.respond)))
		if e.RetryAfter != test.want || e.Message != test.text || e.Status != test.status {
			t.Errorf("%+v", e)
		}
	}
}

// TestNothingButRateLimits: a client that hears nothing else for a minute
// gives up.
func TestNothingButRateLimits(t *testing.T) {
	t.Parallel()
	for name, header := range map[string][]string{"with a header": {"Retry-After", "10"}, "without": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := withoutNetwork(t, func(*http.Request) (stub, error) {
					return reply(429, `{"error":"slow down"}`, header...), nil
				})
				started := time.Now()
				e := asError(t, scale(t.Context(), c))
				if e.Status != 429 || e.Message != "slow down" || e.OutcomeUnknown {
					t.Errorf("%+v", e)
				}
				if took := time.Since(started); took < 60*time.Second || took > 80*time.Second {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

// TestRateLimitsWithProgress: as long as anybody gets through, everybody will,
// however long that takes.
func TestRateLimitsWithProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var next time.Time
		c := withoutNetwork(t, func(*http.Request) (stub, error) {
			mu.Lock()
			defer mu.Unlock()
			if wait := time.Until(next); wait > 0 {
				seconds := strconv.Itoa(int(wait/time.Second) + 1)
				return reply(429, "", "Retry-After", seconds), nil
			}
			next = time.Now().Add(15 * time.Second)
			return ok(`[]`), nil
		}, func(config *Config) { config.MaxRetries = 0 })
		started := time.Now()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if err := do(t.Context(), c, listBackups()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took := time.Since(started); took < 135*time.Second || took > 180*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestRequestsPerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := withoutNetwork(t, func(*http.Request) (stub, error) { return ok(`[]`), nil },
			func(config *Config) { config.RequestsPerSecond = 2 })
		started := time.Now()
		for range 5 {
			if err := do(t.Context(), c, listBackups()); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(started); took != 2*time.Second {
			t.Errorf("five requests took %s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := do(ctx, c, listBackups()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}
