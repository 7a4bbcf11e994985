package transport

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestNotFound: only the API itself can report that an object is gone.
func TestNotFound(t *testing.T) {
	t.Parallel()
	const another = -1 // no 404
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   notFound
	}{
		{"404 without a body", 404, "", objectNotFound},
		{"404 in the envelope", 200, `{"status":404,"error":"NOT_FOUND"}`, objectNotFound},
		{"404 about the path", 404, `{"error":"Not Found","message":"Cannot GET /api/v1/organizations/x"}`, pathNotFound},
		{"404 about the organization", 404, `{"error":"Not Found","message":"organization 0001 does not exist"}`, organizationNotFound},
		{"410", 410, `{"error":"GONE"}`, objectNotFound},
		{"404 with a page", 404, "<html><title>404 Not Found</title></html>", gatewayNotFound},
		{"404 that breaks off", 404, `{"status":404,"err`, gatewayNotFound},
		{"400", 400, `{"status":404}`, another},
	} {
		err := scale(t, clientOf(t, returns(test.status, test.body)))
		isGateway := strings.HasPrefix(asError(t, err).Message, "something other than the API responded: ")
		if IsNotFound(err) != (test.want == objectNotFound) || IsOrganizationNotFound(err) != (test.want == organizationNotFound) ||
			Is404(err) != (test.want != another) || isGateway != (test.want == gatewayNotFound) {
			t.Errorf("%s: %+v", test.name, err)
		}
	}
	if IsNotFound(nil) || IsNotFound(http.ErrServerClosed) || IsOutcomeUnknown(nil) || !IsNotFound(fmt.Errorf("wrapped: %w", &Error{Status: 404})) {
		t.Error("errors of other types")
	}
}

func TestIsAboutPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Not Found: Cannot GET /api/v1/organizations/x":         true,
		"no Route matched with those values":                    true,
		"Not Found: No static resource api/v1/organizations/x.": true,
		"no such endpoint":                                            true,
		"private endpoint not found":                                  false,
		"NOT_FOUND: pipe 22 of service 11 unknown":                    false,
		"organization 00000000-0000-4000-8000-00000000000b not found": false,
	} {
		if isAboutPath(text) != want {
			t.Errorf("%s: not %t", text, want)
		}
	}
}

// TestIsAboutOrganization: a text that names an object is about that.
func TestIsAboutOrganization(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Organization 0001 not found":                                                  true,
		"The organisation 0001 does not exist":                                         true,
		"Not Found: no such organization":                                              true,
		"The requested organization was not found":                                     true,
		"Organization id=0001 not found":                                               true,
		"organization with ID 00000000-0000-4000-8000-00000000000b could not be found": true,
		"Organization: not found":                                                      true,
		"Organization 'acme' does not exist":                                           true,
		"Organization unit 7 not found":                                                false,
		"pipe not found in organization 0001":                                          false,
		"not found in this organization":                                               false,
		"Organization 0001: pipe not found":                                            false,
		"Organization 0001 has no pipe 22":                                             false,
		"NOT_FOUND: pipe 22 of service 11 unknown":                                     false,
	} {
		if isAboutOrganization(text) != want {
			t.Errorf("%s: not %t", text, want)
		}
	}
}
