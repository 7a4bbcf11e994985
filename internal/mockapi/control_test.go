package mockapi

import (
	"testing"
)

func TestChange(t *testing.T) {
	t.Parallel()
	s := New()
	before := result[Object](t, s, "GET", pipePath, "")
	s.Change(Pipe, KafkaPipeID, func(pipe Object) {
		pipe["name"] = "Renamed"
		pipe["scaling"] = map[string]any{"replicas": 5, "replicaMemoryGb": float32(2)}
		pipe["destination"].(Object)["tableDefinition"].(Object)["sortingKey"] = []string{"created"}
		delete(pipe, "state")
	})
	after := result[Object](t, s, "GET", pipePath, "")
	same(t, "scaling", after["scaling"], `{"replicas":5,"replicaMemoryGb":2}`)
	same(t, "sortingKey", after["destination"].(Object)["tableDefinition"].(Object)["sortingKey"], `["created"]`)
	if _, ok := after["state"]; ok || after["name"] != "Renamed" || after["updatedAt"] != before["updatedAt"] {
		t.Errorf("state %v, name %v, updatedAt %v", after["state"], after["name"], after["updatedAt"])
	}
	s.Change(Service, ServiceID, func(service Object) { service["ipAccessList"] = []Object{{"source": "192.0.2.1"}} })
	same(t, "ipAccessList", result[Object](t, s, "PATCH", servicePath, `{}`)["ipAccessList"], `[{"source":"192.0.2.1"}]`)
	same(t, "added", result[Object](t, s, "PATCH", servicePath, `{"ipAccessList":{"add":[{"source":"a"}]}}`)["ipAccessList"], `[{"source":"192.0.2.1"},{"source":"a"}]`)
	s.Change(Service, ServiceID, func(service Object) { service["ipAccessList"] = nil })
	same(t, "removed from null", result[Object](t, s, "PATCH", servicePath, `{"ipAccessList":{"remove":[{"source":"a"}]}}`)["ipAccessList"], `[]`)
	s.Change(Service, ServiceID, func(service Object) { service["ipAccessList"] = nil })
	same(t, "added to null", result[Object](t, s, "PATCH", servicePath, `{"ipAccessList":{"add":[{"source":"a"}]}}`)["ipAccessList"], `[{"source":"a"}]`)
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["settings"] = nil })
	if settings := result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":1}`); settings["db_max_threads"] != int64(1) {
		t.Errorf("settings put over null: %v", settings)
	}
}

func TestObjectIsACopy(t *testing.T) {
	t.Parallel()
	s := New()
	s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"] = int64(9)
	if got := s.Object(Pipe, KafkaPipeID)["scaling"].(Object)["replicas"]; got != int64(2) {
		t.Errorf("replicas %v", got)
	}
	mine := Object{"settings": Object{"db_max_threads": 1}}
	id := s.AddPipe(ServiceID, mine)
	mine["settings"].(Object)["db_max_threads"] = 2
	if got := s.Object(Pipe, id)["settings"].(Object)["db_max_threads"]; got != int64(1) {
		t.Errorf("db_max_threads %v", got)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	s := New()
	s.Forget(Key, APIKeyID)
	refused(t, s, 404, "PATCH", keyPath, `{}`)
	s.Forget(Pipe, KafkaPipeID)
	refused(t, s, 404, "GET", pipePath, "")
	result[Object](t, s, "GET", servicePath+"/pipes/"+KinesisPipeID, "")
	s.Forget(Service, ServiceID)
	refused(t, s, 404, "GET", servicePath+"/pipes/"+KinesisPipeID, "")
	refused(t, s, 404, "GET", servicePath+"/backups", "")
	refused(t, s, 404, "PATCH", servicePath, `{}`)
	s.AddKey(Object{"id": APIKeyID, "name": "Back"})
	if key := result[Object](t, s, "PATCH", keyPath, `{}`); key["name"] != "Back" {
		t.Errorf("key %v", key)
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	s := New()
	service := s.AddService(Object{"name": "Third"})
	pipe := s.AddPipe(service, Object{"scaling": Object{"replicas": 6}})
	path := organizationPath + "/services/" + service + "/pipes/" + pipe
	result[Object](t, s, "PATCH", path+"/scaling", `{"replicas":1,"concurrency":3}`)
	same(t, "set back", result[Object](t, s, "PATCH", path+"/scaling", `{"replicas":null,"concurrency":null}`)["scaling"], `{"replicas":6}`)
	if got := result[Object](t, s, "GET", path, "")["serviceId"]; got != service {
		t.Errorf("serviceId %v", got)
	}
	key := s.AddKey(Object{})
	result[Object](t, s, "PATCH", organizationPath+"/keys/"+key, `{"name":"x"}`)
}

func TestAddPipes(t *testing.T) {
	t.Parallel()
	s := New()
	ids := s.AddPipes(1000)
	if len(ids) != 1000 || ids[0] != "55555555-5555-4555-8555-000000000001" || ids[999] != "55555555-5555-4555-8555-000000001000" {
		t.Errorf("%d ids, %s to %s", len(ids), ids[0], ids[len(ids)-1])
	}
	for _, id := range []string{ids[0], ids[999]} {
		if pipe := result[Object](t, s, "GET", servicePath+"/pipes/"+id, ""); pipe["id"] != id {
			t.Errorf("pipe %v", pipe["id"])
		}
	}
}

func TestSetBackups(t *testing.T) {
	t.Parallel()
	s := New()
	setBackups(s, OtherServiceID, Object{"id": unknownID, "sizeInBytes": int64(9223372036854775807)})
	same(t, "backups", result[[]any](t, s, "GET", otherServicePath+"/backups", ""), `[{"id":"`+unknownID+`","sizeInBytes":9223372036854775807}]`)
	setBackups(s, ServiceID)
	same(t, "none", result[[]any](t, s, "GET", servicePath+"/backups", ""), `[]`)
}

func TestUnknownObjectsAreMistakes(t *testing.T) {
	t.Parallel()
	for name, mistake := range map[string]func(*Server){
		"Change":  func(s *Server) { s.Change(Pipe, ServiceID, func(Object) {}) },
		"Object":  func(s *Server) { s.Object(Key, unknownID) },
		"Forget":  func(s *Server) { s.Forget(Service, unknownID) },
		"AddPipe": func(s *Server) { s.AddPipe(unknownID, Object{}) },
		"Change, no JSON": func(s *Server) {
			s.Change(Key, APIKeyID, func(key Object) { key["name"] = func() {} })
		},
		"no JSON": func(s *Server) { s.AddKey(Object{"name": func() {}}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New()
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
				result[Object](t, s, "PATCH", keyPath, `{}`) // the mutex is free again
			}()
			mistake(s)
		})
	}
}

func TestNumbersOfJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"5": int64(5), "5.0": int64(5), "5e2": int64(500), "-0": int64(0), "0.5": 0.5, "1.5e0": 1.5,
		"9007199254740993": int64(9007199254740993), "9007199254740993.0": int64(9007199254740993), "9.007199254740993e15": int64(9007199254740993),
		"9223372036854775807": int64(9223372036854775807), "9223372036854775808": 9223372036854775808.0,
	} {
		if got := number(text); got != want {
			t.Errorf("%s: %v (%T), want %v (%T)", text, got, got, want, want)
		}
	}
}
