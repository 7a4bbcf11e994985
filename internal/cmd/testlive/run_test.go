package main

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A run names the variants of the API. It sends nothing but reads; with writes it
// changes each attribute and sets it back, also with another notation of the API. An
// object or an operation that the API does not offer is no failure.
func TestRun(t *testing.T) {
	t.Parallel()
	service, key, pipe := "service "+mockapi.ServiceID, "API key "+mockapi.APIKeyID, "pipe "+mockapi.PostgresPipeID
	for variants, c := range map[string]struct {
		writes, change, pipe string
		want                 []string
	}{
		"gone numbers=quoted refuse_empty_patch=400": {"", "", mockapi.KafkaPipeID, []string{
			"- " + service + " is left out: the API does not show it\n", "✓ dbplatform_pipe_settings", "and 0 changes.\n",
			"| A pipe that should not exist | 410, JSON: ", "| Reading a service or key with PATCH | key refused with 400, service refused with 400 |\n",
			"pipe.scaling.replicas: a string",
		}},
		"read_by_get refuse_empty_patch=405 shuffle": {"", "", "", []string{
			"✓ dbplatform_service of " + service + ": imported, and the plan is empty\n", "and 0 changes.\n",
			"| Reading a service or key with GET | key returned, service returned |\n", "| Order of lists | changes from one read to the next |\n",
		}},
		"normalise_address normalise_expiry": {"1", "ip_access_list,expire_at", "", []string{
			"✓ " + service + ": ip_access_list\n", "✓ " + key + ": ip_access_list\n", "✓ " + key + ": expire_at\n",
			"| Notation of the added address | another |\n", "key.expireAt: 00:00:00.000Z",
		}},
		"postgres_settings=404 refuse_foreign_settings": {"1", "replicas,concurrency,db_max_threads", mockapi.KafkaPipeID + "," + mockapi.PostgresPipeID, []string{
			"✓ pipe " + mockapi.KafkaPipeID + ": replicas\n", "not changed: concurrency. Reason: the generated configuration leaves it out\n",
			"✓ pipe " + mockapi.KafkaPipeID + ": db_max_threads\n", "and 7 changes.\n",
			"dbplatform_pipe_scaling of " + pipe + " is not imported: it has nothing to manage\n",
			pipe + ", not changed: db_max_threads. Reason: the API refuses it with 404\n", "PUT of a pipe settings: 404 |\n",
		}},
	} {
		t.Run(variants, func(t *testing.T) {
			t.Parallel()
			parsed, _ := mockapi.ParseVariants(strings.Fields(variants)...)
			mock, dir := mockapi.New(mockapi.WithVariants(parsed)), t.TempDir()
			more := env{"DBPLATFORM_TEST_PIPE_ID": c.pipe, "DBPLATFORM_TEST_WRITES": c.writes, "DBPLATFORM_READ_METHOD": "GET"} // which a run replaces
			before := objects(mock)
			if !runProgram(t, serve(t, mock), dir, more, []string{"-attributes", c.change}, c.want) {
				t.Error("the run failed")
			}
			expectRestored(t, mock, before, dir)
		})
	}
}

// nameOfKey is a run that changes only the name of the key.
var nameOfKey = env{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_SERVICE_ID": "", "DBPLATFORM_TEST_PIPE_ID": "", "DBPLATFORM_UPDATE_TIMEOUT": "1s", "DBPLATFORM_MAX_RETRIES": "1"}

// A process that is interrupted at a change sets back. What one that is killed has
// left keeps a second run out, which says how to set it back.
func TestStopped(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted")
	}
	for name, signal := range map[string]os.Signal{"interrupted": os.Interrupt, "killed": os.Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mock, dir := mockapi.New(), t.TempDir()
			before := objects(mock)
			var process *exec.Cmd
			started := make(chan struct{})
			baseURL := atChange(t, mock, func() {
				<-started
				_ = process.Process.Signal(signal)
			})
			process, out := program(t, baseURL, dir, nameOfKey, "-attributes", "name")
			_ = process.Start()
			close(started)
			_ = process.Wait()
			if signal == os.Interrupt {
				contains(t, out.String(), "Interrupted. Setting back name", "failed: interrupt signal received")
			} else {
				process, out = program(t, baseURL, dir, nameOfKey)
				_ = process.Run()
				contains(t, out.String(), "is of another run")
				setBack(t, baseURL, dir, out.String())
			}
			expectRestored(t, mock, before, dir)
		})
	}
}

