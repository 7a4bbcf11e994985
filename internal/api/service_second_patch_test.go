package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slowAPI adds first and removes by address, replaces an existing entry, is busy (409) for a time after each change, and
// its responses and reads are late.
type slowAPI struct {
	t          *testing.T
	busy, late time.Duration
	reads      func([]AccessEntry) response // nil: the list
	lost       int                          // the PATCH whose response is lost
	refuses    bool                         // an address that exists: 400
	list       []AccessEntry
	at         []time.Time
	was        [][]AccessEntry
	settled    time.Time
	patches    int
}

func (a *slowAPI) shown() []AccessEntry {
	list := a.was[0]
	for i, at := range a.at {
		if time.Since(at) >= a.late {
			list = a.was[i+1]
		}
	}
	return list
}

func (a *slowAPI) respond(r *http.Request) (response, error) {
	time.Sleep(20 * time.Millisecond)
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	change, isRead := patchOf(a.t, r)
	switch {
	case isRead && a.reads != nil:
		return a.reads(a.shown()), nil
	case isRead:
		return shownList(a.t, a.shown()), nil
	case time.Now().Before(a.settled):
		return response{409, `{"error":"busy"}`}, nil
	}
	a.patches++
	if a.refuses && a.patches > 1 {
		return response{400, `{"error":"exists"}`}, nil
	}
	list := without(a.list, change.Add, byID)
	a.list = without(append(list, change.Add...), change.Remove, byID)
	a.settled, a.at, a.was = time.Now().Add(a.busy), append(a.at, time.Now()), append(a.was, slices.Clone(a.list))
	if a.patches == a.lost {
		return response{}, errors.New("connection reset")
	}
	text := shownList(a.t, append([]AccessEntry{}, a.shown()...))
	text.body = strings.Replace(text.body, `"result":{`, `"result":{"isPrimary":true,`, 1)
	return text, nil
}

func (a *slowAPI) update(t *testing.T) (*Service, error) {
	t.Helper()
	was, is := entry("10.0.0.1", "old"), entry("10.0.0.1", "new")
	a.t, a.list = t, []AccessEntry{was, entry("10.0.0.2", "keep")}
	a.was = [][]AccessEntry{slices.Clone(a.list)}
	return newClient(t, a.respond, retries(12)).UpdateService(t.Context(), serviceID, EntryUpdate(&was, &is))
}

// Reads do not show the list, responses are 3 s late, and each change keeps the API busy for 20 s: the PATCH that adds the
// address again gets 409s for 15 s, and that is no success.
func TestBusyPatchIsNoSuccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := slowAPI{busy: 20 * time.Second, late: 3 * time.Second, reads: func([]AccessEntry) response { return ok(`{"name":"n"}`) }}
		service, err := api.update(t)
		if has := slices.ContainsFunc(api.list, func(e AccessEntry) bool { return e.Source == "10.0.0.1" }); !has && err == nil {
			t.Errorf("lost: %+v, and the result is %+v, %v", api.list, service, err)
		}
	})
}

// The response to the PATCH is lost, its effect shows after 20 s, and the API refuses the PATCH when it is sent again: the error names the address.
func TestLostPatchIsNamed(t *testing.T) {
	t.Parallel()
	for name, api := range map[string]slowAPI{
		"busy": {busy: 40 * time.Second, late: 40 * time.Second, lost: 1},
		"400":  {late: 20 * time.Second, lost: 1, refuses: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, err := api.update(t)
				if err == nil || !strings.Contains(err.Error(), "10.0.0.1") {
					t.Errorf("%+v, %v", api.list, err)
				}
			})
		})
	}
}

// The first update of a service keeps the lock, too: its second PATCH does not queue behind the others.
func TestSecondPatchDoesNotQueue(t *testing.T) {
	t.Parallel()
	for _, takes := range []time.Duration{2 * time.Second, 5 * time.Second} {
		t.Run(takes.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				settled := time.Now()
				list := []AccessEntry{entry("10.0.0.1", "old"), entry("10.0.0.2", "keep")}
				var lost, back time.Time
				c := newClient(t, func(r *http.Request) (response, error) {
					time.Sleep(50 * time.Millisecond)
					mu.Lock()
					defer mu.Unlock()
					if r.Method == http.MethodGet {
						return ok(`{}`), nil
					}
					isPipe := strings.HasSuffix(r.URL.Path, "scaling")
					var change listChange[AccessEntry]
					if !isPipe {
						var isRead bool
						if change, isRead = patchOf(t, r); isRead {
							return shownList(t, list), nil
						}
					}
					if time.Now().Before(settled) {
						return response{409, `{"error":"another change is in progress"}`}, nil
					}
					settled = time.Now().Add(takes)
					if isPipe {
						return ok(`{"scaling":{"replicas":3}}`), nil
					}
					list = append(list, without(change.Add, list, byID)...)
					list = without(list, change.Remove, byIDAndDescription)
					has := slices.ContainsFunc(list, func(e AccessEntry) bool { return e.Source == "10.0.0.1" })
					if !has {
						lost = time.Now()
					} else if back.IsZero() && !lost.IsZero() {
						back = time.Now()
					}
					return shownList(t, list), nil
				}, retries(12))
				var all sync.WaitGroup
				all.Go(func() {
					_, err := c.UpdateService(t.Context(), serviceID, ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{
						Before: ValueOf([]AccessEntry{entry("10.0.0.1", "old"), entry("10.0.0.2", "keep")}),
						After:  ValueOf([]AccessEntry{entry("10.0.0.1", "new"), entry("10.0.0.2", "keep")}),
					}})
					if err != nil {
						t.Error(err)
					}
				})
				time.Sleep(60 * time.Millisecond) // the first PATCH is under way
				for i := range 9 {
					pipe := fmt.Sprintf("%s%02d", pipeID[:len(pipeID)-2], i)
					all.Go(func() {
						if _, err := c.ScalePipe(t.Context(), serviceID, pipe, replicas(3)); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if out := back.Sub(lost); out > 3*takes+15*time.Second {
					t.Errorf("the address was out for %s", out)
				}
			})
		})
	}
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
