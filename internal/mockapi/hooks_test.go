package mockapi

import (
	"slices"
	"strconv"
	"testing"
)

// A test can change an object between two writes.
func TestHooks(t *testing.T) {
	t.Parallel()
	s := New()
	var seen []string
	note := func(what string) func() {
		return func() { seen = append(seen, what+" "+s.Object(Service, ServiceID)["name"].(string)) }
	}
	s.Before("updateService", 2, note("before 2"))
	s.After("updateService", 2, note("after 2"))
	s.Before("updateService", 1, note("before 1"))
	s.After("updateService", 1, func() {
		note("after 1")()
		s.Change(Service, ServiceID, func(service Object) { service["name"] = "Drifted" })
	})
	s.Before("getPipe", 1, func() { t.Error("a hook of another operation ran") })
	s.Fail(Fault{Operation: "updateService", Skip: 1, Times: 1, Status: 500})
	for i := range 4 {
		send(s, servicePath, `{"name":"Name `+strconv.Itoa(i)+`"}`)
	}
	want := []string{"before 1 Orders", "after 1 Name 0", "before 2 Drifted", "after 2 Name 2"}
	if !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
}

// Hooks also run for a fault that acts, and for a refused request.
func TestHooksOfFaultsAndRefusals(t *testing.T) {
	t.Parallel()
	s := New()
	s.Fail(Fault{Operation: "updateKey", Status: 502, AfterActing: true, Times: 1})
	ran := 0
	s.After("updateKey", 1, func() { ran++ })
	s.After("updateKey", 2, func() { ran++ })
	send(s, keyPath, `{}`)
	refused(t, s, 400, keyPath, `{"roles":[]}`)
	if ran != 2 {
		t.Errorf("%d hooks ran", ran)
	}
}
