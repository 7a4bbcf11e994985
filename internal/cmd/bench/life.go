package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A sample is what one command took.
type sample struct {
	wall        time.Duration
	apiCPU      time.Duration // of this process, which is the mock API
	requests    int
	refused     int // of them, with 429
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
	state    *httptest.Server
	env      []string
}

// begin prepares a life of a world with n pipes. The caller ends it.
func (w *workshop) begin(ctx context.Context, in world, n int, metered bool) (*life, error) {
	folder, err := os.MkdirTemp(w.folder, "life-")
	if err != nil {
		return nil, err
	}
	l := &life{
		workshop: w, world: in, metered: metered, folder: folder,
		api: listen(n, in.http2), state: httptest.NewServer(&vault{}),
	}
	l.api.Latency(in.latency)
	l.env = w.environment(metered, map[string]string{
		"TF_HTTP_ADDRESS": l.state.URL,

		"DBPLATFORM_BASE_URL":        l.api.listener.URL,
		"DBPLATFORM_ORGANIZATION_ID": mockapi.OrganizationID,
		"DBPLATFORM_KEY_ID":          mockapi.KeyID,
		"DBPLATFORM_KEY_SECRET":      mockapi.KeySecret,

		"BENCH_METER_PROGRAM": w.program(in.provider),
		"BENCH_METER_FOLDER":  l.path("meters"),
	})
	if err := l.prepare(ctx); err != nil {
		return nil, errors.Join(err, l.end())
	}
	return l, nil
}

func (l *life) prepare(ctx context.Context) error {
	data, err := json.Marshal(l.world.data)
	if err != nil {
		return err
	}
	files := map[string][]byte{"main.tf": []byte(l.world.config), "data.json": data}
	if !l.world.localState {
		files["state.tf"] = []byte(remoteState)
	}
	for name, text := range files {
		if err := os.WriteFile(l.path(name), text, 0o600); err != nil {
			return err
		}
	}
	if l.world.http2 {
		if err := l.api.trust(l.path("api.pem")); err != nil {
			return err
		}
		l.env = append(l.env, "SSL_CERT_FILE="+l.path("api.pem"))
	}
	if err := os.Mkdir(l.path("meters"), 0o700); err != nil {
		return err
	}
	_, err = l.run(ctx, step{name: "init", args: []string{"init"}})
	return err
}

func (l *life) end() error {
	stop(l.api.listener)
	stop(l.state)
	return os.RemoveAll(l.folder)
}

func (l *life) path(name string) string { return filepath.Join(l.folder, name) }

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
	// Whether a provider gets by with a rate limit is a result; that it works is not.
	if ran.code != 0 && !s.limited {
		return sample{}, fmt.Errorf("%s in the world %s ended with exit code %d: %s",
			s.name, l.world.name, ran.code, strings.TrimSpace(ran.output))
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
		taken.usage, err = readMeters(l.path("meters"))
	}
	return taken, err
}
