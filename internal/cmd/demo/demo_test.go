package main

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const (
	pipe = "/services/" + mockapi.ServiceID + "/pipes/" + mockapi.KafkaPipeID
	key  = "/keys/" + mockapi.APIKeyID
)

// `make demo` plays the whole story. The tests make sure that its checks can fail.
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
		d := &demo{out: io.Discard, mock: mockapi.New()}
		for request := range slices.Chunk(test.sent, 3) {
			send(d.mock, request[0], request[1], request[2])
		}
		if err := d.checkSent(test.want); (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
		}
		d.seen = len(d.mock.Requests()) // the next step begins
		if err := d.checkSent(nil); err != nil {
			t.Errorf("%s, in the next step: %v", name, err)
		}
	}
}

// Of an output, the lines that say what happens are shown. The summary has each claim
// with its step, and the requests. A step that ends with another exit code ends the demo.
// The CLI is a script that prints a version and a plan.
func TestPlay(t *testing.T) {
	t.Parallel()
	const plan = `
  # dbplatform_service.this will be created
  + resource "dbplatform_service" "this" {
  # dbplatform_api_key.this will be updated in-place
      ~ name = "A" -> "B"

Plan: 1 to add, 1 to change, 0 to destroy.
Warning: Adoption of service
  with dbplatform_service.this,
`
	const shown = `
     # dbplatform_service.this will be created
     # dbplatform_api_key.this will be updated in-place
     ~ name = "A" -> "B"
     Plan: 1 to add, 1 to change, 0 to destroy.
     Warning: Adoption of service
     [3 lines cut]`
	for version, want := range map[string]string{
		"Terraform v1.11.4": "terraform registry.terraform.io", "OpenTofu v1.12.6": "tofu registry.opentofu.org",
	} {
		folder := t.TempDir()
		script := filepath.Join(folder, "cli")
		if err := os.WriteFile(script, []byte("#!/bin/sh\ncat <<'END'\n"+version+plan+"END\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		cli, err := newCLI(t.Context(), script, folder, "http://127.0.0.1:1")
		if err != nil || cli.name+" "+cli.host != want {
			t.Fatalf("%s: %+v, %v", version, cli, err)
		}
		cli.work = folder
		var out strings.Builder
		d := &demo{out: &out, cli: cli, mock: mockapi.New()}
		story := []step{
			{title: "Look", command: []string{"plan"}, verify: func(d *demo, output string) error {
				return d.check(strings.HasPrefix(output, version), "the output is shown")
			}},
			{title: "Scale", command: []string{"apply"}, sent: map[string]string{"scalePipe": `{"replicas":4}`}, prepare: func(d *demo, _ context.Context) error {
				send(d.mock, "GET", pipe, "")
				send(d.mock, "PATCH", pipe+"/scaling", `{"replicas":4}`)
				return nil
			}},
		}
		const summary = `What was checked:

   Look                       ✓ the output is shown
   Scale                      ✓ only the expected updates were sent (1)

The API received 2 requests: 1 reads, and the 1 updates that are marked`
		if err := d.play(t.Context(), story); err != nil || !strings.Contains(out.String(), shown) || !strings.Contains(out.String(), summary) {
			t.Errorf("%v\n%s", err, &out)
		}
		story[0].exitCode = 1
		if err := d.play(t.Context(), story); fmt.Sprint(err) != "step 1 (Look): "+cli.name+" plan ended with exit code 0 instead of 1" {
			t.Errorf("a wrong exit code: %v", err)
		}
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
