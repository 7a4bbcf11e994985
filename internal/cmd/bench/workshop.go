package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	module = "github.com/dbplatform/terraform-provider-dbplatform"
	// providerVersion is any: the configurations ask for none.
	providerVersion = "0.1.0"
)

// providers are the packages of the providers that are measured, by the names
// that configurations give them.
var providers = map[string]string{
	"dbplatform": module,
	"empty":      module + "/internal/cmd/bench/empty",
}

// A workshop has what all runs share: the CLI and the programs, in a folder.
type workshop struct {
	cli    *cli
	folder string
}

// newWorkshop finds the named CLI and builds all programs, into folder.
func newWorkshop(ctx context.Context, folder, terraform string) (*workshop, error) {
	w := &workshop{folder: folder}
	var err error
	if w.cli, err = findCLI(ctx, terraform); err != nil {
		return nil, err
	}
	meter := w.program("meter")
	if err := w.build(ctx, meter, module+"/internal/cmd/bench/meter"); err != nil {
		return nil, err
	}
	for name, source := range providers {
		if err := w.build(ctx, w.program(name), source); err != nil {
			return nil, err
		}
		for metered, program := range map[bool]string{false: w.program(name), true: meter} {
			if err := w.offer(name, program, metered); err != nil {
				return nil, err
			}
		}
	}
	for _, metered := range []bool{false, true} {
		text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", w.mirror(metered))
		if err := os.WriteFile(w.settings(metered), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// build builds a program as .goreleaser.yml has releases built.
func (w *workshop) build(ctx context.Context, binary, source string) error {
	built, err := execute(ctx, command{
		name: "go",
		args: []string{
			"build", "-trimpath", "-buildvcs=false",
			"-ldflags", "-s -w -buildid= -X main.version=" + providerVersion, "-o", binary, source,
		},
		env: append(os.Environ(), "CGO_ENABLED=0", "TMPDIR="+w.folder),
	})
	if err == nil && built.code != 0 {
		err = fmt.Errorf("%s does not build: %s", source, strings.TrimSpace(built.output))
	}
	return err
}

func (w *workshop) program(name string) string {
	return filepath.Join(w.folder, "programs", name+executableSuffix)
}

// mirror is the folder from which the CLI installs the providers, or the meter
// in their places. Users install from a registry, and what is installed is hashed
// by every command: a CLI that is told to take a provider as it is would not do
// that.
func (w *workshop) mirror(metered bool) string {
	return filepath.Join(w.folder, map[bool]string{false: "providers", true: "metered"}[metered])
}

// settings is the CLI's configuration for the mirror, and for nothing else:
// nothing is downloaded.
func (w *workshop) settings(metered bool) string { return w.mirror(metered) + ".tfrc" }

// environment is that of a CLI whose providers are metered or not.
func (w *workshop) environment(metered bool, variables map[string]string) []string {
	all := map[string]string{
		"CHECKPOINT_DISABLE": "1", // no look for a newer Terraform
		"TF_CLI_ARGS":        "-no-color",
		"TF_CLI_CONFIG_FILE": w.settings(metered),
		"TF_IN_AUTOMATION":   "1",
		"TMPDIR":             w.folder, // what programs leave behind goes with it
	}
	maps.Copy(all, variables)
	return environment(all)
}

// offer puts a program where the CLI finds the provider.
func (w *workshop) offer(name, program string, metered bool) error {
	place := filepath.Join(w.mirror(metered), w.cli.registry, "dbplatform", name, providerVersion,
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-"+name+executableSuffix)
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return err
	}
	return os.Link(program, place)
}
