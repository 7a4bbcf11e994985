package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Nothing is sent but reads and changes that can be restored.
func TestGuard(t *testing.T) {
	t.Parallel()
	list := decode([]byte(`[{"source": "10.0.0.0/8"}, {"source": "192.0.2.7"}]`))
	g := newGuard()
	for _, o := range []*object{
		{Kind: "service", Path: "/services/s", Original: map[string]any{"name": "S", "ipAccessList": list, "privateEndpointIds": []any{"a"}}},
		{Kind: "pipe", Path: "/services/s/pipes/p"},
		{Kind: "key", Path: "/keys/k", Original: map[string]any{"name": "K", "ipAccessList": list}},
	} {
		g.allow(o)
	}
	for _, test := range []struct {
		method, path, body string
		ok                 bool
	}{
		{"GET", "/services/other", "", true},
		{"PATCH", "/services/other", "{}", true},
		{"PATCH", "/services/other", `{"name":"x"}`, false},
		{"DELETE", "/services/s/pipes/p", "", false},
		{"POST", "/services/s", "{}", false},
		{"PATCH", "/services/s", `{"name":"x"}`, true},
		{"PATCH", "/services/s", `{"releaseChannel":"slow"}`, false}, // not returned, so not restorable
		{"PATCH", "/services/s", `{"name":"x","endpoints":[]}`, false},
		{"PATCH", "/services/s", `{"transparentDataEncryptionKeyId":"x"}`, false},
		{"PATCH", "/services/s", `["name"]`, false},
		{"PATCH", "/services/s", `{"ipAccessList":{"add":[{"source":"203.0.113.71"}]}}`, true},
		{"PATCH", "/services/s", `{"ipAccessList":{"remove":[{"source":"203.0.113.71/32"}]}}`, true},
		{"PATCH", "/services/s", `{"ipAccessList":{"remove":[{"source":"192.0.2.7"}]}}`, false},
		{"PATCH", "/services/s", `{"privateEndpointIds":{"remove":["b"]}}`, true},
		{"PATCH", "/services/s", `{"privateEndpointIds":{"remove":["a"]}}`, false},
		{"PATCH", "/services/s/pipes/p/scaling", `{"replicas":3}`, true},
		{"PATCH", "/services/s/pipes/other/scaling", `{"replicas":3}`, false},
		{"PUT", "/services/s/pipes/p/settings", `{"db_max_threads":3}`, true},
		{"PATCH", "/keys/k", `{"state":"disabled"}`, false},
		{"PATCH", "/keys/k", `{"roles":["admin"]}`, false},
		{"PATCH", "/keys/k", `{"ipAccessList":[{"source":"a"},{"source":"b"}]}`, true},
		{"PATCH", "/keys/k", `{"ipAccessList":[{"source":"a"}]}`, false},
	} {
		if err := g.check(test.method, test.path, []byte(test.body)); (err == nil) != test.ok {
			t.Errorf("%s %s %s: %v", test.method, test.path, test.body, err)
		}
	}
}

// The proxy sends no change while a run reads, and the run fails.
func TestProxyRefusesChanges(t *testing.T) {
	t.Parallel()
	mock := mockapi.New()
	server := httptest.NewServer(mock)
	defer server.Close()
	s, err := newSettings(environment(server.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	r := newRun(s, &out)
	baseURL, end, err := r.record.serve(t.Context(), s.baseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = end() }()
	proxied := newClient(s, r.record)
	proxied.http.Transport = http.DefaultTransport
	proxied.s = &settings{baseURL: mustParse(t, baseURL), organizationID: s.organizationID, keyID: s.keyID, keySecret: s.keySecret}

	if e, err := proxied.once(t.Context(), "PATCH", keyPath(mockapi.APIKeyID), []byte("{}")); err != nil || e.status != http.StatusOK {
		t.Errorf("a read: %v, %v", e, err)
	}
	if e, err := proxied.once(t.Context(), "PATCH", keyPath(mockapi.APIKeyID), []byte(`{"name":"x"}`)); err != nil || e.status != http.StatusBadRequest {
		t.Errorf("a change: %v, %v", e, err)
	}
	if requests := mock.Requests(); len(requests) != 1 {
		t.Errorf("%d requests reached the API", len(requests))
	}
	if r.checkRefused(); len(r.failures) != 1 {
		t.Errorf("failures: %q", r.failures)
	}
}

// The end of the proxy waits for a change that is under way, so that what follows
// can undo it.
func TestProxyEndWaits(t *testing.T) {
	t.Parallel()
	arrived, made := make(chan struct{}), atomic.Bool{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		time.Sleep(testDoubt)
		made.Store(true)
	}))
	defer server.Close()
	s, err := newSettings(environment(server.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	record := newRecord(s)
	record.guard.allow(&object{Kind: "pipe", Path: pipePath(mockapi.ServiceID, mockapi.KafkaPipeID)})
	baseURL, end, err := record.serve(t.Context(), s.baseURL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-arrived
		interrupt()
	}()
	url := baseURL + record.prefix + pipePath(mockapi.ServiceID, mockapi.KafkaPipeID) + "/scaling"
	request, _ := http.NewRequestWithContext(ctx, http.MethodPatch, url, strings.NewReader(`{"replicas":3}`))
	if _, err := http.DefaultClient.Do(request); err == nil {
		t.Error("the request was not given up")
	}
	if err := end(); err != nil || !made.Load() {
		t.Errorf("%v, the change was made: %t", err, made.Load())
	}
}

// Of a key that may be the one that authenticates, nothing but the name is
// changed.
func TestOwnKey(t *testing.T) {
	t.Parallel()
	for name, suffix := range map[string]any{"of the secret": "cret", "of the id": "y-id", "not returned": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mock := mockapi.New()
			mock.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["keySuffix"] = suffix })
			server := httptest.NewServer(mock)
			defer server.Close()
			var out strings.Builder
			env := environment(server.URL, map[string]string{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_PIPE_ID": ""})
			if err := test(t.Context(), &out, env, &settings{journal: filepath.Join(t.TempDir(), "journal.json"), doubt: testDoubt}); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			for _, body := range mock.Sent("updateKey") {
				if body != "{}" {
					t.Errorf("sent %s", body)
				}
			}
		})
	}
}
