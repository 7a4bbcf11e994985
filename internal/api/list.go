package api

import (
	"slices"
	"strings"
)

// byIDAndDescription and byID are what elements of lists are compared by. An entry's id is its address, in any
// notation, or its private endpoint. A role is an id, in any case.
func byIDAndDescription[E any](element E) string {
	if e, ok := any(element).(AccessEntry); ok {
		return byID(element) + "\x00" + e.Text()
	}
	return byID(element)
}

func byID[E any](element E) string {
	if e, ok := any(element).(AccessEntry); ok {
		return CanonicalAddress(e.Source)
	}
	return strings.ToLower(any(element).(string))
}

// without returns the elements of list that others does not have.
func without[E any](list, others []E, key func(E) string) []E {
	keys := map[string]bool{}
	for _, e := range others {
		keys[key(e)] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool { return keys[key(e)] })
}

// within returns the elements of list that others has too.
func within[E any](list, others []E, key func(E) string) []E {
	return without(list, without(list, others, key), key)
}

// A ListUpdate is a planned change of a list. Elements that only one of Before and
// After has are the change; all others stay as the API shows them. Neither repeats an id.
type ListUpdate[E any] struct {
	Before Value[[]E] // the list that the plan was made from; left out: After is the whole list
	After  Value[[]E] // the planned list; null is an empty one. Left out: the list is not changed
}

// added returns the elements that the plan adds or describes anew. If the list is empty, or would be after the
// update, it returns the whole planned list, and not a rest of it: an empty list may admit nobody.
func (u ListUpdate[E]) added(shown Value[[]E]) []E {
	added := without(u.After.value, u.Before.value, byIDAndDescription)
	wouldBeEmpty := len(shown.value) == 0 || len(added)+len(u.kept(shown.value)) == 0
	if shown.IsKnown() && wouldBeEmpty {
		return u.After.value
	}
	return added
}

// removed returns the elements of current that the plan removes.
func (u ListUpdate[E]) removed(current []E) []E {
	if !u.After.IsKnown() {
		return nil
	}
	removed := without(current, u.After.value, byID)
	if u.Before.IsKnown() {
		removed = within(removed, u.Before.value, byID)
	}
	return removed
}

func (u ListUpdate[E]) kept(current []E) []E {
	return without(current, u.removed(current), byID)
}

// merged is the whole list after the update: what the plan adds and removes, on top
// of what the API shows. If it shows nothing, that is the planned list.
func (u ListUpdate[E]) merged(shown Value[[]E]) Value[[]E] {
	if !u.After.IsKnown() {
		return u.After
	}
	list := []E{} // never nil, which would be sent as null
	if !shown.IsKnown() {
		return ValueOf(append(list, u.After.value...))
	}
	added := u.added(shown)
	return ValueOf(append(append(list, without(u.kept(shown.value), added, byID)...), added...))
}
