package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const providerVersion = "0.1.0" // any; the configurations ask for none

// bench has what all workspaces share.
type bench struct {
	terraform string // path of the CLI
	version   string // Terraform v1.14.0
	dir       string // temporary
	env       []string
}

// newBench finds the CLI and builds the providers into dir.
func newBench(ctx context.Context, o options, dir string) (*bench, error) {
	terraform, err := findTerraform(o.terraform)
	if err != nil {
		return nil, err
	}
	b := &bench{terraform: terraform, dir: dir, env: append(cleanEnv(),
		"CHECKPOINT_DISABLE=1", // no look for a newer Terraform
		"TF_CLI_CONFIG_FILE="+filepath.Join(dir, "cli.tfrc"),
		"TF_CLI_ARGS=-no-color",
		"TF_IN_AUTOMATION=1",
		"TF_INPUT=0",
		"TMPDIR="+dir,
	)}
	mirror := filepath.Join(dir, "mirror")
	settings := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	if err := os.WriteFile(filepath.Join(dir, "cli.tfrc"), []byte(settings), 0o600); err != nil {
		return nil, err
	}
	tools := filepath.Join(o.repository, "tools", "bench")
	for name, source := range map[string]string{dbplatform.name: o.repository, empty.name: tools, "meter": tools} {
		if err := b.build(ctx, source, name); err != nil {
			return nil, err
		}
	}
	for _, p := range providers {
		if err := b.install(p, mirror); err != nil {
			return nil, err
		}
	}
	output, _, err := b.execute(ctx, dir, b.env, b.terraform, "version")
	b.version, _, _ = strings.Cut(output, "\n")
	return b, err
}

func findTerraform(name string) (string, error) {
	for _, name := range []string{cmp.Or(name, "terraform"), cmp.Or(name, "tofu")} {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", errors.New("no terraform or tofu on PATH; set TERRAFORM to the path of one")
}

// cleanEnv is the environment without variables that would change the result.
func cleanEnv() []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case strings.HasPrefix(name, "TF_"), strings.HasPrefix(name, "DBPLATFORM_"):
		case name == "GOGC", name == "GOMEMLIMIT", name == "GOMAXPROCS", name == "GODEBUG":
		default:
			env = append(env, entry)
		}
	}
	return env
}

func (b *bench) program(name string) string { return filepath.Join(b.dir, name) }

// build builds the program of that name. The provider is built in its own
// module, with the versions that its go.mod selects.
func (b *bench) build(ctx context.Context, source, name string) error {
	pkg := "./" + name
	if name == dbplatform.name {
		pkg = "."
	}
	output, _, err := b.execute(ctx, source, os.Environ(), "go", "build", "-buildvcs=false", "-ldflags=-s -w",
		"-o", b.program(name), pkg)
	if err != nil {
		return fmt.Errorf("building %s: %w\n%s", name, err, output)
	}
	return nil
}

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

// execute runs a program and returns what it writes and how long it takes. The
// program and all it starts are a process group, which ends with ctx.
func (*bench) execute(ctx context.Context, dir string, env []string, name string, args ...string) (string, time.Duration, error) {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second

	start := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return output.String(), time.Since(start), err
}
