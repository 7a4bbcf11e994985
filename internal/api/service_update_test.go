package api

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// named adds a name to an update.
func named(u ServiceUpdate) ServiceUpdate {
	u.Name = ValueOf("n")
	return u
}

// pendingReads are the reads of a wait for what never shows. A longer timeout has longer pauses.
const pendingReads = 14

func invalid() response { return response{400, `{"error":"bad description"}`} }

// TestListsAreChanged: also with nulls, other members beside a list, and private endpoints.
func TestListsAreChanged(t *testing.T) {
	t.Parallel()
	never := read(noEntries).then(addNew, ok(noEntries)).reads(pendingReads, noEntries)
	runServiceTests(t, []serviceTest{
		{
			name:      "remove all: null is empty, and empty is left out",
			want:      ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(entry("10.0.0.1", "old")), After: NullOf[[]AccessEntry]()}},
			exchanges: old.then(removeOld, ok(`{}`)).reads(1, `{"isPrimary":true}`),
			result:    `{"ipAccessList":null}`,
		},
		{
			name: "nulls are not sent",
			want: instead(AccessEntry{Source: "::1"}, wantEntries(AccessEntry{Source: "::2", Description: NullOf[string]()})),
			exchanges: read(`{"ipAccessList":[{"source":"::1","description":null}]}`).
				then(`{"ipAccessList":{"add":[{"source":"::2"}],"remove":[{"source":"::1"}]}}`, ok(`{"ipAccessList":[{"source":"::2"}]}`)),
			result: `{"ipAccessList":[{"source":"::2"}]}`,
		},
		{
			name: "other members are not sent",
			want: instead(AccessEntry{Source: "::1"}, wantEntries(AccessEntry{Source: "::2"})),
			exchanges: read(`{"ipAccessList":[{"source":"::1","id":1}]}`).
				then(`{"ipAccessList":{"add":[{"source":"::2"}],"remove":[{"source":"::1"}]}}`, ok(`{"ipAccessList":[{"source":"::2","id":2}]}`)),
			result: `{"ipAccessList":[{"source":"::2"}]}`,
		},
		{
			name: "a private endpoint beside a description",
			want: ServiceUpdate{IPAccessList: changed().IPAccessList, PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"b"}), After: ValueOf([]string{"a"})}},
			exchanges: read(`{"privateEndpointIds":["b"],`+oldEntry[1:]).
				then(replace[:len(replace)-1]+`,"privateEndpointIds":{"add":["a"],"remove":["b"]}}`, ok(`{"privateEndpointIds":["a"],`+newEntry[1:])),
			result: `{"privateEndpointIds":["a"],` + newEntry[1:],
		},
		{
			name: "a read after the second PATCH is older than the response to the first",
			want: ServiceUpdate{IPAccessList: changed().IPAccessList, PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"b"}), After: ValueOf([]string{"a"})}},
			exchanges: read(`{"privateEndpointIds":["b"],`+oldEntry[1:]).
				then(replace[:len(replace)-1]+`,"privateEndpointIds":{"add":["a"],"remove":["b"]}}`, ok(`{"privateEndpointIds":["a"],`+noEntries[1:])).
				then(addNew, ok(`{}`)).reads(1, `{"privateEndpointIds":["b"],`+newEntry[1:]),
			result: `{"privateEndpointIds":["a"],` + newEntry[1:],
		},
		{
			name: "reads stop showing the list, and the response to the second PATCH shows what that has added",
			want: ServiceUpdate{IPAccessList: changed().IPAccessList, PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"b"}), After: ValueOf([]string{"a"})}},
			exchanges: read(`{"privateEndpointIds":["b"],`+oldEntry[1:]).
				then(replace[:len(replace)-1]+`,"privateEndpointIds":{"add":["a"],"remove":["b"]}}`, ok(noEntries)).reads(1, `{"privateEndpointIds":[],"ipAccessList":7}`).
				then(addNew[:len(addNew)-1]+`,"privateEndpointIds":{"add":["a"]}}`, ok(newEntry)).then(`{}`, response{403, ""}),
			status: 403, // 10.0.0.1 is not missing
		},
		{name: "an addition that never shows is for the caller to compare", exchanges: never, result: noEntries},
		{
			name: "a list that is emptied because the API writes an address in another form",
			want: instead(entry("0.0.0.0/0", "x"), wantEntries(entry("0.0.0.0", "x"))),
			exchanges: read(everybody).then(`{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}],"remove":[{"source":"0.0.0.0/0","description":"x"}]}}`, ok(noEntries)).
				then(`{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}]}}`, ok(everybody)).reads(pendingReads, everybody),
			result: everybody,
		},
		{
			name: "a list that is emptied so, and the API refuses to add the address again",
			want: instead(entry("0.0.0.0/0", "x"), wantEntries(entry("0.0.0.0", "x"))),
			exchanges: read(everybody).then(`{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}],"remove":[{"source":"0.0.0.0/0","description":"x"}]}}`, ok(noEntries)).
				then(`{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}]}}`, invalid()),
			result: noEntries, // for the caller to compare
		},
		{
			name: "a list that is emptied so, and the API has the address already",
			want: instead(entry("0.0.0.0/0", "x"), wantEntries(entry("0.0.0.0", "x"))),
			exchanges: read(everybody).then(`{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}],"remove":[{"source":"0.0.0.0/0","description":"x"}]}}`, ok(noEntries)).
				busy(`{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}]}}`),
			result: noEntries, // nothing is missing that has had access, so nothing waits for a busy API
		},
		{
			name: "a list that is emptied so, and the read after the address was added again is refused",
			want: instead(entry("0.0.0.0/0", "x"), wantEntries(entry("0.0.0.0", "x"))),
			exchanges: read(everybody).then(`{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}],"remove":[{"source":"0.0.0.0/0","description":"x"}]}}`, ok(noEntries)).
				then(`{"ipAccessList":{"add":[{"source":"0.0.0.0","description":"x"}]}}`, ok(`{}`)).then(`{}`, response{400, ""}),
			status: 400,
		},
		{
			name:      "a list that is emptied with an entry that stays",
			want:      ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(entry("10.0.0.1", "new"), entry("::1", "")), After: entries(entry("10.0.0.1", "new"))}},
			exchanges: read(`{"ipAccessList":[{"source":"::1"},`+newEntry[len(`{"ipAccessList":[`):]).then(`{"ipAccessList":{"remove":[{"source":"::1"}]}}`, ok(noEntries)).then(addNew, ok(newEntry)),
		},
		{name: "a read is refused", exchanges: old.then(replace, ok(oldEntry)).then(`{}`, response{400, ""}), status: 400, message: "may lack: 10.0.0.1"},
		{
			name:      "a read fails after a PATCH that has used up its retries",
			exchanges: old.then(replace, conflict()).then(replace, conflict()).then(replace, conflict()).then(replace, ok(`{}`)).then(`{}`, response{500, ""}).reads(1, newEntry),
		},
		{name: "a read fails once", exchanges: old.then(replace, ok(oldEntry)).then(`{}`, response{500, ""}).reads(1, newEntry)},
	})
}

