package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// The checks of a command can fail.
func TestRun(t *testing.T) {
	t.Parallel()
	const path = "/v1/organizations/" + mockapi.OrganizationID + "/services/" + mockapi.ServiceID + "/pipes/" + mockapi.KafkaPipeID + "/scaling"
	for name, test := range map[string]struct {
		sent     []string
		exitCode int
		passes   bool
	}{
		"as expected":     {[]string{`{"replicas":4}`}, 0, true},
		"another value":   {[]string{`{"replicas":5}`}, 0, false},
		"more than asked": {[]string{`{"replicas":4,"concurrency":1}`}, 0, false},
		"twice":           {[]string{`{"replicas":4}`, `{"replicas":4}`}, 0, false},
		"nothing":         {nil, 0, false},
		"another code":    {[]string{`{"replicas":4}`}, 1, false},
	} {
		mock := mockapi.New()
		d := &demo{mock: mock, execute: func(string, ...string) (string, int) {
			for _, body := range test.sent {
				mock.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPatch, path, strings.NewReader(body)))
			}
			return "", test.exitCode
		}}
		d.run("apply", 0, map[string]string{"scalePipe": `{"replicas": 4}`})
		if (d.failure == nil) != test.passes {
			t.Errorf("%s: %v", name, d.failure)
		}
	}
}
