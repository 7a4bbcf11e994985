package main

import (
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Another value of each kind of attribute, or why there is none.
func TestOtherValue(t *testing.T) {
	t.Parallel()
	const fifty = "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKL"
	list := func(entries string) string { return `{"keySuffix":"abcd", "ipAccessList":[` + entries + `]}` }
	for _, test := range []struct {
		kind               kind
		attribute          string
		shown, state, want string // state and want: of the attribute
	}{
		{service, "name", `{}`, `"Orders"`, `"Orders test"`},
		{service, "name", `{}`, `"` + fifty + `"`, `"` + fifty[1:] + `"`},
		{service, "name", `{}`, `"a-b"`, "no other name"},
		{apiKey, "name", `{"keySuffix":"cret"}`, `"CI"`, `"CI test"`},
		{apiKey, "roles", `{"keySuffix":"cret"}`, `["admin","developer"]`, "may use this key"},
		{apiKey, "roles", `{"keySuffix":"***cret"}`, `["admin","developer"]`, "may use this key"},
		{apiKey, "roles", `{"keySuffix":"****"}`, `["admin","developer"]`, "may use this key"},
		{apiKey, "roles", `{"keySuffix":"key"}`, `["admin","developer"]`, "may use this key"},
		{apiKey, "roles", `{"keySuffix":"abcd"}`, `["admin","developer"]`, `["admin"]`},
		{apiKey, "roles", `{"keySuffix":"abcd"}`, `["developer","query_endpoints"]`, `["developer"]`},
		{apiKey, "roles", `{"keySuffix":"abcd"}`, `["developer"]`, "has only one"},
		{apiKey, "expire_at", `{"keySuffix":"abcd"}`, `"2999-12-31T01:00:00+01:00"`, `"3000-01-01T00:00:00Z"`},
		{apiKey, "expire_at", `{"keySuffix":"abcd"}`, `"2020-01-01T00:00:00Z"`, "would be valid again"},
		{apiKey, "expire_at", `{"keySuffix":"abcd"}`, `""`, "does not expire"},
		{apiKey, "ip_access_list", list(`{"source":"192.0.2.7"}`), `{"192.0.2.7":"a"}`, `{"192.0.2.7":"a","203.0.113.71":"make testlive"}`},
		{apiKey, "ip_access_list", list(``), `{}`, "admit everybody"},
		{apiKey, "ip_access_list", list(`{"source":"192.0.2.7"},{"source":"192.0.2.7/32"}`), `{"192.0.2.7":"","192.0.2.7/32":""}`, "twice"},
		{apiKey, "ip_access_list", list(`{"source":"203.0.113.71/32"}`), `{"203.0.113.71":""}`, "already"},
		{pipeScaling, "replicas", `{}`, `2`, `1`},
		{pipeScaling, "replicas", `{}`, `1`, `2`},
		{pipeScaling, "concurrency", `{}`, `0`, `1`},
		{pipeScaling, "replica_memory_gb", `{}`, `1.5`, `0.5`},
		{pipeSettings, "db_parallel_view_processing", `{"settings":{"db_max_threads":8}}`, `true`, `false`},
		{pipeSettings, "db_parallel_view_processing", `{"settings":{"db_max_threads":65}}`, `true`, "leave out db_max_threads"},
		{pipeSettings, "db_parallel_view_processing", `{"settings":{"object_storage_concurrency":0},"source":{"kafka":{}}}`, `true`, `false`},
	} {
		read := &exchange{method: "GET", status: 200, envelope: map[string]any{"result": decoded(test.shown)}}
		r := &run{s: &settings{keyID: "key", keySecret: "secret"}, recorder: &recorder{exchanges: []*exchange{read}}}
		got, why := r.other(target{kind: test.kind}, test.attribute, map[string]any{test.attribute: decoded(test.state)})
		if want := decoded(test.want); want != nil && (why != "" || !equal(got, want)) || want == nil && !strings.Contains(why, test.want) {
			t.Errorf("%s %s: %v %q, not %s", test.attribute, test.state, got, why, test.want)
		}
	}
	if r := (&run{s: &settings{keyID: "key", keySecret: "secret", apiKeyID: "key"}}); !r.mayBeOwn(map[string]any{"keySuffix": "abcd"}) {
		t.Error("the key that authenticates may be changed")
	}
	for _, k := range []kind{service, apiKey, pipeScaling, pipeSettings} {
		for _, name := range []string{"endpoints", "private_endpoint_ids", "transparent_data_encryption_key_id", "state", "release_channel"} {
			if k.members()[name] != "" {
				t.Errorf("a run may change %s of %s", name, k.resource)
			}
		}
	}
}

// testChange is a change of an attribute of an object of the mock API. original and value
// are JSON.
func testChange(k kind, attribute, original, value string) *change {
	s := &settings{serviceID: mockapi.ServiceID, apiKeyID: mockapi.APIKeyID, pipeIDs: []string{mockapi.KafkaPipeID}}
	c := &change{attribute: attribute, member: k.members()[attribute], value: decoded(value)}
	for _, t := range s.targets() {
		if t.kind == k {
			c.target = t
		}
	}
	c.original, _ = decoded(original).(map[string]any)
	return c
}

// The recorder lets only the change under test and its way back pass.
func TestCheck(t *testing.T) {
	t.Parallel()
	name := testChange(service, "name", `{"name":"Orders"}`, `"Orders test"`)
	list := testChange(service, "ip_access_list", `{"ip_access_list":{"10.0.0.0/8":"", "192.0.2.7":""}}`, `{}`)
	keyList := testChange(apiKey, "ip_access_list", `{"ip_access_list":{"198.51.100.0/24":"", "2001:db8::1":""}}`, `{}`)
	roles := testChange(apiKey, "roles", `{"roles":["admin","developer"]}`, `["admin"]`)
	cpu := testChange(pipeScaling, "replica_cpu_millicores", `{"replica_cpu_millicores":250, "replica_memory_gb":1.5}`, `125`)
	replicas := testChange(pipeScaling, "replicas", `{"replicas":2, "replica_memory_gb":1.5}`, `1`)
	threads := testChange(pipeSettings, "db_max_threads", `{"db_max_threads":8, "db_max_insert_threads":2}`, `0`)
	for _, test := range []struct {
		*change
		method, path, body string
		want               string // part of the error; empty: passes
	}{
		{name, "PATCH", name.path, `{"name":"Orders test"}`, ""},
		{name, "PATCH", name.path, `{"name":"another"}`, "a value that is not of this test"},
		{name, "PATCH", name.path, `{"name":"Orders","releaseChannel":"slow"}`, "releaseChannel is not"},
		{name, "PATCH", name.path, "[]", "is not the change"},
		{name, "PATCH", "/services/" + mockapi.OtherServiceID, `{"name":"Orders test"}`, "is not the change"},
		{list, "PATCH", list.path, `{"ipAccessList":{"add":[{"source":"203.0.113.71"}]}}`, ""},
		{list, "PATCH", list.path, `{"ipAccessList":{"remove":[{"source":"203.0.113.71/32"}]}}`, ""},
		{list, "PATCH", list.path, `{"ipAccessList":{"add":[{"source":"0.0.0.0/0"}]}}`, "only the entry"},
		{list, "PATCH", list.path, `{"ipAccessList":{"add":[{"source":"192.0.2.7"}],"remove":[{"source":"192.0.2.7"}]}}`, "only the entry"},
		{keyList, "PATCH", keyList.path, `{"ipAccessList":[{"source":"198.51.100.0/24"},{"source":"2001:db8::1"},{"source":"203.0.113.71"}]}`, ""},
		{keyList, "PATCH", keyList.path, `{"ipAccessList":[{"source":"198.51.100.0/24"},{"source":"203.0.113.71"}]}`, "only the entry"},
		{keyList, "PATCH", keyList.path, `{"ipAccessList":[{"source":"198.51.100.0/24"},{"source":"2001:db8::1"},{"source":"192.0.2.7"}]}`, "only the entry"},
		{roles, "PATCH", roles.path, `{"roles":["developer","admin"]}`, ""},
		{roles, "PATCH", roles.path, `{"roles":["admin","query_endpoints"]}`, "a value that is not of this test"},
		{cpu, "PATCH", cpu.path + "/scaling", `{"replicaCpuMillicores":125.0}`, ""},
		{cpu, "PATCH", cpu.path + "/scaling", `{"replicaCpuMillicores":125,"replicaMemoryGb":1.5}`, ""},
		{cpu, "PATCH", cpu.path + "/scaling", `{"replicaCpuMillicores":125,"replicaMemoryGb":0.5}`, "replicaMemoryGb is not"},
		{cpu, "PATCH", cpu.path + "/scaling", `{"replicaCpuMillicores":125,"replicas":2}`, "replicas is not"},
		{replicas, "PATCH", cpu.path + "/scaling", `{"replicas":1,"replicaMemoryGb":1.5}`, "replicaMemoryGb is not"},
		{threads, "PUT", cpu.path + "/settings", `{"db_max_threads":0,"db_max_insert_threads":2,"db_new":5}`, ""}, // object_storage_concurrency is not for kafka
		{threads, "PUT", cpu.path + "/settings", `{"db_max_threads":0,"db_max_insert_threads":2,"db_new":5,"object_storage_concurrency":3}`, ""},
		{threads, "PUT", cpu.path + "/settings", `{"db_max_threads":0,"db_max_insert_threads":3,"db_new":5}`, "db_max_insert_threads is not"},
		{threads, "PUT", cpu.path + "/settings", `{"db_max_threads":0,"db_max_insert_threads":2,"db_new":5,"db_max_download_threads":null}`, "db_max_download_threads is not"},
		{threads, "PUT", cpu.path + "/settings", `{"db_max_threads":0,"db_new":5}`, "db_max_insert_threads would be left out"},
		{threads, "PUT", cpu.path + "/settings", `{"db_max_threads":0,"db_max_insert_threads":2}`, "db_new would be left out"},
	} {
		read := &exchange{envelope: map[string]any{"result": decoded(`{
			"ipAccessList": [{"source":"198.51.100.0/24"}, {"source":"2001:db8::1"}],
			"settings": {"db_max_threads":8, "db_max_insert_threads":2, "object_storage_concurrency":3, "db_new":5},
			"source": {"kafka":{}}
		}`)}}
		if test.change == list {
			read = nil
		}
		e := &exchange{method: test.method, path: test.path}
		_ = decode([]byte(test.body), &e.sent)
		err := test.check(e, read)
		if isSent := err == nil; isSent != (test.want == "") || !isSent && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s %s: %v, not %q", test.method, test.path, test.body, err, test.want)
		}
	}
}
