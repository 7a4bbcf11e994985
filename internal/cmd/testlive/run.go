package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
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
	failures []string
	keep     bool // the folder: something is not set back
}

// newRun makes the folder, which keeps a second run out, or with -restore opens it.
func newRun(ctx context.Context, s *settings, out io.Writer) (*run, error) {
	r := &run{s: s, out: out, keep: s.restore, unknown: uuid.NewString()}
	if err := r.openFolder(); err != nil {
		return nil, err
	}
	var err error
	if r.recorder, err = newRecorder(ctx, s); err == nil {
		r.cli, err = newTerraform(ctx, s, r.recorder, http.MethodPatch)
	}
	if err != nil {
		r.end()
	}
	return r, err
}

func (r *run) openFolder() error {
	file := filepath.Join(r.s.folder, "account.json")
	own, other := map[string]any{"organization": r.s.organizationID, "base_url": r.s.baseURL.String()}, map[string]any{}
	if r.s.restore {
		if err := readJSON(file, &other); err != nil {
			return fmt.Errorf("there is nothing to set back: %w", err)
		}
		if !equal(own, other) {
			return fmt.Errorf("%s is of a run against another organization or API", r.s.folder)
		}
		return nil
	}
	if err := os.Mkdir(r.s.folder, 0o700); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("the folder %s is of another run. If that is still running, wait until it has ended. If it was killed, "+
			"set back what it has changed: make testlive ARGS=-restore", r.s.folder)
	} else if err != nil {
		return err
	}
	return writeJSON(file, own)
}

// end removes the folder if nothing is left to set back.
func (r *run) end() {
	if r.recorder != nil {
		_ = r.recorder.server.Close()
	}
	if !r.keep {
		_ = os.RemoveAll(r.s.folder)
	}
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

func (r *run) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	first, _, _ := strings.Cut(text, "\n")
	r.failures = append(r.failures, first)
	r.say("  ✗ %s", strings.ReplaceAll(text, "\n", "\n    "))
}

// A target is an object under test, as one resource.
type target struct {
	kind
	object   string // in the output
	path     string // below the organization
	ids      map[string]any
	importID string
	folder   string
}

// targets are the objects that are named, as resources.
func (r *run) targets() (all []target) {
	add := func(k int, object, path string, ids map[string]any, importID string) {
		folder := filepath.Join(r.s.folder, fmt.Sprintf("%d-%s", len(all), kinds[k].resource))
		all = append(all, target{kinds[k], object, path, ids, importID, folder})
	}
	service, key := r.s.serviceID, r.s.apiKeyID
	if service != "" {
		add(0, "service "+service, "/services/"+service, map[string]any{"service_id": service}, service)
	}
	if key != "" {
		add(1, "API key "+key, "/keys/"+key, map[string]any{"key_id": key}, key)
	}
	for _, pipe := range r.s.pipeIDs {
		for k := 2; k < len(kinds); k++ {
			add(k, "pipe "+pipe, "/services/"+service+"/pipes/"+pipe, map[string]any{"service_id": service, "pipe_id": pipe}, service+"/"+pipe)
		}
	}
	return all
}

// do tests and reports.
func (r *run) do(ctx context.Context) error {
	r.say("Testing, with %s", r.cli.version)
	readable, err := r.lookUp(ctx)
	for _, t := range readable {
		if err == nil {
			err = r.test(ctx, t)
		}
	}
	if ctx.Err() != nil {
		r.say("\nThe run was interrupted.")
		return err
	}
	for _, refused := range r.recorder.refused {
		r.fail("a request was not sent: %s", refused)
	}
	all := r.recorder.all()
	reads := len(slices.DeleteFunc(slices.Clone(all), (*exchange).isWrite))
	r.say("\n%d requests: %d reads (GET, and PATCH with {}) and %d changes.", len(all), reads, len(all)-reads)
	if !r.s.writes {
		r.say("No attribute was changed: DBPLATFORM_TEST_WRITES is not 1.")
	}
	if err != nil {
		return err
	}
	surveyOf(all, r.unknown).report(r.out)
	if len(r.failures) > 0 {
		return fmt.Errorf("%d of the tests failed, the first: %s", len(r.failures), r.failures[0])
	}
	return nil
}

