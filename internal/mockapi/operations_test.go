package mockapi

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	s := New()
	seen := map[any]bool{}
	for _, path := range []string{pipePath, pipePath, backupsPath, unknownPipe} {
		w := send(s, path, "")
		envelope := decoded(t, w.Body.String()).(Object)
		if got := w.Header().Get("Content-Type"); got != "application/json" || envelope["status"] != int64(w.Code) {
			t.Errorf("%s: content type %q, status %v under %d", path, got, envelope["status"], w.Code)
		}
		id, err := uuid.Parse(envelope["requestId"].(string))
		if err != nil || id.Version() != 4 || seen[id] {
			t.Errorf("%s: request id %v", path, envelope["requestId"])
		}
		seen[id] = true
	}
}

// A null resets a member, and a change moves updatedAt.
func TestScalePipe(t *testing.T) {
	t.Parallel()
	s := New()
	last := object(t, s, pipePath, "")
	for _, step := range []struct {
		body, want string
		moves      bool
	}{
		{`{}`, `{"replicas":2,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":1.5}`, false},
		{`{"replicas":10,"replicaMemoryGb":0.5}`, `{"replicas":10,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":0.5}`, true},
		{`{"replicas":null}`, `{"replicas":2,"concurrency":4,"replicaCpuMillicores":250,"replicaMemoryGb":0.5}`, true},
	} {
		pipe := object(t, s, scalingPath, step.body)
		same(t, "response to "+step.body, pipe["scaling"], step.want)
		same(t, "read after "+step.body, object(t, s, pipePath, "")["scaling"], step.want)
		if moved := pipe["updatedAt"] != last["updatedAt"]; moved != step.moves || pipe["createdAt"] != last["createdAt"] {
			t.Errorf("%s: updatedAt %v, createdAt %v; before %v, %v", step.body, pipe["updatedAt"], pipe["createdAt"], last["updatedAt"], last["createdAt"])
		}
		last = pipe
	}
}

func TestUpdatedAtMovesWithoutTheClock(t *testing.T) {
	t.Parallel()
	s := New(WithClock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }))
	for _, want := range []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.001Z", "2026-01-02T03:04:05.002Z"} {
		if got := object(t, s, scalingPath, `{"replicas":3}`)["updatedAt"]; got != want {
			t.Errorf("updatedAt %v, want %s", got, want)
		}
	}
	if got := object(t, s, settingsPath, `{"db_max_threads":3}`); got["updatedAt"] != nil {
		t.Errorf("settings have updatedAt %v", got["updatedAt"])
	}
	if got := object(t, s, pipePath, "")["updatedAt"]; got != "2026-01-02T03:04:05.003Z" {
		t.Errorf("updatedAt %v after an update of settings", got)
	}
}

func TestUpdateService(t *testing.T) {
	t.Parallel()
	s := New()
	same(t, "an empty change", object(t, s, otherServicePath, `{}`), `{"id":"11111111-1111-4111-8111-222222222222","name":"Sandbox",
		"dbVersion":"25.3","numReplicas":1,"ipAccessList":[],"privateEndpointIds":[],"createdAt":"2025-06-15T12:00:00Z"}`)

	service := object(t, s, servicePath, `{
		"name": "Orders 2",
		"releaseChannel": "slow",
		"ipAccessList": {"add": [{"source":"192.0.2.7","description":"head office"},{"source":"203.0.113.0/24"}], "remove": [{"source":"10.0.0.0/8"},{"source":"10.9.9.9"}]},
		"privateEndpointIds": {"add": ["vpce-8c9d0e1f","vpce-4e5f6a7b"], "remove": ["vpce-0a1b2c3d","vpce-unknown"]},
		"transparentDataEncryptionKeyId": "tde-key-1"
	}`)
	const list = `[{"source":"192.0.2.7","description":"head office"},{"source":"203.0.113.0/24"}]`
	same(t, "ipAccessList", service["ipAccessList"], list)
	same(t, "privateEndpointIds", service["privateEndpointIds"], `["vpce-4e5f6a7b","vpce-8c9d0e1f"]`)
	if service["name"] != "Orders 2" || service["encryptionKey"] != "encryption-key-1" {
		t.Errorf("name %v, encryptionKey %v, which the same key must not rotate", service["name"], service["encryptionKey"])
	}
	if _, shown := service["releaseChannel"]; shown || s.Object(Service, ServiceID)["releaseChannel"] != "slow" {
		t.Errorf("releaseChannel shown: %v, stored: %v", shown, s.Object(Service, ServiceID)["releaseChannel"])
	}
	same(t, "read", object(t, s, servicePath, `{}`)["ipAccessList"], list)
}

