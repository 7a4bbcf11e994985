//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the most that a process had resident, in bytes; 0 where that
// is not known.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) //nolint:unconvert // an int32 on some systems
	}
	return int64(usage.Maxrss) << 10 //nolint:unconvert // KiB everywhere else, and an int32 on some systems
}
