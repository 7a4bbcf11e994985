package api

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func entry(source, description string) AccessEntry {
	return AccessEntry{Source: source, Description: ValueOf(description)}
}

func entries(list ...AccessEntry) Value[[]AccessEntry] { return ValueOf(list) }

// wantEntries is the update of an access list that Terraform has not known.
func wantEntries(list ...AccessEntry) ServiceUpdate {
	return ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{After: ValueOf(list)}}
}

// named adds a name to an update.
func named(u ServiceUpdate) ServiceUpdate {
	u.Name = ValueOf("n")
	return u
}

// An exchange is a PATCH of a service and its response.
type exchange struct {
	body     string
	response response
}

// reads returns n reads of a service that all have the same result.
func reads(n int, result string) []exchange {
	return slices.Repeat([]exchange{{`{}`, ok(result)}}, n)
}

// fromOld returns what follows a read of oldEntry.
func fromOld(then ...exchange) []exchange { return append(reads(1, oldEntry), then...) }

// A serviceTest is an update of a service, with all requests it sends.
type serviceTest struct {
	name      string
	want      ServiceUpdate
	exchanges []exchange
	result    string // of an update that succeeds
	status    int    // of the error
	message   string // part of the error's message
}

func runServiceTests(t *testing.T, tests []serviceTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				script := newScript(t)
				var want []request
				for _, e := range test.exchanges {
					script.responses, want = append(script.responses, e.response), append(want, patchService(e.body))
				}
				c := newClient(t, script.respond, retries(3))
				service, err := c.UpdateService(t.Context(), serviceID, test.want)
				script.expect(want...)
				if test.status != 0 {
					if e := asError(t, err); e.Operation != "update service" || e.Status != test.status || !strings.Contains(e.Message, test.message) {
						t.Errorf("%+v", e)
					}
					if lists := "may be missing"; strings.Contains(err.Error(), lists) && !strings.Contains(test.message, lists) {
						t.Error(err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				sameJSON(t, service, test.result)
				if cached := c.LatestService(serviceID); cached != service && test.exchanges[0].body == "{}" {
					t.Errorf("cached: %s", asJSON(t, cached))
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
	replace   = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`
)

func changed() ServiceUpdate { return wantEntries(entry("10.0.0.1", "new")) }

func conflict() response { return reply(409, `{"error":"exists"}`) }

func invalid() response { return reply(400, `{"error":"bad description"}`) }

// TestListsAreChanged: one PATCH for additions and removals, and the entry that
// an address loses is removed only if nothing else helps.
func TestListsAreChanged(t *testing.T) {
	t.Parallel()
	runServiceTests(t, []serviceTest{
		{name: "as planned", want: wantEntries(entry("10.0.0.1/32", "old")), exchanges: reads(1, oldEntry), result: oldEntry},
		{
			name:      "no description is an empty one",
			want:      wantEntries(entry("::1", ""), AccessEntry{Source: "::2", Description: NullOf[string]()}),
			exchanges: reads(1, `{"ipAccessList":[{"source":"::1","description":null},{"source":"::2"}]}`),
			result:    `{"ipAccessList":[{"source":"::1","description":null},{"source":"::2"}]}`,
		},
		{
			name: "add and remove", want: wantEntries(entry("10.0.0.2", "b")),
			exchanges: fromOld(exchange{
				`{"ipAccessList":{"add":[{"source":"10.0.0.2","description":"b"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`,
				ok(`{"ipAccessList":[{"source":"10.0.0.2","description":"b"}]}`),
			}),
			result: `{"ipAccessList":[{"source":"10.0.0.2","description":"b"}]}`,
		},
		{name: "remove all", want: wantEntries(), exchanges: fromOld(exchange{removeOld, ok(noEntries)}), result: noEntries},
		{
			name: "null is empty", want: ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{After: NullOf[[]AccessEntry]()}},
			exchanges: fromOld(exchange{removeOld, ok(noEntries)}), result: noEntries,
		},
		{name: "from null", want: changed(), exchanges: append(reads(1, `{"ipAccessList":null}`), exchange{addNew, ok(newEntry)}), result: newEntry},
		{
			name: "nulls are not sent", want: wantEntries(AccessEntry{Source: "::2", Description: NullOf[string]()}),
			exchanges: append(reads(1, `{"ipAccessList":[{"source":"::1","description":null}]}`), exchange{
				`{"ipAccessList":{"add":[{"source":"::2"}],"remove":[{"source":"::1"}]}}`, ok(`{"ipAccessList":[{"source":"::2"}]}`),
			}),
			result: `{"ipAccessList":[{"source":"::2"}]}`,
		},
		{name: "response without the list", want: changed(), exchanges: fromOld(exchange{addNew, ok(`{}`)}), result: newEntry},
		{name: "add replaces", want: changed(), exchanges: fromOld(exchange{addNew, ok(newEntry)}), result: newEntry},
		{name: "add makes two", want: changed(), exchanges: fromOld(exchange{addNew, ok(bothOfOne)}, exchange{replace, ok(newEntry)}), result: newEntry},
		{
			name: "add makes two, remove takes both", want: changed(),
			exchanges: fromOld(exchange{addNew, ok(bothOfOne)}, exchange{replace, ok(noEntries)}, exchange{addNew, ok(newEntry)}), result: newEntry,
		},
		{
			name: "add is refused", want: changed(),
			exchanges: fromOld(exchange{addNew, conflict()}, exchange{replace, ok(newEntry)}), result: newEntry,
		},
		{
			name: "add before remove is refused", want: changed(),
			exchanges: fromOld(
				exchange{addNew, conflict()}, exchange{replace, conflict()},
				exchange{removeOld, ok(noEntries)}, exchange{addNew, ok(newEntry)},
			),
			result: newEntry,
		},
		{
			name: "remove in the other notation", want: wantEntries(),
			exchanges: append(
				reads(1, `{"ipAccessList":[{"source":"10.0.0.9"},{"source":"::9/128"},{"source":"::8"}]}`),
				exchange{
					`{"ipAccessList":{"remove":[{"source":"10.0.0.9"},{"source":"::9/128"},{"source":"::8"}]}}`,
					ok(`{"ipAccessList":[{"source":"10.0.0.9"},{"source":"::9/128"}]}`),
				},
				exchange{`{"ipAccessList":{"remove":[{"source":"10.0.0.9/32"},{"source":"::9"}]}}`, ok(noEntries)},
			),
			result: noEntries,
		},
		{
			name: "private endpoints", want: ServiceUpdate{PrivateEndpointIDs: ListUpdate[string]{After: ValueOf([]string{"b", "c"})}},
			exchanges: append(reads(1, `{"privateEndpointIds":["a","b"]}`), exchange{
				`{"privateEndpointIds":{"add":["c"],"remove":["a"]}}`, ok(`{"privateEndpointIds":["b","c"]}`),
			}),
			result: `{"privateEndpointIds":["b","c"]}`,
		},
		{
			name: "both lists", want: ServiceUpdate{IPAccessList: changed().IPAccessList, PrivateEndpointIDs: ListUpdate[string]{After: ValueOf([]string{})}},
			exchanges: append(
				reads(1, `{"ipAccessList":[],"privateEndpointIds":["a"]}`),
				exchange{
					`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]},"privateEndpointIds":{"remove":["a"]}}`,
					ok(`{"ipAccessList":[],"privateEndpointIds":[]}`),
				},
				exchange{addNew, ok(newEntry)},
			),
			result: `{"ipAccessList":[{"source":"10.0.0.1","description":"new"}],"privateEndpointIds":[]}`,
		},
		{
			name: "name once it is accepted", want: named(changed()),
			exchanges: fromOld(
				exchange{`{"name":"n","ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`, conflict()},
				exchange{`{"name":"n",` + replace[1:], ok(oldEntry)},
				exchange{`{}`, ok(bothOfOne)},
				exchange{strings.ReplaceAll(replace, `0.1","description":"old"`, `0.1/32","description":"old"`), ok(newEntry)},
			),
			result: `{"name":"n",` + newEntry[1:],
		},
		{
			name: "name beside a list as planned", want: named(wantEntries(entry("10.0.0.1", "old"))),
			exchanges: fromOld(exchange{`{"name":"n"}`, ok(`{}`)}), result: `{"name":"n",` + oldEntry[1:],
		},
	})
}

// TestLateListsAreReadAgain: a PATCH whose response shows nothing of it is looked
// for in reads, for up to 5 s, before the next one is sent.
func TestLateListsAreReadAgain(t *testing.T) {
	t.Parallel()
	late := fromOld(exchange{addNew, ok(oldEntry)})
	runServiceTests(t, []serviceTest{
		{name: "shown late", want: changed(), exchanges: slices.Concat(late, reads(1, oldEntry), reads(1, newEntry)), result: newEntry},
		{name: "ignored", want: changed(), exchanges: append(slices.Concat(late, reads(5, oldEntry)), exchange{replace, ok(newEntry)}), result: newEntry},
		{
			name: "reads are refused", want: changed(),
			exchanges: append(slices.Clone(late), exchange{`{}`, reply(405, "")}, exchange{replace, ok(newEntry)}), result: newEntry,
		},
		{name: "reads show no list", want: changed(), exchanges: append(slices.Concat(late, reads(1, `{}`)), exchange{replace, ok(newEntry)}), result: newEntry},
		{
			name: "a new address with another description", want: changed(),
			exchanges: append(slices.Concat(reads(1, noEntries), []exchange{{addNew, ok(noEntries)}}, reads(1, oldEntry)), exchange{replace, ok(newEntry)}), result: newEntry,
		},
		{
			name: "an empty list is left out: the addition went with the removal", want: changed(),
			exchanges: append(slices.Concat(reads(1, oldEntry), []exchange{{addNew, conflict()}, {replace, ok(`{}`)}}, reads(1, `{}`)), exchange{addNew, ok(newEntry)}), result: newEntry,
		},
		{
			name: "an empty list is left out, late", want: changed(),
			exchanges: append(slices.Concat(reads(1, oldEntry), []exchange{{addNew, conflict()}, {replace, conflict()}, {removeOld, ok(oldEntry)}}, reads(1, `{}`)),
				exchange{addNew, ok(newEntry)}),
			result: newEntry,
		},
		{
			name: "only the response leaves the list out", want: changed(),
			exchanges: fromOld(exchange{addNew, conflict()}, exchange{replace, ok(`{}`)}, exchange{`{}`, ok(newEntry)}), result: newEntry,
		},
	})
}

// TestOnlyAConflictLeadsToARemoval: after another refusal nothing that should stay
// is taken away.
func TestOnlyAConflictLeadsToARemoval(t *testing.T) {
	t.Parallel()
	const advice = "change a description in two applies"
	runServiceTests(t, []serviceTest{
		{
			name: "a new address", want: wantEntries(entry("10.0.0.2", "b"), entry("10.0.0.1", "old")),
			exchanges: fromOld(exchange{`{"ipAccessList":{"add":[{"source":"10.0.0.2","description":"b"}]}}`, invalid()}),
			status:    400, message: "bad description",
		},
		{name: "forbidden", want: changed(), exchanges: fromOld(exchange{addNew, reply(403, "")}), status: 403},
		{name: "invalid", want: changed(), exchanges: fromOld(exchange{addNew, invalid()}), status: 400, message: advice},
		{name: "unprocessable", want: changed(), exchanges: fromOld(exchange{addNew, reply(422, "")}), status: 422, message: advice},
		{
			name: "invalid, but everything else", want: named(wantEntries(entry("10.0.0.1", "new"), entry("10.0.0.2", ""))),
			exchanges: fromOld(
				exchange{`{"name":"n","ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"},{"source":"10.0.0.2","description":""}]}}`, invalid()},
				exchange{
					`{"name":"n","ipAccessList":{"add":[{"source":"10.0.0.2","description":""}]}}`,
					ok(`{"ipAccessList":[{"source":"10.0.0.1","description":"old"},{"source":"10.0.0.2"}]}`),
				},
			),
			status: 400, message: advice,
		},
		{
			name: "conflict, then invalid", want: changed(),
			exchanges: fromOld(exchange{addNew, conflict()}, exchange{replace, invalid()}), status: 400, message: advice,
		},
		{
			name: "conflict, then forbidden", want: changed(),
			exchanges: fromOld(exchange{addNew, conflict()}, exchange{replace, reply(403, "")}), status: 403,
		},
		{
			name: "nothing but conflicts", want: changed(),
			exchanges: fromOld(exchange{addNew, conflict()}, exchange{replace, conflict()}, exchange{removeOld, conflict()}), status: 409, message: "exists",
		},
	})
}

// TestRemovedEntriesArePutBack: an entry that had to be removed is added again if
// the update fails, and named if that fails too.
func TestRemovedEntriesArePutBack(t *testing.T) {
	t.Parallel()
	const missing = "ip_access_list: may be missing now, add again: 10.0.0.1"
	refused := fromOld(exchange{addNew, conflict()}, exchange{replace, conflict()}, exchange{removeOld, ok(noEntries)})
	lost := fromOld(exchange{addNew, conflict()}, exchange{replace, reply(200, "<html>")})
	runServiceTests(t, []serviceTest{
		{
			name: "put back", want: changed(), exchanges: slices.Concat(refused, []exchange{{addNew, invalid()}, {addOld, ok(oldEntry)}}),
			status: 400, message: "bad description",
		},
		{
			name: "not put back", want: changed(), exchanges: slices.Concat(refused, []exchange{{addNew, reply(401, "")}, {addOld, reply(401, "")}}),
			status: 401, message: missing,
		},
		{name: "there already", want: changed(), exchanges: slices.Concat(refused, []exchange{{addNew, reply(403, "")}, {addOld, conflict()}}), status: 403},
		{
			name: "unknown whether it is there", want: changed(), exchanges: slices.Concat(lost, []exchange{{`{}`, reply(401, "")}, {addOld, reply(401, "")}}),
			status: 200, message: missing,
		},
		{name: "not removed", want: changed(), exchanges: slices.Concat(lost, reads(6, oldEntry)), status: 200, message: "HTML"},
		{name: "removed", want: changed(), exchanges: slices.Concat(lost, reads(1, noEntries), []exchange{{addOld, ok(oldEntry)}}), status: 200, message: "HTML"},
	})
}

// TestListsThatAreNotReturned: what the plan was made from counts. If that is
// nothing, everything is added and a conflict is an error that says what to do.
func TestListsThatAreNotReturned(t *testing.T) {
	t.Parallel()
	const a, b = `{"source":"10.0.0.1","description":"a"}`, `{"source":"10.0.0.2","description":"b"}`
	const addAll = `{"ipAccessList":{"add":[` + a + `]},"privateEndpointIds":{"add":["vpce-1"]}}`
	const endpoints = `"privateEndpointIds":{"add":["vpce-1"],"remove":["vpce-0"]}}`
	const done = `{"ipAccessList":[` + a + `],"privateEndpointIds":["vpce-1"]}`
	unknown := wantEntries(entry("10.0.0.1", "a"))
	unknown.PrivateEndpointIDs.After = ValueOf([]string{"vpce-1"})
	planned := func(description string) ServiceUpdate {
		u := unknown
		u.IPAccessList.Before = entries(entry("10.0.0.1", description), entry("10.0.0.2", "b"))
		u.PrivateEndpointIDs.Before = ValueOf([]string{"vpce-0"})
		return u
	}
	refused := []exchange{{`{}`, reply(405, "")}}
	runServiceTests(t, []serviceTest{
		{name: "planned", want: planned("a"), exchanges: append(refused, exchange{`{"ipAccessList":{"remove":[` + b + `]},` + endpoints, ok(`{}`)}), result: done},
		{
			name: "changed description", want: planned("other"),
			exchanges: append(
				refused, exchange{`{"ipAccessList":{"add":[` + a + `],"remove":[` + b + `]},` + endpoints, reply(409, "")},
				exchange{`{"ipAccessList":{"add":[` + a + `],"remove":[` + b + `,{"source":"10.0.0.1","description":"other"}]},` + endpoints, ok(`{}`)},
			),
			result: done,
		},
		{name: "unknown", want: unknown, exchanges: append(refused, exchange{addAll, ok(`{}`)}), result: done},
		{
			name: "unknown, then returned", want: unknown,
			exchanges: append(
				refused, exchange{addAll, ok(`{"ipAccessList":[` + a + `,` + b + `],"privateEndpointIds":["vpce-0","vpce-1"]}`)},
				exchange{`{"ipAccessList":{"remove":[` + b + `]},"privateEndpointIds":{"remove":["vpce-0"]}}`, ok(done)},
			),
			result: done,
		},
		{name: "unknown, and there already", want: unknown, exchanges: append(refused, exchange{addAll, conflict()}), status: 409, message: "remove it from the service by other means"},
		{name: "unknown, and invalid", want: unknown, exchanges: append(refused, exchange{addAll, invalid()}), status: 400},
		{
			name: "unreadable", want: ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(entry("::1", "")), After: entries(entry("::2", ""))}},
			exchanges: append(reads(1, `{"ipAccessList":[{"source":5}]}`), exchange{
				`{"ipAccessList":{"add":[{"source":"::2","description":""}],"remove":[{"source":"::1","description":""}]}}`, ok(`{}`),
			}),
			result: `{"ipAccessList":[{"source":"::2","description":""}]}`,
		},
	})
	t.Run("nothing to change", func(t *testing.T) {
		t.Parallel()
		c, _ := scripted(t, reply(405, ""))
		service, err := c.UpdateService(t.Context(), serviceID, wantEntries())
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, service, `{}`)
	})
}