// What cannot be set back is printed, and kept.
func TestNotSetBack(t *testing.T) {
	t.Parallel()
	mock, dir := mockapi.New(), t.TempDir()
	baseURL := atChange(t, mock, func() { mock.SetVariants(mockapi.Variants{"read_only_key"}) })
	if runProgram(t, baseURL, dir, nameOfKey, []string{"-attributes", "name"}, []string{"\n\n  name = \"Deployment\"\n", "rm override.tf.json"}) {
		t.Error("the run succeeded")
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	baseURL := serve(t, mockapi.New())
	for want, more := range map[string]env{
		"check the ids of the organization and the objects, the key and the base URL. ": {"DBPLATFORM_KEY_SECRET": "wrong"},
		"DBPLATFORM_MAX_RETRIES must be a whole number":                                 {"DBPLATFORM_MAX_RETRIES": "many"},
		"must begin with https://":                                                      {"DBPLATFORM_BASE_URL": "http://api.example.com"},
		"needs DBPLATFORM_TEST_SERVICE_ID":                                              {"DBPLATFORM_TEST_SERVICE_ID": ""},
		"Skipped: nothing was tested. Not set: DBPLATFORM_KEY_SECRET.":                  {"DBPLATFORM_KEY_SECRET": ""},
	} {
		if isDone := runProgram(t, baseURL, t.TempDir(), more, nil, []string{want}); isDone != strings.HasPrefix(want, "Skipped") {
			t.Errorf("succeeded: %v, with %v", isDone, more)
		}
	}
}

const (
	keyPath, otherKeyPath = "/keys/" + mockapi.APIKeyID, "/keys/" + mockapi.OtherAPIKeyID
	servicePath           = "/services/" + mockapi.ServiceID
	pipePath              = servicePath + "/pipes/" + mockapi.KafkaPipeID
	unknownID             = "99999999-9999-4999-8999-999999999999"
)

// direct has a recorder forward a request, without the provider.
func direct(ctx context.Context, r *recorder, method, path, body string) {
	request := httptest.NewRequestWithContext(ctx, method, r.prefix+path, strings.NewReader(body))
	request.SetBasicAuth(mockapi.KeyID, mockapi.KeySecret)
	request.Header.Set("Content-Type", "application/json")
	r.server.Handler.ServeHTTP(httptest.NewRecorder(), request)
}

func testRecorder(t *testing.T, mock *mockapi.Server) *recorder {
	t.Helper()
	base, _ := url.Parse(serve(t, mock))
	r, err := newRecorder(t.Context(), &settings{baseURL: base, organizationID: mockapi.OrganizationID})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.server.Close() })
	return r
}

// value is JSON with numbers as they are written.
func value(text string) any { return decode([]byte(text)) }

