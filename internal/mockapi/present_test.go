package mockapi

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// How values are written: parts of the body of a response.
func TestNotations(t *testing.T) {
	t.Parallel()
	const entry, office = `{"description":"runners","source":"198.51.100.0/24"}`, `{"description":"bastion","source":"2001:db8::1"}`
	for _, test := range []struct {
		variants Variants
		path     string
		parts    []string
	}{
		{Variants{}, pipePath, []string{`"replicaMemoryGb":1.5`, `"object_storage_max_insert_bytes":10737418240,`, `"replicas":2}`, `"status":200}`}},
		{Variants{Numbers: Decimal}, pipePath, []string{`"replicas":2.0}`, `"replicaMemoryGb":1.5`, `"status":200.0}`}},
		{Variants{Numbers: Decimal}, unknownPipe, []string{`"status":404.0`}},
		{Variants{Numbers: Exponent}, pipePath, []string{`"replicas":2e0}`, `"object_storage_max_insert_bytes":1.073741824e10,`, `"status":2e2}`}},
		{Variants{Numbers: Exponent}, backupsPath, []string{`"sizeInBytes":9.007199254740993e15`}},
		{Variants{Numbers: Quoted}, pipePath, []string{`"replicaMemoryGb":"1.5"`, `"db_max_threads":"8"`, `"object_storage_use_cluster_function":true`, `"status":200}`}},
		{Variants{Numbers: Quoted}, backupsPath, []string{`"sizeInBytes":"9007199254740993"`}},
		{Variants{BackupNumbers: BackupDecimal}, backupsPath, []string{`"sizeInBytes":9007199254740993.0`, `"durationInSeconds":1200.0`}},
		{Variants{BackupNumbers: BackupHalf}, backupsPath, []string{`"sizeInBytes":9007199254740993.5`, `"durationInSeconds":1200.5`}},
		{Variants{ScalingQuantities: true}, pipePath, []string{`"replicaCpuMillicores":"250m"`, `"replicaMemoryGb":"1.5Gi"`, `"replicas":2}`}},
		{Variants{TextTimestamp: true}, kinesisPath, []string{`"timestamp":"2025-05-01T00:00:00Z"`}},
		{Variants{TextTimestamp: true}, pipePath, []string{`"timestamp":"2025-05-01T00:00"`}},

		{Variants{Timestamps: Offset}, keyPath, []string{`"createdAt":"2025-03-02T10:00:00+00:00"`, `"expireAt":"2031-01-01T00:00:00Z"`}},
		{Variants{Timestamps: Millis}, keyPath, []string{`"createdAt":"2025-03-02T10:00:00.000Z"`, `"expireAt":"2031-01-01T00:00:00Z"`}},
		{Variants{Timestamps: Elsewhere}, keyPath, []string{`"createdAt":"2025-03-02T15:30:00+05:30"`}},
		{Variants{NormaliseExpiry: true}, keyPath, []string{`"expireAt":"2031-01-01T00:00:00.000Z"`, `"createdAt":"2025-03-02T10:00:00Z"`}},
		{Variants{NormaliseExpiry: true}, otherKeyPath, []string{`"expireAt":null`}},
		{Variants{NormaliseAddress: true}, keyPath, []string{`"source":"2001:db8::1/128"`}},

		{Variants{Missing: AsNull}, kinesisPath, []string{`"kafka":null`}},
		{Variants{Missing: AsNull}, otherServicePath, []string{`"iamRole":null`, `"ipAccessList":[]`, `"endpoints":null`}},
		{Variants{Missing: AsEmpty}, otherServicePath, []string{`"iamRole":""`, `"endpoints":[]`}},
		{Variants{Missing: AsEmpty}, otherKeyPath, []string{`"expireAt":""`, `"usedAt":null`}},
		{Variants{Missing: AsAbsent}, otherKeyPath, []string{`{"createdAt":"2025-04-11T16:45:00Z","id":"33333333-3333-4333-8333-222222222222","keySuffix":"p2Zd","name":"Dashboards","roles":["query_endpoints"]}`}},

		{Variants{Shuffle: true}, keyPath, []string{`[` + office + `,` + entry + `]`, `["developer","admin"]`}},
		{Variants{Shuffle: true}, pipePath, []string{`"sortingKey":["customer","created"]`, `"rpe-2","rpe-1"`}},
		{Variants{ExtraMembers: true}, pipePath, []string{`{"futureMember":true,`, `"futureMember":{"list":[1,null],"of":"offset"}`, `"db_future_setting":9007199254740993,`}},
		{Variants{ExtraMembers: true}, backupsPath, []string{`"of":"bucket"`}},
		{Variants{BackupStatus: true}, backupsPath, []string{`"finishedAt":"0001-01-01T00:00:00Z"`, `"status":"in_progress"`, `"status":"error"`, `"status":"done","type":"full"`}},
		{Variants{BackupStatus: true}, otherServicePath + "/backups", []string{`"result":[]`}},
		{Variants{EchoWriteOnly: true}, servicePath, []string{`"enabled":true`, `"releaseChannel":"default"`}},
		{Variants{EchoWriteOnly: true}, keyPath, []string{`"state":"enabled"`}},
		{Variants{LooseEnvelope: true}, keyPath, []string{`{"futureMember":true,"result":{`, `},"status":"200"}`}},
	} {
		body := ""
		if strings.HasPrefix(test.path, organizationPath+"/keys/") || test.path == servicePath || test.path == otherServicePath {
			body = "{}"
		}
		contains(t, send(New(WithVariants(test.variants)), test.path, body).Body.String(), test.parts...)
	}
	s := New(WithVariants(Variants{Timestamps: Millis, NormaliseExpiry: true, EndpointsAlwaysListed: true}))
	s.Change(Key, APIKeyID, func(key Object) { key["expireAt"] = "2030-01-01T00:00:00.123456789+02:00" })
	contains(t, send(s, keyPath, "{}").Body.String(), `"expireAt":"2029-12-31T22:00:00.123Z"`)
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["createdAt"] = "last week" })
	contains(t, send(s, pipePath, "").Body.String(), `"createdAt":"last week"`)
	contains(t, send(s, servicePath, `{"endpoints":[{"protocol":"mysql","enabled":false}]}`).Body.String(), `"protocol":"mysql"`)
	for digits, want := range map[string]string{"0": "0e0", "10": "1e1", "-120": "-1.2e2", "-9223372036854775808": "-9.223372036854775808e18"} {
		if got := exponent(digits); got != want {
			t.Errorf("%s: %s, want %s", digits, got, want)
		}
	}
}

