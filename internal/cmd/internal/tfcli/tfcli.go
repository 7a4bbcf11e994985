// Package tfcli runs Terraform or OpenTofu for the programs of this repository,
// apart from the user's own configuration.
package tfcli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Find returns the absolute path of the named CLI, or of the one on PATH.
func Find(name string) (string, error) {
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

// Environment returns the environment of this process without variables of
// Terraform and the provider, and with those that every run needs and the given
// ones. The file settings is the CLI's configuration.
func Environment(settings string, variables map[string]string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "TF_") || strings.HasPrefix(entry, "DBPLATFORM_")
	})
	all := map[string]string{
		"CHECKPOINT_DISABLE": "1", // no search for a newer Terraform
		"TF_CLI_CONFIG_FILE": settings,
		"TF_CLI_ARGS":        "-no-color",
		"TF_IN_AUTOMATION":   "1", // no advice on what to type next
		"TF_INPUT":           "0",
	}
	maps.Copy(all, variables)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env = append(env, name+"="+all[name])
	}
	return env
}

// Version returns what the CLI calls itself: Terraform v1.14.0.
func Version(ctx context.Context, path, folder string, env []string) (string, error) {
	output, _, err := Run(ctx, folder, env, path, "version")
	version, _, _ := strings.Cut(output, "\n")
	return version, err
}

// Run runs a program in a folder and returns all output. A failure of the program
// is not an error: see the exit code.
func Run(ctx context.Context, folder string, env []string, name string, args ...string) (output string, code int, err error) {
	// A file and no pipe: if this process is killed, the program can still end in
	// order, with its provider.
	written, err := os.CreateTemp("", "output-")
	if err != nil {
		return "", 0, err
	}
	defer os.Remove(written.Name())
	defer written.Close()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = folder, env
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
