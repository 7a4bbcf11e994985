package api

import (
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
	id := "b"
	runServiceTests(t, []serviceTest{
		{name: "add to others", want: add, exchanges: read(onlyTheirs).then(addNew, ok(beside(newEntry))), result: beside(newEntry)},
		{name: "remove beside others", want: remove, exchanges: read(beside(oldEntry)).then(removeOld, ok(onlyTheirs)), result: onlyTheirs},
		{name: "remove the last", want: remove, exchanges: old.then(removeOld, ok(noEntries)), result: noEntries},
		{
			name: "a refused description", want: change, status: 422, message: "apply with -replace and the address of this resource",
			exchanges: read(beside(oldEntry)).then(addNew, conflict()).then(replace, refused).reads(1, beside(oldEntry)),
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
}
