package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/cmd/internal/tfcli"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// workspace is a directory with a configuration, a state and an API of its own.
type workspace struct {
	*bench
	provider provider
	dir      string
	usage    string // file that the meter writes to
	env      []string
	api      *api
	state    *httptest.Server
}

// newWorkspace prepares and initializes a workspace. The caller closes it.
func (b *bench) newWorkspace(ctx context.Context, p provider, n int) (*workspace, error) {
	dir, err := os.MkdirTemp(b.dir, p.name)
	if err != nil {
		return nil, err
	}
	w := &workspace{
		bench: b, provider: p, dir: dir, usage: filepath.Join(dir, "usage"),
		api: startAPI(n), state: httptest.NewServer(&stateStore{}),
	}
	w.env = tfcli.Environment(b.settings(), map[string]string{
		"DBPLATFORM_BASE_URL":        w.api.server.URL,
		"DBPLATFORM_ORGANIZATION_ID": mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID":          mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET":      mockapi.KeySecret,

		"TF_HTTP_ADDRESS": w.state.URL, // for the state
		"BENCH_PROGRAM":   b.program(p.name),
		"BENCH_USAGE":     w.usage,
		"BENCH_SCHEMA":    b.schema,
	})
	err = os.WriteFile(filepath.Join(dir, "main.tf"), []byte(p.config(n)), 0o600)
	if err == nil {
		_, err = w.run(ctx, "init")
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *workspace) close() error {
	w.api.stop()
	w.state.Close()
	return os.RemoveAll(w.dir)
}

// run runs one command of the CLI and measures it.
func (w *workspace) run(ctx context.Context, args ...string) (sample, error) {
	var s sample
	requests, refused, connections, err := w.api.count(func() error {
		start := time.Now()
		output, code, err := tfcli.Run(ctx, w.dir, w.env, w.terraform, args...)
		s.Seconds = time.Since(start).Seconds()
		if err == nil && code != 0 {
			err = fmt.Errorf("%s %s ended with exit code %d:\n%s", w.provider.name, args[0], code, strings.TrimSpace(output))
		}
		return err
	})
	s.Requests, s.Refused, s.Connections = float64(requests), float64(refused), float64(connections)
	if err == nil && !w.provider.builtIn && args[0] != "init" {
		s.CPU, s.Memory, err = readUsage(w.usage)
	}
	return s, err
}

// readUsage adds up the CPU seconds of the provider's processes and finds the
// largest peak memory in MiB. It removes the file.
func readUsage(path string) (cpu, memory float64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	for decoder := json.NewDecoder(file); ; {
		var process struct {
			CPU    time.Duration `json:"cpu"`
			Memory float64       `json:"memory"` // bytes
		}
		if err := decoder.Decode(&process); errors.Is(err, io.EOF) {
			return cpu, memory, os.Remove(path)
		} else if err != nil {
			return 0, 0, err
		}
		cpu += process.CPU.Seconds()
		memory = max(memory, process.Memory/(1<<20))
	}
}
