package mockapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	s := New()
	seen := map[any]bool{}
	for _, path := range []string{pipePath, pipePath, servicePath + "/backups", servicePath + "/pipes/" + unknownID} {
		w := send(s, "GET", path, "")
		if got := w.Header().Get("Content-Type"); got != "application/json" {
			t.Errorf("%s: content type %q", path, got)
		}
		value, err := decode(w.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		envelope := value.(Object)
		if envelope["status"] != int64(w.Code) {
			t.Errorf("%s: status %v under %d", path, envelope["status"], w.Code)
		}
		id, err := uuid.Parse(envelope["requestId"].(string))
		if err != nil || id.Version() != 4 {
			t.Errorf("%s: request id %v", path, envelope["requestId"])
		}
		if seen[envelope["requestId"]] {
			t.Errorf("%s: request id %v came twice", path, envelope["requestId"])
		}
		seen[envelope["requestId"]] = true
	}
}

func TestGetPipe(t *testing.T) {
	t.Parallel()
	s := New()
	for source, id := range map[string]string{
		"kafka":         "22222222-2222-4222-8222-111111111111",
		"objectStorage": "22222222-2222-4222-8222-222222222222",
		"kinesis":       "22222222-2222-4222-8222-333333333333",
		"postgres":      "22222222-2222-4222-8222-444444444444",
	} {
		pipe := result[Object](t, s, "GET", servicePath+"/pipes/"+id, "")
		if pipe["id"] != id || pipe["serviceId"] != "11111111-1111-4111-8111-111111111111" {
			t.Errorf("%s: id %v, serviceId %v", source, pipe["id"], pipe["serviceId"])
		}
		present := pipe["source"].(Object)
		if _, ok := present[source].(Object); !ok || len(present) != 1 {
			t.Errorf("%s: source %v", source, present)
		}
	}
}

func TestIDsInEitherCase(t *testing.T) {
	t.Parallel()
	s := New()
	const lower, upper = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee", "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"
	for stored, asked := range map[string]string{lower: upper, upper: lower} {
		s.AddService(Object{"id": stored})
		s.AddPipe(asked, Object{"id": stored})
		setBackups(s, asked, Object{"id": stored})
		path := organizationPath + "/services/" + asked
		if pipe := result[Object](t, s, "GET", path+"/pipes/"+asked, ""); pipe["id"] != stored || pipe["serviceId"] != stored {
			t.Errorf("%s: pipe %v of %v", asked, pipe["id"], pipe["serviceId"])
		}
		if backups := result[[]any](t, s, "GET", path+"/backups", ""); len(backups) != 1 {
			t.Errorf("%s: %d backups", asked, len(backups))
		}
		s.Forget(Pipe, asked)
		refused(t, s, http.StatusNotFound, "GET", path+"/pipes/"+stored, "")
	}
}

func TestScalePipe(t *testing.T) {
	t.Parallel()
	s := New()
	before := result[Object](t, s, "GET", pipePath, "")
	same(t, "before", before["scaling"], `{"replicas":2,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":1.5}`)

	response := result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":10,"replicaMemoryGb":0.5}`)
	same(t, "response", response["scaling"], `{"replicas":10,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":0.5}`)
	same(t, "read back", result[Object](t, s, "GET", pipePath, "")["scaling"], `{"replicas":10,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":0.5}`)
	if before["updatedAt"] == response["updatedAt"] || before["createdAt"] != response["createdAt"] {
		t.Errorf("times before %v, %v; after %v, %v", before["createdAt"], before["updatedAt"], response["createdAt"], response["updatedAt"])
	}

	response = result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":null}`)
	same(t, "reset", response["scaling"], `{"replicas":2,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":0.5}`)
	again := result[Object](t, s, "PATCH", pipePath+"/scaling", `{}`)
	same(t, "empty", again["scaling"], `{"replicas":2,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":0.5}`)
	if again["updatedAt"] != response["updatedAt"] {
		t.Error("an empty change moves updatedAt")
	}
}

func TestUpdatedAtMovesWithoutTheClock(t *testing.T) {
	t.Parallel()
	s := New(WithClock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }))
	for _, want := range []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.001Z", "2026-01-02T03:04:05.002Z"} {
		if got := result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":3}`)["updatedAt"]; got != want {
			t.Errorf("updatedAt %v, want %s", got, want)
		}
	}
}

