package mockapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissing(t *testing.T) {
	t.Parallel()
	const empty = `"id":"11111111-1111-4111-8111-222222222222","name":"Sandbox","dbVersion":"25.3","numReplicas":1,"createdAt":"2025-06-15T12:00:00Z"`
	service := map[Missing]string{
		AsStored: `{` + empty + `,"ipAccessList":[],"privateEndpointIds":[]}`,
		AsAbsent: `{` + empty + `}`,
		AsNull: `{` + empty + `,"ipAccessList":[],"privateEndpointIds":[],
			"endpoints":null,"minTotalMemoryGb":null,"maxTotalMemoryGb":null,"minReplicaMemoryGb":null,"maxReplicaMemoryGb":null,"idleScaling":null,
			"idleTimeoutMinutes":null,"encryptionKey":null,"encryptionAssumedRoleIdentifier":null,"iamRole":null,"availablePrivateEndpointIds":null,
			"dataWarehouseId":null,"isPrimary":null,"isReadonly":null,"byocId":null,"hasTransparentDataEncryption":null,
			"transparentDataEncryptionKeyId":null,"encryptionRoleId":null}`,
		AsEmpty: `{` + empty + `,"ipAccessList":[],"privateEndpointIds":[],"endpoints":[],"encryptionKey":"","encryptionAssumedRoleIdentifier":"","iamRole":"",
			"availablePrivateEndpointIds":[],"dataWarehouseId":"","byocId":"","transparentDataEncryptionKeyId":"","encryptionRoleId":""}`,
	}
	const neverExpires = `"id":"33333333-3333-4333-8333-222222222222","name":"Dashboards","roles":["query_endpoints"],"keySuffix":"p2Zd","createdAt":"2025-04-11T16:45:00Z"`
	key := map[Missing]string{
		AsStored: `{` + neverExpires + `,"expireAt":null,"usedAt":null,"ipAccessList":[]}`,
		AsNull:   `{` + neverExpires + `,"expireAt":null,"usedAt":null,"ipAccessList":[]}`,
		AsAbsent: `{` + neverExpires + `}`,
		AsEmpty:  `{` + neverExpires + `,"expireAt":"","usedAt":null,"ipAccessList":[]}`,
	}
	for missing := range service {
		s := New(WithVariants(Variants{Missing: missing}))
		same(t, string(missing)+" service", result[Object](t, s, "PATCH", otherServicePath, `{}`), service[missing])
		same(t, string(missing)+" key", result[Object](t, s, "PATCH", organizationPath+"/keys/"+OtherAPIKeyID, `{}`), key[missing])
	}
	source := result[Object](t, New(WithVariants(Variants{Missing: AsNull})), "GET", servicePath+"/pipes/"+KinesisPipeID, "")["source"].(Object)
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
	for path, members := range map[string][]string{
		servicePath: {"ipAccessList", "privateEndpointIds", "availablePrivateEndpointIds", "endpoints"},
		keyPath:     {"ipAccessList", "roles"},
	} {
		last := Object{}
		for range 5 {
			object := result[Object](t, s, "PATCH", path, `{}`)
			for _, member := range members {
				if cmp.Equal(object[member], last[member]) {
					t.Errorf("%s came in the same order twice: %v", member, object[member])
				}
				if before, ok := last[member].([]any); ok && !cmp.Equal(sorted(before), sorted(object[member].([]any))) {
					t.Errorf("%s lost an element: %v, %v", member, before, object[member])
				}
			}
			last = object
		}
	}
	first, second := result[Object](t, s, "GET", pipePath, ""), result[Object](t, s, "GET", pipePath, "")
	if !cmp.Equal(first["destination"], second["destination"]) || !cmp.Equal(first["fieldMappings"], second["fieldMappings"]) {
		t.Error("a list whose order may mean something was shuffled")
	}
}

// sorted is the elements as sorted text.
func sorted(elements []any) []string {
	var texts []string
	for _, element := range elements {
		texts = append(texts, cmp.Diff(nil, element))
	}
	return slices.Sorted(slices.Values(texts))
}

