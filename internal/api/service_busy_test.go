package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestUpdatesOfABusyService: an API that makes one change of a service at a time refuses others of it and
// of its pipes. None of them fails.
func TestUpdatesOfABusyService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var busy sync.Mutex
		c := newClient(t, func(r *http.Request) (response, error) {
			if r.Method == http.MethodGet {
				return ok(`{"settings":{"db_max_threads":1}}`), nil
			}
			if _, isRead := patchOf(t, r); isRead {
				return ok(`{"ipAccessList":[]}`), nil
			}
			if !busy.TryLock() {
				return conflict(), nil
			}
			defer busy.Unlock()
			time.Sleep(2 * time.Second)
			return ok(`{}`), nil
		}, retries(12))
		var all sync.WaitGroup
		for i := range 10 {
			pipe := fmt.Sprintf("%s%02d", pipeID[:len(pipeID)-2], i)
			update := func(err error) {
				if err != nil {
					t.Error(err)
				}
			}
			all.Go(func() {
				_, err := c.ScalePipe(t.Context(), serviceID, pipe, replicas(3))
				update(err)
			})
			all.Go(func() {
				_, err := c.UpdatePipeSettings(t.Context(), strings.ToUpper(serviceID), pipe, threads(), Settings{})
				update(err)
			})
			all.Go(func() {
				added := entry(fmt.Sprintf("10.0.0.%d", i), "")
				_, err := c.UpdateService(t.Context(), serviceID, EntryUpdate(nil, &added))
				update(err)
			})
		}
		all.Wait()
	})
}

// TestSecondPatchOfABusyService: a platform makes a change for some time. Meanwhile, it refuses others
// with 409, and shows the list as it was before. It ignores an entry whose address the list has.
// The address that the first PATCH has removed is added again all the same.
func TestSecondPatchOfABusyService(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes           time.Duration
		showsInResponse bool
		showsAtOnce     bool
	}{
		"the response shows the old list": {time.Second, true, false},
		"it shows none":                   {time.Second, false, false},
		"it takes longer than retries do": {28 * time.Second, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				list := []AccessEntry{entry("10.0.0.1", "old"), entry("10.0.0.2", "keep")}
				want := []AccessEntry{entry("10.0.0.1", "new"), entry("10.0.0.2", "keep")}
				before, settled := slices.Clone(list), time.Now()
				c := newClient(t, func(r *http.Request) (response, error) {
					time.Sleep(50 * time.Millisecond)
					isBusy := time.Now().Before(settled)
					if !isBusy || test.showsAtOnce {
						before = slices.Clone(list)
					}
					change, isRead := patchOf(t, r)
					switch {
					case isRead:
						return shownList(t, before), nil
					case isBusy:
						return response{http.StatusConflict, `{"error":"another change is in progress"}`}, nil
					}
					settled = time.Now().Add(test.takes)
					list = append(list, without(change.Add, list, byID)...)
					list = without(list, change.Remove, byIDAndDescription)
					if test.showsAtOnce {
						before = slices.Clone(list)
					}
					if test.showsInResponse {
						return shownList(t, before), nil
					}
					return ok(`{}`), nil
				}, retries(12))
				_, err := c.UpdateService(t.Context(), serviceID, ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: ValueOf(list), After: ValueOf(want)}})
				if differs := len(without(list, want, byIDAndDescription))+len(without(want, list, byIDAndDescription)) > 0; differs {
					t.Errorf("the list is %+v, and the error %v", list, err)
				}
			})
		})
	}
}