func TestUpdatePipeSettings(t *testing.T) {
	t.Parallel()
	s := New()
	before := result[Object](t, s, "GET", pipePath, "")
	settings := result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":64,"db_parallel_view_processing":true}`)
	if settings["db_max_threads"] != int64(64) || settings["db_parallel_view_processing"] != true || settings["object_storage_max_insert_bytes"] != int64(10737418240) {
		t.Errorf("response: %v", settings)
	}
	after := result[Object](t, s, "GET", pipePath, "")
	if after["settings"].(Object)["db_max_threads"] != int64(64) {
		t.Errorf("read back: %v", after["settings"])
	}
	if after["updatedAt"] == before["updatedAt"] {
		t.Error("updatedAt did not move")
	}
	settings = result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_insert_threads":16}`)
	if settings["db_max_threads"] != int64(8) || settings["db_max_insert_threads"] != int64(16) {
		t.Errorf("what is left out does not go back to its default: %v", settings)
	}
	settings = result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_insert_threads":null}`)
	if settings["db_max_insert_threads"] != int64(2) {
		t.Errorf("null does not set back: %v", settings)
	}
	if message := refused(t, s, http.StatusBadRequest, "PUT", pipePath+"/settings", `{}`); !strings.Contains(message, "at least one setting") {
		t.Errorf("empty: %s", message)
	}
}

func TestUpdateService(t *testing.T) {
	t.Parallel()
	s := New()
	same(t, "an empty change", result[Object](t, s, "PATCH", otherServicePath, `{}`), `{"id":"11111111-1111-4111-8111-222222222222","name":"Sandbox",
		"dbVersion":"25.3","numReplicas":1,"ipAccessList":[],"privateEndpointIds":[],"createdAt":"2025-06-15T12:00:00Z"}`)

	service := result[Object](t, s, "PATCH", servicePath, `{
		"name": "Orders 2",
		"releaseChannel": "slow",
		"ipAccessList": {"add": [{"source":"192.0.2.7","description":"head office"},{"source":"203.0.113.0/24"}], "remove": [{"source":"10.0.0.0/8"},{"source":"10.9.9.9"}]},
		"privateEndpointIds": {"add": ["vpce-8c9d0e1f","vpce-4e5f6a7b"], "remove": ["vpce-0a1b2c3d","vpce-unknown"]},
		"transparentDataEncryptionKeyId": "tde-key-1"
	}`)
	if service["name"] != "Orders 2" {
		t.Errorf("name %v", service["name"])
	}
	same(t, "ipAccessList", service["ipAccessList"], `[{"source":"192.0.2.7","description":"head office"},{"source":"203.0.113.0/24"}]`)
	same(t, "privateEndpointIds", service["privateEndpointIds"], `["vpce-4e5f6a7b","vpce-8c9d0e1f"]`)
	if service["encryptionKey"] != "encryption-key-1" {
		t.Error("the same encryption key was rotated")
	}
	if _, shown := service["releaseChannel"]; shown || s.Object(Service, ServiceID)["releaseChannel"] != "slow" {
		t.Errorf("releaseChannel shown: %v, stored: %v", shown, s.Object(Service, ServiceID)["releaseChannel"])
	}
	same(t, "read back", result[Object](t, s, "PATCH", servicePath, `{}`)["ipAccessList"], `[{"source":"192.0.2.7","description":"head office"},{"source":"203.0.113.0/24"}]`)
}

func TestUpdateServiceEncryption(t *testing.T) {
	t.Parallel()
	s := New()
	for _, path := range []string{servicePath, otherServicePath} {
		before := result[Object](t, s, "PATCH", path, `{}`)
		after := result[Object](t, s, "PATCH", path, `{"transparentDataEncryptionKeyId":"tde-key-2"}`)
		if after["transparentDataEncryptionKeyId"] != "tde-key-2" || after["hasTransparentDataEncryption"] != true || after["encryptionKey"] == before["encryptionKey"] {
			t.Errorf("%s: %v", path, after)
		}
	}
}