// TestOverdueRemovals: after a removal that nothing shows in time, nothing more is
// removed.
func TestOverdueRemovals(t *testing.T) {
	t.Parallel()
	const says = "has not shown it after 30s; it still shows: "
	both := `{"ipAccessList":[{"source":"::1/128","description":""},` + oldEntry[len(`{"ipAccessList":[`):]
	runServiceTests(t, []serviceTest{
		{
			name: "of an address that goes, as the API shows it",
			want: instead(AccessEntry{Source: "::1"}, changed()),
			exchanges: read(both).
				then(`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"::1/128","description":""},{"source":"10.0.0.1","description":"old"}]}}`, ok(both)).
				reads(pendingReads, both),
			message: says + "10.0.0.1, ::1/128; check ip_access_list, which may lack: 10.0.0.1 (",
		},
		{
			name: "of an address whose other members move, and whose description becomes null",
			want: instead(AccessEntry{Source: "::1"}, wantEntries()),
			exchanges: read(`{"ipAccessList":[{"source":"::1","usedAt":1}]}`).
				then(`{"ipAccessList":{"remove":[{"source":"::1"}]}}`, ok(`{"ipAccessList":[{"source":"::1","usedAt":2}]}`)).
				reads(pendingReads, `{"ipAccessList":[{"source":"::1","usedAt":3,"description":null}]}`),
			message: says + "::1 (",
		},
		{
			name: "of an entry of a hidden service",
			want: EntryUpdate(&AccessEntry{Source: "::1"}, nil),
			exchanges: exchanges{}.then(`{}`, response{405, ""}).
				then(`{"ipAccessList":{"remove":[{"source":"::1"}]}}`, ok(`{"ipAccessList":[{"source":"::1"}]}`)).
				then(`{"ipAccessList":{"remove":[{"source":"::1"}]}}`, ok(`{"ipAccessList":[{"source":"::1"}]}`)),
			message: "has not shown it in its response; it still shows: ::1 (",
		},
		{
			name: "of a private endpoint",
			want: ServiceUpdate{PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"a"}), After: ValueOf([]string{})}},
			exchanges: read(`{"privateEndpointIds":["a"]}`).
				then(`{"privateEndpointIds":{"remove":["a"]}}`, ok(`{"privateEndpointIds":["a"]}`)).reads(pendingReads, `{"privateEndpointIds":["a"]}`),
			message: says + "a (",
		},
	})
}