// TestEndpointInAnotherCase: the API has the id of an endpoint in small letters. The PATCH that adds
// it as it is planned removes it. If the update then ends early, its error names the endpoint.
func TestEndpointInAnotherCase(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"403", "Ctrl-C"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			list, requests := `["vpce-1"]`, 0
			c := newClient(t, func(r *http.Request) (response, error) {
				body, err := io.ReadAll(r.Body)
				switch requests++; {
				case err != nil || r.Context().Err() != nil:
					return response{}, r.Context().Err()
				case requests == 1:
					return ok(`{"privateEndpointIds":` + list + `}`), nil
				case requests == 2:
					list = `[]`
					if how == "Ctrl-C" {
						cancel()
					}
					return ok(`{}`), nil
				case how == "403":
					return response{http.StatusForbidden, ""}, nil
				case strings.Contains(string(body), "VPCE-1"):
					list = `["vpce-1"]`
				}
				return ok(`{"privateEndpointIds":` + list + `}`), nil
			}, retries(3))
			_, err := c.UpdateService(ctx, serviceID, ServiceUpdate{PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"vpce-1"}), After: ValueOf([]string{"VPCE-1"})}})
			isNamed := err != nil && strings.Contains(err.Error(), "check private_endpoint_ids, which may be missing: VPCE-1")
			if isGone := list == `[]`; isGone != isNamed {
				t.Errorf("%s: the list is %s, and the error %v", how, list, err)
			}
		})
	}
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

// TestSecondPatchHasRetriesOfItsOwn: a read that hangs takes most of the time of the first PATCH, and an
// attempt of the second one hangs, too.
func TestSecondPatchHasRetriesOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		list, sent := []AccessEntry{entry("10.0.0.1", "old")}, map[string]int{}
		c := newClient(t, func(r *http.Request) (response, error) {
			httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
			change, isRead := patchOf(t, r)
			step := map[bool]string{true: "read", false: "first PATCH"}[isRead]
			if !isRead && len(change.Remove) == 0 {
				step = "second PATCH"
			}
			if sent[step]++; step == "read" && sent[step] == 2 || step == "second PATCH" && sent[step] == 1 {
				<-r.Context().Done()
				return response{}, r.Context().Err()
			}
			list = append(list, without(change.Add, list, byID)...)
			list = without(list, change.Remove, byIDAndDescription)
			if isRead {
				return shownList(t, list), nil
			}
			return ok(`{}`), nil
		}, retries(12))
		_, err := c.UpdateService(t.Context(), serviceID, changed())
		if err != nil || len(list) != 1 {
			t.Errorf("%v, %v, sent %v", list, err, sent)
		}
	})
}

// TestWaitsShareOneTimeout: the first PATCH shows after 20 s, and has taken the address. The second never shows.
func TestWaitsShareOneTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var patched []time.Time
		c := newClient(t, func(r *http.Request) (response, error) {
			switch _, isRead := patchOf(t, r); {
			case !isRead:
				patched = append(patched, time.Now())
				return ok(`{}`), nil
			case len(patched) == 0 || time.Since(patched[0]) < 20*time.Second:
				return ok(oldEntry), nil
			}
			return ok(noEntries), nil
		})
		_, err := c.UpdateService(t.Context(), serviceID, changed())
		if took := time.Since(patched[0]); err != nil || len(patched) != 2 || took > updateTimeout+time.Second {
			t.Errorf("%d PATCHes, %v after %s", len(patched), err, took)
		}
	})
}

// TestListThatNeverShows does not stop the second PATCH, which adds an address again that the first has taken.
func TestListThatNeverShows(t *testing.T) {
	t.Parallel()
	for name, rest := range map[string]string{"left out": `{`, "null": `{"privateEndpointIds":null,`, "mistyped": `{"privateEndpointIds":7,`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				list, patches := []AccessEntry{entry("10.0.0.1", "old")}, []string{}
				c := newClient(t, func(r *http.Request) (response, error) {
					body, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(strings.NewReader(string(body)))
					change, isRead := patchOf(t, r)
					if !isRead {
						patches = append(patches, string(body))
					}
					list = without(append(list, without(change.Add, list, byID)...), change.Remove, byID)
					shown := shownList(t, list)
					shown.body = strings.Replace(shown.body, `"result":{`, `"result":`+rest, 1)
					return shown, nil
				})
				want := instead(entry("10.0.0.1", "old"), changed())
				want.PrivateEndpointIDs = ListUpdate[string]{Before: ValueOf([]string{}), After: ValueOf([]string{"vpce-1"})}
				_, err := c.UpdateService(t.Context(), serviceID, want)
				if len(list) != 1 || len(patches) != 2 || patches[1] != addNew {
					t.Errorf("%v, %q, %v", list, patches, err)
				}
			})
		})
	}
}

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
func TestInterruptedRestoration(t *testing.T) {
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
