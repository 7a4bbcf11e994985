package mockapi

import (
	"net/http"
	"net/netip"
	"slices"
)

// identity is what two elements of a list are compared by.
type identity func(element any) any

func asIs(element any) any { return element }

// editEntries changes an IP access list by a change's add and remove.
func (v Variants) editEntries(entries []any, change Object) ([]any, *problem) {
	whole := v.Has("entry_identity=whole")
	removeWhole := v.Has("remove_by=whole") || whole && !v.Has("remove_by=source")
	edited, refusal := v.edit(entries, v.storedEntries(list(change, "add")), list(change, "remove"), listEdit{
		added: entryIdentity(v.address, whole),
		held:  entryIdentity(v.address, removeWhole),
		// A remove must name an address in the form in which it is shown.
		removed: entryIdentity(asIs, removeWhole),
	})
	return v.storedList(edited), refusal
}

func entryIdentity(normalise func(any) any, whole bool) identity {
	return func(entry any) any {
		source := normalise(entry.(Object)["source"])
		if !whole {
			return source
		}
		description, _ := entry.(Object)["description"].(string)
		return [2]any{source, description}
	}
}

// editIDs changes a list of ids by a change's add and remove.
func (v Variants) editIDs(ids []any, change Object) ([]any, *problem) {
	return v.edit(ids, v.storedIDs(list(change, "add")), list(change, "remove"), listEdit{asIs, asIs, asIs})
}

// listEdit defines which elements are the same: an added one and an element of
// the list (added); an element of the list (held) and one of remove (removed).
type listEdit struct{ added, held, removed identity }

func (v Variants) edit(elements, adds, removes []any, by listEdit) ([]any, *problem) {
	remove := func() {
		elements = slices.DeleteFunc(elements, func(element any) bool {
			return slices.ContainsFunc(removes, func(removed any) bool {
				return by.removed(removed) == by.held(element)
			})
		})
	}
	if v.Has("remove_before_add") {
		remove()
	}
	for _, added := range adds {
		at := slices.IndexFunc(elements, func(element any) bool { return by.added(element) == by.added(added) })
		switch {
		case at < 0:
			elements = append(elements, added)
		case v.Has("add_existing=refuse"):
			return nil, refuse(http.StatusConflict, "%v is in the list already", by.added(added))
		case v.Has("add_existing=refuse_400"):
			return nil, refuse(http.StatusBadRequest, "%v is in the list already", by.added(added))
		case !v.Has("add_existing=ignore"):
			elements[at] = added
		}
	}
	if !v.Has("remove_before_add") {
		remove()
	}
	return elements, nil
}

// address is an entry's source as it is shown.
func (v Variants) address(source any) any {
	text, ok := source.(string)
	if !ok || !v.Has("normalise_address") {
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
