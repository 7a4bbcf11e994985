package mockapi

import (
	"testing"
	"time"
)

func TestLateScaling(t *testing.T) {
	t.Parallel()
	const (
		rest  = `,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":1.5}`
		zeros = `{"replicas":0,"concurrency":0,"replicaCpuMillicores":0,"replicaMemoryGb":0}`
	)
	for late, shown := range map[Late]string{LateNone: `{"replicas":9` + rest, LateOld: `{"replicas":2` + rest, LateZero: zeros, LateAbsent: `null`} {
		for _, reads := range []int{0, 1, 3} {
			s := New(WithVariants(Variants{Late: late, LateReads: reads}))
			same(t, "response", object(t, s, scalingPath, `{"replicas":9}`)["scaling"], shown)
			for range reads {
				pipe := object(t, s, pipePath, "")
				same(t, "late read", pipe["scaling"], shown)
				if _, present := pipe["scaling"]; present != (late != LateAbsent) {
					t.Errorf("%s: scaling present: %v", late, present)
				}
			}
			same(t, "later read", object(t, s, pipePath, "")["scaling"], `{"replicas":9`+rest)
			same(t, "stored", s.Object(Pipe, KafkaPipeID)["scaling"], `{"replicas":9`+rest)
		}
	}
}

func TestStaleServicesAndKeys(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(WithClock(func() time.Time { return now }), WithVariants(Variants{StaleServices: 2 * time.Second, StaleKeys: 3 * time.Second}))
	for _, step := range []struct {
		wait             time.Duration
		path, body, want string
	}{
		{0, servicePath, `{"name":"Second"}`, "Orders"},
		{time.Second, servicePath, `{"name":"Third"}`, "Orders"},
		{0, keyPath, `{"name":"Second"}`, "Deployment"},
		{time.Second - 1, servicePath, `{}`, "Orders"},
		{1, servicePath, `{}`, "Second"},
		{time.Second, servicePath, `{}`, "Third"},
		{0, keyPath, `{}`, "Deployment"},
		{time.Second, keyPath, `{}`, "Second"},
	} {
		now = now.Add(step.wait)
		if got := object(t, s, step.path, step.body)["name"]; got != step.want {
			t.Errorf("at %v %s is %v, want %s", now.Format("05.999999999"), step.path, got, step.want)
		}
	}

	s.Change(Service, ServiceID, func(service Object) { service["name"] = "Drifted" })
	same(t, "drift shows at once", object(t, s, servicePath, `{}`)["name"], `"Drifted"`)
	same(t, "a change after drift", object(t, s, servicePath, `{"name":"Fourth"}`)["name"], `"Drifted"`)
	s.Change(Service, ServiceID, func(service Object) { service["name"] = "Drifted again" })
	same(t, "drift after a change", object(t, s, servicePath, `{}`)["name"], `"Drifted again"`)
	same(t, "pipes are not stale", object(t, s, scalingPath, `{"replicas":9}`)["scaling"].(Object)["replicas"], `9`)
}

func TestStalePipes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(WithClock(func() time.Time { return now }), WithVariants(Variants{StalePipes: time.Second}))
	same(t, "scaling", object(t, s, scalingPath, `{"replicas":9}`)["scaling"].(Object)["replicas"], `2`)
	same(t, "settings", object(t, s, settingsPath, `{"db_max_threads":1}`)["db_max_threads"], `8`)
	now = now.Add(time.Second)
	pipe := object(t, s, pipePath, "")
	same(t, "scaling later", pipe["scaling"].(Object)["replicas"], `9`)
	same(t, "settings later", pipe["settings"].(Object)["db_max_threads"], `1`)
	refused(t, s, 400, settingsPath, `{}`)
}
