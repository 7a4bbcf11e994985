package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// TestMain makes this binary the program itself, for tests that kill a process.
func TestMain(m *testing.M) {
	if os.Getenv("TESTLIVE_AS_PROGRAM") != "" {
		main()
		return
	}
	code := m.Run()
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

var (
	binaries      = filepath.Join(os.TempDir(), fmt.Sprintf("testlive-provider-%d", os.Getpid()))
	buildProvider = sync.OnceValue(func() error {
		output, err := exec.Command("go", "build", "-buildvcs=false", "-o", binaries+string(filepath.Separator),
			"github.com/dbplatform/terraform-provider-dbplatform").CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, output)
		}
		return err
	})
)

type env map[string]string

// environment is that of a run against a mock API.
func environment(baseURL string, more env) env {
	all := env{
		"DBPLATFORM_BASE_URL":        baseURL,
		"DBPLATFORM_ORGANIZATION_ID": mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID":          mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET":      mockapi.KeySecret,
		"DBPLATFORM_TEST_SERVICE_ID": mockapi.ServiceID,
		"DBPLATFORM_TEST_PIPE_ID":    mockapi.KafkaPipeID + ", " + mockapi.PostgresPipeID,
		"DBPLATFORM_TEST_API_KEY_ID": mockapi.APIKeyID,
		"DBPLATFORM_MAX_RETRIES":     "1",
	}
	maps.Copy(all, more)
	return all
}

// testRun runs the program, and expects that it leaves no folder.
func testRun(t *testing.T, baseURL string, more env, args ...string) (out string, err error) {
	t.Helper()
	dir := t.TempDir()
	process, text := program(t, baseURL, dir, more, args...)
	err = process.Run()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("the folder is left:\n%s", text)
	}
	return text.String(), err
}

// program is this program as a process.
func program(t *testing.T, baseURL, dir string, more env, args ...string) (process *exec.Cmd, out *strings.Builder) {
	t.Helper()
	if err := buildProvider(); err != nil {
		t.Fatal(err)
	}
	process, out = exec.Command(os.Args[0], append([]string{"-provider", binaries}, args...)...), &strings.Builder{}
	process.Dir, process.Stdout, process.Stderr = dir, out, out
	process.Env = append(os.Environ(), "TESTLIVE_AS_PROGRAM=1", "TERRAFORM="+os.Getenv("TF_ACC_TERRAFORM_PATH"), "TMPDIR="+t.TempDir())
	for name, value := range environment(baseURL, more) {
		process.Env = append(process.Env, name+"="+value)
	}
	return process, out
}

// atChange serves a mock API and calls do at the first change, after it was made and
// before the response.
func atChange(t *testing.T, mock *mockapi.Server, do func()) (baseURL string) {
	t.Helper()
	var once sync.Once
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(strings.NewReader(string(body)))
		mock.ServeHTTP(w, request)
		if request.Method != http.MethodGet && string(body) != "{}" {
			once.Do(do)
		}
	}))
}

func serve(t *testing.T, handler http.Handler) (baseURL string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// objects returns everything in the store, in one notation, without the times that
// move by themselves.
func objects(mock *mockapi.Server) map[string]string {
	all := map[string]string{}
	for kind, ids := range map[mockapi.Kind][]string{
		mockapi.Service: {mockapi.ServiceID, mockapi.OtherServiceID},
		mockapi.Key:     {mockapi.APIKeyID, mockapi.OtherAPIKeyID},
		mockapi.Pipe:    {mockapi.KafkaPipeID, mockapi.ObjectStoragePipeID, mockapi.KinesisPipeID, mockapi.PostgresPipeID},
	} {
		for _, id := range ids {
			text, _ := json.Marshal(mock.Object(kind, id))
			object, _ := value(strings.NewReplacer(`/32"`, `"`, `/128"`, `"`).Replace(string(text))).(map[string]any)
			delete(object, "updatedAt")
			delete(object, "usedAt")
			all[id] = canonical(object)
		}
	}
	return all
}

// expectRestored compares the objects with what they were.
func expectRestored(t *testing.T, mock *mockapi.Server, before map[string]string, out string) {
	t.Helper()
	if diff := cmp.Diff(before, objects(mock)); diff != "" {
		t.Errorf("not as before:\n%s\n%s", diff, out)
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}
