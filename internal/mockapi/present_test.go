package mockapi

import (
	"fmt"
	"net/http"
	"strings"
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
		{Variants{"numbers=quoted"}, pipePath, "", []string{`"replicaMemoryGb":"1.5"`, `"object_storage_use_cluster_function":true`, `"status":200}`}},
		{Variants{"normalise_address"}, keyPath, "{}", []string{`"source":"2001:db8::1/128"`}},
		{Variants{"missing=null"}, otherServicePath, "{}", []string{`"iamRole":null`, `"ipAccessList":[]`, `"endpoints":null`}},
		{Variants{"missing=empty"}, otherServicePath, "{}", []string{`"iamRole":""`, `"endpoints":[]`}},
		{Variants{"missing=empty"}, otherKeyPath, "{}", []string{`"expireAt":""`, `"ipAccessList":[]`, `"usedAt":null`}},
		{Variants{"missing=absent"}, otherKeyPath, "{}", []string{`{"createdAt":"2025-04-11T16:45:00Z","id":"33333333-3333-4333-8333-222222222222","keySuffix":"p2Zd","name":"Dashboards","roles":["query_endpoints"]}`}},
		{Variants{"shuffle"}, pipePath, "", []string{`"sortingKey":["customer","created"]`, `"rpe-2","rpe-1"`}},
		{Variants{"extra_members"}, pipePath, "", []string{`{"futureMember":true,`, `"futureMember":{"list":[1,null],"of":"offset"}`, `"db_future_setting":9007199254740993,`}},
		{Variants{"backup_status"}, backupsPath, "", []string{
			`"finishedAt":"0001-01-01T00:00:00Z"`, `"status":"in_progress"`, `"status":"done","type":"full"`, `"finishedAt":"2025-07-05T01:00:20Z"`,
			`"status":"error"`, `"status":"failed"`, `"status":"deleted"`, `"status":"running"`,
			`"finishedAt":"2025-07-03T01:25:30Z","id":"44444444-4444-4444-8444-000000000003","serviceId":"11111111-1111-4111-8111-111111111111","sizeInBytes":751619276,"startedAt":"2025-07-03T01:00:00Z","status":"DONE"`,
		}},
		{Variants{"more_backups=cursor"}, backupsPath, "", []string{`{"nextCursor":"cGFnZS0y",`}},
		{Variants{"numbers=float32"}, scalingPath, `{"replicaMemoryGb":0.7}`, []string{`"replicaMemoryGb":0.699999988079071,`}},
		{Variants{"capital_enums", "echo_write_only"}, keyPath, "{}", []string{`"roles":["ADMIN","DEVELOPER"]`, `"state":"ENABLED"`, `"name":"Deployment"`}},
		{Variants{"capital_enums", "echo_write_only"}, servicePath, `{"releaseChannel":"fast"}`, []string{`"releaseChannel":"FAST"`}},
		{Variants{"capital_enums", "backup_status"}, backupsPath, "", []string{`"status":"IN_PROGRESS"`}},
		{Variants{"never=year_1"}, otherKeyPath, "{}", []string{`"expireAt":"0001-01-01T00:00:00Z"`}},
		{Variants{"never=epoch", "omit_empty=all"}, keyPath, `{"expireAt":""}`, []string{`"expireAt":"1970-01-01T00:00:00Z"`}},
		{Variants{"never=epoch"}, keyPath, "{}", []string{`"expireAt":"2999-01-01T00:00:00Z"`}},
		{Variants{"stored_text=nfd"}, keyPath, `{"name":"Café","ipAccessList":[{"source":"10.0.0.1","description":"Zoë"}]}`, []string{"\"Cafe\u0301\"", "\"Zoe\u0308\""}},
		{Variants{"normalise_expiry"}, keyPath, `{"expireAt":"2030-01-01T00:00:00.123456789+02:00"}`, []string{`"expireAt":"2029-12-31T22:00:00.123Z"`}},
		{Variants{"endpoints_always_listed"}, servicePath, `{"endpoints":[{"protocol":"mysql","enabled":false}]}`, []string{`"protocol":"mysql"`}},
		{Variants{"sparse_patch_response"}, scalingPath, `{"replicas":3}`, []string{`"result":{"id":"22222222-2222-4222-8222-111111111111","scaling":{"replicas":3}},`}},
		{Variants{"sparse_patch_response", "late=absent"}, scalingPath, `{"replicas":3}`, []string{`"scaling":{}`}},
	} {
		contains(t, send(New(WithVariants(test.variants)), test.path, test.body).Body.String(), test.parts...)
	}
	s := New(WithVariants(Variants{"read_by_get", "used_at_moves"}))
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["createdAt"] = "last week" })
	contains(t, send(s, pipePath, "").Body.String(), `"createdAt":"last week"`)
	if object(t, s, keyPath, "")["usedAt"] == object(t, s, keyPath, "")["usedAt"] {
		t.Error("a GET does not use the key")
	}
}