// TestUnknownOutcome: a PATCH that adds or removes is not sent again before the
// service was read.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	const (
		old  = `{"ipAccessList":[{"source":"10.0.0.1"}]}`
		half = `{"ipAccessList":[{"source":"10.0.0.2"}]}`
		done = `{"ipAccessList":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}]}`
		all  = `{"ipAccessList":{"add":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}],"remove":[{"source":"10.0.0.1"}]}}`
	)
	want := wantEntries(AccessEntry{Source: "10.0.0.2"}, AccessEntry{Source: "10.0.0.3"})
	planned := want
	planned.IPAccessList.Before = entries(AccessEntry{Source: "10.0.0.1"})
	down := func() response { return reply(503, `{"error":"down"}`) }
	lost := append(reads(1, old), exchange{all, down()})
	runServiceTests(t, []serviceTest{
		{name: "it had an effect", want: want, exchanges: slices.Concat(lost, reads(1, done)), result: done},
		{name: "it had one later", want: want, exchanges: slices.Concat(lost, reads(2, old), reads(1, done)), result: done},
		{name: "it had none", want: want, exchanges: slices.Concat(lost, reads(6, old), []exchange{{all, ok(done)}}), result: done},
		{
			name: "it had a part", want: want,
			exchanges: append(reads(1, old), exchange{all, cutShort()}, exchange{`{}`, ok(half)}, exchange{`{"ipAccessList":{"add":[{"source":"10.0.0.3"}]}}`, ok(done)}), result: done,
		},
		{
			name: "the name may be lost", want: named(want),
			exchanges: append(reads(1, old), exchange{`{"name":"n",` + all[1:], down()}, exchange{`{}`, ok(done)}, exchange{`{"name":"n"}`, ok(done)}),
			result:    `{"name":"n",` + done[1:],
		},
		{
			name: "all attempts share the retries", want: want,
			exchanges: slices.Concat(lost, []exchange{{`{}`, down()}}, reads(6, old), []exchange{{all, down()}, {`{}`, down()}}), status: 503,
		},
		{name: "reads are refused", want: want, exchanges: append(slices.Clone(lost), exchange{`{}`, reply(405, "")}), status: 503},
		{name: "the list is not returned", want: planned, exchanges: append(reads(1, `{}`), exchange{all, down()}, exchange{`{}`, ok(`{}`)}), status: 503},
		{
			name: "an empty list is left out", want: want,
			exchanges: append(slices.Concat(lost, reads(1, `{}`)), exchange{`{"ipAccessList":{"add":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}]}}`, ok(done)}), result: done,
		},
		{name: "not the API's response", want: want, exchanges: append(reads(1, old), exchange{all, reply(200, "<html>")}), status: 200},
		{name: "429 is no unknown outcome", want: want, exchanges: append(reads(1, old), exchange{all, reply(429, "")}, exchange{all, ok(done)}), result: done},
		{
			name: "single values are sent again", want: ServiceUpdate{ReleaseChannel: ValueOf("slow")},
			exchanges: []exchange{{`{"releaseChannel":"slow"}`, down()}, {`{"releaseChannel":"slow"}`, ok(`{}`)}},
			result:    `{"releaseChannel":"slow"}`,
		},
	})
}

// TestUnknownOutcomeJoinsNoEarlierRead: one that began before the PATCH may still
// show the list as it was.
func TestUnknownOutcomeJoinsNoEarlierRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, patches := 0, 0
		c := newClient(t, func(r *http.Request) (response, error) {
			if body, err := io.ReadAll(r.Body); err != nil || string(body) != "{}" {
				patches++
				return reply(500, ""), err
			}
			switch reads++; reads {
			case 1:
				return ok(noEntries), nil
			case 2:
				time.Sleep(20 * time.Second)
				return ok(noEntries), nil
			}
			return ok(newEntry), nil
		}, retries(3))
		if _, err := c.Service(t.Context(), serviceID); err != nil {
			t.Fatal(err)
		}
		var early sync.WaitGroup
		early.Go(func() {
			if _, err := c.Fresh().Service(t.Context(), serviceID); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := c.UpdateService(t.Context(), serviceID, changed()); err != nil || patches != 1 {
			t.Errorf("%d PATCHes, %v", patches, err)
		}
		early.Wait()
	})
}
