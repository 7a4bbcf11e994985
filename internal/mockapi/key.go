package mockapi

// updateKey changes the members that were sent. An empty expireAt means the
// same as null, and is stored as null.
func (s *Server) updateKey(target *storedObject, body Object) *problem {
	if refusal := s.variants.refuseEmpty(body); refusal != nil {
		return refusal
	}
	_ = s.useKey(target, nil)
	for name, value := range body {
		if name == "roles" && s.variants.Has("frozen_roles") {
			continue
		}
		switch {
		case name == "expireAt" && value == "":
			value = nil
		case name == "name":
			value = s.variants.storedText(value)
		case name == "ipAccessList":
			value = s.variants.storedList(s.variants.storedEntries(list(body, name)))
		}
		target.document[name] = value
	}
	return nil
}

// useKey is any request for a key, which may move usedAt.
func (s *Server) useKey(target *storedObject, _ Object) *problem {
	if s.variants.Has("used_at_moves") {
		s.store.advance(target.document, "usedAt")
	}
	return nil
}

func (s *Server) showKey(target *storedObject) any {
	key := clone(s.visible(target))
	if !s.variants.Has("echo_write_only") {
		delete(key, "state")
	}
	expiry, _ := key["expireAt"].(string)
	switch {
	case expiry != "":
	case s.variants.Has("never=year_1"):
		key["expireAt"] = "0001-01-01T00:00:00Z"
	case s.variants.Has("never=epoch"):
		key["expireAt"] = "1970-01-01T00:00:00Z"
	}
	return key
}
