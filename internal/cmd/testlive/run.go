package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// A run is one run of the program. Its folder is the journal.
type run struct {
	s        *settings
	out      io.Writer
	recorder *recorder
	cli      *terraform
	unknown  string // the id of a pipe that should not exist
	failures int
}

// newRun makes the folder, which keeps a second run out.
func newRun(ctx context.Context, s *settings, out io.Writer) (*run, error) {
	if err := s.makeAbsolute(); err != nil {
		return nil, err
	}
	err := os.Mkdir(s.folder, 0o700)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("the folder %s belongs to another run. If that is still running, wait until it has ended. If it was killed, its folder stays. %s", s.folder, s.advice())
	} else if err != nil {
		return nil, err
	}
	r := &run{s: s, out: out, unknown: uuid.NewString()}
	if r.recorder, err = newRecorder(ctx, s); err != nil {
		return nil, errors.Join(err, os.Remove(s.folder))
	}
	if r.cli, err = newTerraform(s, r.recorder.url); err != nil {
		r.end()
	}
	return r, err
}

// makeAbsolute makes all paths absolute: commands run in folders of their own.
func (s *settings) makeAbsolute() (err error) {
	if s.terraform, err = exec.LookPath(s.terraform); err != nil {
		return err
	}
	for _, path := range []*string{&s.terraform, &s.provider, &s.folder} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	return nil
}

// end removes the folder if everything is set back.
func (r *run) end() {
	_ = r.recorder.server.Close()
	if len(r.s.overrides()) == 0 {
		_ = os.RemoveAll(r.s.folder)
	}
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

func (r *run) fail(format string, args ...any) {
	r.failures++
	r.say("  ✗ %s", strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n    "))
}

// do tests and reports.
func (r *run) do(ctx context.Context) error {
	err := r.lookUp(ctx)
	for _, t := range r.s.targets() {
		if err == nil {
			err = r.test(ctx, t)
		}
	}
	if errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	for _, refused := range r.recorder.refused {
		r.fail("a request was not sent: %s", refused)
	}
	all := r.recorder.all()
	reads := len(slices.DeleteFunc(slices.Clone(all), (*exchange).isWrite))
	r.say("\n%d requests: %d reads (GET, and PATCH with {}) and %d changes.", len(all), reads, len(all)-reads)
	if err != nil {
		return err
	}
	surveyOf(all, r.unknown).report(r.out)
	if r.failures > 0 {
		return fmt.Errorf("%d of the tests failed: see ✗ above", r.failures)
	}
	return nil
}

// lookUp reads everything that is named with data sources, and a pipe that should not
// exist.
func (r *run) lookUp(ctx context.Context) error {
	var data []any
	add := func(source string, ids map[string]any) {
		data = append(data, map[string]any{"dbplatform_" + source: map[string]any{fmt.Sprintf("test_%d", len(data)): ids}})
	}
	for _, t := range r.s.targets() {
		add(strings.TrimSuffix(t.resource, "_"+t.part), t.ids)
		if t.kind == service {
			add("backups", t.ids)
		}
	}
	err := r.plan(ctx, "look-up", data)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !slices.ContainsFunc(r.recorder.all(), (*exchange).isShown):
		return fmt.Errorf("the API shows nothing: %w", err)
	case err != nil:
		r.fail("data sources: %v", err)
	}
	if r.s.serviceID != "" {
		data = nil
		add("pipe", map[string]any{"service_id": r.s.serviceID, "pipe_id": r.unknown})
		_ = r.plan(ctx, "unknown", data) // its response is in the report
	}
	return ctx.Err()
}

// plan makes a plan with data sources, in a folder of its own.
func (r *run) plan(ctx context.Context, name string, data []any) error {
	folder := filepath.Join(r.s.folder, name)
	if err := writeConfiguration(folder, map[string]any{"data": data}); err != nil {
		return err
	}
	return r.cli.run(ctx, folder, "plan")
}

// test imports an object, and changes its attributes one by one. An error ends the run.
func (r *run) test(ctx context.Context, t target) error {
	err := r.importObject(ctx, t)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.fail("dbplatform_%s of %s: %v", t.resource, t.object, err)
		return nil
	}
	r.say("  ✓ dbplatform_%s of %s: imported, and the plan is empty", t.resource, t.object)
	if !r.s.writes {
		return nil
	}
	return r.changeAll(ctx, t)
}

// importObject generates the configuration of an object, and expects an empty plan.
func (r *run) importObject(ctx context.Context, t target) error {
	// Some versions of Terraform find the provider only if the block names it:
	// https://github.com/hashicorp/terraform/issues/39144
	block := map[string]any{"to": "dbplatform_" + t.resource + ".test", "id": t.importID, "provider": "dbplatform"}
	if err := writeConfiguration(t.folder, map[string]any{"import": block}); err != nil {
		return err
	}
	if err := r.cli.run(ctx, t.folder, "plan", "-generate-config-out=generated.tf", "-out=plan"); err != nil {
		return err
	}
	if err := r.cli.run(ctx, t.folder, "apply", "plan"); err != nil {
		return err
	}
	// The block must not name the provider once the configuration exists.
	if err := writeConfiguration(t.folder, nil); err != nil {
		return err
	}
	if err := r.cli.planIsEmpty(ctx, t.folder); err != nil || !r.s.writes {
		return err
	}
	// An import leaves out what the object does not use; a refresh stores it.
	return r.cli.apply(ctx, t.folder)
}

// changeAll changes the attributes that the generated configuration sets.
func (r *run) changeAll(ctx context.Context, t target) error {
	set := generated(t.folder)
	for _, attribute := range names(t.members()) {
		if len(r.s.attributes) > 0 && !slices.Contains(r.s.attributes, attribute) {
			continue
		}
		state, err := attributesOf(t.folder)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		value, why := any(nil), "the generated configuration leaves it out"
		if set[attribute] {
			value, why = r.other(t, attribute, state)
		}
		if why != "" {
			r.say("  - %s: %s is not changed: %s", t.object, attribute, why)
			continue
		}
		if err := r.change(ctx, &change{t, attribute, t.members()[attribute], state, value}); err != nil {
			return err
		}
	}
	return nil
}
