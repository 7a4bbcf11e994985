package mockapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The paths of the seeded objects, spelt out once more so that a mistake in a
// constant shows.
const (
	organizationPath = "/v1/organizations/00000000-0000-4000-8000-000000000001"
	servicePath      = organizationPath + "/services/11111111-1111-4111-8111-111111111111"
	otherServicePath = organizationPath + "/services/11111111-1111-4111-8111-222222222222"
	pipePath         = servicePath + "/pipes/22222222-2222-4222-8222-111111111111"
	keyPath          = organizationPath + "/keys/33333333-3333-4333-8333-111111111111"
	unknownID        = "99999999-9999-4999-8999-999999999999"
)

// request is one as a client sends it; a body is JSON.
func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(method, path, http.NoBody)
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	r.SetBasicAuth("mock-key-id", "mock-key-secret")
	return r
}

// send has the server respond, without a network.
func send(s *Server, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, request(method, path, body))
	return w
}

// result sends a request that must succeed and returns the response's result.
func result[T any](t *testing.T, s *Server, method, path, body string) T {
	t.Helper()
	w := send(s, method, path, body)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s %s: %d %s", method, path, body, w.Code, w.Body)
	}
	value, err := decode(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	typed, ok := value.(Object)["result"].(T)
	if !ok {
		t.Fatalf("%s %s: result is %s", method, path, w.Body)
	}
	return typed
}

// refused sends a request that must be refused with status, and returns what
// the response says.
func refused(t *testing.T, s *Server, status int, method, path, body string) string {
	t.Helper()
	w := send(s, method, path, body)
	if w.Code != status {
		t.Errorf("%s %s %s: status %d, want %d; %s", method, path, body, w.Code, status, w.Body)
	}
	var envelope struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil || envelope.Error == "" {
		t.Errorf("%s %s: the error says nothing: %s", method, path, w.Body)
	}
	return envelope.Error
}

// same compares JSON values; want is JSON.
func same(t *testing.T, what string, got any, want string) {
	t.Helper()
	wanted, err := decode([]byte(want))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(wanted, canonical(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func sameObjects(t *testing.T, want, got Object) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// setBackups replaces the backups of a service.
func setBackups(s *Server, serviceID string, backups ...Object) {
	s.store.backups[s.store.must(Service, serviceID).id()] = canonical(append([]Object{}, backups...)).([]any)
}