func TestSparsePatchResponse(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{SparsePatchResponse: true}))
	for _, test := range []struct{ path, body, want string }{
		{otherServicePath, `{"name":"x","ipAccessList":{"add":[{"source":"a"}]}}`, `{"id":"11111111-1111-4111-8111-222222222222","name":"x","ipAccessList":[{"source":"a"}]}`},
		{keyPath, `{}`, `{"id":"33333333-3333-4333-8333-111111111111"}`},
		{scalingPath, `{"replicas":3}`, `{"id":"22222222-2222-4222-8222-111111111111","scaling":{"replicas":3}}`},
	} {
		same(t, test.path, object(t, s, test.path, test.body), test.want)
	}
}

func TestErrorShapes(t *testing.T) {
	t.Parallel()
	const text = "replicas: number must be at most 10"
	for shape, want := range map[ErrorShape]struct{ contentType, body string }{
		ErrorEnvelope:  {"application/json", `{"error":"` + text + `","requestId":"`},
		ErrorMessage:   {"application/json", `{"message":"` + text + `"}`},
		ErrorNested:    {"application/json", `{"error":{"code":"bad_request","message":"` + text + `"}}`},
		ErrorPlain:     {"text/plain; charset=utf-8", text + "\n"},
		ErrorHTML:      {"text/html; charset=utf-8", "<!DOCTYPE html>\n<html>\n<head><title>400 Bad Request</title></head>"},
		ErrorTerseHTML: {"text/html; charset=utf-8", "<title>400</title><body>" + text + "</body>\n"},
		ErrorEmpty:     {"", ""},
	} {
		s := New(WithVariants(Variants{ErrorShape: shape, Bare429: true}))
		w := send(s, scalingPath, `{"replicas":11}`)
		whole := shape == ErrorEnvelope || shape == ErrorHTML || w.Body.String() == want.body
		if w.Code != 400 || w.Header().Get("Content-Type") != want.contentType || !strings.HasPrefix(w.Body.String(), want.body) || !whole {
			t.Errorf("%q: %d %s\n%s", shape, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
		s.LimitRate(1, time.Hour, RateLimitSilent)
		send(s, pipePath, "")
		contains(t, send(s, pipePath, "").Body.String(), `{"error":"TOO_MANY_REQUESTS"}`)
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
