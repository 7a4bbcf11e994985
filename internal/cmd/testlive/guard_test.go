package main

import (
	"context"
	"io"
	"net/http"
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
		{Kind: "key", Path: "/keys/open", Original: map[string]any{"ipAccessList": nil}},
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
		{"PATCH", "/keys/k", `{"ipAccessList":[{"source":"192.0.2.7"},{"source":"10.0.0.0/8"},{"source":"203.0.113.71"}]}`, true},
		{"PATCH", "/keys/k", `{"ipAccessList":[{"source":"10.0.0.0/8"},{"source":"203.0.113.71"}]}`, false},
		{"PATCH", "/keys/open", `{"ipAccessList":[]}`, false},
	} {
		if err := g.check(test.method, test.path, []byte(test.body)); (err == nil) != test.ok {
			t.Errorf("%s %s %s: %v", test.method, test.path, test.body, err)
		}
	}
}

// The record, which the proxy sends through, sends no change while a run reads, and
// the run fails.
func TestRecordRefusesChanges(t *testing.T) {
	t.Parallel()
	mock := mockapi.New()
	r := newRun(testSettings(t, serve(t, mock), nil), io.Discard)
	for body, want := range map[string]int{"{}": http.StatusOK, `{"name":"x"}`: http.StatusBadRequest} {
		if e, err := r.client.once(t.Context(), "PATCH", keyPath(mockapi.APIKeyID), []byte(body)); err != nil || e.status != want {
			t.Errorf("%s: %v, %v", body, e, err)
		}
	}
	if r.checkRefused(); len(r.failures) != 1 || len(mock.Requests()) != 1 {
		t.Errorf("failures: %q, %d requests reached the API", r.failures, len(mock.Requests()))
	}
}

// The end of the proxy waits for a change that is under way, so that what follows
// can undo it.
func TestProxyEndWaits(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	made := atomic.Bool{}
	s := testSettings(t, serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		interrupt()
		time.Sleep(300 * time.Millisecond)
		made.Store(true)
	})), nil)
	record, path := newRecord(s), pipePath(mockapi.ServiceID, mockapi.KafkaPipeID)
	record.guard.allow(&object{Kind: "pipe", Path: path})
	baseURL, end, err := record.serve(t.Context(), s.baseURL)
	if err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequestWithContext(ctx, http.MethodPatch, baseURL+record.prefix+path+"/scaling", strings.NewReader(`{"replicas":3}`))
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
	for name, suffix := range map[string]any{"of the secret": "cret", "of the id": "y-id", "masked": "****cret", "not returned": nil} {
		mock := mockapi.New()
		mock.Change(mockapi.Key, mockapi.APIKeyID, func(key mockapi.Object) { key["keySuffix"] = suffix })
		out, err := runTest(t.Context(), t, serve(t, mock), writes(env{"DBPLATFORM_TEST_SERVICE_ID": "", "DBPLATFORM_TEST_PIPE_ID": ""}))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		for _, body := range mock.Sent("updateKey") {
			if body != "{}" {
				t.Errorf("%s: sent %s", name, body)
			}
		}
	}
}