// lookUp looks everything up in both ways to read, and something that should not
// exist. It returns what the API shows, and fails if an id or the key is wrong.
func (r *run) lookUp(ctx context.Context) (readable []target, err error) {
	folder, targets := filepath.Join(r.s.folder, "look-up"), r.targets()
	data := map[string]map[string]any{"dbplatform_service": {}, "dbplatform_api_key": {}, "dbplatform_pipe": {}, "dbplatform_backups": {}}
	for i, t := range targets {
		label := fmt.Sprintf("test_%d", i)
		data[strings.TrimSuffix("dbplatform_"+t.resource, "_"+t.part)][label] = t.ids
		if t.resource == "service" {
			data["dbplatform_backups"][label] = t.ids
			data["dbplatform_pipe"]["unknown"] = map[string]any{"service_id": r.s.serviceID, "pipe_id": r.unknown}
		}
	}
	if err := writeConfiguration(folder, map[string]any{"data": data}); err != nil {
		return nil, err
	}
	byGet, err := newTerraform(ctx, r.s, r.recorder, http.MethodGet)
	if err != nil {
		return nil, err
	}
	// What cannot be read is seen in the responses.
	failed := r.cli.run(ctx, folder, "plan")
	if err := r.checkResponses(targets, failed); err != nil || ctx.Err() != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	if _ = byGet.run(ctx, folder, "plan"); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, t := range targets {
		isRead := func(e *exchange) bool { return e.path == t.path && e.isWhole() }
		isReadByPatch := func(e *exchange) bool { return isRead(e) && e.method == http.MethodPatch }
		if all := r.recorder.all(); !slices.ContainsFunc(all, isRead) {
			r.say("  - %s is left out: the API does not show it", t.object)
			continue
		} else if t.part == "" && !slices.ContainsFunc(all, isReadByPatch) {
			r.cli = byGet
		}
		readable = append(readable, t)
	}
	return readable, nil
}

// checkResponses fails if nothing more can be tested.
func (r *run) checkResponses(targets []target, failed error) error {
	const check = "Check the ids of the organization and the objects, the key and the base URL"
	for _, e := range r.recorder.all() {
		isNamed := slices.ContainsFunc(targets, func(t target) bool { return t.path == e.path })
		if e.status == http.StatusUnauthorized || isNamed && (e.status == http.StatusNotFound || e.status == http.StatusGone) {
			return fmt.Errorf("%s %s is refused with %d. %s", e.method, e.path, e.status, check)
		}
	}
	if len(r.recorder.all()) == 0 {
		return fmt.Errorf("the API has returned nothing. %s. %w", check, failed)
	}
	return nil
}

// test imports an object with generated configuration, expects an empty plan, and
// changes its attributes one by one. An error ends the run.
func (r *run) test(ctx context.Context, t target) error {
	block := map[string]any{"to": "dbplatform_" + t.resource + ".test", "id": t.importID}
	if err := writeConfiguration(t.folder, map[string]any{"import": []any{block}}); err != nil {
		return err
	}
	err := r.cli.run(ctx, t.folder, "plan", "-generate-config-out=generated.tf", "-out=plan")
	set := generated(t.folder)
	if len(set) > 0 && !slices.ContainsFunc(names(t.members()), func(name string) bool { return set[name] }) {
		r.say("  - dbplatform_%s of %s is not imported: it has nothing to manage", t.resource, t.object)
		return ctx.Err()
	}
	if err == nil {
		err = r.cli.run(ctx, t.folder, "apply", "plan")
	}
	if err == nil {
		err = r.cli.planIsEmpty(ctx, t.folder)
	}
	if err == nil && r.s.writes {
		// An import leaves out what the object does not use; a refresh shows it.
		err = r.cli.apply(ctx, t.folder)
	}
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
	return r.changeAll(ctx, t, set)
}
