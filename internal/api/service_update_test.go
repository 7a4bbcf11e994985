package api

import (
	"strings"
	"testing"
	"testing/synctest"
)

func entry(source, description string) AccessEntry {
	return AccessEntry{Source: source, Description: ValueOf(description)}
}

// wholeList is the update of a list that nobody had before.
func wholeList[E any](list ...E) ListUpdate[E] { return ListUpdate[E]{After: ValueOf(list)} }

func wantList(entries ...AccessEntry) ServiceUpdate {
	return ServiceUpdate{IPAccessList: wholeList(entries...)}
}

// serviceTalk is a conversation of PATCHes to the service.
func serviceTalk(t *testing.T, responses []stub, bodies []string) (talk *conversation, requests []sent) {
	t.Helper()
	script := make([]network, len(responses))
	for i, response := range responses {
		script[i] = says(response)
	}
	for _, body := range bodies {
		requests = append(requests, patchService(body))
	}
	return converse(t, script...), requests
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
		{"to nothing", old, wantList(), []stub{ok(none)}, []string{remove}, none},
		{"null is nothing", old, ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{After: NullOf[[]AccessEntry]()}}, []stub{ok(none)}, []string{remove}, none},
		{"from null", `{"ipAccessList":null}`, changed, []stub{ok(fresh)}, []string{add}, fresh},
		{
			"a null is not sent", `{"ipAccessList":[{"source":"::1","description":null}]}`, wantList(AccessEntry{Source: "::2", Description: NullOf[string]()}),
			[]stub{ok(`{"ipAccessList":[{"source":"::2"}]}`)},
			[]string{`{"ipAccessList":{"add":[{"source":"::2"}],"remove":[{"source":"::1"}]}}`},
			`{"ipAccessList":[{"source":"::2"}]}`,
		},
		{"an answer without the list is enough", old, changed, []stub{ok(`{}`)}, []string{add}, fresh},
		{"add replaces", old, changed, []stub{ok(fresh)}, []string{add}, fresh},
		{"add makes two", old, changed, []stub{ok(both), ok(fresh)}, []string{add, replace}, fresh},
		{"add makes two, remove takes both", old, changed, []stub{ok(both), ok(none), ok(fresh)}, []string{add, replace, add}, fresh},
		{
			"add is ignored, then removed before added", old, changed,
			[]stub{ok(old), ok(old), ok(old), ok(old), ok(old), ok(old), ok(fresh)},
			[]string{add, `{}`, `{}`, `{}`, `{}`, `{}`, replace},
			fresh,
		},
		{"the response is late", old, changed, []stub{ok(old), ok(old), ok(fresh)}, []string{add, `{}`, `{}`}, fresh},
		{"the response is late, reading is refused", old, changed, []stub{ok(old), reply(405, ""), ok(fresh)}, []string{add, `{}`, replace}, fresh},
		{"the response is late, reading shows no list", old, changed, []stub{ok(old), ok(`{}`), ok(fresh)}, []string{add, `{}`, replace}, fresh},
		{"the response is late, a new description is written in another way", none, changed, []stub{ok(none), ok(old), ok(fresh)}, []string{add, `{}`, replace}, fresh},
		{"add is refused, then removed before added", old, changed, []stub{refused(), ok(fresh)}, []string{add, replace}, fresh},
		{
			"add is refused, added before removed", old, changed,
			[]stub{refused(), refused(), ok(none), ok(fresh)},
			[]string{add, replace, remove, add},
			fresh,
		},
		{
			"removed in the other notation", `{"ipAccessList":[{"source":"10.0.0.9"},{"source":"::9/128"},{"source":"::8"}]}`, wantList(),
			[]stub{ok(`{"ipAccessList":[{"source":"10.0.0.9"},{"source":"::9/128"}]}`), ok(none)},
			[]string{
				`{"ipAccessList":{"remove":[{"source":"10.0.0.9"},{"source":"::9/128"},{"source":"::8"}]}}`,
				`{"ipAccessList":{"remove":[{"source":"10.0.0.9/32"},{"source":"::9"}]}}`,
			},
			none,
		},
		{
			"private endpoints", `{"privateEndpointIds":["a","b"]}`,
			ServiceUpdate{PrivateEndpointIDs: wholeList("b", "c")},
			[]stub{ok(`{"privateEndpointIds":["b","c"]}`)},
			[]string{`{"privateEndpointIds":{"add":["c"],"remove":["a"]}}`},
			`{"privateEndpointIds":["b","c"]}`,
		},
		{
			"both lists", `{"ipAccessList":[],"privateEndpointIds":["a"]}`,
			ServiceUpdate{IPAccessList: wholeList(entry("10.0.0.1", "new")), PrivateEndpointIDs: wholeList[string]()},
			[]stub{ok(`{"ipAccessList":[],"privateEndpointIds":[]}`), ok(fresh)},
			[]string{`{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]},"privateEndpointIds":{"remove":["a"]}}`, add},
			`{"ipAccessList":[{"source":"10.0.0.1","description":"new"}],"privateEndpointIds":[]}`,
		},
		{
			"details go first", old,
			ServiceUpdate{Name: ValueOf("n"), IPAccessList: changed.IPAccessList},
			[]stub{ok(both), ok(fresh)},
			[]string{`{"name":"n","ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`, replace},
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
			ServiceUpdate{Name: ValueOf("n"), IPAccessList: wholeList(entry("10.0.0.1", "old"))},
			[]stub{ok(`{}`)},
			[]string{`{"name":"n"}`},
			`{"name":"n","ipAccessList":[{"source":"10.0.0.1","description":"old"}]}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				talk, requests := serviceTalk(t, append([]stub{ok(test.known)}, test.answers...), append([]string{`{}`}, test.sent...))
				c := withoutNetwork(t, talk.answer)
				got := update(t, c, test.want)
				sameJSON(t, got, test.result)
				talk.expect(requests...)
				cached, err := c.Service(t.Context(), serviceID)
				if err != nil {
					t.Fatal(err)
				}
				sameJSON(t, cached, test.result)
			})
		})
	}
}

func TestListRefusals(t *testing.T) {
	t.Parallel()
	const (
		old     = `{"ipAccessList":[{"source":"10.0.0.1","description":"old"}]}`
		none    = `{"ipAccessList":[]}`
		add     = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`
		replace = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}],"remove":[{"source":"10.0.0.1","description":"old"}]}}`
		remove  = `{"ipAccessList":{"remove":[{"source":"10.0.0.1","description":"old"}]}}`
		restore = `{"ipAccessList":{"add":[{"source":"10.0.0.1","description":"old"}]}}`
		advice  = "change a description in two applies"
		missing = "ip_access_list: may be missing now, add again: 10.0.0.1"
	)
	invalid := func() stub { return reply(400, `{"error":"bad description"}`) }
	conflict := func() stub { return reply(409, `{"error":"exists"}`) }
	changed := wantList(entry("10.0.0.1", "new"))
	for _, test := range []struct {
		name    string
		want    ServiceUpdate
		answers []stub
		bodies  []string
		status  int
		says    string
	}{
		{
			"a new address", wantList(entry("10.0.0.2", "b"), entry("10.0.0.1", "old")),
			[]stub{invalid()},
			[]string{`{"ipAccessList":{"add":[{"source":"10.0.0.2","description":"b"}]}}`},
			400, "bad description",
		},
		{"a description, forbidden", changed, []stub{reply(403, "")}, []string{add}, 403, ""},
		{"a description", changed, []stub{invalid()}, []string{add}, 400, advice},
		{"a description, unprocessable", changed, []stub{reply(422, "")}, []string{add}, 422, advice},
		{
			"a description, but nothing else",
			ServiceUpdate{
				Name: ValueOf("n"), IPAccessList: wholeList(entry("10.0.0.1", "new"), entry("10.0.0.2", "")),
			},
			[]stub{invalid(), ok(`{"ipAccessList":[{"source":"10.0.0.1","description":"old"},{"source":"10.0.0.2"}]}`)},
			[]string{
				`{"name":"n","ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"},{"source":"10.0.0.2","description":""}]}}`,
				`{"name":"n","ipAccessList":{"add":[{"source":"10.0.0.2","description":""}]}}`,
			},
			400, advice,
		},
		{
			"everything",
			ServiceUpdate{Name: ValueOf("n"), IPAccessList: changed.IPAccessList},
			[]stub{invalid(), reply(422, `{"error":"bad name"}`)},
			[]string{`{"name":"n","ipAccessList":{"add":[{"source":"10.0.0.1","description":"new"}]}}`, `{"name":"n"}`},
			422, "bad name",
		},
		{"a conflict, then invalid", changed, []stub{conflict(), invalid()}, []string{add, replace}, 400, advice},
		{"a conflict, then forbidden", changed, []stub{conflict(), reply(403, "")}, []string{add, replace}, 403, ""},
		{"a conflict to the end", changed, []stub{conflict(), conflict(), conflict()}, []string{add, replace, remove}, 409, "exists"},
		{
			"the new entry is refused after the removal", changed,
			[]stub{conflict(), conflict(), ok(none), invalid(), ok(old)},
			[]string{add, replace, remove, add, restore},
			400, "bad description",
		},
		{
			"the entry cannot be put back", changed,
			[]stub{conflict(), conflict(), ok(none), reply(401, `{"error":"expired"}`), reply(401, "")},
			[]string{add, replace, remove, add, restore},
			401, missing,
		},
		{
			"somebody else has put it back", changed,
			[]stub{conflict(), conflict(), ok(none), reply(403, `{"error":"no"}`), conflict()},
			[]string{add, replace, remove, add, restore},
			403, "no",
		},
		{
			"nobody knows what a lost response has done", changed,
			[]stub{conflict(), reply(200, "<html>"), reply(401, ""), reply(401, "")},
			[]string{add, replace, `{}`, restore},
			200, "may be missing now, add again: 10.0.0.1",
		},
		{
			"a lost response has done nothing", changed,
			[]stub{conflict(), reply(200, "<html>"), ok(old), ok(old), ok(old), ok(old), ok(old), ok(old)},
			[]string{add, replace, `{}`, `{}`, `{}`, `{}`, `{}`, `{}`},
			200, "HTML",
		},
		{
			"a lost response has removed", changed,
			[]stub{conflict(), reply(200, "<html>"), ok(none), ok(old)},
			[]string{add, replace, `{}`, restore},
			200, "HTML",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				talk, requests := serviceTalk(t, append([]stub{ok(old)}, test.answers...), append([]string{`{}`}, test.bodies...))
				c := withoutNetwork(t, talk.answer)
				_, err := c.UpdateService(t.Context(), serviceID, test.want)
				if e := asError(t, err); e.Status != test.status || !strings.Contains(e.Message, test.says) {
					t.Errorf("%+v", e)
				}
				if test.says != missing && strings.Contains(err.Error(), "is missing") {
					t.Error(err)
				}
				talk.expect(requests...)
			})
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

// TestListsThatAreNotShown: what the plan was made from counts; if that is
// nothing, everything is added and a conflict is an error that says what to do.
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	const a, b = `{"source":"10.0.0.1","description":"a"}`, `{"source":"10.0.0.2","description":"b"}`
	unknown := wantList(entry("10.0.0.1", "a"))
	unknown.PrivateEndpointIDs = wholeList("vpce-1")
	planned := func(description string) ServiceUpdate {
		return ServiceUpdate{
			IPAccessList: ListUpdate[AccessEntry]{
				Before: ValueOf([]AccessEntry{entry("10.0.0.1", description), entry("10.0.0.2", "b")}),
				After:  ValueOf([]AccessEntry{entry("10.0.0.1", "a")}),
			},
			PrivateEndpointIDs: ListUpdate[string]{Before: ValueOf([]string{"vpce-0"}), After: ValueOf([]string{"vpce-1"})},
		}
	}
	const add = `{"ipAccessList":{"add":[` + a + `]},"privateEndpointIds":{"add":["vpce-1"]}}`
	const endpoints = `"privateEndpointIds":{"add":["vpce-1"],"remove":["vpce-0"]}}`
	for _, test := range []struct {
		name    string
		want    ServiceUpdate
		answers []stub
		bodies  []string
		status  int
		says    string
	}{
		{"planned", planned("a"), []stub{ok(`{}`)}, []string{`{"ipAccessList":{"remove":[` + b + `]},` + endpoints}, 0, ""},
		{
			"a planned description", planned("other"),
			[]stub{reply(409, ""), ok(`{}`)},
			[]string{
				`{"ipAccessList":{"add":[` + a + `],"remove":[` + b + `]},` + endpoints,
				`{"ipAccessList":{"add":[` + a + `],"remove":[` + b + `,{"source":"10.0.0.1","description":"other"}]},` + endpoints,
			},
			0, "",
		},
		{"unknown", unknown, []stub{ok(`{}`)}, []string{add}, 0, ""},
		{
			"unknown, then shown", unknown,
			[]stub{ok(`{"ipAccessList":[` + a + `,` + b + `],"privateEndpointIds":["vpce-0","vpce-1"]}`), ok(`{"ipAccessList":[` + a + `],"privateEndpointIds":["vpce-1"]}`)},
			[]string{add, `{"ipAccessList":{"remove":[` + b + `]},"privateEndpointIds":{"remove":["vpce-0"]}}`},
			0, "",
		},
		{"unknown, and there already", unknown, []stub{reply(409, "")}, []string{add}, 409, "remove it from the service by other means"},
		{"refused for another reason", unknown, []stub{reply(400, "")}, []string{add}, 400, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			talk, requests := serviceTalk(t, append([]stub{reply(405, "")}, test.answers...), append([]string{`{}`}, test.bodies...))
			_, err := withoutNetwork(t, talk.answer).UpdateService(t.Context(), serviceID, test.want)
			if test.status == 0 && err != nil {
				t.Error(err)
			}
			if test.status != 0 {
				if e := asError(t, err); e.Status != test.status || !strings.Contains(e.Message, test.says) {
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

// TestListsOfAnotherType: what the plan was made from counts.
func TestListsOfAnotherType(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`{"ipAccessList":[{"source":5}],"privateEndpointIds":"a"}`)), says(ok(`{}`)))
	want := ServiceUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: ValueOf([]AccessEntry{entry("::1", "")}), After: ValueOf([]AccessEntry{entry("::2", "")})}}
	update(t, withoutNetwork(t, talk.answer), want)
	talk.expect(patchService(`{}`), patchService(`{"ipAccessList":{"add":[{"source":"::2","description":""}],"remove":[{"source":"::1","description":""}]}}`))
}
