package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/cmd/internal/tfcli"
)

const (
	module          = "github.com/dbplatform/terraform-provider-dbplatform"
	providerVersion = "0.1.0" // any; the configurations ask for none
)

// bench has what all workspaces share.
type bench struct {
	terraform string // path of the CLI
	version   string // Terraform v1.14.0
	dir       string // temporary
	schema    string // the provider's, as its tests record it
}

// newBench finds the CLI and builds the providers into dir.
func newBench(ctx context.Context, o options, dir string) (*bench, error) {
	terraform, err := tfcli.Find(o.terraform)
	if err != nil {
		return nil, err
	}
	root, _, err := tfcli.Run(ctx, ".", os.Environ(), "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return nil, err
	}
	b := &bench{terraform: terraform, dir: dir, schema: filepath.Join(strings.TrimSpace(root), "internal", "provider", "testdata", "schema.json")}
	mirror := filepath.Join(dir, "mirror")
	settings := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	if err := os.WriteFile(b.settings(), []byte(settings), 0o600); err != nil {
		return nil, err
	}
	for name, pkg := range map[string]string{
		dbplatform.name: module, empty.name: module + "/internal/cmd/bench/empty", "meter": module + "/internal/cmd/bench/meter",
	} {
		output, code, err := tfcli.Run(ctx, ".", os.Environ(), "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", b.program(name), pkg)
		if err == nil && code != 0 {
			err = fmt.Errorf("%s does not build:\n%s", name, strings.TrimSpace(output))
		}
		if err != nil {
			return nil, err
		}
	}
	for _, p := range providers {
		if err := b.install(p, mirror); err != nil {
			return nil, err
		}
	}
	b.version, err = tfcli.Version(ctx, b.terraform, dir, tfcli.Environment(b.settings(), nil))
	return b, err
}

// settings is the CLI's configuration.
func (b *bench) settings() string { return filepath.Join(b.dir, "cli.tfrc") }

func (b *bench) program(name string) string { return filepath.Join(b.dir, name) }

// install puts the meter where the CLI looks for a provider.
func (b *bench) install(p provider, mirror string) error {
	if p.builtIn {
		return nil
	}
	dir := filepath.Join(mirror, filepath.FromSlash(p.source()), providerVersion, runtime.GOOS+"_"+runtime.GOARCH)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Link(b.program("meter"), filepath.Join(dir, "terraform-provider-"+p.name))
}
