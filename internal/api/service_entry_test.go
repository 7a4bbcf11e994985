package api

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestEntryUpdates: an update of one entry sends this entry, and nothing for others.
func TestEntryUpdates(t *testing.T) {
	t.Parallel()
	mine, theirs := entry("10.0.0.1", "new"), `{"source":"10.0.0.9","description":"theirs"}`
	was := entry("10.0.0.1", "old")
	add, remove, change := EntryUpdate(nil, &mine), EntryUpdate(&was, nil), EntryUpdate(&was, &mine)
	beside := func(list string) string { return strings.Replace(list, `[`, `[`+theirs+`,`, 1) }
	onlyTheirs, refused := `{"ipAccessList":[`+theirs+`]}`, response{422, ""}
	both := strings.Replace(newEntry, `[`, `[{"source":"10.0.0.1","description":"old"},`, 1) // somebody else was faster
	id := "b"
	runServiceTests(t, []serviceTest{
		{name: "add to others", want: add, exchanges: read(onlyTheirs).then(addNew, ok(beside(newEntry))), result: beside(newEntry)},
		{name: "add to an empty list", want: add, exchanges: read(noEntries).then(addNew, ok(newEntry))},
		{name: "add to a list that is not shown", want: add, exchanges: read(`{}`).then(addNew, ok(`{}`)).reads(1, `{}`), result: `{}`},
		{name: "add a lost one", want: add, exchanges: read(onlyTheirs).then(addNew, response{503, ""}).reads(1, beside(newEntry)), result: beside(newEntry)},
		{name: "add beside another description", want: add, exchanges: read(onlyTheirs).then(addNew, ok(both)), result: both},
		{name: "add a lost one, described otherwise", want: add, exchanges: read(onlyTheirs).then(addNew, response{503, ""}).reads(1, oldEntry), result: oldEntry},
		{name: "add to a hidden list that has it", want: add, exchanges: exchanges{}.then(`{}`, response{405, ""}).busy(addNew), status: 409, message: "exists"},
		{name: "remove beside others", want: remove, exchanges: read(beside(oldEntry)).then(removeOld, ok(onlyTheirs)), result: onlyTheirs},
		{name: "remove the last", want: remove, exchanges: old.then(removeOld, ok(noEntries)), result: noEntries},
		{name: "remove from a list that is not shown", want: remove, exchanges: read(`{}`).then(removeOld, ok(`{}`)).reads(1, `{}`), result: `{}`},
		{name: "remove what is gone", want: remove, exchanges: read(onlyTheirs), result: onlyTheirs},
		{name: "change what is gone", want: change, exchanges: read(onlyTheirs).then(addNew, ok(beside(newEntry))), result: beside(newEntry)},
		{
			name: "a refused description", want: change, status: 422, message: "in two applies: remove the entry in one … check ip_access_list, which may be missing: 10.0.0.1",
			exchanges: read(beside(oldEntry)).then(replace, refused),
		},
		{
			name: "add an endpoint", want: PrivateEndpointUpdate(nil, &id), result: `{"privateEndpointIds":["a","b"]}`,
			exchanges: read(`{"privateEndpointIds":["a"]}`).then(`{"privateEndpointIds":{"add":["b"]}}`, ok(`{"privateEndpointIds":["a","b"]}`)),
		},
		{
			name: "remove the last endpoint", want: PrivateEndpointUpdate(&id, nil), result: `{"privateEndpointIds":[]}`,
			exchanges: read(`{"privateEndpointIds":["b"]}`).then(`{"privateEndpointIds":{"remove":["b"]}}`, ok(`{"privateEndpointIds":[]}`)),
		},
	})
	for name, test := range map[string]struct {
		want ServiceUpdate
		list string
	}{
		"there":               {add, beside(newEntry)},
		"described otherwise": {add, beside(oldEntry)},
		"in another notation": {add, strings.Replace(newEntry, "10.0.0.1", "10.0.0.1/32", 1)},
		"endpoint":            {PrivateEndpointUpdate(nil, &id), `{"privateEndpointIds":["a","b"]}`},
	} {
		script := &script{t: t, responses: []response{ok(test.list)}}
		_, err := newClient(t, script.respond).UpdateService(t.Context(), serviceID, test.want)
		if script.expect(patchService(`{}`)); !errors.Is(err, ErrExists) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEntriesOfTwoClients: two clients change entries of one list at the same time, each
// its own, under random modes of the API and with lost responses. Neither names an entry
// of the other. In the end, the list has what both have set, and what nobody has touched.
func TestEntriesOfTwoClients(t *testing.T) {
	t.Parallel()
	modes := slices.DeleteFunc(listModes(), func(m listMode) bool {
		refusesOld := m.second == replaced && !m.removesFirst && m.removesByEntry && m.refusesUnknown // it has replaced it
		canChange := !refusesOld && (m.second == replaced || m.second == ignored || m.second == twice)
		return !canChange || m.shown != always || m.lag != noLag // an old list can look like the wanted one
	})
	for run := range 300 {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(*listsSeed, uint64(run)))
			shared := newSharedList(modes[random.IntN(len(modes))], entry("10.9.9.9", "nobody's"))
			var clients sync.WaitGroup
			owned := map[string]map[string]AccessEntry{"10.1.0.": {}, "10.2.0.": {}}
			for _, owner := range slices.Sorted(maps.Keys(owned)) {
				own, random := owned[owner], rand.New(rand.NewPCG(random.Uint64(), 0))
				c := newClient(t, shared.of(t, owner, random), retries(3))
				clients.Go(func() { changeEntries(t, c, owner, own, random) })
			}
			clients.Wait()
			want := []AccessEntry{entry("10.9.9.9", "nobody's")}
			for _, own := range owned {
				want = append(want, slices.Collect(maps.Values(own))...)
			}
			if got := shared.api.entries; !sameEntries(got, want) || t.Failed() {
				t.Fatalf("run %d, %+v: the list is %s, not %s\n%s", run, shared.api.mode, text(got), text(want), strings.Join(shared.api.log, "\n"))
			}
		})
		if t.Failed() {
			return
		}
	}
}

