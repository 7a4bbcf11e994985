package main

import (
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Another value of each kind of attribute, or why there is none.
func TestOtherValue(t *testing.T) {
	t.Parallel()
	const service, key, scaling, pipeSettings = 0, 1, 2, 3
	const fifty = "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKL"
	list := func(entries string) string { return `{"keySuffix":"abcd", "ipAccessList":[` + entries + `]}` }
	for _, test := range []struct {
		kind               int
		attribute          string
		shown, state, want string // state and want: of the attribute
	}{
		{service, "name", `{}`, `"Orders"`, `"Orders test"`},
		{service, "name", `{}`, `"` + fifty + `"`, `"` + fifty[1:] + `"`},
		{service, "name", `{}`, `"a-b"`, "no other name"},
		{key, "name", `{"keySuffix":"cret"}`, `"CI"`, `"CI test"`},
		{key, "roles", `{"keySuffix":"cret"}`, `["admin","developer"]`, "may use this key"},
		{key, "roles", `{"keySuffix":"abcd"}`, `["admin","developer"]`, `["admin"]`},
		{key, "roles", `{"keySuffix":"abcd"}`, `["developer","query_endpoints"]`, `["developer"]`},
		{key, "roles", `{"keySuffix":"abcd"}`, `["developer"]`, "has only one"},
		{key, "expire_at", `{"keySuffix":"abcd"}`, `"2999-12-31T01:00:00+01:00"`, `"3000-01-01T00:00:00Z"`},
		{key, "expire_at", `{"keySuffix":"abcd"}`, `"2020-01-01T00:00:00Z"`, "would be valid again"},
		{key, "expire_at", `{"keySuffix":"abcd"}`, `""`, "does not expire"},
		{key, "ip_access_list", list(`{"source":"192.0.2.7"}`), `{"192.0.2.7":"a"}`, `{"192.0.2.7":"a","203.0.113.71":"make testlive"}`},
		{key, "ip_access_list", list(``), `{}`, "admit everybody"},
		{key, "ip_access_list", list(`{"source":"192.0.2.7"},{"source":"192.0.2.7/32"}`), `{"192.0.2.7":"","192.0.2.7/32":""}`, "twice"},
		{key, "ip_access_list", list(`{"source":"203.0.113.71/32"}`), `{"203.0.113.71":""}`, "already"},
		{scaling, "replicas", `{"scaling":{}}`, `2`, `3`},
		{scaling, "replicas", `{"scaling":{}}`, `10`, `1`},
		{scaling, "replicas", `{"scaling":{}}`, `"many"`, "certainly valid"},
		{scaling, "concurrency", `{"scaling":{}}`, `0`, `1`},
		{scaling, "replica_cpu_millicores", `{"scaling":{}}`, `250`, `500`},
		{scaling, "replica_memory_gb", `{"scaling":{}}`, `1.5`, `3`},
		{pipeSettings, "db_parallel_view_processing", `{"settings":{"db_max_threads":8}}`, `true`, `false`},
		{pipeSettings, "db_parallel_view_processing", `{"settings":{"db_max_threads":65}}`, `true`, "leave out db_max_threads"},
	} {
		read := &exchange{method: "GET", status: 200, envelope: map[string]any{"result": value(test.shown)}}
		r := &run{s: &settings{keyID: "key", keySecret: "secret"}, recorder: &recorder{exchanges: []*exchange{read}}}
		got, why := r.otherValue(target{kind: kinds[test.kind]}, test.attribute, map[string]any{test.attribute: value(test.state)})
		if want := value(test.want); want != nil && (why != "" || !equal(got, want)) || want == nil && !strings.Contains(why, test.want) {
			t.Errorf("%s %s: %v %q, not %s", test.attribute, test.state, got, why, test.want)
		}
	}
	for _, k := range kinds {
		for _, name := range []string{"endpoints", "private_endpoint_ids", "transparent_data_encryption_key_id", "state", "release_channel"} {
			if k.members()[name] != "" {
				t.Errorf("a run may change %s of %s", name, k.resource)
			}
		}
	}
}

// A key is another than the one that authenticates only if its suffix shows that.
func TestMayBeOwn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		keyID, secret, suffix string
		want                  bool
	}{
		{"id-1234", "secret-5678", "x7Kq", false},
		{"id-1234", "secret-5678", "1234", true},
		{"id-1234", "secret-5678", "***5678", true},
		{"id-1234", "secret-5678", "", true},
		{"id-1234", "secret-5678", "****", true},
		{mockapi.APIKeyID, "secret-5678", "x7Kq", true},
	} {
		r := &run{s: &settings{keyID: test.keyID, keySecret: test.secret, apiKeyID: mockapi.APIKeyID}}
		if got := r.mayBeOwn(map[string]any{"keySuffix": test.suffix}); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
