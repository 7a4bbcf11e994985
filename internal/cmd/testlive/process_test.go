package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const module = "github.com/dbplatform/terraform-provider-dbplatform"

// binaries are built once, into a folder that TestMain removes.
var binaries = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "testlive-binaries-")
	if err != nil {
		return "", err
	}
	for name, path := range map[string]string{
		"terraform-provider-dbplatform": module, "mockapi": module + "/internal/cmd/mockapi", "testlive": module + "/internal/cmd/testlive",
	} {
		output, err := exec.Command("go", "build", "-buildvcs=false", "-o", executable(folder, name), path).CombinedOutput()
		if err != nil {
			return folder, fmt.Errorf("%s: %w\n%s", path, err, output)
		}
	}
	return folder, nil
})

func executable(folder, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(folder, name)
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.Load() {
		folder, _ := binaries()
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// built is set once [binaries] was called.
var built atomic.Bool

// build returns the folder of the binaries.
func build(t *testing.T) string {
	t.Helper()
	built.Store(true)
	folder, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// startMock runs the mock API as a process and returns its address.
func startMock(t *testing.T, args ...string) (baseURL string) {
	t.Helper()
	process := exec.Command(executable(build(t), "mockapi"), append(args, "-json")...)
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var seed struct {
		BaseURL string `json:"base_url"`
	}
	if err := json.Unmarshal(line, &seed); err != nil {
		t.Fatal(err)
	}
	return seed.BaseURL
}

// needsWrites matches the variants that only changes show.
var needsWrites = regexp.MustCompile(`^(remove_|entry_identity|add_existing|settings_put|ignore_nulls|refuse_foreign|refuse_extra|postgres_|` +
	`sparse_settings|normalise_|frozen_roles|late|stale_)`)

// Without writes, a run names each variant that reads show, and the rate limit.
func TestReadsNameVariants(t *testing.T) {
	t.Parallel()
	cases := [][]string{nil, {"variant shuffle", "variant numbers=decimal"}}
	for _, named := range mockapi.AllVariants() {
		if !needsWrites.MatchString(named.Name) {
			cases = append(cases, []string{"variant " + named.Name})
		}
	}
	for _, style := range mockapi.RateLimitStyles() {
		cases = append(cases, []string{fmt.Sprintf("rate-headers %s", style), "rate 12/1s"})
	}
	cases = append(cases, []string{"rate 12/1s", "rate-headers retry-after", "variant bare_429"})
	for _, want := range cases {
		t.Run(strings.Join(want, ","), func(t *testing.T) {
			t.Parallel()
			var args []string
			for _, flag := range want {
				args = append(args, strings.Fields("-"+flag)...)
			}
			var out strings.Builder
			env := environment(startMock(t, args...), map[string]string{"DBPLATFORM_TEST_API_KEY_ID": mockapi.OtherAPIKeyID})
			if err := test(t.Context(), &out, env, &settings{}); err != nil {
				t.Error(err)
			}
			if len(want) == 1 && unobserved[strings.TrimPrefix(want[0], "variant ")] != "" {
				want = nil
			}
			slices.Sort(want)
			if got := flags(t, out.String()); !sameFlags(got, want) {
				t.Errorf("flags %q, not %q\n%s", got, want, &out)
			}
			// Headers that say how much is left keep a run from a refusal, and a
			// refusal from another.
			found := refusals.FindString(out.String())
			isRefused := slices.Contains(want, "rate 12/1s") && !announces.MatchString(strings.Join(want, " "))
			if isRefused && !strings.HasPrefix(found, "1 of ") || !isRefused && found != "" {
				t.Errorf("%q", found)
			}
		})
	}
}

var (
	announces = regexp.MustCompile(`rate-headers (x-)?ratelimit(-remaining|-policy)?( |$)`)
	refusals  = regexp.MustCompile(`\d+ of \d+ requests refused`)
)

// program is this program as a process, with the provider and a CLI.
func program(t *testing.T, baseURL, folder string, env map[string]string, args ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	process := exec.Command(executable(build(t), "testlive"), append([]string{"-provider", build(t)}, args...)...)
	process.Dir = folder
	process.Env = append(os.Environ(), "TERRAFORM="+os.Getenv("TF_ACC_TERRAFORM_PATH"), "TMPDIR="+t.TempDir())
	all := environment(baseURL, env)
	for _, name := range []string{
		"DBPLATFORM_BASE_URL", "DBPLATFORM_ORGANIZATION_ID", "DBPLATFORM_KEY_ID", "DBPLATFORM_KEY_SECRET",
		"DBPLATFORM_TEST_SERVICE_ID", "DBPLATFORM_TEST_PIPE_ID", "DBPLATFORM_TEST_API_KEY_ID", "DBPLATFORM_TEST_WRITES",
	} {
		process.Env = append(process.Env, name+"="+all(name))
	}
	var out strings.Builder
	process.Stdout, process.Stderr = &out, &out
	return process, &out
}

// A whole run: data sources, imports and changes by a real CLI, against the mock
// API as another process.
func TestRun(t *testing.T) {
	t.Parallel()
	for name, writes := range map[string]string{"reads": "", "writes": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			baseURL := startMock(t, "-variant", "echo_write_only")
			before := shown(t, baseURL)
			process, out := program(t, baseURL, t.TempDir(), map[string]string{
				"DBPLATFORM_TEST_WRITES": writes, "DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID + ", " + mockapi.ObjectStoragePipeID,
			}, "-attributes", "release_channel,ip_access_list,replicas,object_storage_concurrency,expire_at")
			if err := process.Run(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			wants := []string{"✓ the plan after that is empty", "PATCH with {}, and no other", "✓ Everything that was tested works."}
			if writes != "" {
				wants = append(wants, "✓ service "+mockapi.ServiceID+": release_channel\n", "✓ service "+mockapi.ServiceID+": ip_access_list\n",
					"✓ pipe "+mockapi.KafkaPipeID+": replicas\n", "✓ pipe "+mockapi.ObjectStoragePipeID+": object_storage_concurrency\n",
					"✓ API key "+mockapi.APIKeyID+": expire_at\n", "✓ API key "+mockapi.APIKeyID+" is as it was before\n")
			}
			for _, want := range wants {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in:\n%s", want, out)
				}
			}
			if diff := cmp.Diff(before, shown(t, baseURL)); diff != "" {
				t.Errorf("not restored:\n%s", diff)
			}
			if got, want := flags(t, out.String()), []string{"variant echo_write_only"}; !slices.Equal(got, want) {
				t.Errorf("flags %q, not %q", got, want)
			}
		})
	}
}

// shown are the objects as another client reads them.
func shown(t *testing.T, baseURL string) []any {
	t.Helper()
	s, err := newSettings(environment(baseURL, nil))
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(s, newRecord(s))
	var all []any
	for _, path := range []string{servicePath(mockapi.ServiceID), keyPath(mockapi.APIKeyID), pipePath(mockapi.ServiceID, mockapi.KafkaPipeID), pipePath(mockapi.ServiceID, mockapi.ObjectStoragePipeID)} {
		o := &object{Path: path, ReadBy: http.MethodGet}
		if kindOf(path) != "pipe" {
			o.ReadBy = http.MethodPatch
		}
		object, err := c.read(context.WithoutCancel(t.Context()), o)
		if err != nil {
			t.Fatal(err)
		}
		delete(object, "updatedAt")
		all = append(all, maps.Clone(object))
	}
	return all
}

// A process that is interrupted while Terraform changes a pipe restores it. One
// that is killed leaves a journal, from which the next run restores it.
func TestStoppedProcessRestores(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted")
	}
	for name, signal := range map[string]os.Signal{"interrupted": os.Interrupt, "killed": os.Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mock := mockapi.New()
			before := objects(mock)
			due, sent := make(chan struct{}), make(chan struct{})
			// The first two changes of the scaling are an experiment and its end.
			baseURL, _ := atChange(t, mock, "/scaling", 3, func() {
				close(due)
				<-sent
			})
			folder := t.TempDir()
			env := map[string]string{"DBPLATFORM_TEST_WRITES": "1", "DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID, "DBPLATFORM_TEST_API_KEY_ID": ""}
			process, out := program(t, baseURL, folder, env, "-attributes", "replicas")
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			go func(running *os.Process) {
				<-due
				_ = running.Signal(signal)
				close(sent)
			}(process.Process)
			if err := process.Wait(); err == nil {
				t.Errorf("the process succeeded:\n%s", out)
			}
			if signal == os.Kill {
				if cmp.Equal(before, objects(mock)) {
					t.Fatalf("nothing to restore:\n%s", out)
				}
				env["DBPLATFORM_TEST_PIPE_ID"] = ""
				process, out = program(t, baseURL, folder, env, "-attributes", "none")
				if err := process.Run(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
			if diff := cmp.Diff(before, objects(mock)); diff != "" {
				t.Errorf("not restored:\n%s\n%s", diff, out)
			}
		})
	}
}

// A wrong secret and a wrong id are failures: nothing was learned of the API.
func TestMistakesFail(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"DBPLATFORM_KEY_SECRET":      "not-the-secret",
		"DBPLATFORM_TEST_API_KEY_ID": "99999999-9999-4999-8999-999999999999",
		"DBPLATFORM_TEST_PIPE_ID":    "99999999-9999-4999-8999-999999999999",
	} {
		var out strings.Builder
		err := test(t.Context(), &out, environment(startMock(t), map[string]string{name: value}), &settings{})
		if err == nil || !strings.Contains(out.String(), "cannot be read") || strings.Contains(out.String(), "✓ Everything") {
			t.Errorf("%s: %v\n%s", name, err, &out)
		}
	}
}
