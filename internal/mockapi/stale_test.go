package mockapi

import (
	"testing"
	"time"
)

func TestStale(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(WithClock(func() time.Time { return now }), WithVariants(Variants{StaleServices: 2 * time.Second, StaleKeys: 3 * time.Second}))
	name := func(path, body string) any {
		t.Helper()
		return result[Object](t, s, "PATCH", path, body)["name"]
	}
	expect := func(when string, got any, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %s", when, got, want)
		}
	}
	expect("changed", name(servicePath, `{"name":"Second"}`), "Orders")
	now = now.Add(time.Second)
	expect("changed again", name(servicePath, `{"name":"Third"}`), "Orders")
	expect("a key changed", name(keyPath, `{"name":"Second"}`), "Deployment")
	now = now.Add(time.Second - 1)
	expect("right before the first change shows", name(servicePath, `{}`), "Orders")
	now = now.Add(1)
	expect("after two seconds", name(servicePath, `{}`), "Second")
	now = now.Add(time.Second)
	expect("after three seconds", name(servicePath, `{}`), "Third")
	expect("a key after two seconds", name(keyPath, `{}`), "Deployment")
	now = now.Add(time.Second)
	expect("a key after three seconds", name(keyPath, `{}`), "Second")
	expect("what is stored", s.Object(Service, ServiceID)["name"], "Third")

	s.Change(Service, ServiceID, func(service Object) { service["name"] = "Drifted" })
	expect("drift", name(servicePath, `{}`), "Drifted")
	expect("a change after drift", name(servicePath, `{"name":"Fourth"}`), "Drifted")

	pipe := result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":9}`)
	same(t, "pipes are not stale", pipe["scaling"].(Object)["replicas"], `9`)
}

func TestStalePipes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(WithClock(func() time.Time { return now }), WithVariants(Variants{StalePipes: time.Second}))
	scaling := result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":9}`)["scaling"].(Object)
	same(t, "scaling", scaling["replicas"], `2`)
	settings := result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":1}`)
	same(t, "settings", settings["db_max_threads"], `8`)
	now = now.Add(time.Second)
	pipe := result[Object](t, s, "GET", pipePath, "")
	same(t, "scaling later", pipe["scaling"].(Object)["replicas"], `9`)
	same(t, "settings later", pipe["settings"].(Object)["db_max_threads"], `1`)
	refused(t, s, 400, "PUT", pipePath+"/settings", `{}`)
}

func TestParseStale(t *testing.T) {
	t.Parallel()
	got, err := ParseVariants("stale_services=2.5s", "stale_keys=1s", "stale_pipes=1m")
	if want := (Variants{StaleServices: 2500 * time.Millisecond, StaleKeys: time.Second, StalePipes: time.Minute}); err != nil || got != want {
		t.Errorf("%+v %v", got, err)
	}
	for _, name := range []string{"stale_services", "stale_services=", "stale_services=0s", "stale_services=-1s", "stale_services=soon", "stale_backups=1s"} {
		if _, err := ParseVariants(name); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
