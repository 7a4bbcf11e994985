package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// testRun runs the program in this process.
func testRun(ctx context.Context, t *testing.T, baseURL string, more env, attributes ...string) (out string, err error) {
	t.Helper()
	if err := buildProvider(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	s := &settings{
		folder: filepath.Join(t.TempDir(), "journal"), provider: binaries,
		terraform: os.Getenv("TF_ACC_TERRAFORM_PATH"), attributes: attributes,
	}
	all := environment(baseURL, more)
	err = start(ctx, &text, func(name string) string { return all[name] }, s)
	if _, missing := os.Stat(s.folder); missing == nil {
		t.Errorf("the folder is left:\n%s", text.String())
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

func serve(t *testing.T, handler http.Handler) (baseURL string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// atChange serves a mock API and calls do at the n-th change, after it was made and
// before the response.
func atChange(t *testing.T, mock *mockapi.Server, n int64, do func()) (baseURL string) {
	t.Helper()
	reached := &atomic.Int64{}
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(strings.NewReader(string(body)))
		mock.ServeHTTP(w, request)
		if request.Method != http.MethodGet && string(body) != "{}" && reached.Add(1) == n {
			do()
		}
	}))
}

// objects returns everything in the store, without the times that move by themselves.
func objects(mock *mockapi.Server) (all []mockapi.Object) {
	for kind, ids := range map[mockapi.Kind][]string{
		mockapi.Service: {mockapi.ServiceID, mockapi.OtherServiceID},
		mockapi.Key:     {mockapi.APIKeyID, mockapi.OtherAPIKeyID},
		mockapi.Pipe:    {mockapi.KafkaPipeID, mockapi.ObjectStoragePipeID, mockapi.KinesisPipeID, mockapi.PostgresPipeID},
	} {
		for _, id := range ids {
			object := mock.Object(kind, id)
			delete(object, "updatedAt")
			delete(object, "usedAt")
			for name, value := range object {
				if text, isText := value.(string); isText {
					object[name] = canonical(text) // a time in any notation
				}
				if list, isList := value.([]any); isList {
					for _, element := range list {
						if entry, _ := element.(map[string]any); entry["source"] != nil {
							entry["source"] = address(fmt.Sprint(entry["source"]))
						}
					}
					slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
				}
			}
			all = append(all, object)
		}
	}
	slices.SortFunc(all, func(a, b mockapi.Object) int { return strings.Compare(fmt.Sprint(a["id"]), fmt.Sprint(b["id"])) })
	return all
}

// expectRestored compares the objects with what they were.
func expectRestored(t *testing.T, mock *mockapi.Server, before []mockapi.Object, out string) {
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
