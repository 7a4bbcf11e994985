package mockapi

import (
	"fmt"
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
func TestOwnKey(t *testing.T) {
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
