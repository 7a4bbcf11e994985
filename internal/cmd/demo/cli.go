package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/cmd/internal/tfcli"
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
	host    string // of its default registry
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
		host:   "registry.terraform.io",
		work:   filepath.Join(folder, "work"),
		mirror: filepath.Join(folder, "mirror"),
	}
	settings := filepath.Join(folder, "cli.tfrc")
	c.env = tfcli.Environment(settings, map[string]string{
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
	var err error
	c.version, err = tfcli.Version(ctx, path, folder, c.env)
	if strings.HasPrefix(c.version, "OpenTofu") {
		c.name, c.host = "tofu", "registry.opentofu.org"
	}
	return c, err
}

// installProvider builds the provider into the mirror, under the default registry
// of the CLI.
func (c *cli) installProvider(ctx context.Context) error {
	binary := filepath.Join(c.mirror, c.host, "dbplatform", "dbplatform", providerVersion,
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-dbplatform")
	output, code, err := tfcli.Run(ctx, ".", os.Environ(), "go", "build", "-buildvcs=false", "-o", binary, module)
	if code != 0 {
		return fmt.Errorf("the provider does not build:\n%s", strings.TrimSpace(output))
	}
	return err
}

// copyExample copies the configuration of examples/complete into the folder that
// the CLI works in, and returns its main.tf.
func (c *cli) copyExample(ctx context.Context) (main string, err error) {
	root, _, err := tfcli.Run(ctx, ".", os.Environ(), "go", "list", "-m", "-f", "{{.Dir}}", module)
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
	return tfcli.Run(ctx, c.work, c.env, c.path, args...)
}
