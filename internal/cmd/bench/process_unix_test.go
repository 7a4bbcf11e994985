//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a program has started ends with it, as a provider must with its Terraform.
func TestEndTogether(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	path := filepath.Join(t.TempDir(), "pid")
	go func() {
		for ctx.Err() == nil {
			if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(text), "\n") {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := execute(ctx, command{name: "sh", args: []string{"-c", `sleep 60 & echo $! >"$1"; wait`, "sh", path}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("what was cancelled ended with %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); !ended(pid); time.Sleep(time.Millisecond) {
		if time.Since(begun) > 5*time.Second {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// ended is true of a process that is gone, and of one that nobody has waited for.
func ended(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(status), ") ")
	return strings.HasPrefix(state, "Z")
}
