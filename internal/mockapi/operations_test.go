package mockapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// What an update changes besides what it sets.
func TestUpdates(t *testing.T) {
	t.Parallel()
	s := New(WithClock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }))
	for _, step := range []struct{ path, body, member, want string }{
		{scalingPath, `{"replicas":3}`, "updatedAt", `"2026-01-02T03:04:05Z"`},
		{scalingPath, `{"replicas":null}`, "updatedAt", `"2026-01-02T03:04:05.001Z"`},
		{scalingPath, `{}`, "updatedAt", `"2026-01-02T03:04:05.001Z"`},
		{scalingPath, `{}`, "scaling", `{"replicas":2,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":1.5}`},

		{servicePath, `{"transparentDataEncryptionKeyId":"tde-key-1"}`, "encryptionKey", `"u7Qm-orders-1"`},
		{otherServicePath, `{"transparentDataEncryptionKeyId":"tde-key-2"}`, "hasTransparentDataEncryption", `true`},
		{otherServicePath, `{"endpoints":[{"enabled":true}]}`, "endpoints", `null`},
		{
			otherServicePath, `{"endpoints":[{"protocol":"other","enabled":true}]}`, "endpoints",
			`[{"protocol":"other","host":"other.11111111-1111-4111-8111-222222222222.db.example","port":9000,"username":"default"}]`,
		},
		{keyPath, `{"expireAt":""}`, "expireAt", `null`},
	} {
		same(t, step.body+" "+step.member, object(t, s, step.path, step.body)[step.member], step.want)
	}
	object(t, s, settingsPath, `{"db_max_threads":3}`)
	same(t, "after a PUT", object(t, s, pipePath, "")["updatedAt"], `"2026-01-02T03:04:05.002Z"`)
	id, err := uuid.Parse(decoded(t, send(s, pipePath, "").Body.String()).(Object)["requestId"].(string))
	if err != nil || id.Version() != 4 {
		t.Errorf("request id %v", id)
	}
}

// A key that is disabled, whose expiry has passed, or whose list lacks the client's address, shuts its
// user out. The client is 192.0.2.1.
func TestUpdateOfTheKeyThatSendsIt(t *testing.T) {
	t.Parallel()
	const ownKeyPath = organizationPath + "/keys/" + OwnAPIKeyID
	for body, want := range map[string]int{
		`{"state":"disabled"}`: 401, `{"expireAt":"2020-01-01T00:00:00Z"}`: 401,
		`{"state":"enabled","expireAt":"2999-01-01T00:00:00Z","roles":["developer"]}`: 200,
		`{"ipAccessList":[{"source":"192.0.2.7"},{"source":"198.51.100.0/24"}]}`:      403,
		`{"ipAccessList":[{"source":"192.0.2.1"},{"source":"198.51.100.0/24"}]}`:      200,
		`{"ipAccessList":[{"source":"198.51.100.1"},{"source":"192.0.2.0/24"}]}`:      200,
	} {
		s := New()
		object(t, s, ownKeyPath, body)
		for _, path := range []string{pipePath, ownKeyPath} {
			request := map[string]string{pipePath: "", ownKeyPath: `{"state":"enabled","expireAt":null}`}[path]
			if got := send(s, path, request).Code; got != want {
				t.Errorf("after %s, %s returns %d", body, path, got)
			}
		}
	}
}

// A scaling is late in the response to its change and in some reads, and then shows.
func TestLateScaling(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		variants Variants
		want     string // the replicas
	}{
		{Variants{}, `[3, 3, 3, 3]`},
		{Variants{"late=old"}, `[2, 2, 2, 3]`},
		{Variants{"late=zero", "late_reads=1"}, `[0, 0, 3, 3]`},
		{Variants{"late=absent"}, `[null, null, null, 3]`},
	} {
		s := New(WithVariants(test.variants))
		replicas := func(pipe Object) any {
			scaling, _ := pipe["scaling"].(Object)
			return scaling["replicas"]
		}
		shown := []any{replicas(object(t, s, scalingPath, `{"replicas":3}`))}
		for range 3 {
			shown = append(shown, replicas(object(t, s, pipePath, "")))
		}
		same(t, fmt.Sprint(test.variants), shown, test.want)
	}
}

