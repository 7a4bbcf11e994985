package mockapi

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// What each update does on the plain server.
func TestUpdates(t *testing.T) {
	t.Parallel()
	const mysql = `{"protocol":"mysql","host":"orders.db.example","port":3306,"username":"orders"}`
	s := New(WithClock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }))
	for _, step := range []struct{ path, body, member, want string }{
		{scalingPath, `{"replicas":10,"replicaMemoryGb":0.5}`, "scaling", `{"replicas":10,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":0.5}`},
		{pipePath, ``, "updatedAt", `"2026-01-02T03:04:05Z"`},
		{scalingPath, `{"replicas":null}`, "updatedAt", `"2026-01-02T03:04:05.001Z"`},
		{scalingPath, `{}`, "updatedAt", `"2026-01-02T03:04:05.001Z"`},
		{pipePath, ``, "scaling", `{"replicas":2,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":0.5}`},
		{settingsPath, `{"db_max_threads":3}`, "db_max_threads", `3`},
		{pipePath, ``, "updatedAt", `"2026-01-02T03:04:05.002Z"`},

		{servicePath, `{"name":"Orders 2","releaseChannel":"slow"}`, "releaseChannel", `null`},
		{servicePath, `{}`, "name", `"Orders 2"`},
		{servicePath, `{"transparentDataEncryptionKeyId":"tde-key-1"}`, "encryptionKey", `"encryption-key-1"`},
		{otherServicePath, `{"transparentDataEncryptionKeyId":"tde-key-2"}`, "hasTransparentDataEncryption", `true`},
		{servicePath, `{"endpoints":[{"protocol":"mysql","enabled":false}]}`, "endpoints", `[]`},
		{servicePath, `{"endpoints":[{"protocol":"mysql"},{"enabled":true}]}`, "endpoints", `[]`},
		{servicePath, `{"endpoints":[{"protocol":"mysql","enabled":true}]}`, "endpoints", `[` + mysql + `]`},
		{
			otherServicePath, `{"endpoints":[{"protocol":"other","enabled":true}]}`, "endpoints",
			`[{"protocol":"other","host":"other.11111111-1111-4111-8111-222222222222.db.example","port":9000,"username":"default"}]`,
		},
		{keyPath, `{"roles":["query_endpoints"],"state":"disabled","ipAccessList":[{"source":"192.0.2.1"}]}`, "ipAccessList", `[{"source":"192.0.2.1"}]`},
		{keyPath, `{"expireAt":"2030-06-01T12:00:00.5+02:00"}`, "expireAt", `"2030-06-01T12:00:00.5+02:00"`},
		{keyPath, `{"expireAt":""}`, "expireAt", `null`},
		{keyPath, `{}`, "roles", `["query_endpoints"]`},
	} {
		same(t, step.body+" "+step.member, object(t, s, step.path, step.body)[step.member], step.want)
	}
	same(t, "stored", s.Object(Service, ServiceID)["releaseChannel"], `"slow"`)
	same(t, "stored", s.Object(Key, APIKeyID)["state"], `"disabled"`)
	same(t, "no backups", result(t, s, otherServicePath+"/backups", ""), `[]`)
	contains(t, send(s, backupsPath, "").Body.String(), `"sizeInBytes":9007199254740993,`)
	id, err := uuid.Parse(decoded(t, send(s, pipePath, "").Body.String()).(Object)["requestId"].(string))
	if err != nil || id.Version() != 4 {
		t.Errorf("request id %v", id)
	}
}

