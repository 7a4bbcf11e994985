//go:build unix

package benchmarks

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
)

// The meter takes the place of a provider. It runs the program that this
// environment variable names.
const meterProgram = "METER_PROGRAM"

// usageFile is what the meter writes, in Terraform's folder: for each process, the
// CPU time in nanoseconds and the peak memory in bytes.
const usageFile = "usage"

// TestMain lets Terraform run this program as the meter.
func TestMain(m *testing.M) {
	if program := os.Getenv(meterProgram); program != "" {
		if err := meter(program); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(acctest.Main(m, "./terraform-provider-empty"))
}

func meter(program string) error {
	provider := exec.Command(program)
	provider.Stdin, provider.Stdout, provider.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := provider.Run(); err != nil {
		return err
	}
	used := provider.ProcessState
	memory := used.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS != "darwin" {
		memory *= 1024 // KiB everywhere else
	}
	file, err := os.OpenFile(usageFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "%d %d\n", used.UserTime()+used.SystemTime(), memory)
	return err
}

// measure runs a command, and reports what it used beside its time: the requests,
// the CPU time of the provider's processes, and the peak memory of the largest.
func (w workspace) measure(b *testing.B, command ...string) {
	b.Helper()
	path := filepath.Join(w.Dir, usageFile)
	_ = os.Remove(path)
	w.api.ResetRequests()
	w.Must(command...)
	b.ReportMetric(float64(len(w.api.Requests())), "requests/op")

	text, err := os.ReadFile(path)
	if err != nil && w.provider != builtIn {
		b.Fatal(err)
	}
	var cpu time.Duration
	var memory int64
	for line := range strings.Lines(string(text)) {
		var used time.Duration
		var peak int64
		if _, err := fmt.Sscan(line, &used, &peak); err != nil {
			b.Fatalf("the meter wrote %q: %v", line, err)
		}
		cpu += used
		memory = max(memory, peak)
	}
	b.ReportMetric(cpu.Seconds(), "cpu-sec/op")
	b.ReportMetric(float64(memory), "peak-B")
}