// TestRefusedReplacement: what the errors of refused PATCHes say.
func TestRefusedReplacement(t *testing.T) {
	t.Parallel()
	const (
		missing = "check ip_access_list, which may lack: 10.0.0.1"
		advice  = "change its description in two applies"
	)
	taken := old.then(replace, ok(noEntries))
	const (
		addOther    = `{"ipAccessList":{"add":[{"source":"10.0.0.2","description":"b"}]}}`
		oldAndOther = `{"ipAccessList":[{"source":"10.0.0.1","description":"old"},{"source":"10.0.0.2","description":"b"}]}`
	)
	runServiceTests(t, []serviceTest{
		{
			name:      "a new address that somebody else has added",
			want:      wantEntries(entry("10.0.0.2", "b"), entry("10.0.0.1", "old")),
			exchanges: old.busy(addOther),
			status:    409, message: "exists",
		},
		{
			name:      "a new address while the API is busy",
			want:      wantEntries(entry("10.0.0.2", "b"), entry("10.0.0.1", "old")),
			exchanges: old.then(addOther, conflict()).then(addOther, conflict()).then(addOther, ok(oldAndOther)),
			result:    oldAndOther,
		},
		{name: "a replacement while the API is busy", exchanges: old.then(replace, conflict()).then(replace, ok(newEntry))},
		{name: "a name beside a replacement", want: named(changed()), exchanges: old.then(`{"name":"n",`+replace[1:], invalid()).reads(1, oldEntry), status: 400, message: "bad description … " + advice},
		{name: "not the replacement, but the reads while the API is busy with it", exchanges: old.then(replace, ok(`{}`)).busy(`{}`).then(`{}`, conflict()).reads(1, newEntry)},
		{name: "not about the entry", exchanges: old.then(replace, response{403, ""}), status: 403, message: "Forbidden"},
		{name: "the replacement", exchanges: old.then(replace, response{422, ""}).reads(1, oldEntry), status: 422, message: advice},
		{name: "the replacement, or the API is busy", exchanges: old.busy(replace).reads(1, oldEntry), status: 409, message: "exists … " + advice},
		{name: "a part of the replacement", exchanges: old.then(replace, conflict()).then(replace, response{400, ""}).reads(1, noEntries), status: 400, message: advice + " … " + missing},
		{name: "the replacement, and what it has done is unknown", exchanges: old.then(replace, response{400, ""}).then(`{}`, response{403, ""}), status: 400, message: advice + " … " + missing},
		{name: "the replacement, while the service is locked", exchanges: old.then(replace, response{423, ""}).then(replace, response{423, ""}).then(replace, response{423, ""}).then(replace, response{423, ""}), status: 423, message: "Locked"},
		{name: "what the replacement has taken is added", exchanges: taken.then(addNew, ok(newEntry))},
		{name: "the addition of what the replacement has taken", exchanges: taken.then(addNew, response{403, ""}), status: 403, message: missing},
		{name: "the addition, or the API is busy", exchanges: taken.then(addNew, response{400, ""}), status: 400, message: missing},
		{
			name:      "nothing, and what was never there is refused",
			want:      instead(entry("10.0.0.1", "old"), wantEntries(entry("10.0.0.1", "new"), entry("10.0.0.2", "b"))),
			exchanges: old.then(`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"},{"source":"10.0.0.2","description":"b"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`, ok(newEntry)).busy(addOther),
		},
		{name: "nothing, but what is missing never shows", exchanges: taken.then(addNew, ok(noEntries)).reads(pendingReads, noEntries), result: noEntries},
		{name: "nothing, and what is missing shows after a failure", exchanges: taken.then(addNew, response{503, ""}).reads(1, newEntry)},
		{
			name:      "nothing, and the reads after a failure have retries of their own",
			exchanges: taken.then(addNew, response{503, ""}).then(`{}`, response{500, ""}).then(`{}`, response{500, ""}).then(`{}`, response{500, ""}).reads(1, newEntry),
		},
		{name: "a page is no response", exchanges: old.then(replace, response{200, "<html>"}), status: 200, message: missing},
	})
}