// What a PUT leaves out, and null, by variant: a member in the response to the last
// body. The pipe's default is 2.
func TestSettingsThatAreNotSent(t *testing.T) {
	t.Parallel()
	const set, other, null = `{"db_max_insert_threads":3}`, `{"db_max_threads":5}`, `{"db_max_insert_threads":null}`
	for _, test := range []struct {
		variants   Variants
		body, want string
	}{
		{Variants{}, other, `2`},
		{Variants{"settings_put=merge"}, other, `3`},
		{Variants{"settings_put=forget"}, other, `null`},
		{Variants{"sparse_settings_response", "settings_put=merge"}, other, `null`},
		{Variants{}, null, `2`},
		{Variants{"ignore_nulls"}, null, `3`},
	} {
		s := New(WithVariants(test.variants))
		object(t, s, settingsPath, set)
		same(t, test.body, object(t, s, settingsPath, test.body)["db_max_insert_threads"], test.want)
	}
}

// A PUT takes the extra setting as a GET shows it, and no other that openapi.yaml does not
// have. A setting that cannot be sent stays.
func TestUndocumentedAndForeignSettings(t *testing.T) {
	t.Parallel()
	extra := Variants{"refuse_extra_setting", "settings_put=forget"}
	foreign := Variants{"refuse_foreign_settings", "settings_put=forget"}
	for _, test := range []struct {
		variants             Variants
		source, body, member string
		want                 string // of the member after the PUT; empty: it is refused
	}{
		{Variants{}, "", `{"db_future_setting":1}`, "db_future_setting", ""},
		{Variants{"extra_members"}, "", `{"db_future_setting":9.007199254740995e15}`, "db_future_setting", `9007199254740995`},
		{Variants{"extra_members"}, "", `{"db_max_threads":5}`, "db_future_setting", `9007199254740993`},
		{Variants{"extra_members"}, "", `{"db_other_setting":1}`, "db_other_setting", ""},
		{extra, "", `{"db_future_setting":9007199254740993}`, "db_future_setting", ""},
		{extra, "", `{"db_max_threads":5}`, "db_future_setting", `9007199254740993`},
		{Variants{"numbers=quoted", "extra_members"}, "", `{"db_future_setting":"9007199254740993"}`, "db_future_setting", `"9007199254740993"`},
		{Variants{"numbers=quoted", "extra_members"}, "", `{"db_max_threads":"8"}`, "db_max_threads", ""},
		{foreign, "kafka", `{"object_storage_concurrency":4}`, "object_storage_concurrency", ""},
		{foreign, "kafka", `{"streaming_max_insert_wait_ms":600}`, "object_storage_concurrency", `3`},
		{foreign, "kinesis", `{"streaming_max_insert_wait_ms":600}`, "streaming_max_insert_wait_ms", `600`},
		{foreign, "objectStorage", `{"object_storage_concurrency":4}`, "object_storage_concurrency", `4`},
		// One after the other, of a source that nobody knows.
		{foreign, "pubsub", `{"object_storage_concurrency":4,"object_storage_max_file_count":1}`, "object_storage_concurrency", ""},
		{foreign, "", `{"streaming_max_insert_wait_ms":600}`, "streaming_max_insert_wait_ms", ""},
		{Variants{"refuse_foreign_settings", "undocumented_source"}, "kafka", `{"streaming_max_insert_wait_ms":600}`, "streaming_max_insert_wait_ms", ""},
	} {
		s := New(WithVariants(test.variants))
		pipe := seedPipe(Object{"source": Object{test.source: Object{}}})
		if test.source == "" {
			delete(pipe, "source")
		}
		id := s.AddPipe(ServiceID, pipe)
		path := servicePath + "/pipes/" + id + "/settings"
		if test.want == "" {
			contains(t, refused(t, s, 400, path, test.body), test.member)
			continue
		}
		object(t, s, path, test.body)
		same(t, test.body+" "+test.member, s.Object(Pipe, id)["settings"].(Object)[test.member], test.want)
	}
	// One that was forgotten can be sent again.
	forgetful := New(WithVariants(Variants{"extra_members", "settings_put=forget"}))
	for _, body := range []string{`{"db_max_threads":5}`, `{"db_future_setting":9007199254740993}`} {
		object(t, forgetful, settingsPath, body)
	}
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

// Two changes within the age of what is shown appear one after the other, each in its time.
func TestStaleObjects(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := New(WithVariants(Variants{"stale_keys=1m"}), WithClock(func() time.Time { return now }))
	for _, step := range []struct{ body, want string }{
		{`{"name":"One"}`, `"Deployment"`},
		{`{"name":"Two"}`, `"Deployment"`},
		{`{}`, `"One"`},
		{`{}`, `"Two"`},
	} {
		same(t, step.body, object(t, s, keyPath, step.body)["name"], step.want)
		now = now.Add(30 * time.Second)
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