var (
	nameChange = &change{"service", "", servicePath, "name", "name", "Orders", "Orders test"}
	listChange = &change{"service", "", servicePath, "ip_access_list", "ipAccessList", value(`{"10.0.0.0/8":"", "192.0.2.7":""}`), value(`{"10.0.0.0/8":"", "192.0.2.7":"", "203.0.113.71":""}`)}
	keyChange  = &change{"api_key", "", keyPath, "ip_access_list", "ipAccessList", value(`{"198.51.100.0/24":"", "2001:db8::1":""}`), value(`{"198.51.100.0/24":"", "2001:db8::1":"", "203.0.113.71":""}`)}
	unshown    = &change{"api_key", "", keyPath, "ip_access_list", "ipAccessList", value(`{"192.0.2.9":""}`), value(`{"192.0.2.9":"", "203.0.113.71":""}`)}
	unlisted   = &change{"api_key", "", keyPath, "ip_access_list", "ipAccessList", value(`{"198.51.100.0/24":""}`), value(`{"198.51.100.0/24":"", "203.0.113.71":""}`)}
	roleChange = &change{"api_key", "", keyPath, "roles", "roles", value(`["admin","developer"]`), value(`["admin"]`)}
	scaling    = &change{"pipe_scaling", "", pipePath, "replicas", "replicas", value("2"), value("3")}
	settingPut = &change{"pipe_settings", "", pipePath, "db_max_threads", "db_max_threads", value("8"), value("9")}
	expiry     = &change{"api_key", "", keyPath, "expire_at", "expireAt", "2031-01-01T00:00:00Z", "2031-01-02T00:00:00Z"}
)

// A recorder sends reads, and of the changes only the one under test and its way back.
func TestGuard(t *testing.T) {
	t.Parallel()
	seeded := mockapi.New().Object(mockapi.Pipe, mockapi.KafkaPipeID)["settings"].(map[string]any)
	for _, c := range []struct {
		allowed            *change
		method, path, body string
		isSent             bool
	}{
		{nil, "PATCH", keyPath, "{}", true},
		{nil, "PATCH", keyPath, `{"name":"x"}`, false},
		{nil, "PATCH", keyPath, "[]", false},
		{nil, "PUT", pipePath + "/settings", "{}", false},
		{nameChange, "PATCH", servicePath, `{"name":"Orders test"}`, true},
		{nameChange, "PATCH", servicePath, `{"name":"another"}`, false},
		{nameChange, "PATCH", servicePath, `{"name":"Orders","releaseChannel":"slow"}`, false},
		{nameChange, "PATCH", servicePath, "[]", false},
		{nameChange, "PATCH", "/services/" + mockapi.OtherServiceID, `{"name":"Orders test"}`, false},
		{listChange, "PATCH", servicePath, `{"ipAccessList":{"remove":[{"source":"203.0.113.71/32"}]}}`, true},
		{listChange, "PATCH", servicePath, `{"ipAccessList":{"add":[{"source":"0.0.0.0/0"}]}}`, false},
		{listChange, "PATCH", servicePath, `{"ipAccessList":{"add":[{"source":"192.0.2.7"}],"remove":[{"source":"192.0.2.7"}]}}`, false},
		{listChange, "PATCH", servicePath, `{"ipAccessList":{"remove":[{"source":"203.0.113.71"}]},"name":"Orders"}`, false},
		{keyChange, "PATCH", keyPath, `{"ipAccessList":[{"source":"198.51.100.0/24"},{"source":"2001:db8::1"},{"source":"203.0.113.71"}]}`, true},
		{unlisted, "PATCH", keyPath, `{"ipAccessList":[{"source":"198.51.100.0/24"},{"source":"203.0.113.71"}]}`, false}, // the API shows another
		{unshown, "PATCH", keyPath, `{"ipAccessList":[{"source":"198.51.100.0/24"},{"source":"2001:db8::1"}]}`, false},   // the state has another
		{roleChange, "PATCH", keyPath, `{"roles":["admin","query_endpoints"]}`, false},
		{scaling, "PATCH", pipePath + "/scaling", `{"replicas":3.0}`, true},
		{scaling, "PATCH", pipePath + "/scaling", `{"replicas":3,"concurrency":4}`, false},
		{scaling, "PUT", pipePath + "/scaling", `{"replicas":3}`, false},
		{settingPut, "PUT", pipePath + "/settings", `{"db_max_threads":9}`, false}, // leaves out the others
		{settingPut, "PUT", pipePath + "/settings", allSettings(seeded, map[string]any{"db_max_threads": 9}), true},
		{settingPut, "PUT", pipePath + "/settings", allSettings(seeded, map[string]any{"db_max_threads": 9, "db_max_insert_threads": 3}), false},
	} {
		r := testRecorder(t, mockapi.New())
		direct(t.Context(), r, http.MethodPatch, keyPath, "{}")
		direct(t.Context(), r, http.MethodGet, pipePath, "")
		r.allow(c.allowed)
		direct(t.Context(), r, c.method, c.path, c.body)
		if isSent := len(r.all()) == 3; isSent != c.isSent || isSent == (len(r.refused) > 0) {
			t.Errorf("sent %v: %s %s %s %q", isSent, c.method, c.path, c.body, r.refused)
		}
	}
}

