package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const (
	module = "github.com/dbplatform/terraform-provider-dbplatform"
	// providerVersion is one that the example allows.
	providerVersion = "0.1.0"
)

// A cli is a Terraform or OpenTofu with its own configuration. The user's is
// ignored.
type cli struct {
	path    string // of the executable
	version string // what it calls itself: Terraform v1.14.0
	name    string // what its users type: terraform or tofu
	work    string // the folder it works in: a copy of the example
	mirror  string // the folder it installs providers from
	env     []string
}

// newCLI prepares a cli inside folder for the API at baseURL, without a provider;
// see [cli.installProvider].
func newCLI(ctx context.Context, path, folder, baseURL string) (*cli, error) {
	c := &cli{
		path:   path,
		name:   "terraform",
		work:   filepath.Join(folder, "work"),
		mirror: filepath.Join(folder, "mirror"),
	}
	settings := filepath.Join(folder, "cli.tfrc")
	c.env = environment(map[string]string{
		"CHECKPOINT_DISABLE": "1", // no search for a newer Terraform
		"TF_CLI_CONFIG_FILE": settings,
		"TF_CLI_ARGS":        "-no-color",
		"TF_IN_AUTOMATION":   "1", // no advice on what to type next
		"TF_INPUT":           "0",

		"DBPLATFORM_BASE_URL":        baseURL,
		"DBPLATFORM_ORGANIZATION_ID": mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID":          mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET":      mockapi.KeySecret,

		"TF_VAR_service_id": mockapi.ServiceID,
		"TF_VAR_pipe_id":    mockapi.KafkaPipeID,
		"TF_VAR_api_key_id": mockapi.OtherAPIKeyID,
	})
	// Only a mirror, so that nothing is downloaded.
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", c.mirror)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		return nil, err
	}
	output, _, err := execute(ctx, folder, c.env, path, "version")
	c.version, _, _ = strings.Cut(output, "\n")
	if strings.HasPrefix(c.version, "OpenTofu") {
		c.name = "tofu"
	}
	return c, err
}

// environment returns the environment of this process without variables of
// Terraform and the provider, and with the given ones.
func environment(variables map[string]string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "TF_") || strings.HasPrefix(entry, "DBPLATFORM_")
	})
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		env = append(env, name+"="+variables[name])
	}
	return env
}

// installProvider builds the provider into the mirror, under the default registry
// of the CLI.
func (c *cli) installProvider(ctx context.Context) error {
	registry := "registry.terraform.io"
	if c.name == "tofu" {
		registry = "registry.opentofu.org"
	}
	binary := filepath.Join(c.mirror, registry, "dbplatform", "dbplatform", providerVersion,
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-dbplatform")
	output, code, err := execute(ctx, ".", os.Environ(), "go", "build", "-buildvcs=false", "-o", binary, module)
	if code != 0 {
		return fmt.Errorf("the provider does not build:\n%s", strings.TrimSpace(output))
	}
	return err
}

// copyExample copies the configuration of examples/complete into the folder that
// the CLI works in, and returns its main.tf.
func (c *cli) copyExample(ctx context.Context) (main string, err error) {
	root, _, err := execute(ctx, ".", os.Environ(), "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(root), "examples", "complete", "*.tf"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = c.write(filepath.Base(file), string(text))
		}
		if err != nil {
			return "", err
		}
	}
	text, err := os.ReadFile(filepath.Join(c.work, "main.tf"))
	return string(text), err
}

// write adds a file to the folder that the CLI works in.
func (c *cli) write(name, text string) error {
	if err := os.MkdirAll(c.work, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.work, name), []byte(text), 0o600)
}

// run runs one command of the CLI and returns its exit code and all output.
func (c *cli) run(ctx context.Context, args ...string) (output string, code int, err error) {
	return execute(ctx, c.work, c.env, c.path, args...)
}

// execute runs a program in a folder. A failure of the program is not an error:
// see the exit code.
func execute(ctx context.Context, folder string, env []string, name string, args ...string) (output string, code int, err error) {
	var written bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = folder, env
	command.Stdout, command.Stderr = &written, &written
	// Unlike a killed Terraform, an interrupted one ends its provider.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second

	err = command.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return written.String(), exit.ExitCode(), nil
	}
	return written.String(), 0, err
}
