package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "provider")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-ldflags", "-w -X main.version=1.2.3", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), binary, "-version").CombinedOutput()
	if got, want := strings.TrimSpace(string(out)), "terraform-provider-dbplatform 1.2.3"; err != nil || got != want {
		t.Errorf("-version prints %q (%v), not %q", got, err, want)
	}
}
