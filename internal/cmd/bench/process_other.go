//go:build !unix

package main

import (
	"os/exec"
	"time"
)

// endTogether has nothing to add here to what [exec.CommandContext] does.
func endTogether(*exec.Cmd) {}

// executableSuffix is what the name of a program ends with: Windows is the one
// system here that has one.
const executableSuffix = ".exe"

// ownCPU is not known here.
func ownCPU() time.Duration { return 0 }
