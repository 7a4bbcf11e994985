package main

import (
	"net/url"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// Without an account or an object, a run says what to set, and succeeds.
func TestSkipped(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{
		{"DBPLATFORM_BASE_URL": ""},
		{"DBPLATFORM_ORGANIZATION_ID": ""},
		{"DBPLATFORM_KEY_ID": ""},
		{"DBPLATFORM_KEY_SECRET": ""},
		{"DBPLATFORM_TEST_SERVICE_ID": "", "DBPLATFORM_TEST_PIPE_ID": "", "DBPLATFORM_TEST_API_KEY_ID": ""},
	} {
		var out strings.Builder
		if err := test(t.Context(), &out, environment("https://api.example.com", env), &settings{}); err != nil {
			t.Errorf("%v: %v", env, err)
		}
		for _, want := range []string{"DBPLATFORM_KEY_SECRET", "DBPLATFORM_TEST_API_KEY_ID", "Skipped: nothing was tested."} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: no %s in:\n%s", env, want, &out)
			}
		}
	}
}

// Credentials never travel in clear: the provider cannot see the API's address.
func TestBaseURL(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"https://api.example.com": true, "https://api.example.com/prefix/": true, "http://127.0.0.1:80": true, "http://localhost:80": true, "http://[::1]:80": true,
		"http://api.example.com": false, "api.example.com": false, "ftp://127.0.0.1": false, "https://": false,
	} {
		if _, err := newSettings(environment(text, nil)); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := newSettings(environment("https://api.example.com", map[string]string{"DBPLATFORM_TEST_SERVICE_ID": ""})); err == nil {
		t.Error("pipes without their service are accepted")
	}
}

// The summary names what was not tested, and the table says why.
func TestSummary(t *testing.T) {
	t.Parallel()
	baseURL := startMock(t)
	var out strings.Builder
	env := environment(baseURL, map[string]string{"DBPLATFORM_TEST_SERVICE_ID": "", "DBPLATFORM_TEST_PIPE_ID": "", "DBPLATFORM_TEST_API_KEY_ID": mockapi.APIKeyID})
	if err := test(t.Context(), &out, env, &settings{}); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	for _, want := range []string{
		"Not tested: a service. DBPLATFORM_TEST_SERVICE_ID is not set.", "Not tested: pipes. DBPLATFORM_TEST_PIPE_ID is not set.",
		"DBPLATFORM_TEST_WRITES is not 1", "| Whole numbers | not observed: no response has one |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
}
