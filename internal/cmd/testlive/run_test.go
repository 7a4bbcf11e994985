package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const serviceObject, keyObject = "service " + mockapi.ServiceID, "API key " + mockapi.APIKeyID

// attributesFor returns the attributes that a run may change on a pipe with this source.
func attributesFor(source string) (attributes []string) {
	pipe := map[string]any{"source": map[string]any{source: map[string]any{}}}
	for _, k := range []kind{pipeScaling, pipeSettings} {
		for attribute, member := range k.members() {
			if !k.isUnused(member, pipe) {
				attributes = append(attributes, attribute)
			}
		}
	}
	return attributes
}

// A run only reads by default. With writes, it changes each attribute of a service, a key and a Kafka pipe and sets it
// back, also if the API writes values in another form, derives the memory of a replica from its CPU, or refuses settings
// that a pipe does not use. An operation that the API refuses is no failure, but an object that it does not show is one.
func TestRun(t *testing.T) {
	t.Parallel()
	ofService, ofKey := names(service.members()), names(apiKey.members())
	ofKafka, ofOthers := attributesFor("kafka"), []string{"concurrency", "object_storage_max_file_count"}
	ticks := func(object string, attributes []string) (lines []string) {
		for _, attribute := range attributes {
			lines = append(lines, fmt.Sprintf("  ✓ %s: %s\n", object, attribute))
		}
		return lines
	}
	for variants, c := range map[string]struct {
		more       env
		attributes []string
		isDone     bool
		want       []string
	}{
		"normalise_address replica_size=derived": {
			env{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_API_KEY_ID": ""},
			append(ofKafka, ofService...),
			true, append(ticks(serviceObject, ofService), ticks("pipe "+mockapi.KafkaPipeID, ofKafka)...),
		},
		"normalise_expiry": {
			env{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_SERVICE_ID": "", "DBPLATFORM_TEST_PIPE_ID": ""},
			ofKey,
			true, ticks(keyObject, ofKey),
		},
		"refuse_foreign_settings": {
			env{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_API_KEY_ID": "", "DBPLATFORM_TEST_PIPE_ID": mockapi.ObjectStoragePipeID},
			ofOthers,
			true, ticks("pipe "+mockapi.ObjectStoragePipeID, ofOthers),
		},
		"postgres_settings=404": {
			env{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_API_KEY_ID": "", "DBPLATFORM_TEST_PIPE_ID": mockapi.PostgresPipeID},
			[]string{"replicas", "db_max_threads"},
			true,
			[]string{
				"- pipe " + mockapi.PostgresPipeID + ": db_max_threads is not changed: the API refuses it with 404\n",
				": replicas is not changed: the generated configuration leaves it out\n", "| PUT of the pipe | 404, JSON: ", "and 1 changes.\n",
			},
		},
		"gone numbers=quoted refuse_empty_patch=400": {env{}, nil, false, []string{
			"✗ dbplatform_service of " + serviceObject, "read_method", "✓ dbplatform_pipe_settings", "and 0 changes.\n",
			"| GET of a pipe that should not exist | 410, JSON: ", "| PATCH with {} of the key | 400, JSON: ", "pipe.scaling.replicas: a string",
		}},
		"read_by_get refuse_empty_patch=405": {env{"DBPLATFORM_READ_METHOD": "GET", "DBPLATFORM_TEST_PIPE_ID": ""}, nil, true, []string{
			"✓ dbplatform_service of " + serviceObject + ": imported, and the plan is empty\n", "and 0 changes.\n",
			"| GET of the key | 200, JSON: ",
		}},
	} {
		t.Run(variants, func(t *testing.T) {
			t.Parallel()
			parsed, err := mockapi.ParseVariants(strings.Fields(variants)...)
			mock, dir := mockapi.New(mockapi.WithVariants(parsed)), t.TempDir()
			before := objects(mock)
			isDone := runProgram(t, serve(t, mock), dir, c.more, []string{"-attributes", strings.Join(c.attributes, ",")}, c.want)
			if err != nil || isDone != c.isDone {
				t.Errorf("succeeded: %v, %v", isDone, err)
			}
			expectRestored(t, mock, before, dir)
		})
	}
}

// nameOfKey is a run that changes only the name of the key.
var nameOfKey = env{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_SERVICE_ID": "", "DBPLATFORM_TEST_PIPE_ID": "", "DBPLATFORM_MAX_RETRIES": "1"}

// A process that is interrupted sets back what it has changed. If it is killed, a second
// run does not start, and says how to set that back.
func TestStopped(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted")
	}
	for name, c := range map[string]struct {
		signal os.Signal
		at     int64 // the number of the change
	}{
		"interrupted":              {os.Interrupt, 1},
		"killed":                   {os.Kill, 1},
		"killed when it sets back": {os.Kill, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mock, dir := mockapi.New(), t.TempDir()
			before := objects(mock)
			var process *exec.Cmd
			started := make(chan struct{})
			baseURL := atChange(t, mock, c.at, func() {
				<-started
				_ = process.Process.Signal(c.signal)
			})
			process, out := program(t, baseURL, dir, nameOfKey, "-attributes", "name")
			_ = process.Start()
			close(started)
			_ = process.Wait()
			if c.signal == os.Interrupt {
				contains(t, out.String(), "The program now sets back name of "+keyObject, "rm -f override.tf.json\n", "failed: interrupt signal received")
			} else {
				process, out = program(t, baseURL, dir, nameOfKey)
				_ = process.Run()
				_, commands, _ := strings.Cut(out.String(), "belongs to another run")
				_, commands, _ = strings.Cut(commands, "environment variables:\n")
				commands, _, _ = strings.Cut(commands, "Then delete the folder")
				shell := exec.Command("sh", "-ec", strings.Replace(commands, "' apply", "' apply -auto-approve", 1)+"rm -r ../../testlive-journal")
				shell.Dir, shell.Env = dir, process.Env
				if text, err := shell.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s%s", commands, err, out, text)
				}
			}
			expectRestored(t, mock, before, dir)
		})
	}
}

// What cannot be set back is printed, and kept.
func TestNotSetBack(t *testing.T) {
	t.Parallel()
	mock, dir := mockapi.New(), t.TempDir()
	baseURL := atChange(t, mock, 1, func() { mock.SetVariants(mockapi.Variants{"read_only_key"}) })
	if runProgram(t, baseURL, dir, nameOfKey, []string{"-attributes", "name"}, []string{"\n\n  name = \"Deployment\"\n", "rm -f override.tf.json"}) {
		t.Error("the run succeeded")
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	baseURL := serve(t, mockapi.New())
	for want, more := range map[string]env{
		"the API shows nothing: ":                                  {"DBPLATFORM_KEY_SECRET": "wrong"},
		"DBPLATFORM_MAX_RETRIES must be a whole number":            {"DBPLATFORM_MAX_RETRIES": "many"},
		"must begin with https://":                                 {"DBPLATFORM_BASE_URL": "http://api.example.com"},
		"needs DBPLATFORM_TEST_SERVICE_ID":                         {"DBPLATFORM_TEST_SERVICE_ID": ""},
		"Skipped: nothing was tested. Set DBPLATFORM_KEY_SECRET: ": {"DBPLATFORM_KEY_SECRET": ""},
	} {
		if isDone := runProgram(t, baseURL, t.TempDir(), more, nil, []string{want}); isDone != strings.HasPrefix(want, "Skipped") {
			t.Errorf("succeeded: %v, with %v", isDone, more)
		}
	}
}

// testRecorder returns a recorder and a function that sends requests to it, without the
// provider.
func testRecorder(t *testing.T, mock *mockapi.Server) (r *recorder, send func(ctx context.Context, method, path, body string)) {
	t.Helper()
	base, _ := url.Parse(serve(t, mock))
	r, err := newRecorder(t.Context(), &settings{baseURL: base, organizationID: mockapi.OrganizationID})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.server.Close() })
	return r, func(ctx context.Context, method, path, body string) {
		request := httptest.NewRequestWithContext(ctx, method, r.prefix+path, strings.NewReader(body))
		request.SetBasicAuth(mockapi.KeyID, mockapi.KeySecret)
		request.Header.Set("Content-Type", "application/json")
		r.server.Handler.ServeHTTP(httptest.NewRecorder(), request)
	}
}

// A recorder sends reads, and only the change that it allows: also one whose client has
// left, because its outcome would be unknown.
func TestRecorder(t *testing.T) {
	t.Parallel()
	left, leave := context.WithCancel(t.Context())
	leave()
	name := testChange(service, "name", `{"name":"Orders"}`, `"Orders test"`)
	for _, c := range []struct {
		ctx                context.Context //nolint:containedctx // of one request
		allowed            *change
		method, path, body string
		isSent             bool
	}{
		{t.Context(), nil, "PATCH", name.path, "{}", true},
		{t.Context(), nil, "PATCH", name.path, `{"name":"Orders test"}`, false},
		{t.Context(), nil, "PATCH", name.path, "[]", false},
		{t.Context(), nil, "PUT", name.path + "/pipes/" + mockapi.KafkaPipeID + "/settings", "{}", false},
		{t.Context(), name, "PATCH", name.path, `{"name":"another"}`, false},
		{left, name, "PATCH", name.path, `{"name":"Orders test"}`, true},
	} {
		r, send := testRecorder(t, mockapi.New())
		r.allow(c.allowed)
		send(c.ctx, c.method, c.path, c.body)
		isSent := len(r.all()) == 1 && r.all()[0].status == http.StatusOK
		if isSent != c.isSent || isSent == (len(r.refused) > 0) {
			t.Errorf("sent %v: %s %s %s %q", isSent, c.method, c.path, c.body, r.refused)
		}
	}
}

// Only a refusal that is certain needs no wait.
func TestRefusal(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{200: 0, 404: 404, 408: 0, 422: 422, 499: 0, 502: 0} {
		if got := refusal([]*exchange{{method: "PUT", status: 400}, {method: "PUT", status: status}, {method: "GET", status: 404}}); got != want {
			t.Errorf("%d: %d", status, got)
		}
	}
}

// The report has what responses show.
func TestReport(t *testing.T) {
	t.Parallel()
	const unknownID = "99999999-9999-4999-8999-999999999999"
	for variants, want := range map[string][]string{
		"error_shape=html": {"| GET of a pipe that should not exist | 404, no JSON |", "| GET of the backups | 200, JSON: requestId, result, status |"},
		"error_shape=empty capital_enums backup_status missing=null": {
			"| GET of a pipe that should not exist | 404, no body |",
			"| Members in another form than documented | key.roles: a string |",
			"| Members that are not documented | backups.status; backups.type |",
			"| Members that are null | backups.durationInSeconds; backups.finishedAt; ",
		},
	} {
		parsed, _ := mockapi.ParseVariants(strings.Fields(variants)...)
		r, send := testRecorder(t, mockapi.New(mockapi.WithVariants(parsed)))
		send(t.Context(), http.MethodPatch, "/keys/"+mockapi.APIKeyID, "{}")
		send(t.Context(), http.MethodGet, "/services/"+mockapi.ServiceID+"/backups", "")
		send(t.Context(), http.MethodGet, "/services/"+mockapi.ServiceID+"/pipes/"+unknownID, "")
		var out strings.Builder
		surveyOf(r.all(), unknownID).report(&out)
		contains(t, out.String(), want...)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("TF_LOG", "TRACE")
	t.Setenv("DBPLATFORM_KEY_ID", "kept")
	t.Setenv("DBPLATFORM_MAX_RETRIES", "") // counts as not set
	got := strings.Join(environment("cli.tfrc", "http://recorder"), "\n") + "\n"
	contains(t, got, "DBPLATFORM_KEY_ID=kept\n", "DBPLATFORM_BASE_URL=http://recorder\n", "TF_CLI_CONFIG_FILE=cli.tfrc\n")
	if strings.Contains(got, "TF_LOG=") || strings.Contains(got, "DBPLATFORM_MAX_RETRIES=") {
		t.Errorf("the CLI's environment has the user's settings:\n%s", got)
	}
}
