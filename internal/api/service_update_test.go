package api

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

func entry(source, description string) AccessEntry {
	return AccessEntry{Source: source, Description: ValueOf(description)}
}

func wantList(entries ...AccessEntry) ServiceUpdate {
	return ServiceUpdate{IPAccessList: ValueOf(entries)}
}

func update(t *testing.T, c *Client, want ServiceUpdate) *Service {
	t.Helper()
	s, err := c.UpdateService(t.Context(), serviceID, want)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestListSteps holds the PATCHes of an update against the answers to them.
func TestListSteps(t *testing.T) {
	t.Parallel()
	const (
		old   = `{"ipAccessList":[{"source":"10.0.0.1","description":"old"}]}`
		both  = `{"ipAccessList":[{"source":"10.0.0.1","description":"old"},{"source":"10.0.0.1","description":"new"}]}`
		none  = `{"ipAccessList":[]}`
		fresh = `{"ipAccessList":[{"source":"10.0.0.1","description":"new"}]}`

		add     = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`
		remove  = `{"ipAccessList":{"remove":[{"source":"10.0.0.1","description":"old"}]}}`
		replace = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`
	)
	refused := func() stub { return reply(409, `{"error":"exists"}`) }
	changed := wantList(entry("10.0.0.1", "new"))
	for _, test := range []struct {
		name    string
		known   string
		want    ServiceUpdate
		answers []stub
		sent    []string
		result  string
	}{
		{"as it is", old, wantList(AccessEntry{Source: "10.0.0.1/32", Description: ValueOf("old")}), nil, nil, old},
		{
			"no description is no difference", `{"ipAccessList":[{"source":"::1","description":null},{"source":"::2"}]}`,
			wantList(entry("::1", ""), AccessEntry{Source: "::2", Description: NullOf[string]()}), nil, nil,
			`{"ipAccessList":[{"source":"::1","description":null},{"source":"::2"}]}`,
		},
		{
			"added and removed at once", old, wantList(entry("10.0.0.2", "b")),
			[]stub{ok(`{"ipAccessList":[{"source":"10.0.0.2","description":"b"}]}`)},
			[]string{`{"ipAccessList":{"add":[{"source":"10.0.0.2","description":"b"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`},
			`{"ipAccessList":[{"source":"10.0.0.2","description":"b"}]}`,
		},
		{
			"added twice is added once", none, wantList(entry("10.0.0.2", "b"), entry("10.0.0.2/32", "b")),
			[]stub{ok(`{"ipAccessList":[{"source":"10.0.0.2/32","description":"b"}]}`)},
			[]string{`{"ipAccessList":{"add":[{"source":"10.0.0.2","description":"b"}]}}`},
			`{"ipAccessList":[{"source":"10.0.0.2/32","description":"b"}]}`,
		},
		{"to nothing", old, wantList(), []stub{ok(none)}, []string{remove}, none},
		{"null is nothing", old, ServiceUpdate{IPAccessList: NullOf[[]AccessEntry]()}, []stub{ok(none)}, []string{remove}, none},
		{"from null", `{"ipAccessList":null}`, changed, []stub{ok(fresh)}, []string{add}, fresh},
		{
			"a null is not sent", `{"ipAccessList":[{"source":"::1","description":null}]}`, wantList(AccessEntry{Source: "::2", Description: NullOf[string]()}),
			[]stub{ok(`{"ipAccessList":[{"source":"::2"}]}`)},
			[]string{`{"ipAccessList":{"add":[{"source":"::2"}],"remove":[{"source":"::1"}]}}`},
			`{"ipAccessList":[{"source":"::2"}]}`,
		},
		{"an answer without the list is enough", old, changed, []stub{ok(`{}`)}, []string{add}, fresh},
		{"add replaces", old, changed, []stub{ok(fresh)}, []string{add}, fresh},
		{"add makes two", old, changed, []stub{ok(both), ok(fresh)}, []string{add, remove}, fresh},
		{"add is ignored, then removed before added", old, changed, []stub{ok(old), ok(fresh)}, []string{add, replace}, fresh},
		{"add is ignored, then added before removed", old, changed, []stub{ok(old), ok(none), ok(fresh)}, []string{add, replace, add}, fresh},
		{"add is refused, then removed before added", old, changed, []stub{refused(), ok(fresh)}, []string{add, replace}, fresh},
		{
			"add is refused, added before removed", old, changed,
			[]stub{refused(), refused(), ok(none), ok(fresh)},
			[]string{add, replace, remove, add},
			fresh,
		},
		{"nothing helps", old, changed, []stub{ok(old), ok(old), ok(old), ok(old)}, []string{
			add, replace,
			`{"ipAccessList":{"remove":[{"source":"10.0.0.1/32","description":"old"}]}}`, add,
		}, old},
		{
			"removed in the other notation", `{"ipAccessList":[{"source":"10.0.0.9"}]}`, wantList(),
			[]stub{ok(`{"ipAccessList":[{"source":"10.0.0.9"}]}`), ok(none)},
			[]string{`{"ipAccessList":{"remove":[{"source":"10.0.0.9"}]}}`, `{"ipAccessList":{"remove":[{"source":"10.0.0.9/32"}]}}`},
			none,
		},
		{
			"removed in the other notation, without a prefix", `{"ipAccessList":[{"source":"::9/128"}]}`, wantList(),
			[]stub{ok(`{"ipAccessList":[{"source":"::9/128"}]}`), ok(none)},
			[]string{`{"ipAccessList":{"remove":[{"source":"::9/128"}]}}`, `{"ipAccessList":{"remove":[{"source":"::9"}]}}`},
			none,
		},
		{
			"private endpoints", `{"privateEndpointIds":["a","b"]}`,
			ServiceUpdate{PrivateEndpointIDs: ValueOf([]string{"b", "c", "c"})},
			[]stub{ok(`{"privateEndpointIds":["b","c"]}`)},
			[]string{`{"privateEndpointIds":{"add":["c"],"remove":["a"]}}`},
			`{"privateEndpointIds":["b","c"]}`,
		},
		{
			"both lists", `{"ipAccessList":[],"privateEndpointIds":["a"]}`,
			ServiceUpdate{IPAccessList: ValueOf([]AccessEntry{entry("10.0.0.1", "new")}), PrivateEndpointIDs: ValueOf([]string{})},
			[]stub{ok(`{"ipAccessList":[],"privateEndpointIds":[]}`), ok(fresh)},
			[]string{`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]},"privateEndpointIds":{"remove":["a"]}}`, add},
			`{"ipAccessList":[{"source":"10.0.0.1","description":"new"}],"privateEndpointIds":[]}`,
		},
		{
			"details go first", old,
			ServiceUpdate{Name: ValueOf("n"), IPAccessList: changed.IPAccessList},
			[]stub{ok(both), ok(fresh)},
			[]string{`{"name":"n","ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`, remove},
			`{"name":"n","ipAccessList":[{"source":"10.0.0.1","description":"new"}]}`,
		},
		{
			"refused details go again", old,
			ServiceUpdate{
				Name: ValueOf("n"), Endpoints: []EndpointSwitch{{"mysql", true}}, IPAccessList: changed.IPAccessList,
			},
			[]stub{refused(), ok(fresh)},
			[]string{
				`{"name":"n","endpoints":[{"protocol":"mysql","enabled":true}],"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`,
				`{"name":"n","endpoints":[{"protocol":"mysql","enabled":true}],"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`,
			},
			`{"name":"n","ipAccessList":[{"source":"10.0.0.1","description":"new"}]}`,
		},
		{
			"details alone beside a list as it is", old,
			ServiceUpdate{Name: ValueOf("n"), IPAccessList: ValueOf([]AccessEntry{entry("10.0.0.1", "old")})},
			[]stub{ok(`{}`)},
			[]string{`{"name":"n"}`},
			`{"name":"n","ipAccessList":[{"source":"10.0.0.1","description":"old"}]}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answers := []network{says(ok(test.known))}
			sent := []sent{patchService(`{}`)}
			for _, resp := range test.answers {
				answers = append(answers, says(resp))
			}
			for _, body := range test.sent {
				sent = append(sent, patchService(body))
			}
			talk := converse(t, answers...)
			c := withoutNetwork(t, talk.answer)
			got := update(t, c, test.want)
			sameJSON(t, got, test.result)
			talk.expect(sent...)
			if known, err := c.Service(t.Context(), serviceID); err != nil || known != got {
				t.Errorf("the answer does not serve reads: %v", err)
			}
		})
	}
}

func TestListRefusals(t *testing.T) {
	t.Parallel()
	const old = `{"ipAccessList":[{"source":"10.0.0.1","description":"old"}]}`
	const none = `{"ipAccessList":[]}`
	refused := func() stub { return reply(400, `{"error":"bad description"}`) }
	for _, test := range []struct {
		name    string
		want    ServiceUpdate
		answers []stub
		bodies  []string
		status  int
	}{
		{
			"a new address", wantList(entry("10.0.0.2", "b"), entry("10.0.0.1", "old")),
			[]stub{refused()},
			[]string{`{"ipAccessList":{"add":[{"source":"10.0.0.2","description":"b"}]}}`},
			400,
		},
		{
			"a changed one, but not for what it says", wantList(entry("10.0.0.1", "new")),
			[]stub{reply(403, "")},
			[]string{`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`},
			403,
		},
		{
			"a changed one, to the end", wantList(entry("10.0.0.1", "new")),
			[]stub{refused(), refused(), reply(422, "")},
			[]string{
				`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`,
				`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`,
				`{"ipAccessList":{"remove":[{"source":"10.0.0.1","description":"old"}]}}`,
			},
			422,
		},
		{
			"what was removed in vain is put back", wantList(entry("10.0.0.1", "new")),
			[]stub{refused(), refused(), ok(none), refused(), ok(`{}`)},
			[]string{
				`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`,
				`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`,
				`{"ipAccessList":{"remove":[{"source":"10.0.0.1","description":"old"}]}}`,
				`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`,
				`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"old"}]}}`,
			},
			400,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answers := []network{says(ok(old))}
			requests := []sent{patchService(`{}`)}
			for _, resp := range test.answers {
				answers = append(answers, says(resp))
			}
			for _, body := range test.bodies {
				requests = append(requests, patchService(body))
			}
			talk := converse(t, answers...)
			c := withoutNetwork(t, talk.answer)
			_, err := c.UpdateService(t.Context(), serviceID, test.want)
			if e := asError(t, err); e.Status != test.status || e.OutcomeUnknown {
				t.Errorf("%+v", e)
			}
			if known := c.services.at(serviceID).newest(); known != nil {
				sameJSON(t, known, old)
			}
			talk.expect(requests...)
		})
	}
}

// TestListsOfAServiceThatCannotBeRead: everything is added and nothing removed,
// and the answer is the first that is known.
func TestListsOfAServiceThatCannotBeRead(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(reply(405, "")),
		says(ok(`{"ipAccessList":[{"source":"10.0.0.1","description":"a"},{"source":"10.0.0.9"}]}`)), says(ok(`{"ipAccessList":[{"source":"10.0.0.1","description":"a"}]}`)))
	c := withoutNetwork(t, talk.answer)
	got := update(t, c, wantList(entry("10.0.0.1", "a")))
	talk.expect(patchService(`{}`),
		patchService(`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"a"}]}}`),
		patchService(`{"ipAccessList":{"remove":[{"source":"10.0.0.9"}]}}`))
	if known, err := c.Service(t.Context(), serviceID); err != nil || known != got {
		t.Errorf("the answer does not serve reads: %v", err)
	}
}

// TestListsThatAreNotShown: what the caller knows of them counts; where that is
// nothing and something is there already, it is replaced, but only where a
// conflict says so.
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	const a, b = `{"source":"10.0.0.1","description":"a"}`, `{"source":"10.0.0.2","description":"b"}`
	want := wantList(entry("10.0.0.1", "a"))
	want.PrivateEndpointIDs = ValueOf([]string{"vpce-1"})
	informed := want
	informed.Before = ServiceLists{
		IPAccessList:       ValueOf([]AccessEntry{entry("10.0.0.1", "a"), entry("10.0.0.2", "b")}),
		PrivateEndpointIDs: ValueOf([]string{"vpce-0"}),
	}
	add := `{"ipAccessList":{"add":[` + a + `]},"privateEndpointIds":{"add":["vpce-1"]}}`
	both := `{"ipAccessList":{"add":[` + a + `],"remove":[` + a + `]},"privateEndpointIds":{"add":["vpce-1"],"remove":["vpce-1"]}}`
	remove := `{"ipAccessList":{"remove":[` + a + `]},"privateEndpointIds":{"remove":["vpce-1"]}}`
	other := `{"source":"10.0.0.1","description":"other"}`
	for _, test := range []struct {
		name    string
		want    ServiceUpdate
		answers []stub
		bodies  []string
		status  int
	}{
		{"shown when something is removed", want, []stub{
			reply(409, ""), reply(409, ""), ok(`{"ipAccessList":[` + other + `,` + b + `],"privateEndpointIds":["vpce-0"]}`),
			ok(`{"ipAccessList":[` + a + `],"privateEndpointIds":["vpce-1"]}`),
		}, []string{
			add, both, remove,
			`{"ipAccessList":{"add":[` + a + `],"remove":[` + other + `,` + b + `]},"privateEndpointIds":{"add":["vpce-1"],"remove":["vpce-0"]}}`,
		}, 0},
		{"known to the caller", informed, []stub{ok(`{}`)}, []string{
			`{"ipAccessList":{"remove":[` + b + `,{"source":"10.0.0.2/32","description":"b"}]},"privateEndpointIds":{"add":["vpce-1"],"remove":["vpce-0"]}}`,
		}, 0},
		{"added", want, []stub{ok(`{}`)}, []string{add}, 0},
		{"there already, replaced at once", want, []stub{reply(409, ""), ok(`{}`)}, []string{add, both}, 0},
		{"there already, replaced one after the other", want, []stub{reply(409, ""), reply(409, ""), ok(`{}`), ok(`{}`)}, []string{add, both, remove, add}, 0},
		{"refused for another reason", want, []stub{reply(400, "")}, []string{add}, 400},
		{"refused for another reason later", want, []stub{reply(409, ""), reply(400, "")}, []string{add, both}, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answers, requests := []network{says(reply(405, ""))}, []sent{patchService(`{}`)}
			for i, answer := range test.answers {
				answers, requests = append(answers, says(answer)), append(requests, patchService(test.bodies[i]))
			}
			talk := converse(t, answers...)
			_, err := withoutNetwork(t, talk.answer).UpdateService(t.Context(), serviceID, test.want)
			switch {
			case test.status == 0 && err != nil:
				t.Error(err)
			case test.status != 0:
				if e := asError(t, err); e.Status != test.status {
					t.Errorf("%+v", e)
				}
			}
			talk.expect(requests...)
		})
	}
}

func TestEmptyListsOfAServiceThatCannotBeRead(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(reply(405, "")))
	got := update(t, withoutNetwork(t, talk.answer), wantList())
	sameJSON(t, got, `{}`)
}

// TestListsOfUnknownOutcome: a PATCH that adds or removes is not sent again
// before the service was looked at.
func TestListsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	const (
		old  = `{"ipAccessList":[{"source":"10.0.0.1"}]}`
		half = `{"ipAccessList":[{"source":"10.0.0.2"}]}`
		done = `{"ipAccessList":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}]}`
		both = `{"ipAccessList":{"add":[{"source":"10.0.0.2"},{"source":"10.0.0.3"}],"remove":[{"source":"10.0.0.1"}]}}`
		rest = `{"ipAccessList":{"add":[{"source":"10.0.0.3"}]}}`
	)
	want := wantList(AccessEntry{Source: "10.0.0.2"}, AccessEntry{Source: "10.0.0.3"})
	named := want
	named.Name = ValueOf("n")
	down := func() stub { return reply(503, `{"error":"down"}`) }
	for _, test := range []struct {
		name    string
		want    ServiceUpdate
		retries int
		answers []stub
		bodies  []string
		fails   bool
	}{
		{"it was acted on", want, 3, []stub{ok(old), down(), ok(done)}, []string{`{}`, both, `{}`}, false},
		{"it was not", want, 3, []stub{ok(old), down(), ok(old), ok(done)}, []string{`{}`, both, `{}`, both}, false},
		{"it was in part", want, 3, []stub{ok(old), cut(), ok(half), ok(done)}, []string{`{}`, both, `{}`, rest}, false},
		{
			"it was, but perhaps not the details", named, 3,
			[]stub{ok(old), down(), ok(done), ok(done)},
			[]string{`{}`, `{"name":"n","ipAccessList":` + both[len(`{"ipAccessList":`):], `{}`, `{"name":"n"}`},
			false,
		},
		{
			"the budget is one for all", want, 3,
			[]stub{ok(old), down(), down(), ok(old), down(), down()},
			[]string{`{}`, both, `{}`, `{}`, both, `{}`},
			true,
		},
		{"no budget", want, 0, []stub{ok(old), down()}, []string{`{}`, both}, true},
		{"reading is refused", want, 3, []stub{ok(old), down(), reply(405, "")}, []string{`{}`, both, `{}`}, true},
		{"the list is not shown", want, 3, []stub{ok(old), down(), ok(`{}`)}, []string{`{}`, both, `{}`}, true},
		{"malformed answers are final", want, 3, []stub{ok(old), reply(200, "<html>")}, []string{`{}`, both}, true},
		{"a 429 was not acted on", want, 0, []stub{ok(old), reply(429, ""), ok(done)}, []string{`{}`, both, both}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var answers []network
				var requests []sent
				for _, resp := range test.answers {
					answers = append(answers, says(resp))
				}
				for _, body := range test.bodies {
					requests = append(requests, patchService(body))
				}
				talk := converse(t, answers...)
				c := withoutNetwork(t, talk.answer, func(config *transport.Config) { config.MaxRetries = test.retries })
				got, err := c.UpdateService(t.Context(), serviceID, test.want)
				talk.expect(requests...)
				if !test.fails {
					if err != nil {
						t.Fatal(err)
					}
					if list, _ := got.IPAccessList.Get(); len(list) != 2 {
						t.Errorf("list %v", list)
					}
					return
				}
				if e := asError(t, err); !e.OutcomeUnknown || e.Operation != "update service" {
					t.Errorf("%+v", e)
				}
				if c.services.at(serviceID).newest() != nil {
					t.Error("what may have changed is still remembered")
				}
			})
		})
	}
}

// TestLookingAgainJoinsNoReadFromBefore: one that began before the PATCH may
// still show the list as it was.
func TestLookingAgainJoinsNoReadFromBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, patches := 0, 0
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			if body, err := io.ReadAll(r.Body); err != nil || string(body) != "{}" {
				patches++
				return reply(500, ""), err
			}
			switch reads++; reads {
			case 1:
				return ok(`{"ipAccessList":[]}`), nil
			case 2:
				time.Sleep(20 * time.Second)
				return ok(`{"ipAccessList":[]}`), nil
			default:
				return ok(`{"ipAccessList":[{"source":"10.0.0.1"}]}`), nil
			}
		})
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
		update(t, c, wantList(entry("10.0.0.1", "")))
		if patches != 1 {
			t.Errorf("%d PATCHes", patches)
		}
		early.Wait()
	})
}

// TestDetailsAreSentAgain: what says how things should be does no harm twice.
func TestDetailsAreSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		talk := converse(t, says(reply(500, "")), says(ok(`{}`)))
		got := update(t, withoutNetwork(t, talk.answer), ServiceUpdate{ReleaseChannel: ValueOf("slow")})
		talk.expect(patchService(`{"releaseChannel":"slow"}`), patchService(`{"releaseChannel":"slow"}`))
		sameJSON(t, got, `{"releaseChannel":"slow"}`)
	})
}
