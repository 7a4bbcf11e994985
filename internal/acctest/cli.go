package acctest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Requirement is the block that makes a configuration use this provider.
const Requirement = `
terraform {
  required_providers {
    dbplatform = { source = "dbplatform/dbplatform" }
  }
}
`

// A CLI is Terraform or OpenTofu in a folder of its own, with the provider as
// users run it. It shows what the plugin test framework does not: warnings and
// the text of a plan.
type CLI struct {
	Dir      string
	Programs string // the folder with the provider's program

	t           testing.TB
	env         *Env
	environment []string
}

// CLI returns a CLI in a new folder, with this configuration below the
// provider block.
func (e *Env) CLI(tb testing.TB, config string) *CLI {
	tb.Helper()
	folder, err := builtProvider()
	if err != nil {
		tb.Fatal(err)
	}
	tf := &CLI{Dir: tb.TempDir(), Programs: folder, t: tb, env: e}
	tf.WriteFile("cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dbplatform/dbplatform\" = %q\n  }\n  direct {}\n}\n", folder))
	tf.environment = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(tf.Dir, "cli.tfrc"), "TF_IN_AUTOMATION=1", "TF_LOG=")
	tf.Configure(config)
	return tf
}

// Configure replaces the configuration below the provider block.
func (tf *CLI) Configure(config string) {
	tf.t.Helper()
	tf.WriteFile("main.tf", Requirement+tf.env.ProviderBlock()+config)
}

// WriteFile writes a file of the CLI's folder.
func (tf *CLI) WriteFile(name, content string) {
	tf.t.Helper()
	path := filepath.Join(tf.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tf.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tf.t.Fatal(err)
	}
}

// Setenv adds environment variables, as NAME=value.
func (tf *CLI) Setenv(variables ...string) {
	tf.environment = append(tf.environment, variables...)
}

// Command returns a command of the CLI.
func (tf *CLI) Command(args ...string) *exec.Cmd {
	command := exec.CommandContext(tf.t.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), append(args, "-no-color")...)
	command.Dir, command.Env = tf.Dir, tf.environment
	return command
}

// Run runs the CLI and returns all that it printed, and its exit code.
func (tf *CLI) Run(args ...string) (out string, code int) {
	tf.t.Helper()
	command := tf.Command(args...)
	text, err := command.CombinedOutput()
	if command.ProcessState == nil {
		tf.t.Fatal(err)
	}
	for _, blame := range []string{"inconsistent result", "inconsistent final plan", "bug in the provider", "panic:"} {
		if strings.Contains(string(text), blame) {
			tf.t.Errorf("terraform %v printed %q:\n%s", args, blame, text)
		}
	}
	return string(text), command.ProcessState.ExitCode()
}

// Must runs what has to succeed.
func (tf *CLI) Must(args ...string) string {
	tf.t.Helper()
	out, code := tf.Run(args...)
	if code != 0 {
		tf.t.Fatalf("terraform %v ended with %d:\n%s", args, code, out)
	}
	return out
}

// Apply applies the configuration, which has to succeed.
func (tf *CLI) Apply(args ...string) string {
	tf.t.Helper()
	return tf.Must(append([]string{"apply", "-auto-approve"}, args...)...)
}

// ExpectNoChanges checks that there is nothing left to plan.
func (tf *CLI) ExpectNoChanges() {
	tf.t.Helper()
	if out, code := tf.Run("plan", "-detailed-exitcode"); code != 0 {
		tf.t.Errorf("the next plan ended with %d:\n%s", code, out)
	}
}

// A Diagnostic is an error or a warning as the CLI prints it in JSON.
type Diagnostic struct {
	Severity, Summary, Detail string
	Range                     struct {
		Filename string
		Start    struct{ Line int }
	}
}

// Validate returns the diagnostics of terraform validate.
func (tf *CLI) Validate() []Diagnostic {
	tf.t.Helper()
	out, _ := tf.Run("validate", "-json")
	var document struct{ Diagnostics []Diagnostic }
	if err := json.Unmarshal([]byte(out), &document); err != nil {
		tf.t.Fatalf("%v in:\n%s", err, out)
	}
	var diagnostics []Diagnostic
	for _, d := range document.Diagnostics {
		if d.Summary != "Provider development overrides are in effect" {
			diagnostics = append(diagnostics, d)
		}
	}
	return diagnostics
}

// IsOpenTofu reports whether the CLI is OpenTofu.
func (tf *CLI) IsOpenTofu() bool { return must(cliVersion()).openTofu }

// IsAtLeast reports whether the CLI is of version 1.minor or newer.
func (tf *CLI) IsAtLeast(minor int) bool {
	v := must(cliVersion())
	return v.major > 1 || v.minor >= minor
}

type version struct {
	openTofu     bool
	major, minor int
}

var cliVersion = sync.OnceValues(func() (v version, err error) {
	out, err := exec.Command(os.Getenv("TF_ACC_TERRAFORM_PATH"), "version").Output()
	if err != nil {
		return v, err
	}
	v.openTofu = strings.Contains(string(out), "OpenTofu")
	_, number, _ := strings.Cut(string(out), " v")
	_, err = fmt.Sscanf(number, "%d.%d", &v.major, &v.minor)
	return v, err
})