// A change is sent even if its client has left: its outcome would be unknown.
func TestAbortedChange(t *testing.T) {
	t.Parallel()
	r := testRecorder(t, mockapi.New())
	r.allow(nameChange)
	left, leave := context.WithCancel(t.Context())
	leave()
	direct(left, r, http.MethodPatch, servicePath, `{"name":"Orders test"}`)
	if sent := r.all(); len(sent) != 1 || !sent[0].isAccepted() {
		t.Errorf("the change was given up: %v", sent)
	}
}

// The report has what reads and changes show.
func TestReport(t *testing.T) {
	t.Parallel()
	for want, variants := range map[string]mockapi.Variants{
		"A pipe that should not exist: 404, an HTML page":                                          {"error_shape=html"},
		"A pipe that should not exist: 404, no body":                                               {"error_shape=empty"},
		`Delay until a change shows: key: [\d.]+m?s, scaling: none, service: none, settings: none`: {"stale_keys=1s"},
		"Delay until a change shows: key: none, scaling: it never showed, service: none, ":         {"late=old", "late_reads=100"},
		"Members in another form than documented: key.roles: a string":                             {"capital_enums"},
		"Members that are not documented: backup.status, backup.type":                              {"backup_status"},
		"What a PATCH returns: the id and the members that were sent, no others":                   {"sparse_patch_response"},
		"What a PATCH returns: the whole object":                                                   {},
	} {
		var passed atomic.Int64 // on the mock API's clock
		clock := func() time.Time { return time.Unix(1_800_000_000, passed.Load()) }
		r := testRecorder(t, mockapi.New(mockapi.WithVariants(variants), mockapi.WithClock(clock)))
		read := func() {
			for _, path := range []string{servicePath, otherKeyPath, keyPath} {
				direct(t.Context(), r, http.MethodPatch, path, "{}")
			}
			for _, id := range []string{mockapi.KafkaPipeID, unknownID} {
				direct(t.Context(), r, http.MethodGet, servicePath+"/pipes/"+id, "")
			}
			direct(t.Context(), r, http.MethodGet, servicePath+"/backups", "")
		}
		read()
		for _, c := range []struct {
			*change
			body string
		}{
			{nameChange, `{"name":"Orders test"}`},
			{expiry, `{"expireAt":"2031-01-02T00:00:00Z"}`},
			{scaling, `{"replicas":3}`},
			{settingPut, allSettings(latest(r.all(), pipePath).shown("settings"), map[string]any{"db_max_threads": 9})},
		} {
			r.allow(c.change)
			direct(t.Context(), r, c.kind().method, strings.TrimSuffix(c.Path+"/"+c.kind().part, "/"), c.body)
			read()
			passed.Add(int64(time.Second))
			read()
		}
		if len(r.refused) > 0 {
			t.Errorf("not sent: %s", r.refused)
		}
		var out strings.Builder
		surveyOf(r.all(), unknownID).report(&out)
		point, seen, _ := strings.Cut(want, ": ")
		if !regexp.MustCompile(`(?m)^\| ` + point + ` \| ` + seen).MatchString(out.String()) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

// allSettings are those that a pipe shows, with changes.
func allSettings(shown, changes map[string]any) string {
	all := map[string]any{}
	maps.Copy(all, shown)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	maps.Copy(all, changes)
	body, _ := json.Marshal(all)
	return string(body)
}
