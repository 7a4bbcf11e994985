package mockapi

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What an update returns instead of the object. It is carried out, and reads show it. A
// PATCH with {} is a read.
func TestUpdateResponses(t *testing.T) {
	t.Parallel()
	requestID := regexp.MustCompile(`"requestId":"[-0-9a-f]{36}",?`)
	for variant, want := range map[string]struct {
		status int
		body   string
	}{
		"202":          {202, ``},
		"204":          {204, ``},
		"empty_object": {200, `{}`},
		"accepted":     {202, `{"message":"accepted","status":202}`},
		"operation":    {202, `{"result":{"id":"op-7c1f","state":"pending"},"status":202}`},
	} {
		s := New(WithVariants(Variants{"update_response=" + variant, "echo_write_only"}))
		for path, body := range map[string]string{scalingPath: `{"replicas":3}`, settingsPath: `{"db_max_threads":3}`, servicePath: `{"name":"New"}`, keyPath: `{"name":"New"}`} {
			w := send(s, path, body)
			if got := requestID.ReplaceAllString(w.Body.String(), ""); w.Code != want.status || got != want.body {
				t.Errorf("%s: %s returns %d %s", variant, path, w.Code, got)
			}
		}
		pipe := object(t, s, pipePath, "")
		same(t, variant, []any{
			pipe["scaling"].(Object)["replicas"], pipe["settings"].(Object)["db_max_threads"], object(t, s, servicePath, "{}")["name"], object(t, s, keyPath, "{}")["name"],
		}, `[3, 3, "New", "New"]`)
		refused(t, s, http.StatusBadRequest, scalingPath, `{"replicas":11}`)
	}
	// The change may show later.
	now := time.Now()
	s := New(WithVariants(Variants{"update_response=202", "stale_keys=1m"}), WithClock(func() time.Time { return now }))
	send(s, keyPath, `{"name":"New"}`)
	same(t, "at once", object(t, s, keyPath, "{}")["name"], `"Deployment"`)
	now = now.Add(time.Minute)
	same(t, "later", object(t, s, keyPath, "{}")["name"], `"New"`)
}

// CPU and memory after each body, as [CPU, memory]; empty if it is refused. They begin
// with [250, 1.5].
func TestReplicaSize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		size       string // the variant
		body, want string
	}{
		{"", `{"replicaCpuMillicores":375}`, `[375, 1.5]`},
		{"replica_size=derived", `{"replicas":3}`, `[250, 1.5]`},
		{"replica_size=derived", `{"replicaCpuMillicores":500}`, `[500, 2]`},
		{"replica_size=derived", `{"replicaCpuMillicores":125}`, `[125, 0.5]`},
		{"replica_size=derived", `{"replicaMemoryGb":8}`, `[2000, 8]`},
		{"replica_size=derived", `{"replicaMemoryGb":1.25}`, `[313, 1.25]`},
		{"replica_size=derived", `{"replicaMemoryGb":null}`, `[250, 1.5]`},
		{"replica_size=derived", `{"replicaCpuMillicores":500,"replicaMemoryGb":1.5}`, `[500, 1.5]`},
		{"replica_size=both", `{"replicaCpuMillicores":500}`, ``},
		{"replica_size=both", `{"replicaMemoryGb":null}`, ``},
		{"replica_size=both", `{"replicaCpuMillicores":500,"replicaMemoryGb":2}`, `[500, 2]`},
		{"replica_size=both", `{"replicas":3}`, `[250, 1.5]`},
	} {
		s := New(WithVariants(strings.Fields(test.size)))
		if test.want == "" {
			unchanged(t, s)
			contains(t, refused(t, s, http.StatusBadRequest, scalingPath, test.body), "replicaCpuMillicores and replicaMemoryGb must be set together")
			continue
		}
		scaling := object(t, s, scalingPath, test.body)["scaling"].(Object)
		same(t, test.body, []any{scaling["replicaCpuMillicores"], scaling["replicaMemoryGb"]}, test.want)
	}
}

// One read is lost for each change, while that does not show. It is a read of the object:
// its backups are others.
func TestLostRead(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := New(WithClock(func() time.Time { return now }))
	statuses := func(path, change string) (statuses []int) {
		for _, body := range []string{"{}", change, "backups", "{}", "{}", "{}"} {
			if body == "backups" {
				statuses = append(statuses, send(s, backupsPath, "").Code)
				continue
			}
			statuses = append(statuses, send(s, path, body).Code)
		}
		return statuses
	}
	for _, test := range []struct {
		variants           Variants
		path, change, want string
	}{
		{Variants{"lost_read=404"}, servicePath, `{"name":"One"}`, `[200, 200, 200, 200, 200, 200]`}, // it shows at once
		{Variants{"lost_read=404", "stale_services=1m"}, servicePath, `{"name":"Two"}`, `[200, 200, 200, 404, 200, 200]`},
		{Variants{"lost_read=404", "stale_services=1m"}, servicePath, `{"name":"Three"}`, `[200, 200, 200, 404, 200, 200]`},
		{Variants{"lost_read=page", "stale_keys=1m"}, keyPath, `{"name":"Two"}`, `[200, 200, 200, 404, 200, 200]`},
		{Variants{"lost_read=410", "stale_keys=1m"}, keyPath, `{"name":"Three"}`, `[200, 200, 200, 410, 200, 200]`},
		{Variants{"lost_read=404", "stale_keys=1m"}, keyPath, `{"name":5}`, `[200, 400, 200, 200, 200, 200]`},
	} {
		now = now.Add(time.Hour)
		s.SetVariants(test.variants)
		same(t, test.path+test.change, statuses(test.path, test.change), test.want)
	}
	for lost, text := range map[string]string{"404": `"error":"pipe 22222222-2222-4222-8222-111111111111 not found"`, "page": "<title>404 Not Found</title>"} {
		s := New(WithVariants(Variants{"lost_read=" + lost, "late=old", "late_reads=1"}))
		object(t, s, scalingPath, `{"replicas":3}`)
		w := send(s, pipePath, "")
		contains(t, w.Body.String(), text)
		same(t, "late", object(t, s, pipePath, "")["scaling"].(Object)["replicas"], `2`)
		same(t, "in the end", object(t, s, pipePath, "")["scaling"].(Object)["replicas"], `3`)
	}
}

// A first page has two backups.
func TestMoreBackups(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]int{"": 4, "more_backups=link": 2, "more_backups=cursor": 2} {
		w := send(New(WithVariants(strings.Fields(more))), backupsPath, "")
		if got := len(list(decoded(t, w.Body.String()).(Object), "result")); got != want {
			t.Errorf("%q: %d backups", more, got)
		}
		if link := w.Header().Get("Link"); (link == `<`+backupsPath+`?page=2>; rel="next"`) != (more == "more_backups=link") {
			t.Errorf("%q: Link: %s", more, link)
		}
	}
	s := New(WithVariants(Variants{"more_backups=link"}))
	if link := send(s, pipePath, "").Header().Get("Link"); link != "" {
		t.Errorf("a pipe has more pages: %s", link)
	}
}
