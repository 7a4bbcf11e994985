package mockapi

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// What a test changes shows at once, also where responses are old. What belongs
// to an object that is gone is gone too. A mistake panics and leaves no mutex
// locked.
func TestObjectsOfATest(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{"stale_services=1h"}))
	for name, mistake := range map[string]func(){
		"not JSON":             func() { s.Change(Service, ServiceID, func(service Object) { service["name"] = func() {} }) },
		"an unknown variant":   func() { s.SetVariants(Variants{"numbers=octal"}) },
		"two of one point":     func() { s.SetVariants(Variants{"late=old", "late=zero"}) },
		"a misspelt variant":   func() { Variants{}.Has("shufle") },
		"a fault of no effect": func() { s.Fail(Fault{Operation: "getPipe"}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
			}()
			mistake()
		}()
	}
	object(t, s, servicePath, `{"name":"Written"}`)
	s.Change(Service, ServiceID, func(service Object) { service["name"] = "Drifted" })
	same(t, "drift", object(t, s, servicePath, `{}`)["name"], `"Drifted"`)
	s.Forget(Service, ServiceID)
	refused(t, s, 404, kinesisPath, "")
}

// A reset brings back every object, and keeps variants.
func TestReset(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{"extra_members"}))
	reads := map[string]string{servicePath: `{}`, keyPath: `{}`, pipePath: ""}
	before := map[string]string{}
	for path, read := range reads {
		before[path] = objectWithoutTimes(t, s, path, read)
	}
	object(t, s, servicePath, `{"name":"Written"}`)
	object(t, s, keyPath, `{"state":"disabled"}`)
	object(t, s, scalingPath, `{"replicas":9}`)
	s.Forget(Service, OtherServiceID)
	added := s.AddPipes(1)[0]
	s.Reset()
	for path, read := range reads {
		if got := objectWithoutTimes(t, s, path, read); got != before[path] {
			t.Errorf("%s, not %s", got, before[path])
		}
	}
	object(t, s, otherServicePath, `{}`)
	refused(t, s, 404, servicePath+"/pipes/"+added, "")
}

// objectWithoutTimes reads an object, without the times that move by themselves.
func objectWithoutTimes(t *testing.T, s *Server, path, read string) string {
	t.Helper()
	shown := object(t, s, path, read)
	delete(shown, "updatedAt")
	delete(shown, "usedAt")
	return fmt.Sprint(shown)
}

// Everything at once, for the race detector. No write is lost.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := New()
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			send(s, servicePath, fmt.Sprintf(`{"ipAccessList":{"add":[{"source":"192.0.2.%d"}]}}`, 100+i))
			s.Change(Key, APIKeyID, func(key Object) { key["name"] = "x" })
			s.SetVariants([]Variants{{}, {"shuffle"}}[i%2])
			s.Fail(Fault{Operation: "listBackups", Status: 500})()
			s.LimitRate(1_000_000, time.Second, RateLimitSilent)
			s.Sent("updateService")
		})
	}
	group.Wait()
	if got := len(list(s.Object(Service, ServiceID), "ipAccessList")); got != 22 {
		t.Errorf("%d access entries", got)
	}
}
