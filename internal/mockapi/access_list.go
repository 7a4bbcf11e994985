package mockapi

import (
	"net/http"
	"net/netip"
	"slices"
)

// editEntries changes an IP access list by a change's add and remove.
func (r Readings) editEntries(entries []any, change Object) ([]any, *problem) {
	identify := func(normalise func(any) any) func(any) any {
		return func(entry any) any {
			source := normalise(entry.(Object)["source"])
			if r.EntryIdentity == BySource {
				return source
			}
			description, _ := entry.(Object)["description"].(string)
			return [2]any{source, description}
		}
	}
	asIs := func(source any) any { return source }
	// What is removed must be named in the form in which it is answered.
	return r.edit(entries, change, identify(r.address), identify(asIs))
}

// editIDs changes a list of ids by a change's add and remove.
func (r Readings) editIDs(ids []any, change Object) ([]any, *problem) {
	asIs := func(id any) any { return id }
	return r.edit(ids, change, asIs, asIs)
}

// edit changes a list whose elements have an identity; named is the identity
// that an element of remove names.
func (r Readings) edit(elements []any, change Object, identity, named func(any) any) ([]any, *problem) {
	remove := func() {
		elements = slices.DeleteFunc(elements, func(element any) bool {
			return slices.ContainsFunc(list(change, "remove"), func(removed any) bool {
				return named(removed) == identity(element)
			})
		})
	}
	if r.RemoveBeforeAdd {
		remove()
	}
	for _, added := range list(change, "add") {
		at := slices.IndexFunc(elements, func(element any) bool { return identity(element) == identity(added) })
		switch {
		case at < 0:
			elements = append(elements, added)
		case r.AddExisting == Refuse:
			return nil, refuse(http.StatusConflict, "%v is in the list already", identity(added))
		case r.AddExisting == Upsert:
			elements[at] = added
		}
	}
	if !r.RemoveBeforeAdd {
		remove()
	}
	return elements, nil
}

// address is an entry's source as it is answered.
func (r Readings) address(source any) any {
	text, ok := source.(string)
	if !ok || !r.NormaliseAddress {
		return source
	}
	if address, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(address, address.BitLen()).String()
	}
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked().String()
	}
	return source
}
