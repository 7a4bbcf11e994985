package mockapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The paths of the seeded objects, as literals, so that a mistake in a constant
// of the mock API shows.
const (
	organizationPath = "/v1/organizations/00000000-0000-4000-8000-000000000001"
	servicePath      = organizationPath + "/services/11111111-1111-4111-8111-111111111111"
	otherServicePath = organizationPath + "/services/11111111-1111-4111-8111-222222222222"
	backupsPath      = servicePath + "/backups"
	pipePath         = servicePath + "/pipes/22222222-2222-4222-8222-111111111111"
	kinesisPath      = servicePath + "/pipes/22222222-2222-4222-8222-333333333333"
	postgresPath     = servicePath + "/pipes/22222222-2222-4222-8222-444444444444"
	scalingPath      = pipePath + "/scaling"
	settingsPath     = pipePath + "/settings"
	keyPath          = organizationPath + "/keys/33333333-3333-4333-8333-111111111111"
	otherKeyPath     = organizationPath + "/keys/33333333-3333-4333-8333-222222222222"

	unknownID   = "99999999-9999-4999-8999-999999999999"
	unknownPipe = servicePath + "/pipes/" + unknownID
)

// request is a request with the right credentials. A body is JSON.
func request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.SetBasicAuth("mock-key-id", "mock-key-secret")
	return r
}

func serve(s *Server, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// send sends a request by the method that fits path and body.
func send(s *Server, path, body string) *httptest.ResponseRecorder {
	method := http.MethodPatch
	switch {
	case body == "":
		method = http.MethodGet
	case strings.HasSuffix(path, "/settings"):
		method = http.MethodPut
	}
	return serve(s, request(method, path, body))
}

// result sends a request that must succeed and returns the response's result.
func result(t *testing.T, s *Server, path, body string) any {
	t.Helper()
	w := send(s, path, body)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", path, body, w.Code, w.Body)
	}
	return decoded(t, w.Body.String()).(Object)["result"]
}

func object(t *testing.T, s *Server, path, body string) Object {
	t.Helper()
	return result(t, s, path, body).(Object)
}

// refused sends a request that must be refused with status, and returns the
// message of the error.
func refused(t *testing.T, s *Server, status int, path, body string) string {
	t.Helper()
	return errorMessage(t, send(s, path, body), status)
}

func errorMessage(t *testing.T, w *httptest.ResponseRecorder, status int) string {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d; %s", w.Code, status, w.Body)
	}
	var envelope struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil || envelope.Error == "" {
		t.Errorf("no error message: %s", w.Body)
	}
	return envelope.Error
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	value, err := decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// same compares JSON values; want is JSON.
func same(t *testing.T, what string, got any, want string) {
	t.Helper()
	if diff := cmp.Diff(decoded(t, want), canonical(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// contains checks that a text has all parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
}

// unchanged checks at the end of a test that nothing stored has changed.
func unchanged(t *testing.T, s *Server) {
	t.Helper()
	stored := func() []Object {
		return []Object{s.Object(Service, ServiceID), s.Object(Key, APIKeyID), s.Object(Pipe, KafkaPipeID)}
	}
	before := stored()
	t.Cleanup(func() {
		if diff := cmp.Diff(before, stored()); diff != "" {
			t.Errorf("a refused request changed (-before +after):\n%s", diff)
		}
	})
}