func TestAnotherEncryptionKeyRotates(t *testing.T) {
	t.Parallel()
	s := New()
	for _, path := range []string{servicePath, otherServicePath} {
		before := object(t, s, path, `{}`)
		after := object(t, s, path, `{"transparentDataEncryptionKeyId":"tde-key-2"}`)
		if after["transparentDataEncryptionKeyId"] != "tde-key-2" || after["hasTransparentDataEncryption"] != true || after["encryptionKey"] == before["encryptionKey"] {
			t.Errorf("%s: %v", path, after)
		}
	}
}

func TestEndpoints(t *testing.T) {
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
		same(t, step.body, object(t, s, servicePath, step.body)["endpoints"], step.want)
	}
	same(t, "a new endpoint", object(t, s, otherServicePath, `{"endpoints":[{"protocol":"other","enabled":true}]}`)["endpoints"],
		`[{"protocol":"other","host":"other.11111111-1111-4111-8111-222222222222.db.example","port":9000,"username":"default"}]`)
}

func TestUpdateKey(t *testing.T) {
	t.Parallel()
	s := New()
	same(t, "response", object(t, s, keyPath, `{
		"name": "Renamed",
		"roles": ["query_endpoints"],
		"expireAt": "2030-06-01T12:00:00.5+02:00",
		"state": "disabled",
		"ipAccessList": [{"source":"192.0.2.1"}]
	}`), `{"id":"33333333-3333-4333-8333-111111111111","name":"Renamed","roles":["query_endpoints"],"keySuffix":"x7Kq",
		"createdAt":"2025-03-02T10:00:00Z","expireAt":"2030-06-01T12:00:00.5+02:00","usedAt":"2025-07-20T08:15:30Z","ipAccessList":[{"source":"192.0.2.1"}]}`)
	same(t, "read", object(t, s, keyPath, `{}`)["roles"], `["query_endpoints"]`)
	for _, never := range []string{`null`, `""`} {
		object(t, s, keyPath, `{"expireAt":"2030-06-01T12:00:00Z"}`)
		if key := object(t, s, keyPath, `{"expireAt":`+never+`}`); key["expireAt"] != nil {
			t.Errorf("expireAt %s: %v", never, key["expireAt"])
		}
	}
}

func TestListBackups(t *testing.T) {
	t.Parallel()
	s := New()
	backups := result[[]any](t, s, backupsPath, "")
	if len(backups) != 4 {
		t.Fatalf("%d backups", len(backups))
	}
	same(t, "the last", backups[3], `{"id":"44444444-4444-4444-8444-000000000001","serviceId":"11111111-1111-4111-8111-111111111111",
		"startedAt":"2025-07-01T01:00:00Z","finishedAt":"2025-07-01T03:46:40Z","sizeInBytes":9007199254740993,"durationInSeconds":10000,"backupName":"backup-1",
		"bucket":{"bucketPath":"s3://backups.example/orders/1","iamRoleArn":"arn:aws:iam::111122223333:role/backups","iamRoleSessionName":"backups"}}`)
	if running := backups[2].(Object); running["finishedAt"] != nil {
		t.Errorf("the running one finished at %v", running["finishedAt"])
	}
	contains(t, send(s, backupsPath, "").Body.String(), `"sizeInBytes":9007199254740993,`)
	same(t, "no backups", result[[]any](t, s, otherServicePath+"/backups", ""), `[]`)
	setBackups(s, OtherServiceID, Object{"id": unknownID, "sizeInBytes": int64(9223372036854775807)})
	same(t, "the largest size", result[[]any](t, s, otherServicePath+"/backups", ""), `[{"id":"`+unknownID+`","sizeInBytes":9223372036854775807}]`)
}

// Every notation of a number is exact up to 64 bits.
func TestNumbersInRequests(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"5": int64(5), "5.0": int64(5), "5e2": int64(500), "-0": int64(0), "0.5": 0.5, "1.5e0": 1.5,
		"9007199254740993": int64(9007199254740993), "9007199254740993.0": int64(9007199254740993), "9.007199254740993e15": int64(9007199254740993),
		"9223372036854775807": int64(9223372036854775807), "9223372036854775808": 9223372036854775808.0,
	} {
		if got := number(text); got != want {
			t.Errorf("%s: %v (%T), want %v (%T)", text, got, got, want, want)
		}
	}
}
