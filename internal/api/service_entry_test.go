package api

import (
	"errors"
	"strings"
	"testing"
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
			name: "a refused description", want: change, status: 422, message: "in two applies: remove the entry in one",
			exchanges: read(beside(oldEntry)).then(replace, refused).reads(1, beside(oldEntry)),
		},
		{
			name: "add an endpoint", want: PrivateEndpointUpdate(nil, &id), result: `{"ipAccessList":null,"privateEndpointIds":["a","b"]}`,
			exchanges: read(`{"privateEndpointIds":["a"]}`).then(`{"privateEndpointIds":{"add":["b"]}}`, ok(`{"privateEndpointIds":["a","b"]}`)),
		},
		{
			name: "remove the last endpoint", want: PrivateEndpointUpdate(&id, nil), result: `{"ipAccessList":null,"privateEndpointIds":[]}`,
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
