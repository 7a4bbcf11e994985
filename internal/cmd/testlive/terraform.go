package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A terraform is a CLI with the provider under test, which talks to the API
// through the recorder.
type terraform struct {
	path, version string
	env           []string
}

func newTerraform(ctx context.Context, s *settings, r *recorder) (*terraform, error) {
	path, notFound := find(s.terraform)
	provider, isOdd := filepath.Abs(s.provider)
	configuration, err := filepath.Abs(filepath.Join(s.folder, "cli.tfrc"))
	if err := errors.Join(notFound, isOdd, err); err != nil {
		return nil, err
	}
	if built, _ := filepath.Glob(filepath.Join(provider, "terraform-provider-dbplatform*")); len(built) == 0 {
		return nil, fmt.Errorf("there is no provider in %s: run make build", provider)
	}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"dbplatform/dbplatform\" = %q\n  }\n  direct {}\n}\n", provider)
	if err := os.WriteFile(configuration, []byte(text), 0o600); err != nil {
		return nil, err
	}
	t := &terraform{path: path, env: environment(configuration, r.url)}
	output, _, err := t.execute(ctx, s.folder, "version")
	t.version, _, _ = strings.Cut(output, "\n")
	return t, err
}

// find returns the absolute path of the named CLI, or of the one on PATH.
func find(name string) (string, error) {
	names := []string{"terraform", "tofu"}
	if name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("there is no %s on PATH; put one there, or name it: TERRAFORM=/path/to/tofu", strings.Join(names, " or "))
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
		"DBPLATFORM_READ_METHOD=PATCH",
		"DBPLATFORM_UNREADABLE_OBJECTS=error",
	)
}

// run runs a command. Another exit code than 0 is an error with the output.
func (t *terraform) run(ctx context.Context, folder string, args ...string) error {
	output, code, err := t.execute(ctx, folder, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("%s %s ended with exit code %d:\n%s", filepath.Base(t.path), args[0], code, strings.TrimSpace(output))
	}
	return err
}

// execute runs a command and returns all output.
func (t *terraform) execute(ctx context.Context, folder string, args ...string) (output string, code int, err error) {
	// A file and no pipe: if this process is killed, the command can still end in order,
	// with its provider.
	written, err := os.CreateTemp("", "output-")
	if err != nil {
		return "", 0, err
	}
	defer os.Remove(written.Name())
	defer written.Close()
	command := exec.CommandContext(ctx, t.path, args...)
	command.Dir, command.Env = folder, t.env
	command.Stdout, command.Stderr = written, written
	// Unlike a killed Terraform, an interrupted one ends its provider.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second

	failed := command.Run()
	text, err := os.ReadFile(written.Name())
	if err != nil {
		return "", 0, err
	}
	if exit, ok := errors.AsType[*exec.ExitError](failed); ok && ctx.Err() == nil {
		return string(text), exit.ExitCode(), nil
	}
	return string(text), 0, failed
}

// apply and planIsEmpty wait for the lock of a command whose program was killed.
func (t *terraform) apply(ctx context.Context, folder string) error {
	return t.run(ctx, folder, "apply", "-auto-approve", "-lock-timeout=5m")
}

func (t *terraform) planIsEmpty(ctx context.Context, folder string) error {
	return t.run(ctx, folder, "plan", "-detailed-exitcode", "-lock-timeout=5m")
}
