package mockapi

import (
	"net/http"
	"regexp"
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
		s := New(WithVariants(Variants{UpdateResponse: variant, EchoWriteOnly: true}))
		for path, body := range map[string]string{scalingPath: `{"replicas":3}`, settingsPath: `{"db_max_threads":3}`, servicePath: `{"name":"New"}`, keyPath: `{"name":"New"}`} {
			w := send(s, path, body)
			if got := requestID.ReplaceAllString(w.Body.String(), ""); w.Code != want.status || got != want.body {
				t.Errorf("%s: %s returns %d %s", variant, path, w.Code, got)
			}
		}
		pipe := object(t, s, pipePath, "")
		same(t, string(variant), []any{
			pipe["scaling"].(Object)["replicas"], pipe["settings"].(Object)["db_max_threads"], object(t, s, servicePath, "{}")["name"], object(t, s, keyPath, "{}")["name"],
		}, `[3, 3, "New", "New"]`)
		refused(t, s, http.StatusBadRequest, scalingPath, `{"replicas":11}`)
	}
	// The change may show later.
	now := time.Now()
	s := New(WithVariants(Variants{UpdateResponse: "202", StaleKeys: time.Minute}), WithClock(func() time.Time { return now }))
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
		size       string
		body, want string
	}{
		{"", `{"replicaCpuMillicores":375}`, `[375, 1.5]`},
		{"derived", `{"replicas":3}`, `[250, 1.5]`},
		{"derived", `{"replicaCpuMillicores":500}`, `[500, 2]`},
		{"derived", `{"replicaCpuMillicores":125}`, `[125, 0.5]`},
		{"derived", `{"replicaMemoryGb":8}`, `[2000, 8]`},
		{"derived", `{"replicaMemoryGb":1.25}`, `[313, 1.25]`},
		{"derived", `{"replicaMemoryGb":null}`, `[250, 1.5]`},
		{"derived", `{"replicaCpuMillicores":500,"replicaMemoryGb":1.5}`, `[500, 1.5]`},
		{"both", `{"replicaCpuMillicores":500}`, ``},
		{"both", `{"replicaMemoryGb":null}`, ``},
		{"both", `{"replicaCpuMillicores":500,"replicaMemoryGb":2}`, `[500, 2]`},
		{"both", `{"replicas":3}`, `[250, 1.5]`},
	} {
		s := New(WithVariants(Variants{ReplicaSize: test.size}))
		if test.want == "" {
			unchanged(t, s)
			contains(t, refused(t, s, http.StatusBadRequest, scalingPath, test.body), "replicaCpuMillicores and replicaMemoryGb must be set together")
			continue
		}
		scaling := object(t, s, scalingPath, test.body)["scaling"].(Object)
		same(t, test.body, []any{scaling["replicaCpuMillicores"], scaling["replicaMemoryGb"]}, test.want)
	}
}

// Undocumented members of entries are kept if they are sent back, lost if they are not,
// and refused if they were not shown.
func TestEntryMembers(t *testing.T) {
	t.Parallel()
	const (
		members   = `"id":"entry-1","enabled":true,"expiresAt":"2030-01-01T00:00:00Z"`
		runners   = `{"source":"198.51.100.0/24","description":"runners",` + members + `}`
		bastion   = `{"source":"2001:db8::1","description":"bastion"}`
		network   = `{"source":"10.0.0.0/8","description":"private network",` + members + `}`
		office    = `{"source":"192.0.2.7","description":"office"`
		invented  = `{"source":"192.0.2.9","id":"entry-9"}`
		otherTime = `{"source":"192.0.2.9","expiresAt":"2031-01-01T00:00:00Z"}`
	)
	s := New(WithVariants(Variants{EntryMembers: true}))
	same(t, "key", object(t, s, keyPath, `{"ipAccessList":[`+runners+`,`+bastion+`]}`)["ipAccessList"], `[`+runners+`,`+bastion+`]`)
	for _, body := range []string{`{"ipAccessList":[` + invented + `]}`, `{"ipAccessList":[` + otherTime + `]}`, `{"ipAccessList":[{"unknown":1}]}`} {
		refused(t, s, http.StatusBadRequest, keyPath, body)
	}
	same(t, "kept", object(t, s, keyPath, `{}`)["ipAccessList"], `[`+runners+`,`+bastion+`]`)
	const idOfOffice = `,"id":"entry-2"`
	same(t, "service", object(t, s, servicePath, `{"ipAccessList":{"add":[`+office+idOfOffice+`}]}}`)["ipAccessList"], `[`+network+`,`+office+idOfOffice+`}]`)
	same(t, "removed", object(t, s, servicePath, `{"ipAccessList":{"remove":[`+network+`]}}`)["ipAccessList"], `[`+office+idOfOffice+`}]`)
	refused(t, s, http.StatusBadRequest, servicePath, `{"ipAccessList":{"add":[`+invented+`]}}`)
	s.SetVariants(Variants{})
	same(t, "without the variant", object(t, s, servicePath, `{}`)["ipAccessList"], `[`+office+`}]`)
	refused(t, s, http.StatusBadRequest, keyPath, `{"ipAccessList":[`+runners+`]}`)
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
		{Variants{LostRead: "404"}, servicePath, `{"name":"One"}`, `[200, 200, 200, 200, 200, 200]`}, // it shows at once
		{Variants{LostRead: "404", StaleServices: time.Minute}, servicePath, `{"name":"Two"}`, `[200, 200, 200, 404, 200, 200]`},
		{Variants{LostRead: "404", StaleServices: time.Minute}, servicePath, `{"name":"Three"}`, `[200, 200, 200, 404, 200, 200]`},
		{Variants{LostRead: "page", StaleKeys: time.Minute}, keyPath, `{"name":"Two"}`, `[200, 200, 200, 404, 200, 200]`},
		{Variants{LostRead: "404", Gone: true, StaleKeys: time.Minute}, keyPath, `{"name":"Three"}`, `[200, 200, 200, 410, 200, 200]`},
		{Variants{LostRead: "404", StaleKeys: time.Minute}, keyPath, `{"name":5}`, `[200, 400, 200, 200, 200, 200]`},
	} {
		now = now.Add(time.Hour)
		s.SetVariants(test.variants)
		same(t, test.path+test.change, statuses(test.path, test.change), test.want)
	}
	for lost, text := range map[string]string{"404": `"error":"pipe 22222222-2222-4222-8222-111111111111 not found"`, "page": "<title>404 Not Found</title>"} {
		s := New(WithVariants(Variants{LostRead: lost, Late: "old", LateReads: 1}))
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
	for more, want := range map[string]int{"": 4, "link": 2, "cursor": 2} {
		w := send(New(WithVariants(Variants{MoreBackups: more})), backupsPath, "")
		if got := len(list(decoded(t, w.Body.String()).(Object), "result")); got != want {
			t.Errorf("%q: %d backups", more, got)
		}
		if link := w.Header().Get("Link"); (link == `<`+backupsPath+`?page=2>; rel="next"`) != (more == "link") {
			t.Errorf("%q: Link: %s", more, link)
		}
	}
	s := New(WithVariants(Variants{MoreBackups: "link"}))
	if link := send(s, pipePath, "").Header().Get("Link"); link != "" {
		t.Errorf("a pipe has more pages: %s", link)
	}
}
