package mockapi

import (
	"net/http"
	"testing"
)

// A second administrator ends a lockout. A key without a role that may update only reads.
func TestCredentials(t *testing.T) {
	t.Parallel()
	const ownKeyPath = organizationPath + "/keys/" + OwnAPIKeyID
	s := New()
	as := func(id, secret, method, path, body string) int {
		r := request(method, path, body)
		r.SetBasicAuth(id, secret)
		return serve(s, r).Code
	}
	for i, step := range []struct {
		id, secret, method, path, body string
		want                           int
	}{
		{"mock-key-id", "mock-key-secret", http.MethodPatch, ownKeyPath, `{"state":"disabled"}`, 200},
		{"mock-key-id", "mock-key-secret", http.MethodGet, pipePath, "", 401},
		{"mock-key-p2Zd", "mock-secret-p2Zd", http.MethodGet, pipePath, "", 200},
		{"mock-key-p2Zd", "mock-secret-p2Zd", http.MethodPatch, ownKeyPath, `{"state":"enabled"}`, 403},
		{"mock-key-m9Lw", "mock-secret-p2Zd", http.MethodGet, pipePath, "", 401},
		{"mock-key-m9Lw", "mock-secret-m9Lw", http.MethodPatch, ownKeyPath, `{"state":"enabled"}`, 200},
		{"mock-key-id", "mock-key-secret", http.MethodPatch, ownKeyPath, `{}`, 200},
		{"mock-key-m9Lw", "mock-secret-m9Lw", http.MethodPatch, organizationPath + "/keys/" + OtherAPIKeyID, `{"state":"disabled"}`, 200},
		{"mock-key-p2Zd", "mock-secret-p2Zd", http.MethodGet, pipePath, "", 401},
	} {
		if got := as(step.id, step.secret, step.method, step.path, step.body); got != step.want {
			t.Errorf("step %d: %d, not %d", i, got, step.want)
		}
	}
}
