//go:build unix

// Command meter takes the place of a provider: it runs the real one
// (BENCH_PROGRAM) and then appends what that used to a file (BENCH_USAGE).
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

func main() {
	code, err := run()
	if err != nil {
		log.Fatalf("meter: %v", err)
	}
	os.Exit(code)
}

// run returns the exit code of the provider.
func run() (int, error) {
	provider := exec.Command(os.Getenv("BENCH_PROGRAM"), os.Args[1:]...) //nolint:noctx // Terraform ends it
	provider.Stdin, provider.Stdout, provider.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := provider.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return 0, err
	}
	state := provider.ProcessState
	memory := state.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS != "darwin" {
		memory *= 1024 // KiB everywhere else
	}
	file, err := os.OpenFile(os.Getenv("BENCH_USAGE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, `{"cpu": %d, "memory": %d}`+"\n", state.UserTime()+state.SystemTime(), memory)
	return max(state.ExitCode(), 0), err
}