// db_max_threads, whose default is 8, after it was set to 5, and after body.
func TestSettingsPut(t *testing.T) {
	t.Parallel()
	const other, null = `{"db_max_insert_threads":1}`, `{"db_max_threads":null}`
	for _, test := range []struct {
		variants   Variants
		body, want string
	}{
		{Variants{}, other, `8`},
		{Variants{}, null, `8`},
		{Variants{IgnoreNulls: true}, null, `5`},
		{Variants{SettingsPut: Merge}, other, `5`},
		{Variants{SettingsPut: Merge}, null, `8`},
		{Variants{SettingsPut: Forget}, other, `null`},
		{Variants{SettingsPut: Forget, IgnoreNulls: true}, null, `5`},
		{Variants{SparseSettingsResponse: true}, other, `8`},
	} {
		s := New(WithVariants(test.variants))
		object(t, s, settingsPath, `{"db_max_threads":5}`)
		response := object(t, s, settingsPath, test.body)
		if test.variants.SparseSettingsResponse {
			same(t, "response", response, test.body)
			response = object(t, s, pipePath, "")["settings"].(Object)
		}
		same(t, test.body, response["db_max_threads"], test.want)
	}
	refused(t, New(), 400, settingsPath, `{}`)
}

// A PUT takes settings in the form in which a GET shows them, also one that
// openapi.yaml does not have, and in no other undocumented form. A PUT that cannot
// send a setting keeps it.
func TestUndocumentedAndForeignSettings(t *testing.T) {
	t.Parallel()
	const future = `{"db_future_setting":9007199254740993}`
	foreign := Variants{RefuseForeignSettings: true, SettingsPut: Forget}
	for _, test := range []struct {
		variants             Variants
		source, body, member string
		want                 string // of the member after the PUT; empty: it is refused
	}{
		{Variants{}, "", `{"db_future_setting":1}`, "db_future_setting", ""},
		{Variants{}, "", `{"db_max_threads":5}`, "db_future_setting", `null`},
		{Variants{ExtraMembers: true}, "", `{"db_future_setting":9007199254740995}`, "db_future_setting", `9007199254740995`},
		{Variants{ExtraMembers: true}, "", `{"db_other_setting":1}`, "db_other_setting", ""},
		{Variants{RefuseExtraSetting: true}, "", future, "db_future_setting", ""},
		{Variants{RefuseExtraSetting: true, SettingsPut: Forget}, "", `{"db_max_threads":5}`, "db_future_setting", `9007199254740993`},
		{Variants{Numbers: Quoted}, "", `{"db_max_threads":"8"}`, "db_max_threads", `8`},
		{Variants{Numbers: Quoted}, "", `{"db_max_threads":"9"}`, "db_max_threads", ""},
		{Variants{Numbers: Quoted, ExtraMembers: true}, "", `{"db_future_setting":"9007199254740993"}`, "db_future_setting", `9007199254740993`},

		{foreign, "kafka", `{"object_storage_concurrency":4}`, "object_storage_concurrency", ""},
		{foreign, "kafka", `{"streaming_max_insert_wait_ms":600}`, "object_storage_concurrency", `3`},
		{foreign, "kinesis", `{"streaming_max_insert_wait_ms":600}`, "streaming_max_insert_wait_ms", `600`},
		{foreign, "objectStorage", `{"streaming_max_insert_wait_ms":600}`, "streaming_max_insert_wait_ms", ""},
		{foreign, "objectStorage", `{"object_storage_concurrency":4}`, "object_storage_concurrency", `4`},
		// One after the other, of a source that nobody knows.
		{foreign, "pubsub", `{"object_storage_concurrency":4,"object_storage_max_file_count":1,"streaming_max_insert_wait_ms":600}`, "object_storage_concurrency", ""},
		{foreign, "pubsub", `{"object_storage_max_file_count":1,"streaming_max_insert_wait_ms":600}`, "object_storage_max_file_count", ""},
		{foreign, "", `{"streaming_max_insert_wait_ms":600}`, "streaming_max_insert_wait_ms", ""},
		{foreign, "", `{"db_max_threads":5}`, "streaming_max_insert_wait_ms", `5000`},
	} {
		s := New(WithVariants(test.variants))
		source := Object{test.source: Object{}}
		if test.source == "" {
			source = nil
		}
		path := servicePath + "/pipes/" + s.AddPipeFrom(source)
		if test.want == "" {
			contains(t, refused(t, s, 400, path+"/settings", test.body), test.member)
			continue
		}
		object(t, s, path+"/settings", test.body)
		id := strings.TrimPrefix(path, servicePath+"/pipes/")
		same(t, test.body+" "+test.member, s.Object(Pipe, id)["settings"].(Object)[test.member], test.want)
	}
	s := New()
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["settings"] = nil })
	s.SetVariants(Variants{ExtraMembers: true})
	same(t, "settings that a test has removed", s.Object(Pipe, KafkaPipeID)["settings"], `null`)
}

