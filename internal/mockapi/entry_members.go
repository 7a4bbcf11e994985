package mockapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// entryMembers are the members of an IP access entry that openapi.yaml does not have.
var entryMembers = []string{"id", "enabled", "expiresAt"}

// offerEntryMembers gives undocumented members to the entries of an object, or removes
// them.
func (o *record) offerEntryMembers(v Variants) {
	for i, element := range list(o.document, "ipAccessList") {
		entry := element.(Object)
		if v.EntryMembers {
			entry["id"], entry["enabled"], entry["expiresAt"] = fmt.Sprintf("entry-%d", i+1), true, "2030-01-01T00:00:00Z"
			continue
		}
		maps.DeleteFunc(entry, func(name string, _ any) bool { return slices.Contains(entryMembers, name) })
	}
}

// documentedEntries is a body as openapi.yaml allows it: without the undocumented
// members of entries that the object has with the same value.
func (o *record) documentedEntries(body Object) Object {
	known := clone(body)
	lists := [][]any{list(known, "ipAccessList")} // of a key
	if change, isChange := known["ipAccessList"].(Object); isChange {
		lists = [][]any{list(change, "add"), list(change, "remove")}
	}
	for _, element := range slices.Concat(lists...) {
		entry, isEntry := element.(Object)
		for _, name := range entryMembers {
			if isEntry && o.hasEntryMember(name, entry[name]) {
				delete(entry, name)
			}
		}
	}
	return known
}

func (o *record) hasEntryMember(name string, value any) bool {
	return slices.ContainsFunc(list(o.document, "ipAccessList"), func(entry any) bool {
		held, has := entry.(Object)[name]
		return has && reflect.DeepEqual(held, value)
	})
}
