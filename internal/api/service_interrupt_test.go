package api

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestInterruptBeforeThePatch: an update that waits for the rate limiter when Ctrl-C comes sends nothing.
func TestInterruptBeforeThePatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		script := &script{t: t, responses: []response{ok(oldEntry)}}
		c := newClient(t, script.respond, func(c *Config) { c.Transport.RequestsPerSecond = 0.2 })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		if _, err := c.UpdateService(ctx, serviceID, changed()); err == nil || time.Since(began) > time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		script.expect(patchService(`{}`))
	})
}

// TestTimeAfterAnInterrupt: it is for the whole update, not for each of its requests and waits. Here the
// PATCH that replaces a description waits for the rate limit when Ctrl-C comes.
func TestTimeAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		patches, began := 0, time.Now()
		c := newClient(t, func(r *http.Request) (response, error) {
			switch _, isRead := patchOf(t, r); {
			case r.Context().Err() != nil:
				return response{}, r.Context().Err()
			case isRead:
				return ok(oldEntry), nil
			}
			if patches++; patches == 1 {
				return conflict(), nil
			}
			time.Sleep(time.Second)
			return response{http.StatusTooManyRequests, ""}, nil
		}, retries(12))
		const interrupt = 4 * time.Second
		time.AfterFunc(interrupt, cancel)
		_, err := c.UpdateService(ctx, serviceID, changed())
		if took := time.Since(began) - interrupt; err == nil || took > 11*time.Second { // ten, and the attempt that goes on
			t.Errorf("ended %s after the interrupt: %v", took, err)
		}
	})
}

// TestInterruptedReplacement: after Ctrl-C, an update that has begun runs to its end.
func TestInterruptedReplacement(t *testing.T) {
	t.Parallel()
	interrupted := func(t *testing.T, during string) (sent []string, took time.Duration, err error) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := newClient(t, func(r *http.Request) (response, error) {
				httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
				body, _ := io.ReadAll(r.Body)
				sent = append(sent, string(body))
				if string(body) == during {
					cancel()
				}
				switch {
				case len(sent) == 1:
					return ok(oldEntry), nil
				case string(body) == replace:
					return ok(noEntries), nil
				}
				return ok(newEntry), nil
			})
			began := time.Now()
			_, err = c.UpdateService(ctx, serviceID, changed())
			took = time.Since(began)
		})
		return sent, took, err
	}
	if sent, took, err := interrupted(t, `{}`); err == nil || took > 10*time.Millisecond || len(sent) != 1 {
		t.Errorf("at the beginning, after %s: %v, sent %q", took, err, sent)
	}
	if sent, _, err := interrupted(t, replace); err != nil || !slices.Equal(sent, []string{`{}`, replace, addNew}) {
		t.Errorf("%v, sent %q", err, sent)
	}
}

// After Ctrl-C, a list that a PATCH has emptied gets what the plan adds.
func TestInterruptedSecondPatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var sent []string
		responses := []response{ok(everybody), ok(noEntries), ok(everybody)}
		c := newClient(t, func(r *http.Request) (response, error) {
			httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
			body, _ := io.ReadAll(r.Body)
			if sent = append(sent, string(body)); len(sent) == 2 {
				cancel()
			}
			return responses[min(len(sent), len(responses))-1], nil
		})
		_, err := c.UpdateService(ctx, serviceID, instead(entry("0.0.0.0/0", "x"), wantEntries(entry("0.0.0.0", "x"))))
		if len(sent) < 3 || sent[2] != `{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}]}}` {
			t.Errorf("%v, sent %q", err, sent)
		}
	})
}

// A call whose context has ended sends nothing.
func TestInterruptedCallSendsNothing(t *testing.T) {
	t.Parallel()
	sent := 0
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := newClient(t, func(r *http.Request) (response, error) {
			sent++
			return ok(`{"name":"b"}`), nil
		})
		_, _ = c.UpdateService(ctx, serviceID, ServiceUpdate{Name: ValueOf("b")})
	}
	if sent > 0 {
		t.Errorf("sent %d times of 200", sent)
	}
}
