package mockapi

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A test may store Go values of any type with a JSON meaning. What it passes and
// what it gets are copies.
func TestChange(t *testing.T) {
	t.Parallel()
	s := New()
	mine := Object{"scaling": map[string]any{"replicas": 5, "replicaMemoryGb": float32(2)}, "settings": nil}
	id := s.AddPipe(ServiceID, mine)
	s.Change(Pipe, id, func(pipe Object) {
		pipe["source"] = Object{"kafka": Object{"reversePrivateEndpointIds": []string{"a"}}}
	})
	mine["scaling"].(map[string]any)["replicas"] = 6
	s.Object(Pipe, id)["scaling"].(Object)["replicas"] = 7
	pipe := object(t, s, servicePath+"/pipes/"+id, "")
	same(t, "scaling", pipe["scaling"], `{"replicas":5,"replicaMemoryGb":2}`)
	same(t, "source", pipe["source"], `{"kafka":{"reversePrivateEndpointIds":["a"]}}`)

	s.Change(Service, ServiceID, func(service Object) { service["endpoints"], service["ipAccessList"] = nil, nil })
	service := object(t, s, servicePath, `{"ipAccessList":{"add":[{"source":"a"}]}}`)
	same(t, "lists that were null", []any{service["endpoints"], service["ipAccessList"]}, `[null,[{"source":"a"}]]`)
	s.Change(Pipe, KinesisPipeID, func(pipe Object) { pipe["settings"] = nil })
	same(t, "settings that were null", object(t, s, kinesisPath+"/settings", `{"db_max_threads":1}`)["db_max_threads"], `1`)
}

func TestAddAndForget(t *testing.T) {
	t.Parallel()
	s := New()
	service := s.AddService(Object{"name": "Third"})
	path := organizationPath + "/services/" + service + "/pipes/" + s.AddPipe(service, Object{"scaling": Object{"replicas": 6}})
	object(t, s, path+"/scaling", `{"replicas":1,"concurrency":3}`)
	same(t, "reset", object(t, s, path+"/scaling", `{"replicas":null,"concurrency":null}`)["scaling"], `{"replicas":6}`)
	object(t, s, organizationPath+"/keys/"+s.AddKey(Object{}), `{"name":"x"}`)
	for source, want := range map[string]Object{`null`: nil, `{"pubsub":{"topic":"a"}}`: {"pubsub": Object{"topic": "a"}}} {
		pipe := object(t, s, servicePath+"/pipes/"+s.AddPipeFrom(want), "")
		if same(t, "source", pipe["source"], source); len(pipe["settings"].(Object)) != 12 {
			t.Errorf("settings: %v", pipe["settings"])
		}
	}
	ids := s.AddPipes(1000)
	if ids[999] != "55555555-5555-4555-8555-000000001000" {
		t.Errorf("the last id is %s", ids[999])
	}
	object(t, s, servicePath+"/pipes/"+ids[999], "")
	upper, lower := "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	s.AddKey(Object{"id": upper})
	same(t, "an id in another case", object(t, s, organizationPath+"/keys/"+lower, `{}`)["id"], `"`+upper+`"`)

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
			remove := s.Fail(Fault{Operation: "listBackups", Status: 500})
			send(s, backupsPath, "")
			remove()
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
