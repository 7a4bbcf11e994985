package api

import (
	"testing"
	"testing/synctest"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// TestKeyListsAreReadBeforeEachPatch: what someone else adds before the next attempt stays.
func TestKeyListsAreReadBeforeEachPatch(t *testing.T) {
	t.Parallel()
	const (
		first = `{"name":"n","ipAccessList":[{"source":"::1"},{"source":"::2","description":""}]}`
		anew  = `{"name":"n","ipAccessList":[{"source":"::1"},{"source":"::3"},{"source":"::2","description":""}]}`
	)
	want := KeyUpdate{Name: ValueOf("n"), IPAccessList: ListUpdate[AccessEntry]{
		Before: entries(AccessEntry{Source: "::1"}), After: entries(AccessEntry{Source: "::1"}, entry("::2", "")),
	}}
	before := ok(`{"ipAccessList":[{"source":"::1"}]}`)
	for _, test := range []struct {
		name      string
		responses []response
		sent      []string
		fails     bool // with an unknown outcome, unless the first request was refused
	}{
		{"read again", []response{before, {503, ""}, ok(`{"ipAccessList":[{"source":"::1"},{"source":"::3"}]}`), ok(anew)}, []string{`{}`, first, `{}`, anew}, false},
		{"after a 429", []response{before, {429, ""}, ok(first)}, []string{`{}`, first, first}, false},
		{"while the API is busy", []response{before, {409, ""}, ok(`{"ipAccessList":[{"source":"::1"},{"source":"::3"}]}`), ok(anew)}, []string{`{}`, first, `{}`, anew}, false},
		{"hidden", []response{{405, ""}, {503, ""}, ok(first)}, []string{`{}`, first, first}, false},
		{"hidden since", []response{before, {503, ""}, {405, ""}, ok(first)}, []string{`{}`, first, `{}`, first}, false},
		{"not read again", []response{before, {503, ""}, {401, ""}}, []string{`{}`, first, `{}`}, true},
		{"refused", []response{before, {403, ""}}, []string{`{}`, first}, true},
		{"no retry left", []response{{503, ""}, before, {503, ""}}, []string{`{}`, `{}`, first}, true},
		{"refused then", []response{before, {503, ""}, before, {403, ""}}, []string{`{}`, first, `{}`, first}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{t: t, responses: test.responses}
				_, err := newClient(t, s.respond, retries(1)).UpdateKey(t.Context(), keyID, want)
				if (err != nil) != test.fails || test.fails && transport.IsOutcomeUnknown(err) != (test.name != "refused") {
					t.Error(err)
				}
				var sent []request
				for _, body := range test.sent {
					sent = append(sent, patchKey(body))
				}
				s.expect(sent...)
			})
		})
	}
}

// TestKeyListsAreMerged: what the plan adds and removes is merged into what the API
// shows. If that shows no list, or an empty one, the plan is sent as it is.
func TestKeyListsAreMerged(t *testing.T) {
	t.Parallel()
	roles := func(before, after Value[[]string]) KeyUpdate {
		return KeyUpdate{Roles: ListUpdate[string]{Before: before, After: after}}
	}
	list := func(roles ...string) Value[[]string] { return ValueOf(roles) }
	toDeveloper := roles(list("admin"), list("developer"))
	allowed := KeyUpdate{IPAccessList: ListUpdate[AccessEntry]{
		Before: entries(entry("::a", "x"), entry("::c", "z"), entry("::e", "")),
		After:  entries(entry("::a", "y"), entry("::d", ""), entry("::e", "")),
	}}
	removesAll := KeyUpdate{IPAccessList: ListUpdate[AccessEntry]{Before: entries(entry("::a", "")), After: ValueOf([]AccessEntry{})}}
	for _, test := range []struct {
		name  string
		shown response
		want  KeyUpdate
		body  string // "": nothing is sent
	}{
		{"roles", ok(`{"roles":["admin","query_endpoints"]}`), toDeveloper, `{"roles":["query_endpoints","developer"]}`},
		{"in capitals", ok(`{"roles":["ADMIN","QUERY_ENDPOINTS","Auditor"]}`), toDeveloper, `{"roles":["query_endpoints","Auditor","developer"]}`},
		{"planned from nothing", ok(`{"roles":["admin"]}`), roles(ValueOf([]string{}), list("developer")), `{"roles":["admin","developer"]}`},
		{"never empty", ok(`{"roles":["admin"]}`), roles(list("admin", "developer"), list("developer")), `{"roles":["developer"]}`},
		{"no roles", ok(`{"roles":[]}`), roles(list("admin"), list("admin", "developer")), `{"roles":["admin","developer"]}`},
		{"not returned", ok(`{}`), toDeveloper, `{"roles":["developer"]}`},
		{"null", ok(`{"roles":null}`), toDeveloper, `{"roles":["developer"]}`},
		{"to null", ok(`{"roles":["admin","developer"]}`), roles(list("admin"), NullOf[[]string]()), `{"roles":["developer"]}`},
		{"hidden", response{405, ""}, toDeveloper, `{"roles":["developer"]}`},
		{"hidden, to null", response{405, ""}, roles(list("admin"), NullOf[[]string]()), `{"roles":[]}`},
		{"unauthorized", response{401, ""}, toDeveloper, ""},
		{
			"addresses", ok(`{"ipAccessList":[{"source":"::a/128","description":"x"},{"source":"::b","description":null},{"source":"::c","description":"w"},{"source":"::e","description":"v"}]}`), allowed,
			`{"ipAccessList":[{"source":"::b"},{"source":"::e","description":"v"},{"source":"::a","description":"y"},{"source":"::d","description":""}]}`,
		},
		{"all removed", ok(`{"roles":["x"],"ipAccessList":[{"source":"::a"}]}`), removesAll, `{"ipAccessList":[]}`},
		{"all removed by someone else", ok(`{"ipAccessList":null}`), removesAll, `{"ipAccessList":[]}`},
		{"whole", ok(`{"roles":["admin","query_endpoints"]}`), KeyUpdate{Roles: ListUpdate[string]{After: list("developer")}}, `{"roles":["developer"]}`},
	} {
		c, script := scripted(t, test.shown, ok(`{"keySuffix":"x"}`))
		key, err := c.UpdateKey(t.Context(), keyID, test.want)
		if (err != nil) != (test.body == "") || err == nil && test.shown.status == 200 && c.keys.at(keyID).latest != key {
			t.Errorf("%s: %v, %+v is cached", test.name, err, c.keys.at(keyID).latest)
		}
		script.expect([]request{patchKey(`{}`), patchKey(test.body)}[:1+min(len(test.body), 1)]...)
	}
}