func TestUpdateServiceEndpoints(t *testing.T) {
	t.Parallel()
	s := New()
	const listed = `[{"protocol":"mysql","host":"orders.db.example","port":3306,"username":"orders"}]`
	for _, step := range []struct{ body, want string }{
		{`{}`, listed},
		{`{"endpoints":[{"protocol":"mysql","enabled":false}]}`, `[]`},
		{`{}`, `[]`},
		{`{"endpoints":[]}`, `[]`},
		{`{"endpoints":[{"protocol":"mysql"}]}`, `[]`},
		{`{"endpoints":[{"enabled":true}]}`, `[]`},
		{`{"endpoints":[{"protocol":"mysql","enabled":true}]}`, listed},
	} {
		same(t, step.body, result[Object](t, s, "PATCH", servicePath, step.body)["endpoints"], step.want)
	}
	endpoints := result[Object](t, s, "PATCH", otherServicePath, `{"endpoints":[{"protocol":"other","enabled":true}]}`)["endpoints"].([]any)
	for _, name := range []string{"protocol", "host", "port", "username"} {
		if endpoint := endpoints[0].(Object); endpoint[name] == nil || len(endpoint) != 4 {
			t.Errorf("a new endpoint: %v", endpoint)
		}
	}
}

func TestUpdateKey(t *testing.T) {
	t.Parallel()
	s := New()
	key := result[Object](t, s, "PATCH", keyPath, `{
		"name": "Any name, of any length: ünïcode",
		"roles": ["query_endpoints"],
		"expireAt": "2030-06-01T12:00:00.5+02:00",
		"state": "disabled",
		"ipAccessList": [{"source":"192.0.2.1"}]
	}`)
	same(t, "response", key, `{"id":"33333333-3333-4333-8333-111111111111","name":"Any name, of any length: ünïcode","roles":["query_endpoints"],"keySuffix":"x7Kq",
		"createdAt":"2025-03-02T10:00:00Z","expireAt":"2030-06-01T12:00:00.5+02:00","usedAt":"2025-07-20T08:15:30Z","ipAccessList":[{"source":"192.0.2.1"}]}`)
	same(t, "read back", result[Object](t, s, "PATCH", keyPath, `{}`)["roles"], `["query_endpoints"]`)
	if got := s.Object(Key, APIKeyID)["state"]; got != "disabled" {
		t.Errorf("state %v", got)
	}
	for _, never := range []string{`null`, `""`} {
		result[Object](t, s, "PATCH", keyPath, `{"expireAt":"2030-06-01T12:00:00Z"}`)
		if key := result[Object](t, s, "PATCH", keyPath, `{"expireAt":`+never+`}`); key["expireAt"] != nil {
			t.Errorf("expireAt %s: %v", never, key["expireAt"])
		}
	}
	same(t, "an emptied list", result[Object](t, s, "PATCH", keyPath, `{"ipAccessList":[]}`)["ipAccessList"], `[]`)
}

func TestListBackups(t *testing.T) {
	t.Parallel()
	s := New()
	backups := result[[]any](t, s, "GET", servicePath+"/backups", "")
	if len(backups) != 4 {
		t.Fatalf("%d backups", len(backups))
	}
	same(t, "the last", backups[3], `{"id":"44444444-4444-4444-8444-000000000001","serviceId":"11111111-1111-4111-8111-111111111111",
		"startedAt":"2025-07-01T01:00:00Z","finishedAt":"2025-07-01T03:46:40Z","sizeInBytes":9007199254740993,"durationInSeconds":10000,"backupName":"backup-1",
		"bucket":{"bucketPath":"s3://backups.example/orders/1","iamRoleArn":"arn:aws:iam::111122223333:role/backups","iamRoleSessionName":"backups"}}`)
	if running := backups[2].(Object); running["finishedAt"] != nil {
		t.Errorf("the running one finished at %v", running["finishedAt"])
	}
	if raw := send(s, "GET", servicePath+"/backups", "").Body.String(); !strings.Contains(raw, `"sizeInBytes":9007199254740993,`) {
		t.Error("a large size is not written exactly")
	}
	same(t, "none", result[[]any](t, s, "GET", otherServicePath+"/backups", ""), `[]`)
}
