package mockapi

import "testing"

// A test may store Go values of any type with a JSON meaning.
func TestChange(t *testing.T) {
	t.Parallel()
	s := New()
	before := object(t, s, pipePath, "")
	s.Change(Pipe, KafkaPipeID, func(pipe Object) {
		pipe["name"] = "Renamed"
		pipe["scaling"] = map[string]any{"replicas": 5, "replicaMemoryGb": float32(2)}
		pipe["destination"].(Object)["tableDefinition"].(Object)["sortingKey"] = []string{"created"}
		delete(pipe, "state")
	})
	after := object(t, s, pipePath, "")
	same(t, "scaling", after["scaling"], `{"replicas":5,"replicaMemoryGb":2}`)
	same(t, "sortingKey", after["destination"].(Object)["tableDefinition"].(Object)["sortingKey"], `["created"]`)
	if _, ok := after["state"]; ok || after["name"] != "Renamed" || after["updatedAt"] != before["updatedAt"] {
		t.Errorf("state %v, name %v, updatedAt %v", after["state"], after["name"], after["updatedAt"])
	}
}

// An update works on members that a test has set to null.
func TestUpdatesOfNull(t *testing.T) {
	t.Parallel()
	s := New()
	for _, list := range []any{nil, []Object{}} {
		for change, want := range map[string]string{
			`{"remove":[{"source":"a"}]}`: `[]`,
			`{"add":[{"source":"a"}]}`:    `[{"source":"a"}]`,
		} {
			s.Change(Service, ServiceID, func(service Object) { service["ipAccessList"] = list })
			same(t, change, object(t, s, servicePath, `{"ipAccessList":`+change+`}`)["ipAccessList"], want)
		}
	}
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["settings"] = nil })
	same(t, "settings", object(t, s, settingsPath, `{"db_max_threads":1}`)["db_max_threads"], `1`)
	s.Change(Service, ServiceID, func(service Object) { service["endpoints"] = nil })
	same(t, "endpoints", object(t, s, servicePath, `{}`)["endpoints"], `null`)
}

func TestObjectsAreCopied(t *testing.T) {
	t.Parallel()
	s := New()
	s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"] = int64(9)
	same(t, "a returned object", s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"], `2`)
	mine := Object{"settings": Object{"db_max_threads": 1}}
	id := s.AddPipe(ServiceID, mine)
	mine["settings"].(Object)["db_max_threads"] = 2
	same(t, "an added object", s.Object(Pipe, id)["settings"].(Object)["db_max_threads"], `1`)
}

func TestForget(t *testing.T) {
	t.Parallel()
	s := New()
	s.Forget(Key, APIKeyID)
	refused(t, s, 404, keyPath, `{}`)
	s.Forget(Pipe, KafkaPipeID)
	refused(t, s, 404, pipePath, "")
	object(t, s, kinesisPath, "")
	s.Forget(Service, ServiceID)
	refused(t, s, 404, kinesisPath, "")
	refused(t, s, 404, backupsPath, "")
	refused(t, s, 404, servicePath, `{}`)
	s.AddKey(Object{"id": APIKeyID, "name": "Back"})
	same(t, "added again", object(t, s, keyPath, `{}`)["name"], `"Back"`)
}

func TestAdd(t *testing.T) {
	t.Parallel()
	s := New()
	service := s.AddService(Object{"name": "Third"})
	pipe := s.AddPipe(service, Object{"scaling": Object{"replicas": 6}})
	path := organizationPath + "/services/" + service + "/pipes/" + pipe
	object(t, s, path+"/scaling", `{"replicas":1,"concurrency":3}`)
	same(t, "reset", object(t, s, path+"/scaling", `{"replicas":null,"concurrency":null}`)["scaling"], `{"replicas":6}`)
	same(t, "serviceId", object(t, s, path, "")["serviceId"], `"`+service+`"`)
	object(t, s, organizationPath+"/keys/"+s.AddKey(Object{}), `{"name":"x"}`)

	ids := s.AddPipes(1000)
	if len(ids) != 1000 || ids[0] != "55555555-5555-4555-8555-000000000001" || ids[999] != "55555555-5555-4555-8555-000000001000" {
		t.Errorf("%d ids, %s to %s", len(ids), ids[0], ids[len(ids)-1])
	}
	for _, id := range []string{ids[0], ids[999]} {
		same(t, "id", object(t, s, servicePath+"/pipes/"+id, "")["id"], `"`+id+`"`)
	}
}

// A mistake in a test panics and leaves no mutex locked.
func TestMistakesPanic(t *testing.T) {
	t.Parallel()
	for name, mistake := range map[string]func(*Server){
		"Change, unknown id":  func(s *Server) { s.Change(Pipe, ServiceID, func(Object) {}) },
		"Object, unknown id":  func(s *Server) { s.Object(Key, unknownID) },
		"Forget, unknown id":  func(s *Server) { s.Forget(Service, unknownID) },
		"AddPipe, unknown id": func(s *Server) { s.AddPipe(unknownID, Object{}) },
		"Change, not JSON":    func(s *Server) { s.Change(Key, APIKeyID, func(key Object) { key["name"] = func() {} }) },
		"AddKey, not JSON":    func(s *Server) { s.AddKey(Object{"name": func() {}}) },
		"Fail, no effect":     func(s *Server) { s.Fail(Fault{Operation: "getPipe"}) },
		"Before, unknown":     func(s *Server) { s.Before("updatePipe", 1, func() {}) },
		"Before, request 0":   func(s *Server) { s.Before("getPipe", 0, func() {}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New()
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
				object(t, s, keyPath, `{}`)
			}()
			mistake(s)
		})
	}
}
