package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// patchOf returns what a PATCH does to an access list; isRead: it changes nothing.
func patchOf(t *testing.T, r *http.Request) (change listChange[AccessEntry], isRead bool) {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	var patch servicePatch
	if err != nil || json.Unmarshal(body, &patch) != nil {
		t.Errorf("%q: %v", body, err)
	}
	return patch.IPAccessList, string(body) == "{}"
}

func shownList(t *testing.T, list []AccessEntry) response {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Error(err)
	}
	return ok(`{"ipAccessList":` + string(text) + `}`)
}

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

// TestRestorationOfABusyService: a platform makes a change for a second. Meanwhile, it refuses others
// with 409, and shows the list as it was before. It ignores an entry whose address the list has.
// The address that the second PATCH has removed is added again all the same.
func TestRestorationOfABusyService(t *testing.T) {
	t.Parallel()
	for name, showsInResponse := range map[string]bool{"the response shows the old list": true, "it shows none": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				list := []AccessEntry{entry("10.0.0.1", "old"), entry("10.0.0.2", "keep")}
				want := []AccessEntry{entry("10.0.0.1", "new"), entry("10.0.0.2", "keep")}
				before, settled := slices.Clone(list), time.Now()
				c := newClient(t, func(r *http.Request) (response, error) {
					time.Sleep(50 * time.Millisecond)
					isBusy := time.Now().Before(settled)
					if !isBusy {
						before = slices.Clone(list)
					}
					change, isRead := patchOf(t, r)
					switch {
					case isRead:
						return shownList(t, before), nil
					case isBusy:
						return response{http.StatusConflict, `{"error":"another change is in progress"}`}, nil
					}
					settled = time.Now().Add(time.Second)
					list = append(list, without(change.Add, list, byID)...)
					list = without(list, change.Remove, byIDAndDescription)
					if showsInResponse {
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

// TestLeftOutListIsReadAgain: a read after a PATCH that leaves out the list may be incomplete, so the next update
// reads before it takes the list for empty.
func TestLeftOutListIsReadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := entry("10.0.0.1", ""), entry("10.0.0.2", "")
		c, script := scripted(t, shownList(t, []AccessEntry{first, second}), ok(`{}`), ok(`{}`), shownList(t, []AccessEntry{second}), ok(noEntries))
		for _, e := range []AccessEntry{first, second} {
			if _, err := c.UpdateService(t.Context(), serviceID, EntryUpdate(&e, nil)); err != nil {
				t.Error(err)
			}
		}
		script.expect(
			patchService(`{}`), patchService(`{"ipAccessList":{"remove":[{"source":"10.0.0.1","description":""}]}}`), patchService(`{}`),
			patchService(`{}`), patchService(`{"ipAccessList":{"remove":[{"source":"10.0.0.2","description":""}]}}`))
	})
}
