package api

import "slices"

// An elementKey is what elements of lists are compared by. All notations of an address have the
// same id, all normal forms of a text are one description, and no description is "".
type elementKey struct{ id, description string }

// byElement compares whole elements. A role is an id, and so is a private endpoint in the form of an entry.
func byElement[E any](element E) elementKey {
	if e, ok := any(element).(AccessEntry); ok {
		return elementKey{CanonicalAddress(e.Source), e.Text()}
	}
	return elementKey{id: any(element).(string)}
}

func byID[E any](element E) elementKey { return elementKey{id: byElement(element).id} }

// without returns the elements of list that others does not have.
func without[E any](list, others []E, key func(E) elementKey) []E {
	keys := map[elementKey]bool{}
	for _, e := range others {
		keys[key(e)] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool { return keys[key(e)] })
}

// within returns the elements of list that others has too.
func within[E any](list, others []E, key func(E) elementKey) []E {
	return without(list, without(list, others, key), key)
}

// A ListUpdate is a planned change of a list. Elements that only one of Before and
// After has are the change; all others stay as the API shows them.
type ListUpdate[E any] struct {
	Before Value[[]E] // the list that the plan was made from; absent: After is the whole list
	After  Value[[]E] // the planned list; null is an empty one. Absent: the list is left alone
}

// added returns the elements that the plan adds or describes anew: the whole planned list
// if the API shows an empty one, or the update would empty it although the plan does not.
// An empty list may admit nobody.
func (u ListUpdate[E]) added(shown Value[[]E]) []E {
	added := without(u.After.value, u.Before.value, byElement)
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
	if !u.After.IsKnown() || !shown.IsKnown() {
		return u.After
	}
	added := u.added(shown)
	return ValueOf(append(without(u.kept(shown.value), added, byID), added...))
}
