package mockapi

// updateKey changes the members that were sent. An empty expireAt means the
// same as null, and is stored as it.
func (s *Server) updateKey(target *record, body Object) (any, *problem) {
	if refusal := s.readings.refuseEmpty(body); refusal != nil {
		return nil, refusal
	}
	for name, value := range body {
		if name == "expireAt" && value == "" {
			value = nil
		}
		target.document[name] = value
	}
	return s.readings.key(target.document), nil
}

// key is a key as it is answered.
func (r Readings) key(stored Object) Object {
	key := clone(stored)
	if !r.EchoWriteOnly {
		delete(key, "state")
	}
	return key
}
