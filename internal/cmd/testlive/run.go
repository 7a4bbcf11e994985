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
	"time"

	"github.com/google/uuid"
)

// A run is one run of the program.
type run struct {
	s        *settings
	out      io.Writer
	recorder *recorder
	cli      *terraform
	unknown  string // the path of a pipe that should not exist
	failures []string
	keep     bool // the folder: something is not set back
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

// account is what -restore compares with the environment.
const account = "account.json"

// newRun makes the folder, which keeps a second run out, or with -restore opens it.
func newRun(ctx context.Context, s *settings, out io.Writer) (*run, error) {
	r := &run{s: s, out: out, keep: s.restore, unknown: pipePath(s.serviceID, uuid.NewString())}
	if err := r.openFolder(); err != nil {
		return nil, err
	}
	var err error
	if r.recorder, err = newRecorder(ctx, s); err != nil {
		return nil, errors.Join(err, r.removeFolder())
	}
	if r.cli, err = newTerraform(ctx, s, r.recorder, http.MethodPatch); err != nil {
		r.end()
		return nil, err
	}
	return r, nil
}

func (r *run) openFolder() error {
	folder := r.s.folder
	own := map[string]any{"organization": r.s.organizationID, "base_url": r.s.baseURL.String()}
	if r.s.restore {
		var other map[string]any
		if err := readJSON(filepath.Join(folder, account), &other); err != nil {
			return fmt.Errorf("there is nothing to set back: %w", err)
		}
		if !equal(own, other) {
			return fmt.Errorf("%s is of a run against another organization or API", folder)
		}
		return nil
	}
	if err := os.Mkdir(folder, 0o700); errors.Is(err, os.ErrExist) {
		return fmt.Errorf("the folder %s is of another run. If that is still running, wait until it has ended. If it was killed, "+
			"set back what it has changed: make testlive ARGS=-restore", folder)
	} else if err != nil {
		return err
	}
	return writeJSON(filepath.Join(folder, account), own)
}

func (r *run) removeFolder() error {
	if r.keep {
		return nil
	}
	return os.RemoveAll(r.s.folder)
}

// end removes the folder if nothing is left to set back.
func (r *run) end() {
	_ = r.recorder.server.Close()
	if err := r.removeFolder(); err != nil {
		r.say("%v", err)
	}
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

func (r *run) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	first, _, _ := strings.Cut(text, "\n")
	r.failures = append(r.failures, first)
	r.say("  ✗ %s", strings.ReplaceAll(text, "\n", "\n    "))
}

func servicePath(id string) string         { return "/services/" + id }
func pipePath(serviceID, id string) string { return servicePath(serviceID) + "/pipes/" + id }
func keyPath(id string) string             { return "/keys/" + id }

// targets are the objects that are named, as resources.
func (r *run) targets() (all []target) {
	add := func(k kind, object, path, importID string, ids map[string]any) {
		folder := filepath.Join(r.s.folder, fmt.Sprintf("%d-%s", len(all), k.resource))
		all = append(all, target{k, object, path, ids, importID, folder})
	}
	for _, k := range kinds {
		switch {
		case k.resource == "service" && r.s.serviceID != "":
			add(k, "service "+r.s.serviceID, servicePath(r.s.serviceID), r.s.serviceID, map[string]any{"service_id": r.s.serviceID})
		case k.resource == "api_key" && r.s.apiKeyID != "":
			add(k, "API key "+r.s.apiKeyID, keyPath(r.s.apiKeyID), r.s.apiKeyID, map[string]any{"key_id": r.s.apiKeyID})
		case k.part != "":
			for _, id := range r.s.pipeIDs {
				add(k, "pipe "+id, pipePath(r.s.serviceID, id), r.s.serviceID+"/"+id, map[string]any{"service_id": r.s.serviceID, "pipe_id": id})
			}
		}
	}
	return all
}

// do tests and reports.
func (r *run) do(ctx context.Context) error {
	r.say("Reading, with %s", r.cli.version)
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
	r.say("\nSummary")
	if !r.s.writes {
		r.say("  - No attribute was changed: DBPLATFORM_TEST_WRITES is not 1.")
	}
	for _, refused := range r.recorder.refused {
		r.fail("a request was not sent: %s", refused)
	}
	reads, changes := 0, 0
	for _, e := range r.recorder.all() {
		if e.isWrite() {
			changes++
		} else {
			reads++
		}
	}
	r.say("  - %d requests: %d reads (GET, and PATCH with {}) and %d changes.", reads+changes, reads, changes)
	if err != nil {
		return err
	}
	report(r.out, surveyOf(r.recorder.all(), r.unknown))
	if len(r.failures) > 0 {
		return fmt.Errorf("%d of the tests failed, the first: %s", len(r.failures), r.failures[0])
	}
	return nil
}

// lookUp looks everything up, in both ways to read, and something that should not
// exist. It returns what the API shows, and fails if an id or the key is wrong.
func (r *run) lookUp(ctx context.Context) (readable []target, err error) {
	folder := filepath.Join(r.s.folder, "look-up")
	data := map[string]map[string]any{"dbplatform_service": {}, "dbplatform_api_key": {}, "dbplatform_pipe": {}, "dbplatform_backups": {}}
	for i, t := range r.targets() {
		name, label := strings.TrimSuffix("dbplatform_"+t.resource, "_"+t.part), fmt.Sprintf("test_%d", i)
		data[name][label] = t.ids
		if t.resource == "service" {
			data["dbplatform_backups"][label] = t.ids
			data["dbplatform_pipe"]["unknown"] = map[string]any{"service_id": r.s.serviceID, "pipe_id": filepath.Base(r.unknown)}
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
	if err := r.checkResponses(failed); err != nil || ctx.Err() != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	if _ = byGet.run(ctx, folder, "plan"); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, t := range r.targets() {
		switch {
		case r.lastShown(t.path, "") == nil:
			if t.part != "settings" {
				r.say("  - %s is left out: the API does not show it", t.object)
			}
			continue
		case t.part == "" && !slices.ContainsFunc(r.recorder.all(), func(e *exchange) bool {
			return e.path == t.path && e.method == http.MethodPatch && e.isAccepted() && !isSparse(e.result())
		}):
			r.cli = byGet
		}
		readable = append(readable, t)
	}
	return readable, nil
}

// checkResponses fails if nothing more can be tested.
func (r *run) checkResponses(failed error) error {
	const check = "Check the ids of the organization and the objects, the key and the base URL"
	all := r.recorder.all()
	if len(all) == 0 {
		return fmt.Errorf("the API has returned nothing. %s. %w", check, failed)
	}
	for _, e := range all {
		isNamed := slices.ContainsFunc(r.targets(), func(t target) bool { return t.path == e.path })
		if e.status == http.StatusUnauthorized || isNamed && (e.status == http.StatusNotFound || e.status == http.StatusGone) {
			return fmt.Errorf("%s %s is refused with %d. %s", e.method, e.path, e.status, check)
		}
	}
	return nil
}

// lastShown returns an object, or a part of it, as it was last shown; nil if it never was.
func (r *run) lastShown(path, part string) (shown map[string]any) {
	for _, e := range r.recorder.all() {
		if now := e.shown(part); e.path == path && e.isAccepted() && len(now) > 0 && !isSparse(e.result()) {
			shown = now
		}
	}
	return shown
}

// isSparse reports whether a result has nothing but an id.
func isSparse(result any) bool {
	object, ok := result.(map[string]any)
	return ok && len(object) == 1 && object["id"] != nil
}

// test imports an object with generated configuration, expects an empty plan, and
// changes its attributes one by one. An error ends the run.
func (r *run) test(ctx context.Context, t target) error {
	address := "dbplatform_" + t.resource + ".test"
	if err := writeConfiguration(t.folder, map[string]any{"import": []any{map[string]any{"to": address, "id": t.importID}}}); err != nil {
		return err
	}
	err := r.cli.run(ctx, t.folder, "plan", "-generate-config-out=generated.tf", "-out=plan")
	set := generated(t.folder)
	for name := range set {
		if t.members()[name] == "" {
			delete(set, name)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(set) > 0 && !slices.ContainsFunc(names(set), func(name string) bool { return set[name] }):
		r.say("  - dbplatform_%s of %s is not imported: it has nothing to manage", t.resource, t.object)
		return nil
	case err == nil:
		err = r.cli.run(ctx, t.folder, "apply", "plan")
	}
	if err == nil {
		err = r.cli.planIsEmpty(ctx, t.folder)
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

func (r *run) changeAll(ctx context.Context, t target, set map[string]bool) error {
	// An import leaves out what the object does not use. The next refresh has it.
	if err := r.cli.apply(ctx, t.folder); err != nil {
		return err
	}
	skipped := map[string][]string{} // attributes, by the reason
	for _, name := range names(t.members()) {
		if r.s.attributes != nil && !slices.Contains(r.s.attributes, name) {
			continue
		}
		value, why := any(nil), "the generated configuration leaves it out"
		state, err := attributesOf(filepath.Join(t.folder, "terraform.tfstate"))
		if err != nil {
			return err
		}
		if set[name] {
			value, why = r.otherValue(t, name, state)
		}
		if why == "" {
			c := &change{t.resource, t.object, t.path, name, t.members()[name], state[name], value}
			why, err = r.change(ctx, t.folder, c)
		}
		if why != "" {
			skipped[why] = append(skipped[why], name)
		}
		if err != nil {
			return err
		}
	}
	for _, why := range names(skipped) {
		r.say("  - %s, not changed: %s. Reason: %s", t.object, strings.Join(skipped[why], ", "), why)
	}
	return nil
}

// otherValue returns another value of an attribute, or why it must not be changed.
func (r *run) otherValue(t target, name string, state map[string]any) (any, string) {
	shown := r.lastShown(t.path, t.part)
	switch {
	case t.resource == "api_key" && name != "name" && r.mayBeOwn(shown):
		return nil, "the tests may use this key"
	case t.part == "settings":
		for _, member := range t.members() {
			if value := shown[member]; value != nil && !t.allows(member, value) {
				return nil, "a PUT would leave out " + member + ", whose value is outside the documented bounds"
			}
		}
	}
	for _, e := range r.recorder.all() {
		isOfKind := e.method == t.method && strings.HasSuffix(e.path, t.part) && e.isWrite()
		if t.part != "" && e.object() == t.path && isOfKind && (e.status == http.StatusNotFound || e.status == http.StatusMethodNotAllowed) {
			return nil, fmt.Sprintf("this kind of pipe has no such operation (%d)", e.status)
		}
	}
	return t.other(t.members()[name], shown, state)
}

// mayBeOwn reports whether a key may be the one that authenticates. Only a suffix
// that the credentials do not have shows that it is another.
func (r *run) mayBeOwn(shown map[string]any) bool {
	suffix, _ := shown["keySuffix"].(string)
	suffix = strings.TrimLeft(suffix, "*.…•xX ") // what hides the rest
	return suffix == "" || r.s.keyID == r.s.apiKeyID || strings.HasSuffix(r.s.keyID, suffix) || strings.HasSuffix(r.s.keySecret, suffix)
}

// change sets an attribute to another value, and back, whatever happens in between.
// It returns why the API does not change it, or the error that ends the run.
func (r *run) change(ctx context.Context, folder string, c *change) (why string, err error) {
	state, original := filepath.Join(folder, "terraform.tfstate"), filepath.Join(folder, "original.tfstate")
	text, err := os.ReadFile(state)
	if err != nil {
		return "", err
	}
	block := map[string]any{"dbplatform_" + c.Resource: map[string]any{"test": map[string]any{c.Attribute: literal(c.Value)}}}
	if err := errors.Join(
		os.WriteFile(original, text, 0o600),
		writeJSON(filepath.Join(folder, "change.json"), c),
		writeJSON(filepath.Join(folder, "override.tf.json"), map[string]any{"resource": block}),
	); err != nil {
		return "", err
	}
	r.recorder.allow(c)
	since := len(r.recorder.all())
	isBack := false
	defer func() { // also after a panic
		if !isBack {
			err = errors.Join(err, r.setBack(context.WithoutCancel(ctx), folder, c))
		}
	}()
	// An interrupt does not end a change: its outcome would be unknown.
	failed := r.cli.apply(context.WithoutCancel(ctx), folder)
	isApplied := failed == nil
	if isApplied && ctx.Err() == nil {
		failed = r.cli.planIsEmpty(context.WithoutCancel(ctx), folder)
	}
	if ctx.Err() != nil {
		r.say("\nInterrupted. Setting back %s of %s. Another Ctrl-C ends the program at once: then run make testlive ARGS=-restore.", c.Attribute, c.Object)
	}
	if !isApplied {
		why = r.refusal(c, since)
		r.awaitEffect(why)
	}
	isBack = true
	if err := r.setBack(context.WithoutCancel(ctx), folder, c); err != nil {
		return "", err
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case why != "":
	case failed != nil:
		r.fail("%s: %s: %v", c.Object, c.Attribute, failed)
	default:
		r.say("  ✓ %s: %s", c.Object, c.Attribute)
	}
	return why, nil
}

// refusal is why the API did not make a change, by the last response to it.
func (r *run) refusal(c *change, since int) string {
	why := ""
	for _, e := range r.recorder.all()[since:] {
		switch {
		case !e.isWrite() || e.object() != c.Path:
		case e.status >= http.StatusBadRequest && e.status < http.StatusInternalServerError:
			why = fmt.Sprintf("the API refuses it with %d", e.status)
		case e.isAccepted() && c.Member == "roles" && equal(e.shown("")[c.Member], c.Before):
			why = "the API accepts it, but the roles stay"
		default:
			why = ""
		}
	}
	return why
}

// awaitEffect waits until a change can no longer show that ended without success.
func (r *run) awaitEffect(refusal string) {
	r.recorder.mu.Lock()
	wait := time.Until(r.recorder.written.Add(r.s.updateTimeout))
	r.recorder.mu.Unlock()
	if wait > 0 && !strings.Contains(refusal, "refuses") {
		r.say("  … waiting %v: the change may still show", wait.Round(time.Second))
		<-time.After(wait)
	}
}

// setBack takes the change away, and confirms that the object is as it was: by an
// empty plan, an equal state, and a response that shows the old value.
func (r *run) setBack(ctx context.Context, folder string, c *change) error {
	const attempts = 6
	var err error
	for i := range attempts {
		if err = r.trySetBack(ctx, folder, c); err == nil {
			r.recorder.allow(nil)
			return os.Remove(filepath.Join(folder, "change.json"))
		}
		<-time.After(time.Duration(i) * time.Second)
	}
	r.keep = true
	before, _ := jsonText(c.Before)
	r.fail("%s is not set back: %v", c.Object, err)
	r.say("\nSet %s of %s by hand to what it was:\n\n  %s = %s\n\nor try again: make testlive ARGS=-restore. If it is as it was, delete the folder %s.",
		c.Attribute, c.Object, c.Attribute, before, r.s.folder)
	return fmt.Errorf("%s of %s is not set back", c.Attribute, c.Object)
}

func (r *run) trySetBack(ctx context.Context, folder string, c *change) error {
	if err := os.Remove(filepath.Join(folder, "override.tf.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	state, original := filepath.Join(folder, "terraform.tfstate"), filepath.Join(folder, "original.tfstate")
	before, err := attributesOf(original)
	if err != nil {
		return err
	}
	if _, err := attributesOf(state); err != nil { // Terraform was killed when it wrote it
		text, _ := os.ReadFile(original)
		if err := os.WriteFile(state, text, 0o600); err != nil {
			return err
		}
	}
	if err := r.cli.apply(ctx, folder); err != nil {
		return err
	}
	since := len(r.recorder.all())
	if err := r.cli.planIsEmpty(ctx, folder); err != nil {
		return err
	}
	after, err := attributesOf(state)
	if err != nil {
		return err
	}
	for name := range before {
		if !equal(before[name], after[name]) {
			return fmt.Errorf("%s is not what it was", name)
		}
	}
	for _, e := range r.recorder.all()[since:] {
		if _, isShown := e.shown(c.kind().part)[c.Member]; e.path == c.Path && isShown {
			return nil
		}
	}
	return fmt.Errorf("the API does not show %s", c.Attribute)
}

// restoreKilled sets back what a run has changed that was killed.
func (r *run) restoreKilled(ctx context.Context) error {
	changes, err := filepath.Glob(filepath.Join(r.s.folder, "*", "change.json"))
	for _, path := range changes {
		var c change
		if err := readJSON(path, &c); err != nil {
			return err
		}
		r.say("Setting back %s of %s, in %v: the change may not show before.", c.Attribute, c.Object, r.s.updateTimeout)
		<-time.After(r.s.updateTimeout)
		r.recorder.allow(&c)
		if err := r.setBack(ctx, filepath.Dir(path), &c); err != nil {
			return err
		}
		r.say("  ✓ %s is as it was before", c.Object)
	}
	if r.keep = err != nil; err == nil && len(changes) == 0 {
		r.say("Nothing was left to set back.")
	}
	return err
}
