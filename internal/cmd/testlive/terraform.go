package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A terraform is the CLI with the provider under test, which sends its requests to the
// recorder.
type terraform struct {
	path string
	env  []string
}

func newTerraform(s *settings, recorder string) (*terraform, error) {
	configuration := filepath.Join(s.folder, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dbplatform/dbplatform\" = %q\n  }\n  direct {}\n}\n", s.provider)
	return &terraform{s.terraform, environment(configuration, recorder)}, os.WriteFile(configuration, []byte(text), 0o600)
}

// environment returns this one without the user's settings of Terraform. Those of the
// provider stay.
func environment(configuration, baseURL string) []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return strings.HasPrefix(name, "TF_") || strings.HasPrefix(name, "DBPLATFORM_") && value == ""
	})
	return append(env,
		"CHECKPOINT_DISABLE=1", // no search for a newer Terraform
		"TF_CLI_CONFIG_FILE="+configuration,
		"TF_CLI_ARGS=-no-color",
		"TF_IN_AUTOMATION=1", // no advice on what to type next
		"TF_INPUT=0",
		"DBPLATFORM_BASE_URL="+baseURL,
		"DBPLATFORM_UNREADABLE_OBJECTS=error",
	)
}

// run runs a command. Its error has the output.
func (t *terraform) run(ctx context.Context, folder string, args ...string) error {
	// A file and no pipe: if this process is killed, the command can still end properly,
	// with its provider.
	written, err := os.CreateTemp("", "output-")
	if err != nil {
		return err
	}
	defer os.Remove(written.Name())
	defer written.Close()
	command := exec.CommandContext(ctx, t.path, args...)
	command.Dir, command.Env = folder, t.env
	command.Stdout, command.Stderr = written, written
	// Unlike a killed Terraform, an interrupted one ends its provider.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	if err := command.Run(); err != nil {
		output, _ := os.ReadFile(written.Name())
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(t.path), args[0], err, strings.TrimSpace(string(output)))
	}
	return nil
}

func (t *terraform) apply(ctx context.Context, folder string) error {
	return t.run(ctx, folder, "apply", "-auto-approve")
}

// planIsEmpty returns an error if a plan has changes.
func (t *terraform) planIsEmpty(ctx context.Context, folder string) error {
	return t.run(ctx, folder, "plan", "-detailed-exitcode")
}
