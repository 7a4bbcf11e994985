package mockapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// How values are written: parts of the body of a response.
func TestNotations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants Variants
		path     string
		parts    []string
	}{
		"plain": {Variants{}, pipePath, []string{
			`"replicas":2}`, `"replicaMemoryGb":1.5`, `"object_storage_max_insert_bytes":10737418240,`, `"replicas":2`, `"status":200}`,
		}},
		"decimal": {Variants{Numbers: Decimal}, pipePath, []string{
			`"replicas":2.0}`, `"replicaMemoryGb":1.5`, `"object_storage_max_insert_bytes":10737418240.0,`, `"status":200.0}`,
		}},
		"exponent": {Variants{Numbers: Exponent}, pipePath, []string{
			`"replicas":2e0}`, `"replicaMemoryGb":1.5`, `"object_storage_max_insert_bytes":1.073741824e10,`, `"status":2e2}`,
		}},
		"quoted": {Variants{Numbers: Quoted}, pipePath, []string{
			`"replicaCpuMillicores":"250"`, `"replicaMemoryGb":"1.5"`, `"db_max_threads":"8"`, `"object_storage_use_cluster_function":true`, `"status":200}`,
		}},
		"decimal error":    {Variants{Numbers: Decimal}, unknownPipe, []string{`"status":404.0`}},
		"exponent backups": {Variants{Numbers: Exponent}, backupsPath, []string{`"sizeInBytes":9.007199254740993e15`}},
		"quoted service":   {Variants{Numbers: Quoted}, servicePath, []string{`"port":"3306"`, `"maxTotalMemoryGb":"48.5"`, `"numReplicas":"3"`}},
		"quoted backups":   {Variants{Numbers: Quoted}, backupsPath, []string{`"sizeInBytes":"9007199254740993"`, `"durationInSeconds":"1200"`}},
		"backups decimal":  {Variants{BackupNumbers: BackupDecimal}, backupsPath, []string{`"sizeInBytes":9007199254740993.0`, `"durationInSeconds":1200.0`}},
		"backups half":     {Variants{BackupNumbers: BackupHalf}, backupsPath, []string{`"sizeInBytes":9007199254740993.5`, `"durationInSeconds":1200.5`}},
		"half of a pipe":   {Variants{BackupNumbers: BackupHalf}, pipePath, []string{`"replicas":2}`}},
		"quantities": {Variants{ScalingQuantities: true}, pipePath, []string{
			`"replicaCpuMillicores":"250m"`, `"replicaMemoryGb":"1.5Gi"`, `"replicas":2}`, `"status":200}`,
		}},
		"quoted quantities": {Variants{ScalingQuantities: true, Numbers: Quoted}, pipePath, []string{
			`"replicaCpuMillicores":"250m"`, `"replicaMemoryGb":"1.5Gi"`, `"replicas":"2"}`,
		}},
		"times":           {Variants{}, keyPath, []string{`"createdAt":"2025-03-02T10:00:00Z"`, `"expireAt":"2031-01-01T00:00:00Z"`}},
		"times offset":    {Variants{Timestamps: Offset}, keyPath, []string{`"createdAt":"2025-03-02T10:00:00+00:00"`, `"expireAt":"2031-01-01T00:00:00Z"`}},
		"times millis":    {Variants{Timestamps: Millis}, keyPath, []string{`"createdAt":"2025-03-02T10:00:00.000Z"`, `"expireAt":"2031-01-01T00:00:00Z"`}},
		"times elsewhere": {Variants{Timestamps: Elsewhere}, keyPath, []string{`"createdAt":"2025-03-02T15:30:00+05:30"`, `"expireAt":"2031-01-01T00:00:00Z"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := ""
			if test.path == servicePath || test.path == keyPath {
				body = "{}"
			}
			contains(t, send(New(WithVariants(test.variants)), test.path, body).Body.String(), test.parts...)
		})
	}
	s := New(WithVariants(Variants{Timestamps: Millis, NormaliseExpiry: true}))
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["createdAt"] = "last week" })
	contains(t, send(s, pipePath, "").Body.String(), `"createdAt":"last week"`)
}

func TestExponent(t *testing.T) {
	t.Parallel()
	for digits, want := range map[string]string{
		"0": "0e0", "5": "5e0", "10": "1e1", "-120": "-1.2e2", "9007199254740993": "9.007199254740993e15", "-9223372036854775808": "-9.223372036854775808e18",
	} {
		if got := exponent(digits); got != want {
			t.Errorf("%s: %s, want %s", digits, got, want)
		}
	}
}

func TestNormaliseExpiry(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{NormaliseExpiry: true}))
	for sent, want := range map[string]any{
		`"2030-01-01T00:00:00+02:00"`:      "2029-12-31T22:00:00.000Z",
		`"2030-01-01T00:00:00.123456789Z"`: "2030-01-01T00:00:00.123Z",
		`""`:                               nil,
	} {
		if got := object(t, s, keyPath, `{"expireAt":`+sent+`}`)["expireAt"]; got != want {
			t.Errorf("%s: %v, want %v", sent, got, want)
		}
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	const service = `"id":"11111111-1111-4111-8111-222222222222","name":"Sandbox","dbVersion":"25.3","numReplicas":1,"createdAt":"2025-06-15T12:00:00Z"`
	const key = `"id":"33333333-3333-4333-8333-222222222222","name":"Dashboards","roles":["query_endpoints"],"keySuffix":"p2Zd","createdAt":"2025-04-11T16:45:00Z"`
	for missing, want := range map[Missing]struct{ service, key string }{
		AsStored: {`,"ipAccessList":[],"privateEndpointIds":[]`, `,"expireAt":null,"usedAt":null,"ipAccessList":[]`},
		AsAbsent: {``, ``},
		AsNull: {`,"ipAccessList":[],"privateEndpointIds":[],
			"endpoints":null,"minTotalMemoryGb":null,"maxTotalMemoryGb":null,"minReplicaMemoryGb":null,"maxReplicaMemoryGb":null,"idleScaling":null,
			"idleTimeoutMinutes":null,"encryptionKey":null,"encryptionAssumedRoleIdentifier":null,"iamRole":null,"availablePrivateEndpointIds":null,
			"dataWarehouseId":null,"isPrimary":null,"isReadonly":null,"byocId":null,"hasTransparentDataEncryption":null,
			"transparentDataEncryptionKeyId":null,"encryptionRoleId":null`, `,"expireAt":null,"usedAt":null,"ipAccessList":[]`},
		AsEmpty: {`,"ipAccessList":[],"privateEndpointIds":[],"endpoints":[],"encryptionKey":"","encryptionAssumedRoleIdentifier":"","iamRole":"",
			"availablePrivateEndpointIds":[],"dataWarehouseId":"","byocId":"","transparentDataEncryptionKeyId":"","encryptionRoleId":""`, `,"expireAt":"","usedAt":null,"ipAccessList":[]`},
	} {
		s := New(WithVariants(Variants{Missing: missing}))
		same(t, string(missing)+" service", object(t, s, otherServicePath, `{}`), `{`+service+want.service+`}`)
		same(t, string(missing)+" key", object(t, s, otherKeyPath, `{}`), `{`+key+want.key+`}`)
	}
	source := object(t, New(WithVariants(Variants{Missing: AsNull})), kinesisPath, "")["source"].(Object)
	if value, present := source["kafka"]; !present || value != nil || len(source) != 4 {
		t.Errorf("the other sources are not null: %v", source)
	}
}

func TestShuffle(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{Shuffle: true}))
	s.Change(Key, APIKeyID, func(key Object) { key["roles"] = []string{"admin", "developer", "query_endpoints"} })
	s.Change(Service, ServiceID, func(service Object) {
		service["endpoints"] = append(service["endpoints"].([]any), Object{"protocol": "other", "host": "h", "port": 1, "username": "u"})
	})
	anyOrder := cmpopts.SortSlices(func(a, b any) bool { return fmt.Sprint(a) < fmt.Sprint(b) })
	for path, members := range map[string][]string{
		servicePath: {"ipAccessList", "privateEndpointIds", "availablePrivateEndpointIds", "endpoints"},
		keyPath:     {"ipAccessList", "roles"},
	} {
		last := Object{}
		for range 5 {
			shown := object(t, s, path, `{}`)
			for _, member := range members {
				if cmp.Equal(shown[member], last[member]) {
					t.Errorf("%s is in the same order twice: %v", member, shown[member])
				}
				if last[member] != nil && !cmp.Equal(last[member], shown[member], anyOrder) {
					t.Errorf("%s has other elements: %v, %v", member, last[member], shown[member])
				}
			}
			last = shown
		}
	}
	first, second := object(t, s, pipePath, ""), object(t, s, pipePath, "")
	if !cmp.Equal(first["destination"], second["destination"]) || !cmp.Equal(first["fieldMappings"], second["fieldMappings"]) {
		t.Error("a list whose order may mean something was shuffled")
	}
}

func TestExtraMembers(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{ExtraMembers: true}))
	envelope := decoded(t, send(s, pipePath, "").Body.String()).(Object)
	pipe := envelope["result"].(Object)
	source, destination := pipe["source"].(Object), pipe["destination"].(Object)
	key := object(t, s, keyPath, `{}`)
	for name, shown := range map[string]any{
		"envelope": envelope, "pipe": pipe, "scaling": pipe["scaling"], "source": source, "kafka": source["kafka"], "offset": source["kafka"].(Object)["offset"],
		"column": destination["columns"].([]any)[0], "engine": destination["tableDefinition"].(Object)["engine"], "mapping": pipe["fieldMappings"].([]any)[0],
		"service": object(t, s, servicePath, `{}`), "key": key, "entry": key["ipAccessList"].([]any)[0],
		"backup": result[[]any](t, s, backupsPath, "")[0],
	} {
		if shown.(Object)["futureMember"] == nil {
			t.Errorf("none in %s: %v", name, slices.Sorted(maps.Keys(shown.(Object))))
		}
	}
	for name, settings := range map[string]any{"settings": pipe["settings"], "response": object(t, s, settingsPath, `{"db_max_threads":1}`)} {
		if _, ok := settings.(Object)["futureMember"]; ok {
			t.Errorf("one in %s, which a PUT would refuse", name)
		}
	}
}

func TestBackupStatus(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{BackupStatus: true}))
	var shown []string
	for _, backup := range result[[]any](t, s, backupsPath, "") {
		backup := backup.(Object)
		finished, _ := backup["finishedAt"].(string)
		shown = append(shown, backup["status"].(string)+" "+backup["type"].(string)+" "+finished)
	}
	want := []string{
		"done full 2025-07-02T01:20:00Z", "done full 2025-07-03T01:25:30Z", "in_progress full ", "done full 2025-07-01T03:46:40Z",
		"error full 2025-07-05T01:00:20Z", "in_progress full 0001-01-01T00:00:00Z",
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	same(t, "no backups", result[[]any](t, s, otherServicePath+"/backups", ""), `[]`)
	s.SetVariants(Variants{})
	if backups := result[[]any](t, s, backupsPath, ""); len(backups) != 4 || backups[0].(Object)["status"] != nil {
		t.Errorf("plain: %v", backups)
	}
}

func TestEchoWriteOnly(t *testing.T) {
	t.Parallel()
	const endpoint = `"protocol":"mysql","host":"orders.db.example","port":3306,"username":"orders"`
	const off = `{"releaseChannel":"fast","endpoints":[{"protocol":"mysql","enabled":false}]}`
	for variants, want := range map[Variants]string{
		{}:                            `{"endpoints":[]}`,
		{EchoWriteOnly: true}:         `{"endpoints":[],"releaseChannel":"fast","state":"disabled"}`,
		{EndpointsAlwaysListed: true}: `{"endpoints":[{` + endpoint + `}]}`,
		{EchoWriteOnly: true, EndpointsAlwaysListed: true}: `{"endpoints":[{` + endpoint + `,"enabled":false}],"releaseChannel":"fast","state":"disabled"}`,
	} {
		s := New(WithVariants(variants))
		shown := Object{}
		maps.Copy(shown, object(t, s, servicePath, off))
		maps.Copy(shown, object(t, s, keyPath, `{"state":"disabled"}`))
		same(t, "responses", only(shown, Object{"endpoints": 0, "releaseChannel": 0, "state": 0}), want)
	}
}

func TestUsedAtMoves(t *testing.T) {
	t.Parallel()
	for _, moves := range []bool{true, false} {
		s := New(WithVariants(Variants{UsedAtMoves: moves}), WithClock(func() time.Time { return time.Time{} }))
		first, second := object(t, s, keyPath, `{}`)["usedAt"], object(t, s, keyPath, `{}`)["usedAt"]
		if (first != second) != moves {
			t.Errorf("UsedAtMoves %v: usedAt %v, then %v", moves, first, second)
		}
	}
}

func TestLooseEnvelope(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{LooseEnvelope: true}))
	for _, body := range []string{`{}`, `{"name":5}`} {
		envelope := decoded(t, send(s, keyPath, body).Body.String()).(Object)
		if _, ok := envelope["status"].(string); !ok || envelope["requestId"] != nil || envelope["futureMember"] == nil {
			t.Errorf("%s: %v", body, envelope)
		}
	}
}

func TestErrorShapes(t *testing.T) {
	t.Parallel()
	const text = "replicas: number must be at most 10"
	for shape, want := range map[ErrorShape]struct{ contentType, start, end string }{
		ErrorEnvelope:  {"application/json", `{"error":"` + text + `","requestId":"`, `","status":400}`},
		ErrorMessage:   {"application/json", `{"message":"` + text + `"}`, ""},
		ErrorNested:    {"application/json", `{"error":{"code":"bad_request","message":"` + text + `"}}`, ""},
		ErrorPlain:     {"text/plain; charset=utf-8", text + "\n", ""},
		ErrorHTML:      {"text/html; charset=utf-8", "<!DOCTYPE html>\n<html>\n<head><title>400 Bad Request</title></head>", "<p>" + text + "</p></body>\n</html>\n"},
		ErrorTerseHTML: {"text/html; charset=utf-8", "<title>400</title><body>" + text + "</body>\n", ""},
		ErrorEmpty:     {"", "", ""},
	} {
		s := New(WithVariants(Variants{ErrorShape: shape, Bare429: true}))
		w := send(s, scalingPath, `{"replicas":11}`)
		body := w.Body.String()
		if w.Code != 400 || w.Header().Get("Content-Type") != want.contentType || !strings.HasPrefix(body, want.start) || !strings.HasSuffix(body, want.end) {
			t.Errorf("%q: %d %s\n%s", shape, w.Code, w.Header().Get("Content-Type"), body)
		}
		if want.end == "" && body != want.start {
			t.Errorf("%q: more than %q: %q", shape, want.start, body)
		}
		s.LimitRate(1, time.Hour, RateLimitSilent)
		send(s, pipePath, "")
		if w := send(s, pipePath, ""); w.Code != 429 || w.Body.String() != `{"error":"TOO_MANY_REQUESTS"}` {
			t.Errorf("%q: a bare 429 is %d %s", shape, w.Code, w.Body)
		}
	}
}

// What a test stores may not fit openapi.yaml. No response may hide that.
func TestResponsesAreCheckedAgainstTheContract(t *testing.T) {
	t.Parallel()
	s := New()
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["scaling"].(Object)["replicas"] = "two" })
	contains(t, refused(t, s, http.StatusNotImplemented, pipePath, ""), "result.scaling.replicas")
	for _, variants := range []Variants{{LooseEnvelope: true}, {Numbers: Quoted, ScalingQuantities: true, BackupNumbers: BackupHalf}} {
		s.SetVariants(variants)
		refused(t, s, http.StatusNotImplemented, pipePath, "")
	}
}
