package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Users run what is linked, and have to trust it: what serves the tests or the
// demo must not be in there, however it gets imported.
func TestWhatIsLinked(t *testing.T) {
	t.Parallel()
	packages := strings.Fields(run(t, "go", "list", "-deps", "."))
	if len(packages) < 100 {
		t.Fatalf("go list -deps names %d packages, which cannot be all of them", len(packages))
	}
	for _, unwanted := range []string{
		"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest",
		"github.com/dbplatform/terraform-provider-dbplatform/internal/cmd",
		"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi",
		"github.com/getkin/kin-openapi",
		"github.com/google/go-cmp",
		"github.com/hashicorp/terraform-exec",
		"github.com/hashicorp/terraform-plugin-sdk",
		"github.com/hashicorp/terraform-plugin-testing",
		"net/http/httptest",
		"net/http/pprof",
		"pgregory.net/rapid",
	} {
		for _, linked := range packages {
			if linked == unwanted || strings.HasPrefix(linked, unwanted+"/") {
				t.Errorf("%s is linked into the provider", linked)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "provider")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	run(t, "go", "build", "-buildvcs=false", "-ldflags", "-X main.version=1.2.3", "-o", binary, ".")
	if got, want := strings.TrimSpace(run(t, binary, "-version")), "terraform-provider-dbplatform 1.2.3"; got != want {
		t.Errorf("-version prints %q, not %q", got, want)
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	var complaints strings.Builder
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, complaints.String())
	}
	return string(out)
}
