package api

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

func entry(source, description string) AccessEntry {
	return AccessEntry{Source: source, Description: ValueOf(description)}
}

func entries(list ...AccessEntry) Value[[]AccessEntry] { return ValueOf(list) }

// wantEntries is the update of an access list, planned from what the first read
// shows.
func wantEntries(list ...AccessEntry) ServiceUpdate {
	return ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{After: ValueOf(list)}}
}

// named adds a name to an update.
func named(u ServiceUpdate) ServiceUpdate {
	u.Name = ValueOf("n")
	return u
}

// pendingReads are the reads that wait for a change that does not show.
const pendingReads = 13

// exchanges are the PATCHes of a service and their responses.
type exchanges []exchange

type exchange struct {
	body     string
	response response
}

// read is a read of the service, which begins an update.
func read(result string) exchanges { return exchanges{}.reads(1, result) }

func (e exchanges) then(body string, resp response) exchanges {
	return append(slices.Clip(e), exchange{body, resp})
}

func (e exchanges) reads(n int, result string) exchanges {
	for range n {
		e = e.then(`{}`, ok(result))
	}
	return e
}

// A serviceTest is an update of a service, with all requests it sends.
type serviceTest struct {
	name      string
	want      ServiceUpdate // zero: newEntry
	exchanges exchanges
	result    string // of an update that succeeds; "": newEntry
	status    int    // of the error
	message   string // part of the error's message
}

func runServiceTests(t *testing.T, tests []serviceTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if reflect.ValueOf(test.want).IsZero() {
					test.want = changed()
				}
				script := &script{t: t}
				var want []request
				for _, e := range test.exchanges {
					script.responses, want = append(script.responses, e.response), append(want, patchService(e.body))
				}
				c := newClient(t, script.respond, retries(3), func(config *Config) { config.AlsoHidden = []int{403, 500} })
				service, err := c.UpdateService(t.Context(), serviceID, test.want)
				script.expect(want...)
				if test.status != 0 || test.message != "" {
					if e := asError(t, err); !strings.HasSuffix(e.Operation, " service") || e.Status != test.status || !strings.Contains(err.Error(), test.message) {
						t.Errorf("%+v", e)
					}
					for _, advice := range []string{"may be missing", "in two applies", "by other means", "was accepted before"} {
						if strings.Contains(err.Error(), advice) && !strings.Contains(test.message, advice) {
							t.Error(err)
						}
					}
					mayHaveChanged := func(e exchange) bool { return e.body != "{}" && (e.response.status == 200 || e.response.status >= 499) }
					if slices.ContainsFunc(test.exchanges, mayHaveChanged) && c.services.at(serviceID).newest() != nil {
						t.Error("the old service is still cached")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				sameJSON(t, service, cmp.Or(test.result, newEntry))
				if cached := c.services.at(serviceID).newest(); cached != nil && cached != service {
					t.Errorf("cached: %+v", cached)
				}
			})
		})
	}
}