// changeEntries adds, changes and removes entries of one owner, each until it succeeds.
func changeEntries(t *testing.T, c *Client, owner string, own map[string]AccessEntry, random *rand.Rand) {
	t.Helper()
	for range 5 {
		source := owner + strconv.Itoa(random.IntN(3))
		var before, after *AccessEntry
		if e, ok := own[source]; ok {
			before = &e
		}
		if random.IntN(3) > 0 {
			after = &AccessEntry{Source: source, Description: ValueOf(strconv.Itoa(random.IntN(3)))}
		}
		isDone := false
		for try := 0; !isDone && try < 20; try++ {
			service, err := c.UpdateService(t.Context(), serviceID, EntryUpdate(before, after))
			switch {
			case errors.Is(err, ErrExists): // imported
				before = after
			case err == nil: // compare, as callers do
				shown := within(service.IPAccessList.value, []AccessEntry{{Source: source}}, byID)
				isDone = sameEntries(shown, atMostOne(after))
			}
			time.Sleep(time.Minute)
		}
		if !isDone {
			t.Errorf("%s: the update never succeeds", source)
		}
		if delete(own, source); after != nil {
			own[source] = *after
		}
	}
}

// A sharedList is a service that several clients change.
type sharedList struct {
	mu  sync.Mutex
	api *listAPI
}

func newSharedList(m listMode, list ...AccessEntry) *sharedList {
	return &sharedList{api: newListAPI(m, listForms()[0], list)}
}

// of is the API as one owner uses it, who may only send entries whose source begins so.
func (s *sharedList) of(t *testing.T, owner string, random *rand.Rand) fakeAPI {
	t.Helper()
	return func(r *http.Request) (response, error) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		var sent servicePatch
		_ = json.Unmarshal(body, &sent)
		for _, e := range append(sent.IPAccessList.Add, sent.IPAccessList.Remove...) {
			if !strings.HasPrefix(e.Source, owner) {
				t.Errorf("the client of %s has sent %s", owner, body)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		resp, err := s.api.respond(r)
		if random.IntN(8) == 0 {
			return response{503, ""}, nil // it has acted
		}
		return resp, err
	}
}
