// Package acctest is what acceptance tests share: an environment with a mock
// API of its own, a CLI that runs in it, a small replacement for Terraform's
// core that needs no CLI, and checks of what was sent and printed.
package acctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Main runs the tests of a package and returns the exit code. No CLI
// configuration, log or provider setting from outside reaches them, except the
// name of a file for the provider's log. The first test that needs a CLI builds the
// provider, and the other programs beside it.
func Main(m *testing.M, programs ...string) int {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		for _, prefix := range []string{"DBPLATFORM_", "TF_LOG", "TF_DATA_DIR", "TF_WORKSPACE", "TF_CLI_ARGS", "TF_VAR_"} {
			if strings.HasPrefix(name, prefix) {
				_ = os.Unsetenv(name)
			}
		}
	}
	_ = os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull)
	_ = os.Setenv("CHECKPOINT_DISABLE", "1")
	_ = os.Setenv("TF_LOG_SDK", "off")
	_ = os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "dbplatform")
	if path := os.Getenv("TF_ACC_LOG_PATH"); path != "" { // TF_LOG is for providers in this process
		_ = os.Setenv("TF_LOG", "TRACE")
		_ = os.Setenv("TF_LOG_PROVIDER", "TRACE")
		_ = os.Setenv("TF_LOG_PATH", path)
	}
	if os.Getenv("TF_ACC_TERRAFORM_PATH") == "" {
		for _, name := range []string{"tofu", "terraform"} { // the last one found counts
			if found, err := exec.LookPath(name); err == nil {
				_ = os.Setenv("TF_ACC_TERRAFORM_PATH", found)
			}
		}
	}
	if version, _ := cliVersion(); version.openTofu {
		_ = os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
	}
	scratch, err := os.MkdirTemp("", "dbplatform-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	builtProvider = sync.OnceValues(func() (string, error) {
		build := exec.Command("go", "build", "-o", scratch+string(filepath.Separator), "github.com/dbplatform/terraform-provider-dbplatform")
		build.Args = append(build.Args, programs...)
		out, err := build.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
		return scratch, err
	})
	return m.Run()
}

// builtProvider returns the folder of the provider's binary.
var builtProvider func() (string, error)