const (
	oldEntry  = `{"ipAccessList":[{"source":"10.0.0.1","description":"old"}]}`
	newEntry  = `{"ipAccessList":[{"source":"10.0.0.1","description":"new"}]}`
	bothOfOne = `{"ipAccessList":[{"source":"10.0.0.1","description":"old"},{"source":"10.0.0.1","description":"new"}]}`
	noEntries = `{"ipAccessList":[]}`

	addNew    = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`
	addOld    = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"old"}]}}`
	removeOld = `{"ipAccessList":{"remove":[{"source":"10.0.0.1","description":"old"}]}}`
	// Once a removal had no effect, it writes the address the other way.
	replaceLong = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1/32","description":"old"}]}}`
	replace     = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`
)

var old = read(oldEntry)

func changed() ServiceUpdate { return wantEntries(entry("10.0.0.1", "new")) }

func conflict() response { return response{409, `{"error":"exists"}`} }

func invalid() response { return response{400, `{"error":"bad description"}`} }

// TestListsAreChanged: what TestListsConverge has none of: nulls, responses without
// a list, private endpoints, and other members beside a list.
func TestListsAreChanged(t *testing.T) {
	t.Parallel()
	runServiceTests(t, []serviceTest{
		{
			name:      "remove all: null is empty, and empty is left out",
			want:      ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{After: NullOf[[]AccessEntry]()}},
			exchanges: old.then(removeOld, ok(`{}`)),
			result:    noEntries,
		},
		{name: "from null", exchanges: read(`{"ipAccessList":null}`).then(addNew, ok(newEntry))},
		{
			name: "nulls are not sent",
			want: wantEntries(AccessEntry{Source: "::2", Description: NullOf[string]()}),
			exchanges: read(`{"ipAccessList":[{"source":"::1","description":null}]}`).
				then(`{"ipAccessList":{"add":[{"source":"::2"}],"remove":[{"source":"::1"}]}}`, ok(`{"ipAccessList":[{"source":"::2"}]}`)),
			result: `{"ipAccessList":[{"source":"::2"}]}`,
		},
		{name: "an outdated entry beside the new one", exchanges: read(bothOfOne).then(replace, ok(newEntry))},
		{name: "response without the list", exchanges: old.then(addNew, ok(`{}`))},
	})
}

// TestLateListsAreReadAgain: a PATCH whose response shows nothing of it is looked
// for in reads, for up to the update timeout, before the next one is sent.
func TestLateListsAreReadAgain(t *testing.T) {
	t.Parallel()
	late := old.then(addNew, ok(oldEntry))
	runServiceTests(t, []serviceTest{
		{name: "a read is refused", exchanges: late.then(`{}`, response{400, ""}), status: 400},
		{name: "a read fails", exchanges: late.then(`{}`, response{500, ""}).reads(1, newEntry)},
		{
			name:      "reads show no list: what was asked for counts, and is added again in the end",
			exchanges: old.then(addNew, conflict()).then(replace, ok(oldEntry)).reads(1, `{}`).then(addNew, ok(newEntry)),
		},
		{name: "reads show no list after an addition", exchanges: late.reads(1, `{}`)},
		{
			name:      "an empty list is left out: the addition went with the removal",
			exchanges: old.then(addNew, conflict()).then(replace, ok(`{}`)).reads(1, `{}`).then(addNew, ok(newEntry)),
		},
		{name: "only the response leaves the list out", exchanges: old.then(addNew, conflict()).then(replace, ok(`{}`)).then(`{}`, ok(newEntry))},
	})
}

// TestOverdueRemovals: after a removal that nothing shows, nothing more is removed,
// except an address that goes, in its other notation.
func TestOverdueRemovals(t *testing.T) {
	t.Parallel()
	const says = "has not shown it after 30s; it may still show: "
	removal := func(source string) string {
		return `{"ipAccessList":{"remove":[{"source":"` + source + `","description":""}]}}`
	}
	list := func(source string) string { return `{"ipAccessList":[{"source":"` + source + `","description":""}]}` }
	none, mine := wantEntries(), ServiceUpdate{PrivateEndpointIDs: ListUpdate[string]{After: ValueOf([]string{})}}
	runServiceTests(t, []serviceTest{
		{
			name: "of an address that stays, and cannot be added again",
			exchanges: old.then(addNew, conflict()).then(replace, ok(oldEntry)).reads(pendingReads+1, oldEntry).
				then(addNew, response{403, ""}),
			message: "may be missing now, add again: 10.0.0.1",
		},
		{
			name: "of an address that goes, in both notations",
			want: none,
			exchanges: read(list("::1/128")).then(removal("::1/128"), ok(list("::1/128"))).reads(pendingReads, list("::1/128")).
				then(removal("::1"), ok(list("::1/128"))).reads(pendingReads, list("::1/128")),
			message: says + "::1 (",
		},
		{
			name: "of an address that goes, beside an addition: nothing else is removed",
			want: wantEntries(entry("10.0.0.1", "new")),
			exchanges: read(`{"ipAccessList":[{"source":"10.0.0.1","description":"old"},{"source":"::1","description":""}]}`).
				then(`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"::1","description":""}]}}`, ok(`{"ipAccessList":[{"source":"10.0.0.1","description":"old"},{"source":"::1","description":""}]}`)).
				reads(pendingReads, `{"ipAccessList":[{"source":"10.0.0.1","description":"old"},{"source":"::1","description":""}]}`).
				then(`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"::1/128","description":""}]}}`, ok(newEntry)),
		},
		{
			name: "of an address that goes, and its other notation is refused",
			want: none,
			exchanges: read(list("::1")).then(removal("::1"), ok(list("::1"))).reads(pendingReads, list("::1")).
				then(removal("::1/128"), response{400, ""}),
			status: 400, message: "the removal of ::1 was accepted before, and may still show",
		},
		{
			name:      "an addition that never shows is sent once",
			want:      wantEntries(entry("10.0.0.1", "new")),
			exchanges: read(noEntries).then(addNew, ok(noEntries)).reads(pendingReads, noEntries),
			result:    noEntries,
		},
		{
			name:      "of a range",
			want:      none,
			exchanges: read(list("10.0.0.0/8")).then(removal("10.0.0.0/8"), ok(list("10.0.0.0/8"))).reads(pendingReads, list("10.0.0.0/8")),
			message:   says + "10.0.0.0/8 (",
		},
		{
			name: "of a private endpoint",
			want: mine,
			exchanges: read(`{"privateEndpointIds":["a"]}`).
				then(`{"privateEndpointIds":{"remove":["a"]}}`, ok(`{"privateEndpointIds":["a"]}`)).reads(pendingReads, `{"privateEndpointIds":["a"]}`),
			message: says + "a (",
		},
	})
}

// TestDriftedLists: a list that the update itself empties does not become the planned
// one: what has drifted stays gone.
func TestDriftedLists(t *testing.T) {
	t.Parallel()
	other := entry("::2", "")
	runServiceTests(t, []serviceTest{{
		want: ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{
			Before: entries(entry("10.0.0.1", "old"), other), After: entries(entry("10.0.0.1", "new"), other),
		}},
		exchanges: old.then(addNew, conflict()).then(replace, conflict()).then(removeOld, ok(noEntries)).then(addNew, ok(newEntry)),
	}})
}

// TestOnlyAConflictLeadsToARemoval: after another refusal nothing that should stay
// is taken away.
func TestOnlyAConflictLeadsToARemoval(t *testing.T) {
	t.Parallel()
	const advice = "change a description in two applies"
	runServiceTests(t, []serviceTest{
		{
			name:      "a new address",
			want:      wantEntries(entry("10.0.0.2", "b"), entry("10.0.0.1", "old")),
			exchanges: old.then(`{"ipAccessList":{"add":[{"source":"10.0.0.2","description":"b"}]}}`, conflict()),
			status:    409, message: "exists",
		},
		{name: "invalid", exchanges: old.then(addNew, invalid()).then(replace, invalid()), status: 400, message: advice},
		{name: "a second entry is invalid", exchanges: old.then(addNew, invalid()).then(replace, ok(newEntry))},
		{name: "invalid, then conflict", exchanges: old.then(addNew, invalid()).then(replace, conflict()), status: 409, message: advice},
		{
			name:      "invalid, then ignored",
			exchanges: old.then(addNew, invalid()).then(replace, ok(bothOfOne)).then(replaceLong, conflict()),
			status:    409, message: advice,
		},
		{
			name: "a removal leaves a PATCH for the addition",
			exchanges: old.then(addNew, conflict()).then(replace, ok(strings.ReplaceAll(oldEntry, "old", "other"))).
				then(strings.ReplaceAll(replace, `0.1","description":"old"`, `0.1","description":"other"`), conflict()),
			status: 409,
		},
	})
}

// TestRemovedEntriesArePutBack: an entry that had to be removed is added again if
// the update fails, and named if that fails too.
func TestRemovedEntriesArePutBack(t *testing.T) {
	t.Parallel()
	const missing = "ip_access_list: may be missing now, add again: 10.0.0.1"
	refused := old.then(addNew, conflict()).then(replace, conflict()).then(removeOld, ok(noEntries))
	lost := old.then(addNew, conflict()).then(replace, response{200, "<html>"})
	byProxy := func(status int) exchanges {
		return old.then(addNew, conflict()).then(replace, conflict()).then(removeOld, response{status, ""})
	}
	fourth := old.then(addNew, ok(bothOfOne)).
		then(replace, ok(strings.ReplaceAll(oldEntry, "old", "other"))).
		then(strings.ReplaceAll(replace, `0.1","description":"old"`, `0.1","description":"other"`), ok(bothOfOne)).
		then(replaceLong, ok(noEntries))
	runServiceTests(t, []serviceTest{
		{name: "put back", exchanges: refused.then(addNew, invalid()).then(addOld, ok(oldEntry)), status: 400, message: "bad description"},
		{name: "not put back", exchanges: refused.then(addNew, response{401, ""}).then(addOld, response{401, ""}), status: 401, message: missing},
		{name: "520, and removed", exchanges: byProxy(520).reads(1, noEntries).then(addNew, ok(newEntry))},
		{name: "524, and not put back", exchanges: byProxy(524).then(`{}`, response{401, ""}).then(`{}`, response{401, ""}).then(addOld, response{401, ""}), status: 524, message: missing},
		{name: "499, and removed", exchanges: byProxy(499).reads(1, noEntries).then(addOld, ok(oldEntry)), status: 499},
		{name: "put back, in a second attempt", exchanges: refused.then(addNew, invalid()).then(addOld, response{503, ""}).then(addOld, ok(oldEntry)), status: 400},
		{name: "removed by the PATCH before the last", exchanges: refused.then(addNew, response{503, ""}).then(`{}`, response{401, ""}).then(`{}`, response{503, ""}).then(addOld, ok(oldEntry)), status: 503},
		{name: "there already", exchanges: refused.then(addNew, response{403, ""}).then(addOld, conflict()).reads(1, oldEntry), status: 403},
		{name: "a conflict about something else", exchanges: refused.then(addNew, response{403, ""}).then(addOld, conflict()).reads(1, noEntries), status: 403, message: missing},
		{name: "a conflict, and unknown what about", exchanges: refused.then(addNew, response{403, ""}).then(addOld, conflict()).then(`{}`, response{401, ""}), status: 403, message: missing},
		{name: "unknown whether it is there", exchanges: lost.then(`{}`, response{401, ""}).then(addOld, response{401, ""}), status: 200, message: missing},
		{name: "not put back, after the last PATCH", exchanges: fourth.then(addNew, response{403, ""}), status: 403, message: missing},
		{
			name: "not missing, whatever else is pending",
			want: ServiceUpdate{IPAccessList: changed().IPAccessList, PrivateEndpointIDs: ListUpdate[string]{After: ValueOf([]string{})}},
			exchanges: read(`{"privateEndpointIds":["a"],`+oldEntry[1:]).
				then(addNew[:len(addNew)-1]+`,"privateEndpointIds":{"remove":["a"]}}`, conflict()).
				then(replace[:len(replace)-1]+`,"privateEndpointIds":{"remove":["a"]}}`, ok(`{"privateEndpointIds":["a"],`+newEntry[1:])).
				then(`{}`, response{401, ""}),
			status: 401,
		},
		{
			name:      "unknown whether it is there, and a conflict",
			exchanges: old.then(addNew, ok(oldEntry)).reads(pendingReads, oldEntry).then(replace, ok(newEntry)).then(addNew, conflict()),
			status:    409, message: missing,
		},
	})
}

// TestListsThatAreNotReturned: what the plan was made from counts. If that is
// nothing, everything is added and a conflict is an error that says what to do.
func TestListsThatAreNotReturned(t *testing.T) {
	t.Parallel()
	const a, b = `{"source":"10.0.0.1","description":"a"}`, `{"source":"10.0.0.2","description":"b"}`
	const advice = "if one of the added entries exists already, remove it from the service by other means"
	const addAll = `{"ipAccessList":{"add":[` + a + `]},"privateEndpointIds":{"add":["vpce-1"]}}`
	const endpoints = `"privateEndpointIds":{"add":["vpce-1"],"remove":["vpce-0"]}}`
	const done = `{"ipAccessList":[` + a + `],"privateEndpointIds":["vpce-1"]}`
	unknown := wantEntries(entry("10.0.0.1", "a"))
	unknown.PrivateEndpointIDs.After = ValueOf([]string{"vpce-1"})
	planned := unknown
	planned.IPAccessList.Before = entries(entry("10.0.0.1", "other"), entry("10.0.0.2", "b"))
	planned.PrivateEndpointIDs.Before = ValueOf([]string{"vpce-0"})
	refused := exchanges{}.then(`{}`, response{405, ""})
	runServiceTests(t, []serviceTest{
		{
			name: "changed description",
			want: planned,
			exchanges: refused.
				then(`{"ipAccessList":{"add":[`+a+`],"remove":[`+b+`]},`+endpoints, response{409, ""}).
				then(`{"ipAccessList":{"add":[`+a+`],"remove":[`+b+`,{"source":"10.0.0.1","description":"other"}]},`+endpoints, ok(`{}`)),
			result: done,
		},
		{name: "unauthorized to read", want: planned, exchanges: exchanges{}.then(`{}`, response{401, ""}), status: 401},
		{name: "unknown outcome", want: unknown, exchanges: refused.then(addAll, response{503, ""}), status: 503},
		{
			name:      "known from a state, and another is there already",
			want:      ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(entry("10.0.0.2", "b")), After: entries(entry("10.0.0.1", "a"), entry("10.0.0.2", "b"))}},
			exchanges: refused.then(`{"ipAccessList":{"add":[`+a+`]}}`, conflict()), status: 409, message: advice,
		},
		{
			name:      "unknown, and a private endpoint is there already",
			want:      ServiceUpdate{PrivateEndpointIDs: ListUpdate[string]{After: ValueOf([]string{"vpce-1"})}},
			exchanges: refused.then(`{"privateEndpointIds":{"add":["vpce-1"]}}`, conflict()), status: 409, message: advice,
		},
		{
			name: "unknown whether a changed description is there",
			want: planned,
			exchanges: read(`{}`).
				then(`{"ipAccessList":{"add":[`+a+`],"remove":[`+b+`]},`+endpoints, conflict()).
				then(`{"ipAccessList":{"add":[`+a+`],"remove":[`+b+`,{"source":"10.0.0.1","description":"other"}]},`+endpoints, response{503, ""}).
				reads(1, `{}`).
				then(`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"other"}]}}`, ok(`{}`)),
			status: 503,
		},
		{
			name: "unreadable",
			want: ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(entry("::1", "")), After: entries(entry("::2", ""))}},
			exchanges: read(`{"ipAccessList":[{"source":5}]}`).
				then(`{"ipAccessList":{"add":[{"source":"::2","description":""}],"remove":[{"source":"::1","description":""}]}}`, ok(`{}`)),
			result: `{"ipAccessList":[{"source":"::2","description":""}]}`,
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
	want := wantEntries(AccessEntry{Source: "10.0.0.2"}, AccessEntry{Source: "10.0.0.3"})
	planned := want
	planned.IPAccessList.Before = entries(AccessEntry{Source: "10.0.0.1"})
	down := func() response { return response{503, `{"error":"down"}`} }
	lost := read(old).then(all, down())
	again := func(body string) exchanges { return exchanges{}.then(body, down()).then(body, ok(`{}`)) }
	runServiceTests(t, []serviceTest{
		{
			name:      "the name may be lost",
			want:      named(want),
			exchanges: read(old).then(`{"name":"n",`+all[1:], down()).then(`{}`, ok(done)).then(`{"name":"n"}`, ok(done)),
			result:    `{"name":"n",` + done[1:],
		},
		{name: "all attempts share the retries", want: want, exchanges: lost.then(`{}`, down()).reads(pendingReads, old).then(all, down()).reads(1, old).then(all, down()), status: 503},
		{name: "the list is not returned", want: planned, exchanges: read(`{}`).then(all, down()).then(`{}`, ok(`{}`)), status: 503},
		{
			name:      "private endpoints are not returned",
			want:      ServiceUpdate{PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"a"}), After: ValueOf([]string{})}},
			exchanges: read(`{}`).then(`{"privateEndpointIds":{"remove":["a"]}}`, down()).then(`{}`, ok(`{}`)),
			status:    503,
		},
		{
			name:      "endpoints are sent again",
			want:      ServiceUpdate{Endpoints: []EndpointSwitch{{Protocol: "mysql", Enabled: true}}},
			exchanges: again(`{"endpoints":[{"protocol":"mysql","enabled":true}]}`), result: `{}`,
		},
		{name: "a channel is sent again", want: ServiceUpdate{ReleaseChannel: ValueOf("slow")}, exchanges: again(`{"releaseChannel":"slow"}`), result: `{"releaseChannel":"slow"}`},
		{
			name:      "the id of a key is sent again",
			want:      ServiceUpdate{TransparentDataEncryptionKeyID: ValueOf("k")},
			exchanges: again(`{"transparentDataEncryptionKeyId":"k"}`), result: `{"transparentDataEncryptionKeyId":"k"}`,
		},
	})
}