func TestExtraMembers(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{ExtraMembers: true}))
	w := send(s, "GET", pipePath, "")
	value, err := decode(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if value.(Object)["futureMember"] == nil {
		t.Error("none in the envelope")
	}
	pipe := value.(Object)["result"].(Object)
	source := pipe["source"].(Object)
	destination := pipe["destination"].(Object)
	for name, object := range map[string]any{
		"pipe": pipe, "scaling": pipe["scaling"], "source": source, "kafka": source["kafka"], "offset": source["kafka"].(Object)["offset"],
		"column": destination["columns"].([]any)[0], "engine": destination["tableDefinition"].(Object)["engine"], "mapping": pipe["fieldMappings"].([]any)[0],
		"service": result[Object](t, s, "PATCH", servicePath, `{}`), "key": result[Object](t, s, "PATCH", keyPath, `{}`),
		"entry":  result[Object](t, s, "PATCH", keyPath, `{}`)["ipAccessList"].([]any)[0],
		"backup": result[[]any](t, s, "GET", servicePath+"/backups", "")[0],
	} {
		if object.(Object)["futureMember"] == nil {
			t.Errorf("none in %s: %v", name, slices.Sorted(maps.Keys(object.(Object))))
		}
	}
	// What settings show must be what a PUT takes.
	response := result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":1}`)
	for name, settings := range map[string]any{"settings": pipe["settings"], "response": response} {
		if _, ok := settings.(Object)["futureMember"]; ok {
			t.Errorf("one in %s", name)
		}
	}
}

func TestExtraSetting(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{ExtraMembers: true}))
	get := func() any { return result[Object](t, s, "GET", pipePath, "")["settings"].(Object)["db_future_setting"] }
	if got := get(); got != int64(9007199254740993) {
		t.Fatalf("db_future_setting: %v", got)
	}
	added := s.AddPipe(ServiceID, Object{"settings": Object{}})
	if got := s.Object(Pipe, added)["settings"].(Object)["db_future_setting"]; got == nil {
		t.Error("an added pipe has none")
	}
	response := result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":8,"db_future_setting":9007199254740995}`)
	if response["db_future_setting"] != int64(9007199254740995) || get() != int64(9007199254740995) {
		t.Errorf("written: %v, %v", response["db_future_setting"], get())
	}
	result[Object](t, s, "PUT", pipePath+"/settings", `{"db_max_threads":8}`)
	if got := get(); got != int64(9007199254740993) {
		t.Errorf("left out: %v", got)
	}
	refused(t, s, http.StatusBadRequest, "PUT", pipePath+"/settings", `{"db_other_setting":1}`)
	s.SetVariants(Variants{})
	if got := get(); got != nil {
		t.Errorf("plain: %v", got)
	}
	refused(t, s, http.StatusBadRequest, "PUT", pipePath+"/settings", `{"db_future_setting":1}`)

	s.Change(Pipe, KinesisPipeID, func(pipe Object) { pipe["settings"] = nil })
	for _, extra := range []bool{true, false} {
		s.SetVariants(Variants{ExtraMembers: extra})
		if got := s.Object(Pipe, KinesisPipeID)["settings"]; got != nil {
			t.Errorf("settings that were taken away: %v", got)
		}
	}

	// A setting that somebody else's server brought is one that it takes.
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["settings"].(Object)["db_other_setting"] = "on" })
	result[Object](t, s, "PUT", pipePath+"/settings", `{"db_other_setting":"off"}`)
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for numbers, want := range map[Numbers][]string{
		Plain:    {`"replicas":2}`, `"replicaMemoryGb":1.5`, `"object_storage_max_insert_bytes":10737418240,`, `"db_max_threads":0,`, `"status":200}`},
		Decimal:  {`"replicas":2.0}`, `"replicaMemoryGb":1.5`, `"object_storage_max_insert_bytes":10737418240.0,`, `"db_max_threads":0.0,`, `"status":200.0}`},
		Exponent: {`"replicas":2e0}`, `"replicaMemoryGb":1.5`, `"object_storage_max_insert_bytes":1.073741824e10,`, `"db_max_threads":0e0,`, `"status":2e2}`},
	} {
		s := New(WithVariants(Variants{Numbers: numbers}))
		s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["settings"].(Object)["db_max_threads"] = 0 })
		body := send(s, "GET", pipePath, "").Body.String()
		for _, part := range want {
			if !strings.Contains(body, part) {
				t.Errorf("%q: no %s in %s", numbers, part, body)
			}
		}
		if backups := result[[]any](t, s, "GET", servicePath+"/backups", ""); backups[3].(Object)["sizeInBytes"] != int64(9007199254740993) {
			t.Errorf("%q: a large size is not exact: %v", numbers, backups[3])
		}
		if body := send(s, "GET", servicePath+"/pipes/"+unknownID, "").Body.String(); numbers == Decimal && !strings.Contains(body, `"status":404.0`) {
			t.Errorf("an error's status: %s", body)
		}
	}
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