// Which endpoints a service shows, and the members that are not documented in responses. One of
// its two endpoints is disabled.
func TestWriteOnlyMembers(t *testing.T) {
	t.Parallel()
	mysql := func(more string) string {
		return `{"protocol":"mysql","host":"orders.db.example","port":3306,"username":"orders"` + more + `}`
	}
	other := func(more string) string {
		return `{"protocol":"other","host":"other.11111111-1111-4111-8111-111111111111.db.example","port":9001,"username":"default"` + more + `}`
	}
	for _, test := range []struct {
		variants           Variants
		endpoints, channel string
	}{
		{Variants{}, `[` + other("") + `]`, `null`},
		{Variants{"endpoints_always_listed"}, `[` + mysql("") + `,` + other("") + `]`, `null`},
		{Variants{"echo_write_only"}, `[` + other(`,"enabled":true`) + `]`, `"default"`},
	} {
		s := New(WithVariants(test.variants))
		service := object(t, s, servicePath, `{"endpoints":[{"protocol":"mysql","enabled":false},{"protocol":"other","enabled":true}]}`)
		same(t, "endpoints", service["endpoints"], test.endpoints)
		same(t, "channel", service["releaseChannel"], test.channel)
	}
}

// Each response has another order.
func TestShuffle(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{"shuffle"}))
	last := ""
	for range 3 {
		order := fmt.Sprint(object(t, s, servicePath, "{}")["availablePrivateEndpointIds"])
		if order == last {
			t.Errorf("the order is %s again", order)
		}
		last = order
	}
}

// Which responses leave out empty members, and which members are empty.
func TestOmitEmpty(t *testing.T) {
	t.Parallel()
	_, settings := Schemas("updatePipeSettings")
	all := len(Members(settings))
	for option, leftOut := range map[string]string{"": `[0, 0]`, "omit_empty=updates": `[2, 0]`, "omit_empty=reads": `[0, 2]`, "omit_empty=all": `[2, 2]`} {
		s := New(WithVariants(strings.Fields(option)))
		update := object(t, s, settingsPath, `{"db_max_threads":0,"db_parallel_view_processing":false}`)
		read := object(t, s, pipePath, "")["settings"].(Object)
		same(t, "settings left out under "+option, []int{all - len(update), all - len(read)}, leftOut)
	}
	s := New(WithVariants(Variants{"omit_empty=all", "missing=null", "numbers=quoted"}))
	const rest = `"id":"33333333-3333-4333-8333-222222222222","roles":["query_endpoints"],"keySuffix":"p2Zd","createdAt":"2025-04-11T16:45:00Z"`
	same(t, "key", object(t, s, otherKeyPath, `{"name":"","ipAccessList":[{"source":"10.0.0.1","description":""}]}`), `{`+rest+`,"ipAccessList":[{"source":"10.0.0.1"}]}`)
	object(t, s, otherKeyPath, `{"name":"a","ipAccessList":[]}`)
	same(t, "read key", object(t, s, otherKeyPath, `{}`), `{"name":"a",`+rest+`}`)
}

// What a test stores may not fit openapi.yaml. No response may hide that.
func TestResponsesAreCheckedAgainstTheContract(t *testing.T) {
	t.Parallel()
	s := New()
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["scaling"].(Object)["replicas"] = "two" })
	contains(t, refused(t, s, http.StatusNotImplemented, pipePath, ""), "result.scaling.replicas")
	s.SetVariants(Variants{"numbers=quoted"})
	refused(t, s, http.StatusNotImplemented, pipePath, "")
}
