package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A sample is what one run of one command took.
type sample struct {
	wall        time.Duration
	apiCPU      time.Duration // of the API's stand-in
	requests    int
	refused     int // for want of patience, with 429
	connections int
	failed      bool

	usage // of the provider, where it was metered
}

// A life is one world on its way through the steps of its scenario.
type life struct {
	workshop *workshop
	world    world
	metered  bool
	folder   string
	api      *endpoint
	env      []string
}

// begin prepares a life in a folder of its own. The caller ends it.
func (w *workshop) begin(ctx context.Context, s scenario, in world, metered bool) (l *life, err error) {
	l = &life{workshop: w, world: in, metered: metered}
	if l.folder, err = os.MkdirTemp(w.folder, "life-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.end())
		}
	}()
	for name, text := range map[string]string{"main.tf": in.config, "data.json": in.data} {
		if err := os.WriteFile(filepath.Join(l.folder, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	if l.api, err = listen(ctx, s.n); err != nil {
		return nil, err
	}
	l.api.Latency(in.latency)
	l.env = environment(map[string]string{
		"CHECKPOINT_DISABLE": "1", // no look for a newer Terraform
		"TF_CLI_ARGS":        "-no-color",
		"TF_CLI_CONFIG_FILE": w.settings(metered),
		"TF_IN_AUTOMATION":   "1",

		"DBPLATFORM_BASE_URL":        l.api.url,
		"DBPLATFORM_ORGANIZATION_ID": mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID":          mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET":      mockapi.KeySecret,

		"BENCH_METER_PROGRAM": w.program(in.provider),
		"BENCH_METER_FOLDER":  l.meters(),
	})
	if err := os.Mkdir(l.meters(), 0o700); err != nil {
		return nil, err
	}
	_, err = l.run(ctx, step{name: "init", args: []string{"init"}})
	return l, err
}

func (l *life) end() error {
	if l.api != nil {
		l.api.close()
	}
	return os.RemoveAll(l.folder)
}

// meters is the folder that the meter writes to.
func (l *life) meters() string { return filepath.Join(l.folder, "meters") }

// run takes one step.
func (l *life) run(ctx context.Context, s step) (sample, error) {
	if s.limited {
		l.api.LimitRate(l.world.limit.requests, l.world.limit.per, l.world.limit.style)
		defer l.api.LimitRate(0, 0, "")
	}
	l.api.ResetRequests()
	connections, cpu := l.api.Connections(), ownCPU()
	ran, err := execute(ctx, command{l.workshop.cli.path, s.args, l.folder, l.env})
	if err != nil {
		return sample{}, err
	}
	if ran.code != 0 && !s.limited {
		return sample{}, fmt.Errorf("%s of %s ended with exit code %d:\n%s", s.name, l.world.name, ran.code, ran.output)
	}
	taken := sample{
		wall:        ran.wall,
		apiCPU:      ownCPU() - cpu,
		connections: l.api.Connections() - connections,
		failed:      ran.code != 0,
	}
	for _, request := range l.api.Requests() {
		taken.requests++
		if request.Status == http.StatusTooManyRequests {
			taken.refused++
		}
	}
	if l.metered {
		taken.usage, err = readMeters(l.meters())
	}
	return taken, err
}
