package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const (
	pipe = "/services/" + mockapi.ServiceID + "/pipes/" + mockapi.KafkaPipeID
	key  = "/keys/" + mockapi.APIKeyID
)

// The whole story is told by `make demo`; what is tested here is that it cannot
// be told when it is not true.
func TestCheckSent(t *testing.T) {
	t.Parallel()

	replicas := map[string]string{"scalePipe": `{"replicas": 4}`}
	for name, test := range map[string]struct {
		sent []string // method, path, body
		want map[string]string
		ok   bool
	}{
		"nothing":         {nil, nil, true},
		"reads only":      {[]string{"GET", pipe, "", "PATCH", key, "{}"}, nil, true},
		"as wanted":       {[]string{"GET", pipe, "", "PATCH", pipe + "/scaling", `{"replicas":4}`}, replicas, true},
		"not wanted":      {[]string{"PATCH", pipe + "/scaling", `{"replicas":4}`}, nil, false},
		"missing":         {[]string{"GET", pipe, ""}, replicas, false},
		"another value":   {[]string{"PATCH", pipe + "/scaling", `{"replicas":5}`}, replicas, false},
		"more than asked": {[]string{"PATCH", pipe + "/scaling", `{"replicas":4,"concurrency":1}`}, replicas, false},
		"twice":           {slices.Repeat([]string{"PATCH", pipe + "/scaling", `{"replicas":4}`}, 2), replicas, false},
		"a deletion":      {[]string{"DELETE", pipe, ""}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			d := &demo{out: io.Discard, mock: mockapi.New()}
			for request := range slices.Chunk(test.sent, 3) {
				send(d.mock, request[0], request[1], request[2])
			}
			if err := d.checkSent(test.want); (err == nil) != test.ok {
				t.Errorf("checkSent: %v", err)
			}
		})
	}
}

// send has mock receive a request, with the credentials that it knows.
func send(mock *mockapi.Server, method, path, body string) {
	request := httptest.NewRequest(method, "/v1/organizations/"+mockapi.OrganizationID+path, strings.NewReader(body))
	request.SetBasicAuth(mockapi.KeyID, mockapi.KeySecret)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	mock.ServeHTTP(httptest.NewRecorder(), request)
}

func TestCheckSentIsAboutThePresentStep(t *testing.T) {
	t.Parallel()

	d := &demo{out: io.Discard, mock: mockapi.New()}
	send(d.mock, http.MethodPatch, pipe+"/scaling", `{"replicas":4}`)
	d.seen = len(d.mock.Requests())
	if err := d.checkSent(nil); err != nil {
		t.Error(err)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("TF_LOG", "TRACE")
	t.Setenv("TF_DATA_DIR", "/elsewhere")
	t.Setenv("DBPLATFORM_KEY_SECRET", "a real one")
	t.Setenv("UNRELATED", "stays")

	got := environment(map[string]string{"TF_LOG": "WARN", "DBPLATFORM_KEY_ID": "demo"})
	got = slices.DeleteFunc(got, func(entry string) bool {
		return !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "DBPLATFORM_") && !strings.HasPrefix(entry, "UNRELATED")
	})
	if want := []string{"UNRELATED=stays", "DBPLATFORM_KEY_ID=demo", "TF_LOG=WARN"}; !slices.Equal(got, want) {
		t.Errorf("the CLI's environment has %q, not %q", got, want)
	}
}

func TestFindCLI(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if path, err := findCLI(""); err == nil || !strings.Contains(err.Error(), "no terraform or tofu on PATH") {
		t.Errorf("found %q, %v", path, err)
	}
	if path, err := findCLI("nope"); err == nil || !strings.Contains(err.Error(), "no nope on PATH") {
		t.Errorf("found %q, %v", path, err)
	}
}
