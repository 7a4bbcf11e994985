package mockapi

import (
	"net/http"
	"testing"
)

// How values are written: parts of the body of a response. The live tests name
// each variant by what it does to plain values.
func TestNotations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		variants   Variants
		path, body string
		parts      []string
	}{
		{Variants{}, pipePath, "", []string{`"replicaMemoryGb":1.5`, `"object_storage_max_insert_bytes":10737418240,`, `"replicas":2}`, `"status":200}`}},
		{Variants{Numbers: Quoted}, pipePath, "", []string{`"replicaMemoryGb":"1.5"`, `"object_storage_use_cluster_function":true`, `"status":200}`}},
		{Variants{NormaliseAddress: true}, keyPath, "{}", []string{`"source":"2001:db8::1/128"`}},
		{Variants{Missing: AsNull}, otherServicePath, "{}", []string{`"iamRole":null`, `"ipAccessList":[]`, `"endpoints":null`}},
		{Variants{Missing: AsEmpty}, otherServicePath, "{}", []string{`"iamRole":""`, `"endpoints":[]`}},
		{Variants{Missing: AsAbsent}, otherKeyPath, "{}", []string{`{"createdAt":"2025-04-11T16:45:00Z","id":"33333333-3333-4333-8333-222222222222","keySuffix":"p2Zd","name":"Dashboards","roles":["query_endpoints"]}`}},
		{Variants{Shuffle: true}, pipePath, "", []string{`"sortingKey":["customer","created"]`, `"rpe-2","rpe-1"`}},
		{Variants{ExtraMembers: true}, pipePath, "", []string{`{"futureMember":true,`, `"futureMember":{"list":[1,null],"of":"offset"}`, `"db_future_setting":9007199254740993,`}},
		{Variants{BackupStatus: true}, backupsPath, "", []string{`"finishedAt":"0001-01-01T00:00:00Z"`, `"status":"in_progress"`, `"status":"done","type":"full"`}},
		{Variants{NormaliseExpiry: true}, keyPath, `{"expireAt":"2030-01-01T00:00:00.123456789+02:00"}`, []string{`"expireAt":"2029-12-31T22:00:00.123Z"`}},
		{Variants{EndpointsAlwaysListed: true}, servicePath, `{"endpoints":[{"protocol":"mysql","enabled":false}]}`, []string{`"protocol":"mysql"`}},
		{Variants{SparsePatchResponse: true}, scalingPath, `{"replicas":3}`, []string{`"result":{"id":"22222222-2222-4222-8222-111111111111","scaling":{"replicas":3}},`}},
		{Variants{SparsePatchResponse: true, Late: LateAbsent}, scalingPath, `{"replicas":3}`, []string{`"scaling":{}`}},
	} {
		contains(t, send(New(WithVariants(test.variants)), test.path, test.body).Body.String(), test.parts...)
	}
	s := New(WithVariants(Variants{ReadByGet: true, UsedAtMoves: true}))
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["createdAt"] = "last week" })
	contains(t, send(s, pipePath, "").Body.String(), `"createdAt":"last week"`)
	if object(t, s, keyPath, "")["usedAt"] == object(t, s, keyPath, "")["usedAt"] {
		t.Error("a GET does not use the key")
	}
}

// What a test stores may not fit openapi.yaml. No response may hide that.
func TestResponsesAreCheckedAgainstTheContract(t *testing.T) {
	t.Parallel()
	s := New()
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["scaling"].(Object)["replicas"] = "two" })
	contains(t, refused(t, s, http.StatusNotImplemented, pipePath, ""), "result.scaling.replicas")
	s.SetVariants(Variants{Numbers: Quoted})
	refused(t, s, http.StatusNotImplemented, pipePath, "")
}
