package mockapi

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A test may store Go values of any type with a JSON meaning. What it passes and
// what it gets are copies.
func TestObjectsOfATest(t *testing.T) {
	t.Parallel()
	s := New()
	service := s.AddService(Object{"name": "Third"})
	mine := Object{"scaling": map[string]any{"replicas": 6, "replicaMemoryGb": float32(2)}, "settings": nil}
	id := s.AddPipe(service, mine)
	mine["scaling"].(map[string]any)["replicas"] = 7
	s.Object(Pipe, id)["scaling"].(Object)["replicas"] = 8
	s.Change(Pipe, id, func(pipe Object) {
		pipe["source"] = Object{"kafka": Object{"reversePrivateEndpointIds": []string{"a"}}}
	})
	path := organizationPath + "/services/" + service + "/pipes/" + id
	same(t, "source", object(t, s, path, "")["source"], `{"kafka":{"reversePrivateEndpointIds":["a"]}}`)
	object(t, s, path+"/scaling", `{"replicas":1,"concurrency":3}`)
	same(t, "reset", object(t, s, path+"/scaling", `{"replicas":null,"concurrency":null}`)["scaling"], `{"replicas":6,"replicaMemoryGb":2}`)

	s.Change(Service, ServiceID, func(service Object) { service["endpoints"], service["ipAccessList"] = nil, nil })
	changed := object(t, s, servicePath, `{"ipAccessList":{"add":[{"source":"a"}]}}`)
	same(t, "lists that were null", []any{changed["endpoints"], changed["ipAccessList"]}, `[null,[{"source":"a"}]]`)
	s.Change(Pipe, KinesisPipeID, func(pipe Object) { pipe["settings"] = nil })
	s.SetVariants(Variants{ExtraMembers: true})
	same(t, "settings that were null", object(t, s, kinesisPath+"/settings", `{"db_max_threads":1}`)["db_max_threads"], `1`)

	s.SetVariants(Variants{StaleServices: time.Hour})
	object(t, s, servicePath, `{"name":"Written"}`)
	same(t, "a stale name", object(t, s, servicePath, `{}`)["name"], `"Orders"`)
	s.Change(Service, ServiceID, func(service Object) { service["name"] = "Drifted" })
	same(t, "drift shows at once", object(t, s, servicePath, `{}`)["name"], `"Drifted"`)

	upper := "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"
	s.AddKey(Object{"id": upper})
	same(t, "an id in another case", object(t, s, organizationPath+"/keys/"+strings.ToLower(upper), `{}`)["id"], `"`+upper+`"`)
	s.Forget(Pipe, KafkaPipeID)
	refused(t, s, 404, pipePath, "")
	s.Forget(Service, ServiceID)
	refused(t, s, 404, kinesisPath, "")
	refused(t, s, 404, backupsPath, "")
}

// A mistake in a test panics and leaves no mutex locked.
func TestMistakesPanic(t *testing.T) {
	t.Parallel()
	s := New()
	for name, mistake := range map[string]func(){
		"an unknown id":        func() { s.Object(Key, unknownID) },
		"not JSON":             func() { s.Change(Key, APIKeyID, func(key Object) { key["name"] = func() {} }) },
		"a fault of no effect": func() { s.Fail(Fault{Operation: "getPipe"}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
				object(t, s, keyPath, `{}`)
			}()
			mistake()
		}()
	}
}

// Everything at once, for the race detector. No write is lost.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := New()
	ids := s.AddPipes(20)
	var group sync.WaitGroup
	for i, id := range ids {
		group.Go(func() {
			send(s, servicePath+"/pipes/"+id+"/scaling", fmt.Sprintf(`{"replicas":%d}`, i%10+1))
			send(s, servicePath, fmt.Sprintf(`{"ipAccessList":{"add":[{"source":"192.0.2.%d"}]}}`, 100+i))
		})
		group.Go(func() {
			s.Change(Key, APIKeyID, func(key Object) { key["name"] = id })
			s.SetVariants(Variants{Shuffle: i%2 == 0, ExtraMembers: i%3 == 0})
			s.Fail(Fault{Operation: "listBackups", Status: 500})()
			s.LimitRate(1_000_000, time.Second, RateLimitSilent)
			s.Sent("scalePipe")
		})
	}
	group.Wait()
	for i, id := range ids {
		same(t, id, s.Object(Pipe, id)["scaling"].(Object)["replicas"], strconv.Itoa(i%10+1))
	}
	if got := len(list(s.Object(Service, ServiceID), "ipAccessList")); got != 22 {
		t.Errorf("%d access entries", got)
	}
}
