package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// testPatience is more than any variant takes to show a change.
const testPatience = 2 * time.Second

var pipeIDs = []string{mockapi.KafkaPipeID, mockapi.KinesisPipeID, mockapi.PostgresPipeID}

// An env is what a test adds to the environment of a run.
type env map[string]string

// writes is what a run needs to write, and more.
func writes(more env) env {
	all := env{"DBPLATFORM_TEST_WRITES": "1"}
	maps.Copy(all, more)
	return all
}

// environment is that of a run against a mock API.
func environment(baseURL string, more env) env {
	all := env{
		"DBPLATFORM_BASE_URL":        baseURL,
		"DBPLATFORM_ORGANIZATION_ID": mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID":          mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET":      mockapi.KeySecret,
		"DBPLATFORM_TEST_SERVICE_ID": mockapi.ServiceID,
		"DBPLATFORM_TEST_PIPE_ID":    strings.Join(pipeIDs, ","),
		"DBPLATFORM_TEST_API_KEY_ID": mockapi.APIKeyID,
		"DBPLATFORM_TEST_WRITES":     "",
	}
	maps.Copy(all, more)
	return all
}

func (e env) get(name string) string { return e[name] }

// testSettings are the settings of a run in this process.
func testSettings(t *testing.T, baseURL string, more env) *settings {
	t.Helper()
	s := &settings{journal: filepath.Join(t.TempDir(), "journal.json"), patience: testPatience}
	if err := s.readEnvironment(environment(baseURL, more).get); err != nil {
		t.Fatal(err)
	}
	return s
}

// runTest runs the tests in this process, without a CLI.
func runTest(ctx context.Context, t *testing.T, baseURL string, more env) (out string, err error) {
	t.Helper()
	var text strings.Builder
	err = newRun(testSettings(t, baseURL, more), &text).do(ctx, t.TempDir())
	return text.String(), err
}

func serve(t *testing.T, handler http.Handler) (baseURL string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// atChange serves a mock API and calls do at the n-th change of a path with this
// end, after it was made and before the response.
func atChange(t *testing.T, mock *mockapi.Server, suffix string, n int64, do func()) (baseURL string, reached *atomic.Int64) {
	t.Helper()
	reached = &atomic.Int64{}
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(strings.NewReader(string(body)))
		mock.ServeHTTP(w, request)
		if !isRead(request.Method, body) && strings.HasSuffix(request.URL.Path, suffix) && reached.Add(1) == n {
			do()
		}
	})), reached
}

// objects returns everything in the store, without the times that move by
// themselves.
func objects(mock *mockapi.Server) []mockapi.Object {
	all := []mockapi.Object{
		mock.Object(mockapi.Service, mockapi.ServiceID), mock.Object(mockapi.Service, mockapi.OtherServiceID),
		mock.Object(mockapi.Key, mockapi.APIKeyID), mock.Object(mockapi.Key, mockapi.OtherAPIKeyID),
		mock.Object(mockapi.Pipe, mockapi.ObjectStoragePipeID),
	}
	for _, id := range pipeIDs {
		all = append(all, mock.Object(mockapi.Pipe, id))
	}
	for _, object := range all {
		delete(object, "updatedAt")
		delete(object, "usedAt")
		for name, value := range object {
			switch value := value.(type) {
			case []any: // in any order
				slices.SortFunc(value, func(a, b any) int { return strings.Compare(canonical(a), canonical(b)) })
			case string: // a time in any notation
				object[name] = canonical(value)
			}
		}
	}
	return all
}

// expectRestored compares the objects with what they were.
func expectRestored(t *testing.T, mock *mockapi.Server, before []mockapi.Object, out string) {
	t.Helper()
	if diff := cmp.Diff(before, objects(mock)); diff != "" {
		t.Errorf("not restored:\n%s\n%s", diff, out)
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

// flags are those of the mock API in the last line of a run, sorted.
func flags(t *testing.T, out string) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	line := lines[len(lines)-1]
	if line == "make mock" {
		return nil
	}
	arguments, ok := strings.CutPrefix(line, "make mock ARGS='-")
	if !ok {
		t.Fatalf("the last line is %s", line)
	}
	all := strings.Split(strings.TrimSuffix(arguments, "'"), " -")
	slices.Sort(all)
	return all
}

const module = "github.com/dbplatform/terraform-provider-dbplatform"

// binaries are built once, into a folder that TestMain removes.
var (
	folder   = filepath.Join(os.TempDir(), fmt.Sprintf("testlive-binaries-%d", os.Getpid()))
	binaries = sync.OnceValue(func() error {
		for name, path := range map[string]string{
			"terraform-provider-dbplatform": module, "mockapi": module + "/internal/cmd/mockapi", "testlive": module + "/internal/cmd/testlive",
		} {
			output, err := exec.Command("go", "build", "-buildvcs=false", "-o", executable(name), path).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%s: %w\n%s", path, err, output)
			}
		}
		return nil
	})
)

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(folder, name)
}

// startMock runs the mock API as a process and returns its address.
func startMock(t *testing.T, args ...string) (baseURL string) {
	t.Helper()
	if err := binaries(); err != nil {
		t.Fatal(err)
	}
	process := exec.Command(executable("mockapi"), append(args, "-json")...)
	out, err := process.StdoutPipe()
	if err == nil {
		err = process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	line, _ := bufio.NewReader(out).ReadBytes('\n')
	var seed struct {
		BaseURL string `json:"base_url"`
	}
	if err := json.Unmarshal(line, &seed); err != nil {
		t.Fatal(err)
	}
	return seed.BaseURL
}

// program is this program as a process, with the provider and a CLI.
func program(t *testing.T, baseURL, dir string, more env, args ...string) (process *exec.Cmd, out *strings.Builder) {
	t.Helper()
	if err := binaries(); err != nil {
		t.Fatal(err)
	}
	process, out = exec.Command(executable("testlive"), append([]string{"-provider", folder}, args...)...), &strings.Builder{}
	process.Dir, process.Stdout, process.Stderr = dir, out, out
	process.Env = append(os.Environ(), "TERRAFORM="+os.Getenv("TF_ACC_TERRAFORM_PATH"), "TMPDIR="+t.TempDir())
	for name, value := range environment(baseURL, more) {
		process.Env = append(process.Env, name+"="+value)
	}
	return process, out
}
