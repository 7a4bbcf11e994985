package mockapi

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// What is refused whatever the operation does with its body. Credentials are
// checked first, and an unknown object is reported before a wrong body.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	const (
		elsewhere = "/v1/organizations/" + unknownID
		unknown   = organizationPath + "/services/" + unknownID
		wrong     = `{"unknown":"member"}`
	)
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	login := func(id, secret string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(id, secret) }
	}
	broken := func(r *http.Request) {
		r.Body = io.NopCloser(io.MultiReader(r.Body, iotest.ErrReader(errors.New("broken"))))
	}
	for _, test := range []struct {
		status        int
		request       string // method and path
		body, message string
		change        func(*http.Request)
	}{
		{401, "PATCH /", "{", "", func(r *http.Request) { r.Header.Del("Authorization") }},
		{401, "GET " + pipePath, "", "", login("mock-key-id", "other")},
		{401, "GET " + pipePath, "", "", login("other", "mock-key-secret")},

		{404, "GET " + pipePath + "/", "", "nothing at " + pipePath, nil},
		{404, "GET /v2" + strings.TrimPrefix(pipePath, "/v1"), "", "", nil},
		{405, "GET " + servicePath, "", "does not allow GET", nil},

		{400, "GET " + servicePath + "/pipes/22222222222242228222111111111111", "", "36 characters", nil},
		{400, "GET " + servicePath + "/pipes/22222222-2222-4222-8222-11111111111g", "", "pipeId", nil},

		{404, "PUT " + unknownPipe + "/settings", wrong, "pipe " + unknownID, nil},
		{404, "PATCH " + unknown, wrong, "service", nil},
		{404, "PATCH " + organizationPath + "/keys/" + ServiceID, wrong, "API key", nil},
		{404, "GET " + otherServicePath + "/pipes/" + KafkaPipeID, "", "pipe", nil},
		{404, "PATCH " + elsewhere + "/keys/" + APIKeyID, "{}", "organization", nil},

		{400, "PUT " + settingsPath, "{}", "at least one setting", nil},
		{415, "PATCH " + keyPath, "{}", "must be application/json", with("Content-Type", "text/plain")},
		{400, "GET " + pipePath, "{}", "takes no body", nil},
		{400, "PATCH " + keyPath, "", "not JSON", with("Content-Type", "application/json")},
		{400, "PATCH " + keyPath, `{"name":}`, "not JSON", nil},
		{400, "PATCH " + keyPath, `{} {}`, "more than one JSON value", nil},
		{400, "PUT " + settingsPath, `null`, "body: ", nil},
		{400, "PATCH " + keyPath, `{"name":"x"}`, "ends too early", broken},
		{400, "PATCH " + servicePath, `{"id":"x"}`, `property "id" is unsupported`, nil},
		{400, "PATCH " + servicePath, `{"ipAccessList":{"add":[{"source":"a"},{"source":null}]}}`, `ipAccessList.add.1.source: `, nil},
		{
			400, "PATCH " + scalingPath, `{"replicas":11,"concurrency":-1,"replicaMemoryGb":0.1}`,
			"concurrency: number must be at least 0; replicaMemoryGb: number must be at least 0.5; replicas: number must be at most 10", nil,
		},
		{413, "PATCH " + keyPath, strings.Repeat(" ", 1<<20+1), "1048576 bytes", nil},
	} {
		s := New()
		unchanged(t, s)
		method, path, _ := strings.Cut(test.request, " ")
		r := request(method, path, test.body)
		if test.change != nil {
			test.change(r)
		}
		w := serve(s, r)
		contains(t, errorMessage(t, w, test.status), test.message)
		if w.Header().Get("Allow") == "PATCH" != (test.status == 405) || (w.Header().Get("Www-Authenticate") == "") != (test.status != 401) {
			t.Errorf("%s: %d with %v", test.request, test.status, w.Header())
		}
		if len(s.Requests()[0].Body) > 1<<20 {
			t.Errorf("%s: more than a MiB is recorded", test.request)
		}
	}
	refused(t, New(WithVariants(Variants{"gone"})), http.StatusGone, unknownPipe, "")
	for _, path := range []string{servicePath, keyPath} {
		s := New(WithVariants(Variants{"refuse_empty_patch=422"}))
		refused(t, s, http.StatusUnprocessableEntity, path, "{}")
		object(t, s, path, `{"name":"x"}`)
	}
	s := New(WithVariants(Variants{"postgres_settings=405"}))
	contains(t, refused(t, s, http.StatusMethodNotAllowed, postgresPath+"/settings", `{"db_max_threads":4}`), "cannot PUT "+postgresPath)
	object(t, s, settingsPath, `{"db_max_threads":4}`)
	object(t, s, postgresPath, "")
	idle := New(WithVariants(Variants{"idle_service"}))
	refused(t, idle, http.StatusFailedDependency, backupsPath, "")
	object(t, idle, keyPath, "{}")
}

// Variants that hide services and keys, except those under which an apply has to fail.
func TestHidesObjects(t *testing.T) {
	t.Parallel()
	for want, all := range map[bool][]Variants{
		true:  {{"refuse_empty_patch=400"}, {"refuse_empty_patch=405", "shuffle"}},
		false: {{}, {"read_only_key"}, {"refuse_empty_patch=500"}, {"refuse_empty_patch=400", "read_only_key"}},
	} {
		for _, variants := range all {
			if New(WithVariants(variants)).HidesObjects() != want {
				t.Errorf("%v: not %t", variants, want)
			}
		}
	}
	if (*Server)(nil).HidesObjects() {
		t.Error("no server hides objects")
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	s := New()
	send(s, keyPath, "{ \"name\" : \"a b\",\n \"expireAt\": null }")
	send(s, pipePath, "")
	send(s, keyPath, `no JSON {`)
	if sent := s.Sent("updateKey"); !slices.Equal(sent, []string{`{"name":"a b","expireAt":null}`, `no JSON {`}) {
		t.Errorf("sent: %q", sent)
	}
	all := s.Requests()
	if all[1].Writes() || !all[0].Writes() || (Request{Method: http.MethodPatch, Body: []byte("{}")}).Writes() {
		t.Error("a read counts as a write, or the other way round")
	}
	if !SameJSON(`{"a":1,"b":[]}`, ` {"b":[], "a":1.0}`) || SameJSON(`{"a":1}`, `{"a":2}`) || SameJSON(`{`, `{`) {
		t.Error("JSON is not compared by its value")
	}
	if r := all[1]; r.Operation != "getPipe" || r.Method != http.MethodGet || r.Path != pipePath || r.Status != 200 || r.Header.Get("Authorization") != "" {
		t.Errorf("%+v", r)
	}
	if r := all[2]; r.Status != 400 || r.ShortPath() != "/keys/…1111" {
		t.Errorf("%+v", r)
	}
	if s.ResetRequests(); len(s.Requests()) > 0 {
		t.Error("the reset forgets nothing")
	}
}
