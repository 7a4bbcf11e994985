//go:build unix

package main

import (
	"os/exec"
	"syscall"
	"time"
)

// endTogether has a process and all that it starts end at once when its context
// does. They are a group of their own: a Ctrl-C reaches Terraform through this
// program alone, and a Terraform that is killed leaves no provider.
func endTogether(process *exec.Cmd) {
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	process.Cancel = func() error { return syscall.Kill(-process.Process.Pid, syscall.SIGKILL) }
}

// executableSuffix is what the name of a program ends with.
const executableSuffix = ""

// ownCPU is the time that this process has computed; the mock API is the
// part of it that works while Terraform runs.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