func TestStaleObjects(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := New(WithClock(func() time.Time { return now }), WithVariants(Variants{StalePipes: time.Second, StaleServices: 2 * time.Second, StaleKeys: 3 * time.Second}))
	for _, step := range []struct {
		wait             time.Duration
		path, body, want string
	}{
		{0, servicePath, `{"name":"Second"}`, "Orders"},
		{time.Second, servicePath, `{"name":"Third"}`, "Orders"},
		{0, keyPath, `{"name":"Second"}`, "Deployment"},
		{time.Second, servicePath, `{}`, "Second"},
		{time.Second, servicePath, `{}`, "Third"},
		{time.Second, keyPath, `{}`, "Second"},
	} {
		now = now.Add(step.wait)
		if got := object(t, s, step.path, step.body)["name"]; got != step.want {
			t.Errorf("at %v %s is %v, want %s", now.Format("05.999999999"), step.path, got, step.want)
		}
	}
	same(t, "scaling", object(t, s, scalingPath, `{"replicas":9}`)["scaling"].(Object)["replicas"], `2`)
	s.Change(Service, ServiceID, func(service Object) { service["name"] = "Drifted" })
	same(t, "drift shows at once", object(t, s, servicePath, `{}`)["name"], `"Drifted"`)
}

// What variants refuse, and what they still accept.
func TestRefusedOperations(t *testing.T) {
	t.Parallel()
	const rename, scale, put = `{"name":"x"}`, `{"replicas":3}`, `{"db_max_threads":1}`
	type requests map[string]string
	for variants, test := range map[Variants]struct {
		status            int
		refused, accepted requests // bodies by path
	}{
		{PostgresSettings: 404}:                  {404, requests{postgresPath + "/settings": put}, requests{postgresPath + "/scaling": scale, settingsPath: put}},
		{ReadOnlyKey: true}:                      {403, requests{servicePath: `{}`, keyPath: rename, scalingPath: scale, settingsPath: put}, requests{pipePath: ""}},
		{IdleService: true}:                      {424, requests{pipePath: "", backupsPath: "", servicePath: `{}`, scalingPath: scale}, requests{keyPath: `{}`}},
		{RefuseEmptyPatch: 422}:                  {422, requests{servicePath: `{}`, keyPath: `{}`}, requests{scalingPath: `{}`, servicePath: rename, keyPath: rename}},
		{RefuseEmptyPatch: 501, ReadByGet: true}: {501, requests{servicePath: `{}`, keyPath: `{}`}, requests{servicePath: "", keyPath: ""}},
		{ReadOnlyKey: true, ReadByGet: true}:     {403, requests{servicePath: `{}`, keyPath: `{}`}, requests{servicePath: "", keyPath: ""}},
	} {
		s := New(WithVariants(variants))
		for path, body := range test.refused {
			refused(t, s, test.status, path, body)
		}
		for path, body := range test.accepted {
			object(t, s, path, body)
		}
	}
}

// A GET shows what a PATCH does, and is an operation of its own.
func TestReadByGet(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{ReadByGet: true, UsedAtMoves: true}))
	for path, operation := range map[string]string{servicePath: "getService", keyPath: "getKey"} {
		patched, read := object(t, s, path, `{}`), object(t, s, path, "")
		if patched["name"] != read["name"] || len(patched) != len(read) || patched["usedAt"] != nil && patched["usedAt"] == read["usedAt"] {
			t.Errorf("PATCH %v\nGET %v", patched, read)
		}
		s.Fail(Fault{Operation: operation, Status: 503})
		object(t, s, path, `{}`)
		refused(t, s, 503, path, "")
	}
}
