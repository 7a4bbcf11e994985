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
	"slices"
	"strings"
	"time"
)

// A cli is a Terraform or OpenTofu, untouched by whatever is configured around
// it.
type cli struct {
	path     string // of the executable
	version  string // what it calls itself: Terraform v1.14.0
	registry string // where it looks for a provider whose source names no registry
}

// findCLI finds the named CLI, or the one that is there.
func findCLI(ctx context.Context, name string) (*cli, error) {
	names := []string{"terraform", "tofu"}
	if name != "" {
		names = []string{name}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		return newCLI(ctx, path)
	}
	return nil, fmt.Errorf("there is no %s on PATH; put one there, or name it: TERRAFORM=/path/to/tofu", strings.Join(names, " or "))
}

func newCLI(ctx context.Context, path string) (*cli, error) {
	env := environment(map[string]string{"TF_CLI_CONFIG_FILE": os.DevNull, "CHECKPOINT_DISABLE": "1"})
	ran, err := execute(ctx, command{name: path, args: []string{"version"}, env: env})
	if err != nil {
		return nil, err
	}
	c := &cli{path: path, registry: "registry.terraform.io"}
	c.version, _, _ = strings.Cut(ran.output, "\n")
	if strings.HasPrefix(c.version, "OpenTofu") {
		c.registry = "registry.opentofu.org"
	}
	return c, nil
}

// environment is that of this process without what would configure Terraform,
// the provider or Go's runtime, and with the given variables.
func environment(variables map[string]string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG": // each changes what is measured
			return true
		}
		return strings.HasPrefix(name, "TF_") || strings.HasPrefix(name, "DBPLATFORM_")
	})
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		env = append(env, name+"="+variables[name])
	}
	return env
}

// A command is a program to run in a folder, both as [exec.Cmd] has them.
type command struct {
	name   string
	args   []string
	folder string
	env    []string
}

// ran is what became of a command that ran.
type ran struct {
	output string // to both of its outputs
	code   int    // its exit code
	wall   time.Duration
}

// execute runs a command. One that ran and failed is no error: its exit code
// tells.
func execute(ctx context.Context, c command) (ran, error) {
	var written bytes.Buffer
	process := exec.CommandContext(ctx, c.name, c.args...)
	process.Dir, process.Env = c.folder, c.env
	process.Stdout, process.Stderr = &written, &written
	endTogether(process)
	process.WaitDelay = 5 * time.Second

	begun := time.Now()
	err := process.Run()
	r := ran{output: written.String(), wall: time.Since(begun)}
	if ctx.Err() != nil {
		return r, ctx.Err() // and not what it was killed with
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.code = exit.ExitCode()
		return r, nil
	}
	return r, err
}