// While a PATCH is carried out, another request gets a 401, after which nothing more is sent. The update needs no more.
func TestUpdateThatIsDone(t *testing.T) {
	t.Parallel()
	var c *Client
	c = newClient(t, func(r *http.Request) (response, error) {
		if r.Method == http.MethodGet {
			return response{401, ""}, nil
		}
		if _, isRead := patchOf(t, r); isRead {
			return ok(oldEntry), nil
		}
		_, _ = c.Pipe(t.Context(), serviceID, pipeID)
		return ok(newEntry), nil
	}, retries(12))
	if _, err := c.UpdateService(t.Context(), serviceID, changed()); err != nil {
		t.Error(err)
	}
}

// A list that a response leaves out is read at once, whatever it was before.
func TestLeftOutListIsReadAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := scripted(t, ok(oldEntry), ok(`{}`), ok(newEntry))
		began := time.Now()
		if _, err := c.UpdateService(t.Context(), serviceID, changed()); err != nil || time.Since(began) > 10*time.Millisecond {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

func TestMessagesNameAddressesOnce(t *testing.T) {
	t.Parallel()
	if got := inMessage([]AccessEntry{entry("::2", "a"), entry("::1", ""), entry("::2", "b")}); got != "::1, ::2" {
		t.Error(got)
	}
}

// TestListsThatAreNotReturned: what the plan was made from counts. If that is
// nothing, everything is added.
// Nothing that stays is removed.
func TestListsThatAreNotReturned(t *testing.T) {
	t.Parallel()
	const a, b = `{"source":"10.0.0.1","description":"a"}`, `{"source":"10.0.0.2","description":"b"}`
	const endpoints = `"privateEndpointIds":{"add":["vpce-1"],"remove":["vpce-0"]}}`
	unknown := wantEntries(entry("10.0.0.1", "a"))
	unknown.PrivateEndpointIDs.After = ValueOf([]string{"vpce-1"})
	planned := unknown
	planned.IPAccessList.Before = entries(entry("10.0.0.1", "other"), entry("10.0.0.2", "b"))
	planned.PrivateEndpointIDs.Before = ValueOf([]string{"vpce-0"})
	const change = `{"ipAccessList":{"add":[` + a + `],"remove":[` + b + `]},` + endpoints
	refused := exchanges{}.then(`{}`, response{405, ""})
	runServiceTests(t, []serviceTest{
		{name: "the first PATCH is all", want: planned, exchanges: refused.then(change, ok(`{}`)), result: `{}`},
		{
			name: "a list that nothing has shown since the first PATCH",
			want: ServiceUpdate{IPAccessList: changed().IPAccessList, PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"vpce-0"}), After: ValueOf([]string{})}},
			exchanges: read(oldEntry[:len(oldEntry)-1]+`,"privateEndpointIds":["vpce-0"]}`).
				then(replace[:len(replace)-1]+`,"privateEndpointIds":{"remove":["vpce-0"]}}`, ok(`{"name":"n"}`)).reads(1, `{"name":"n"}`).
				then(addNew, ok(newEntry)).reads(1, `{"name":"n"}`),
		},
		{name: "and a read", want: planned, exchanges: read(`{}`).then(change, ok(`{}`)).reads(1, `{}`), result: `{}`},
		{
			name: "a removal after which the response shows null", want: EntryUpdate(&AccessEntry{Source: "10.0.0.1"}, nil),
			exchanges: refused.then(`{"ipAccessList":{"remove":[{"source":"10.0.0.1"}]}}`, ok(`{"isPrimary":true,"ipAccessList":null}`)),
			result:    `{"isPrimary":true,"ipAccessList":null}`,
		},
		{name: "a changed description is refused", want: planned, exchanges: refused.busy(change), status: 409, message: "exists"},
		{
			name:      "the conflict is not about a list",
			want:      named(ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(entry("10.0.0.1", "a")), After: entries(entry("10.0.0.1", "a"))}}),
			exchanges: refused.busy(`{"name":"n"}`), status: 409, message: "exists",
		},
		{name: "unauthorized to read", want: planned, exchanges: exchanges{}.then(`{}`, response{401, ""}), status: 401},
		{
			name: "unknown outcome", want: unknown,
			exchanges: refused.then(`{"ipAccessList":{"add":[`+a+`]},"privateEndpointIds":{"add":["vpce-1"]}}`, response{503, ""}),
			status:    503, message: "has not returned the changed lists after that",
		},
		{
			name: "an address that only a response has shown, and that the service loses", want: instead(entry("10.0.0.2", "b"), changed()),
			exchanges: refused.then(`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[`+b+`]}}`, ok(oldEntry)).
				then(replace, ok(noEntries)).then(addNew, invalid()),
			status: 400, message: "may lack: 10.0.0.1",
		},
		{
			name:      "known from a state, and another is there already",
			want:      ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(entry("10.0.0.2", "b")), After: entries(entry("10.0.0.1", "a"), entry("10.0.0.2", "b"))}},
			exchanges: refused.busy(`{"ipAccessList":{"add":[` + a + `]}}`), status: 409, message: "exists",
		},
		{
			name:      "unknown, and a private endpoint is there already",
			want:      ServiceUpdate{PrivateEndpointIDs: ListUpdate[string]{After: ValueOf([]string{"vpce-1"})}},
			exchanges: refused.busy(`{"privateEndpointIds":{"add":["vpce-1"]}}`), status: 409, message: "exists",
		},
	})
}

