package api

// EntryUpdate is the update of one entry of a service's access list, and of no other.
// Without before, it adds the entry; without after, it removes it.
func EntryUpdate(before, after *AccessEntry) ServiceUpdate {
	return ServiceUpdate{IPAccessList: oneEntry(before, after), advice: adviceReplace}
}

// PrivateEndpointUpdate is the update of one private endpoint of a service, and of no
// other. Without before, it adds the endpoint; without after, it removes it.
func PrivateEndpointUpdate(before, after *string) ServiceUpdate {
	return ServiceUpdate{PrivateEndpointIDs: oneEntry(before, after)}
}

// oneEntry never leaves Before absent: After would then be the whole list.
func oneEntry[E any](before, after *E) ListUpdate[E] {
	return ListUpdate[E]{Before: ValueOf(atMostOne(before)), After: ValueOf(atMostOne(after))}
}

func atMostOne[E any](e *E) []E {
	if e == nil {
		return nil
	}
	return []E{*e}
}
