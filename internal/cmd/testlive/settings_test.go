package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Without an account or an object, a run names what is not set, and succeeds.
func TestSkipped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		absent []string
		want   string
	}{
		{[]string{"DBPLATFORM_BASE_URL"}, "DBPLATFORM_BASE_URL"},
		{[]string{"DBPLATFORM_ORGANIZATION_ID", "DBPLATFORM_KEY_ID"}, "DBPLATFORM_ORGANIZATION_ID, DBPLATFORM_KEY_ID"},
		{[]string{"DBPLATFORM_KEY_SECRET"}, "DBPLATFORM_KEY_SECRET"},
		{[]string{"DBPLATFORM_TEST_SERVICE_ID", "DBPLATFORM_TEST_API_KEY_ID"}, "DBPLATFORM_TEST_SERVICE_ID or DBPLATFORM_TEST_API_KEY_ID"},
	} {
		more := env{}
		for _, name := range test.absent {
			more[name] = ""
		}
		var out strings.Builder
		if err := start(t.Context(), &out, environment("https://api.example.com", more).get, settings{}); err != nil {
			t.Errorf("%s: %v", test.want, err)
		}
		contains(t, out.String(), "Skipped: nothing was tested. Not set: "+test.want+".\n", "one or several pipes")
	}
}

// Credentials never travel in clear: the provider cannot see the API's address. An
// id in another form is refused here, because what an API says of it is no finding.
func TestInvalidSettings(t *testing.T) {
	t.Parallel()
	const base = "https://api.example.com"
	for text, ok := range map[string]bool{
		base: true, base + "/prefix/": true, "http://127.0.0.1:80": true, "http://localhost:80": true, "http://[::1]:80": true,
		"http://api.example.com": false, "api.example.com": false, "ftp://127.0.0.1": false, "https://": false,
	} {
		if err := new(settings).readEnvironment(environment(text, nil).get); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	for name, value := range map[string]string{
		"DBPLATFORM_ORGANIZATION_ID": "acme", "DBPLATFORM_TEST_SERVICE_ID": "acme", "DBPLATFORM_TEST_API_KEY_ID": mockapi.KeyID,
		"DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID + ", " + strings.ReplaceAll(mockapi.KinesisPipeID, "-", ""),
	} {
		err := new(settings).readEnvironment(environment(base, env{name: value}).get)
		if err == nil || !strings.HasPrefix(err.Error(), name+" must be a UUID") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	if err := new(settings).readEnvironment(environment(base, env{"DBPLATFORM_TEST_SERVICE_ID": ""}).get); err == nil {
		t.Error("pipes without their service are accepted")
	}
	for text, ok := range map[string]bool{"replicas,name": true, "none": true, "replica": false, "endpoints_enabled": false, "": false} {
		if names, err := parseAttributes(text); (err == nil) != ok || ok && names == nil {
			t.Errorf("-attributes %s: %q, %v", text, names, err)
		}
	}
}

// The summary names what was not tested, and the table says why.
func TestSummary(t *testing.T) {
	t.Parallel()
	out, err := runTest(t.Context(), t, serve(t, mockapi.New()), env{"DBPLATFORM_TEST_SERVICE_ID": "", "DBPLATFORM_TEST_PIPE_ID": ""})
	if err != nil {
		t.Error(err)
	}
	contains(t, out,
		"Not tested: a service. DBPLATFORM_TEST_SERVICE_ID is not set.", "Not tested: pipes. DBPLATFORM_TEST_PIPE_ID is not set.",
		"DBPLATFORM_TEST_WRITES is not 1", "| Whole numbers | not observed: no response has one |", "| CPU and memory of a scaling | not observed: no pipe")
	if strings.Contains(out, "Delay until a new scaling shows") {
		t.Errorf("a row about changes in:\n%s", out)
	}
}

// A wrong key or id fails, and so does an API that refuses everything. None of
// them says how the API behaves: there is no table and no flag.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const unknownID = "99999999-9999-4999-8999-999999999999"
	refuse := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	for name, test := range map[string]struct {
		api  http.Handler
		env  env
		want string
	}{
		"secret":       {mockapi.New(), env{"DBPLATFORM_KEY_SECRET": "not-the-secret"}, "✗ the API has accepted no request"},
		"organization": {mockapi.New(), env{"DBPLATFORM_ORGANIZATION_ID": unknownID}, "✗ the API has accepted no request"},
		"key":          {mockapi.New(), env{"DBPLATFORM_TEST_API_KEY_ID": unknownID}, "✗ API key " + unknownID + " cannot be read\n  ✗ not all objects were found"},
		"pipe":         {mockapi.New(), env{"DBPLATFORM_TEST_PIPE_ID": unknownID}, "✗ pipe " + unknownID + " cannot be read\n"},
		"400":          {refuse(http.StatusBadRequest), nil, "✗ the API has accepted no request"},
		"403":          {refuse(http.StatusForbidden), nil, "✗ the API has accepted no request"},
	} {
		out, err := runTest(t.Context(), t, serve(t, test.api), test.env)
		if contains(t, out, test.want); err == nil || strings.Contains(out, "✓ Everything") || strings.Contains(out, "make mock") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}

	// A service that refuses everything, beside a key that is right.
	api := mockapi.New()
	api.Fail(mockapi.Fault{ID: mockapi.ServiceID, Status: http.StatusBadRequest})
	out, err := runTest(t.Context(), t, serve(t, api), env{"DBPLATFORM_TEST_PIPE_ID": ""})
	if found := flags(t, out); err != nil || len(found) > 0 {
		t.Errorf("%v, flags %q\n%s", err, found, out)
	}
}