func TestTimestamps(t *testing.T) {
	t.Parallel()
	for timestamps, want := range map[Timestamps]string{
		Zulu:      "2025-03-02T10:00:00Z",
		Offset:    "2025-03-02T10:00:00+00:00",
		Millis:    "2025-03-02T10:00:00.000Z",
		Elsewhere: "2025-03-02T15:30:00+05:30",
	} {
		s := New(WithVariants(Variants{Timestamps: timestamps}))
		key := result[Object](t, s, "PATCH", keyPath, `{"expireAt":"2030-01-01T00:00:00Z"}`)
		if key["createdAt"] != want {
			t.Errorf("%q: createdAt %v, want %s", timestamps, key["createdAt"], want)
		}
		if key["expireAt"] != "2030-01-01T00:00:00Z" {
			t.Errorf("%q: what was sent came back as %v", timestamps, key["expireAt"])
		}
	}
	s := New(WithVariants(Variants{Timestamps: Millis}))
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["createdAt"] = "last week" })
	if got := result[Object](t, s, "GET", pipePath, "")["createdAt"]; got != "last week" {
		t.Errorf("what is no time came as %v", got)
	}
}

func TestNormaliseExpiry(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{NormaliseExpiry: true}))
	for sent, want := range map[string]any{
		`"2030-01-01T00:00:00+02:00"`:      "2029-12-31T22:00:00.000Z",
		`"2030-01-01T00:00:00.123456789Z"`: "2030-01-01T00:00:00.123Z",
		`""`:                               nil,
		`null`:                             nil,
	} {
		if got := result[Object](t, s, "PATCH", keyPath, `{"expireAt":`+sent+`}`)["expireAt"]; got != want {
			t.Errorf("%s: %v, want %v", sent, got, want)
		}
	}
}

func TestLooseEnvelope(t *testing.T) {
	t.Parallel()
	s := New(WithVariants(Variants{LooseEnvelope: true}))
	for _, body := range []string{`{}`, `{"name":5}`} {
		w := send(s, "PATCH", keyPath, body)
		value, err := decode(w.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		envelope := value.(Object)
		if _, ok := envelope["status"].(string); !ok || envelope["requestId"] != nil || envelope["futureMember"] == nil {
			t.Errorf("%s: %s", body, w.Body)
		}
	}
}

func TestErrorShapes(t *testing.T) {
	t.Parallel()
	const text = "replicas: number must be at most 10"
	for shape, want := range map[ErrorShape]struct{ contentType, start, end string }{
		ErrorEnvelope: {"application/json", `{"error":"` + text + `","requestId":"`, `","status":400}`},
		ErrorMessage:  {"application/json", `{"message":"` + text + `"}`, ""},
		ErrorNested:   {"application/json", `{"error":{"code":"bad_request","message":"` + text + `"}}`, ""},
		ErrorPlain:    {"text/plain; charset=utf-8", text + "\n", ""},
		ErrorHTML:     {"text/html; charset=utf-8", "<!DOCTYPE html>\n<html>\n<head><title>400 Bad Request</title></head>", "<p>" + text + "</p></body>\n</html>\n"},
		ErrorEmpty:    {"", "", ""},
	} {
		w := send(New(WithVariants(Variants{ErrorShape: shape})), "PATCH", pipePath+"/scaling", `{"replicas":11}`)
		body := w.Body.String()
		if w.Code != 400 || w.Header().Get("Content-Type") != want.contentType || !strings.HasPrefix(body, want.start) || !strings.HasSuffix(body, want.end) {
			t.Errorf("%q: %d %s\n%s", shape, w.Code, w.Header().Get("Content-Type"), body)
		}
		if want.end == "" && body != want.start {
			t.Errorf("%q: more than %q: %q", shape, want.start, body)
		}
	}
}

// What a test stores may not fit openapi.yaml; it must not pass for a response.
func TestAnswersAreHeldToTheContract(t *testing.T) {
	t.Parallel()
	s := New()
	s.Change(Pipe, KafkaPipeID, func(pipe Object) { pipe["scaling"].(Object)["replicas"] = "two" })
	if message := refused(t, s, http.StatusNotImplemented, "GET", pipePath, ""); !strings.Contains(message, "result.scaling.replicas") {
		t.Errorf("message: %s", message)
	}
	s.SetVariants(Variants{LooseEnvelope: true})
	refused(t, s, http.StatusNotImplemented, "GET", pipePath, "")
}
