package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test's own program stand for the meter and for its child,
// which does what its argument says.
func TestMain(m *testing.M) {
	switch role := os.Getenv("METER_TEST_ROLE"); role {
	case "":
		os.Exit(m.Run())
	case "meter":
		_ = os.Setenv("METER_TEST_ROLE", "child")
		main()
	default:
		os.Exit(child(os.Args[1]))
	}
}

func child(what string) int {
	switch what {
	case "echo":
		text, _ := io.ReadAll(os.Stdin)
		_, _ = os.Stdout.Write(text)
		_, _ = os.Stderr.WriteString("said")
	case "work":
		block := make([]byte, 64<<20)
		for begun := time.Now(); time.Since(begun) < 50*time.Millisecond; {
			for i := 0; i < len(block); i += 4096 {
				block[i]++
			}
		}
	case "wait": // until it is interrupted
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		_, _ = os.Stdout.WriteString("ready")
		<-interrupted
		return 5
	default:
		code, _ := strconv.Atoi(what)
		return code
	}
	return 0
}

// metered is a meter whose child does what it is told, and where it reports.
func metered(t *testing.T, what string) (*exec.Cmd, string) {
	t.Helper()
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	meter := exec.CommandContext(t.Context(), self, what)
	meter.Env = append(os.Environ(), "METER_TEST_ROLE=meter", "BENCH_METER_PROGRAM="+self, "BENCH_METER_FOLDER="+folder)
	return meter, folder
}

// used is the one report in a folder.
func used(t *testing.T, folder string) (report struct {
	CPU    time.Duration `json:"cpu"`
	Memory int64         `json:"memory"`
},
) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the reports are %v, %v", entries, err)
	}
	text, err := os.ReadFile(filepath.Join(folder, entries[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return report
}

func TestStreams(t *testing.T) {
	t.Parallel()
	meter, folder := metered(t, "echo")
	var complaints strings.Builder
	meter.Stdin, meter.Stderr = strings.NewReader("handshake"), &complaints
	out, err := meter.Output()
	if err != nil || string(out) != "handshake" || complaints.String() != "said" {
		t.Errorf("%q, %q, %v", out, complaints.String(), err)
	}
	used(t, folder)
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	meter, folder := metered(t, "3")
	if err := meter.Run(); meter.ProcessState.ExitCode() != 3 {
		t.Errorf("the child's 3 became %v", err)
	}
	used(t, folder)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	meter, folder := metered(t, "work")
	if err := meter.Run(); err != nil {
		t.Fatal(err)
	}
	report := used(t, folder)
	if report.CPU < 5*time.Millisecond || report.CPU > time.Minute {
		t.Errorf("50 ms of work are %v", report.CPU)
	}
	if runtime.GOOS != "windows" && (report.Memory < 64<<20 || report.Memory > 1<<30) {
		t.Errorf("64 MiB are %d bytes", report.Memory)
	}
}

func TestSignal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals to pass on")
	}
	meter, folder := metered(t, "wait")
	out, err := meter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := meter.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready"))); err != nil {
		t.Fatal(err)
	}
	if err := meter.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := meter.Wait(); meter.ProcessState.ExitCode() != 5 {
		t.Errorf("the child's 5 became %v", err)
	}
	used(t, folder)
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	meter, _ := metered(t, "")
	meter.Env = append(meter.Env, "BENCH_METER_PROGRAM="+filepath.Join(t.TempDir(), "none"))
	err := meter.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Errorf("no program is %v", err)
	}
}
