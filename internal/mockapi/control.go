package mockapi

// What a test does to the objects behind the provider's back.

// Change changes an object in place: responses show it at once, even where they
// are stale, and updatedAt stays. It panics if there is no such object; change
// must not call the server.
func (s *Server) Change(kind Kind, id string, change func(Object)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.store.must(kind, id)
	draft := clone(changed.document)
	change(draft)
	changed.document, changed.versions = clone(draft), nil
}

// Reset brings back the objects of a fresh server. Variants and faults stay.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store = newStore(s.now)
	s.store.seed()
	for _, pipe := range s.store.objects[Pipe] {
		pipe.offerExtraSetting(s.variants)
	}
}

// Object is a copy of an object as it is stored, including members that
// are never shown. It panics if there is no such object.
func (s *Server) Object(kind Kind, id string) Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clone(s.store.must(kind, id).document)
}

// Forget removes an object: from now on it is refused with 404, and so is what
// belongs to it. It panics if there is no such object.
func (s *Server) Forget(kind Kind, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := s.store.must(kind, id)
	for key, candidate := range s.store.objects[kind] {
		if candidate == gone {
			delete(s.store.objects[kind], key)
		}
	}
}

// AddPipe adds a pipe to a service and returns its id, a new one if pipe has
// none. A null resets to its scaling and settings. It panics if there is no such
// service.
func (s *Server) AddPipe(serviceID string, pipe Object) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := s.store.addPipe(serviceID, pipe)
	added.offerExtraSetting(s.variants)
	return added.id()
}

// AddKey adds an API key and returns its id, a new one if key has none.
func (s *Server) AddKey(key Object) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.add(Key, key).id()
}
