package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// scratch is the folder with the provider, and the temporary folder of the program. Its
// name is short: on macOS, the path of a plugin's socket in it has at most 103 bytes.
var scratch string

// TestMain makes this binary the program itself, for tests that need a process.
func TestMain(m *testing.M) {
	if os.Getenv("TESTLIVE_AS_PROGRAM") != "" {
		main()
		return
	}
	var err error
	if scratch, err = os.MkdirTemp("", "live-"); err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", scratch+string(filepath.Separator), "github.com/dbplatform/terraform-provider-dbplatform")
	if output, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("the provider cannot be built: %v\n%s", err, output))
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

type env map[string]string

// program is this program as a process, with an account of a mock API.
func program(t *testing.T, baseURL, dir string, more env, args ...string) (process *exec.Cmd, out *strings.Builder) {
	t.Helper()
	process, out = exec.Command(os.Args[0], append([]string{"-provider", scratch}, args...)...), &strings.Builder{}
	process.Dir, process.Stdout, process.Stderr = dir, out, out
	all := env{
		"TESTLIVE_AS_PROGRAM":        "1",
		"TERRAFORM":                  os.Getenv("TF_ACC_TERRAFORM_PATH"),
		"DBPLATFORM_UPDATE_TIMEOUT":  "1s",
		"TMPDIR":                     scratch,
		"GOGC":                       "off", // the commands end before they need it
		"DBPLATFORM_BASE_URL":        baseURL,
		"DBPLATFORM_ORGANIZATION_ID": mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID":          mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET":      mockapi.KeySecret,
		"DBPLATFORM_TEST_SERVICE_ID": mockapi.ServiceID,
		"DBPLATFORM_TEST_PIPE_ID":    mockapi.KafkaPipeID,
		"DBPLATFORM_TEST_API_KEY_ID": mockapi.APIKeyID,
	}
	maps.Copy(all, more)
	process.Env = os.Environ()
	for name, value := range all {
		process.Env = append(process.Env, name+"="+value)
	}
	return process, out
}

// runProgram runs the program until it ends, and expects parts of its output.
func runProgram(t *testing.T, baseURL, dir string, more env, args, want []string) (isDone bool) {
	t.Helper()
	process, out := program(t, baseURL, dir, more, args...)
	err := process.Run()
	contains(t, out.String(), want...)
	return err == nil
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	missing := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return strings.Contains(text, part) })
	if len(missing) > 0 {
		t.Errorf("no %q in:\n%s", missing, text)
	}
}

// atChange serves a mock API and calls do at a change, 1 for the first, after it was made
// and before the response.
func atChange(t *testing.T, mock *mockapi.Server, number int64, do func()) (baseURL string) {
	t.Helper()
	var changes atomic.Int64
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		mock.ServeHTTP(w, request)
		if request.Method != http.MethodGet && request.ContentLength > int64(len("{}")) && changes.Add(1) == number {
			do()
		}
	}))
}

func serve(t *testing.T, handler http.Handler) (baseURL string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// objects returns everything that a run may change, without the times that change by
// themselves.
func objects(mock *mockapi.Server) map[string]mockapi.Object {
	all := map[string]mockapi.Object{}
	for id, kind := range map[string]mockapi.Kind{
		mockapi.ServiceID: mockapi.Service, mockapi.APIKeyID: mockapi.Key,
		mockapi.KafkaPipeID: mockapi.Pipe, mockapi.ObjectStoragePipeID: mockapi.Pipe, mockapi.PostgresPipeID: mockapi.Pipe,
	} {
		all[id] = mock.Object(kind, id)
		delete(all[id], "updatedAt")
		delete(all[id], "usedAt")
	}
	return all
}

// decoded is JSON with numbers as they are written; nil for other texts.
func decoded(text string) (value any) {
	_ = decode([]byte(text), &value)
	return value
}

// expectRestored compares the objects with what they were, and expects an empty folder.
func expectRestored(t *testing.T, mock *mockapi.Server, before map[string]mockapi.Object, dir string) {
	t.Helper()
	inAnyNotation := cmp.Comparer(func(a, b string) bool { return equal(a, b) })
	if diff := cmp.Diff(before, objects(mock), inAnyNotation); diff != "" {
		t.Errorf("not as before:\n%s", diff)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left in the folder: %s", left)
	}
}
