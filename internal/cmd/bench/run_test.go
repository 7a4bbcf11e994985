package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func parseFloat(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// about allows for what a plot rounds.
func about(a, b float64) bool { return a-b < 0.2 && b-a < 0.2 }

// shortTemp is a folder for all temporary files of a test. The paths of sockets
// have a limit, which a folder of the testing package comes close to.
func shortTemp(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "b-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// TestRun takes everything once, with the fewest pipes.
func TestRun(t *testing.T) {
	temp := shortTemp(t)
	t.Setenv("TMPDIR", temp)
	t.Setenv("TF_CLI_ARGS", "-nonsense") // what surrounds the benchmark does not get in
	t.Setenv("DBPLATFORM_BASE_URL", "nonsense")

	o := &options{
		n: []int{2}, latencies: []time.Duration{0, time.Millisecond}, local: []int{2}, entries: []int{3}, repetitions: 1, metered: 1,
		counted: 2, limited: 2, limit: limit{requests: 1, per: 200 * time.Millisecond}, limitApply: true,
	}
	var progress bytes.Buffer
	r, err := measure(t.Context(), o, os.Getenv("TF_ACC_TERRAFORM_PATH"), &progress)
	if err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}

	for of, want := range map[subject]float64{
		{"pipes", 2, "apply", "dbplatform", ""}:    8,
		{"pipes", 2, "plan", "dbplatform", ""}:     2,
		{"pipes", 2, "destroy", "dbplatform", ""}:  2,
		{"pipes", 2, "plan", "dbplatform", "1ms"}:  2,
		{"pipes", 2, "apply", "empty", ""}:         0,
		{"pipes", 2, "plan", "terraform_data", ""}: 0,
		{"local", 2, "apply", "dbplatform", ""}:    8,
		{"list", 3, "plan", "dbplatform", ""}:      1,
		{"list", 3, "plan", "terraform_data", ""}:  0,
		{"start", 1, "validate", "empty", ""}:      0,

		{"requests", 2, "plan", "dbplatform", "HTTP/1.1"}:   2,
		{"requests", 2, "change", "dbplatform", "HTTP/1.1"}: 4,
	} {
		m := r.find(of)
		if m == nil || m.Requests.Max > want || want > 0 && m.Requests.Max == 0 {
			t.Errorf("%v: %+v, not %v requests", of, m, want)
		}
	}
	refused := map[string]float64{}
	for _, m := range r.Measurements {
		if m.Times == 0 || m.Wall.Min <= 0 || m.Failures > 0 {
			t.Errorf("%+v", m)
		}
		metered := m.World != "terraform_data" && m.Scenario != "limit" && m.Scenario != "requests"
		if metered != (m.CPU != nil) || metered && (m.CPU.Min <= 0 || m.Memory.Min < 1<<20 && runtime.GOOS != "windows") {
			t.Errorf("%v was metered: %+v, %+v", m.subject, m.CPU, m.Memory)
		}
		refused[m.Scenario] += m.Refused.Max
		if m.Scenario == "limit" && m.Wall.Min < 0.2 { // a window is waited for
			t.Errorf("%v took %v", m.subject, m.Wall)
		}
	}
	for scenario, n := range refused {
		if (scenario == "limit") != (n > 0) {
			t.Errorf("%s was refused %v times", scenario, n)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A check of results from a file fails where a goal is missed, and says which.
func TestCheckFromFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := sampleResults().publish(folder); err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(folder, "results.json")
	var said bytes.Buffer
	err := run(t.Context(), []string{"-check", "-from", from}, &said, io.Discard)
	if !errors.Is(err, errMissed) {
		t.Errorf("the check ended with %v", err)
	}
	for _, want := range []string{"| **✗** | Plan without changes, N = 1000, beside terraform_data ", "| 3 × ", "not measured"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not in\n%s", want, said.String())
		}
	}
	again := filepath.Join(folder, "again")
	if err := run(t.Context(), []string{"-from", from, "-out", again}, io.Discard, io.Discard); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"results.json", "results.svg", "README.md"} {
		first, err1 := os.ReadFile(filepath.Join(folder, name))
		second, err2 := os.ReadFile(filepath.Join(again, name))
		if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Errorf("%s is not what it was: %v, %v", name, err1, err2)
		}
	}
}

// An interrupted benchmark leaves nothing behind.
func TestInterrupted(t *testing.T) {
	temp := shortTemp(t)
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	o := &options{n: []int{2}, latencies: []time.Duration{time.Minute}, repetitions: 1, only: []string{"pipes"}}
	// The world that comes last has an API that takes a minute to answer.
	progress := &reader{until: "  empty:", do: func() { time.AfterFunc(time.Second, cancel) }}
	_, err := measure(ctx, o, os.Getenv("TF_ACC_TERRAFORM_PATH"), progress)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A reader does something once it has been written a text.
type reader struct {
	until string
	do    func()
}

func (r *reader) Write(text []byte) (int, error) {
	if strings.HasPrefix(string(text), r.until) {
		r.do()
	}
	return len(text), nil
}