// TestUnknownOutcome: a PATCH that adds or removes is not sent again before the
// service was read.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	const (
		old  = `{"ipAccessList":[{"source":"10.0.0.1"}]}`
		done = `{"ipAccessList":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}]}`
		all  = `{"ipAccessList":{"add":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}],"remove":[{"source":"10.0.0.1"}]}}`
	)
	want := instead(AccessEntry{Source: "10.0.0.1"}, wantEntries(AccessEntry{Source: "10.0.0.2"}, AccessEntry{Source: "10.0.0.3"}))
	down := func() response { return response{503, `{"error":"down"}`} }
	lost := read(old).then(all, down())
	again := func(body string) exchanges { return exchanges{}.then(body, down()).then(body, ok(`{"name":"n"}`)) }
	runServiceTests(t, []serviceTest{
		{
			name:      "the name may be lost",
			want:      named(want),
			exchanges: read(old).then(`{"name":"n",`+all[1:], down()).then(`{}`, ok(done)).then(`{"name":"n"}`, ok(done)),
			result:    done,
		},
		{name: "all attempts share the retries", want: want, exchanges: lost.then(`{}`, down()).reads(pendingReads, old).then(all, down()).reads(pendingReads, old).then(all, down()), status: 503},
		{name: "it had no effect, and the next takes time", want: want, exchanges: lost.reads(pendingReads, old).then(all, ok(`{}`)).reads(9, old).reads(1, done), result: done},
		{name: "the list is not returned", want: want, exchanges: read(`{}`).then(all, down()).then(`{}`, ok(`{}`)), status: 503, message: "has not returned the changed lists after that"},
		{
			name:      "private endpoints are not returned",
			want:      ServiceUpdate{PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"a"}), After: ValueOf([]string{})}},
			exchanges: read(`{}`).then(`{"privateEndpointIds":{"remove":["a"]}}`, down()).then(`{}`, ok(`{}`)),
			status:    503, message: "has not returned the changed lists after that",
		},
		{
			name:      "endpoints are sent again",
			want:      ServiceUpdate{Endpoints: []EndpointSwitch{{Protocol: "mysql", Enabled: true}}},
			exchanges: again(`{"endpoints":[{"protocol":"mysql","enabled":true}]}`), result: `{}`,
		},
	})
}

// TestOldReadOfAMissingAddress: the response to the first PATCH shows that it has taken an address, and the read
// after the failure of the second one is late. The error names the address.
func TestOldReadOfAMissingAddress(t *testing.T) {
	t.Parallel()
	runServiceTests(t, []serviceTest{{
		name:      "the next read is refused",
		exchanges: old.then(replace, ok(noEntries)).then(addNew, response{500, ""}).reads(1, oldEntry).then(`{}`, response{403, ""}),
		status:    500, message: "could not be read … may lack: 10.0.0.1",
	}})
}

// TestRemovalFromALeftOutList: a list that a read leaves out is empty, but what is removed is sent all the same. A
// whole list that is sent gets every planned entry.
func TestRemovalFromALeftOutList(t *testing.T) {
	t.Parallel()
	const leftOut = `{"isPrimary":true,"privateEndpointIds":[]}`
	is := func(list string) string { return leftOut[:len(leftOut)-1] + "," + list[1:] }
	was, mine := entry("10.0.0.1", "old"), entry("10.0.0.1", "new")
	runServiceTests(t, []serviceTest{
		{name: "an entry", want: EntryUpdate(&was, nil), exchanges: read(leftOut).then(removeOld, ok(is(noEntries))), result: is(noEntries)},
		{name: "all entries", want: instead(was, wantEntries()), exchanges: read(leftOut).then(removeOld, ok(is(noEntries))), result: is(noEntries)},
		{
			name: "one of two entries", want: ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(mine, entry("10.0.0.2", "")), After: entries(mine)}},
			exchanges: read(leftOut).then(`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.2","description":""}]}}`, ok(is(newEntry))),
			result:    is(newEntry),
		},
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
