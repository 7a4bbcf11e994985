// Command meter stands where Terraform expects a provider: it runs the real one
// as its child, on its own standard streams, and writes what that used when it
// has ended. Terraform alone would know, and does not tell.
//
// The environment says which program to run (BENCH_METER_PROGRAM) and the folder
// to write to (BENCH_METER_FOLDER).
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "meter:", err)
		code = 1
	}
	os.Exit(code)
}

// run answers the exit code of the child.
func run() (int, error) {
	report, err := begin(os.Getenv("BENCH_METER_FOLDER"))
	if err != nil {
		return 0, err
	}
	child := exec.Command(os.Getenv("BENCH_METER_PROGRAM"), os.Args[1:]...) //nolint:gosec,noctx // who sets the environment runs it; it lives as long as it likes
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr

	// Caught before the child is there, or one in between would end this process
	// and leave the child.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if err := child.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			_ = child.Process.Signal(s) // it may have ended
		}
	}()
	if err := child.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return 0, err
	}
	return max(child.ProcessState.ExitCode(), 0), report.end(child.ProcessState)
}
