package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	keep     bool // the folder: something is not set back
}

// newRun makes the folder, which keeps a second run out.
func newRun(ctx context.Context, s *settings, out io.Writer) (*run, error) {
	r := &run{s: s, out: out, unknown: uuid.NewString()}
	err := os.Mkdir(s.folder, 0o700)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("the folder %s is of another run. If that is still running, wait until it has ended. %s", s.folder, s.advice())
	} else if err != nil {
		return nil, err
	}
	if r.recorder, err = newRecorder(ctx, s); err != nil {
		return nil, errors.Join(err, os.Remove(s.folder))
	}
	if r.cli, err = newTerraform(ctx, s, r.recorder); err != nil {
		r.end()
	}
	return r, err
}

// advice says how to set back what a run has left.
func (s *settings) advice() string {
	return "If something is not as it was, set it back with the files of the run, and then delete the folder:\n\n" +
		"  cd $(dirname " + s.folder + "/*/override.tf.json) && rm override.tf.json\n  TF_CLI_CONFIG_FILE=../cli.tfrc terraform apply"
}

// end removes the folder if nothing is left to set back.
func (r *run) end() {
	_ = r.recorder.server.Close()
	if !r.keep {
		_ = os.RemoveAll(r.s.folder)
	}
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

func (r *run) fail(format string, args ...any) {
	r.failures++
	r.say("  ✗ %s", strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n    "))
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

// lookUp looks everything up in both ways to read, and something that should not
// exist. It returns what the API shows, and fails if an id or the key is wrong.
func (r *run) lookUp(ctx context.Context) (readable []target, err error) {
	folder, targets := filepath.Join(r.s.folder, "look-up"), r.targets()
	var data []any
	add := func(source string, ids map[string]any) {
		data = append(data, map[string]any{"dbplatform_" + source: map[string]any{fmt.Sprintf("test_%d", len(data)): ids}})
	}
	for _, t := range targets {
		add(strings.TrimSuffix(t.resource, "_"+t.part), t.ids)
		if t.resource == "service" {
			add("backups", t.ids)
			add("pipe", map[string]any{"service_id": r.s.serviceID, "pipe_id": r.unknown})
		}
	}
	if err := writeConfiguration(folder, map[string]any{"data": data}); err != nil {
		return nil, err
	}
	// What cannot be read is seen in the responses.
	failed := r.cli.run(ctx, folder, "plan")
	byPatch := r.recorder.all()
	byGet := *r.cli
	byGet.env = append(slices.Clip(byGet.env), "DBPLATFORM_READ_METHOD=GET")
	_ = byGet.run(ctx, folder, "plan")
	all := r.recorder.all()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, t := range targets {
		isWrong := func(e *exchange) bool {
			return e.status == 401 || e.path == t.path && (e.status == 404 || e.status == 410)
		}
		switch isShown := latest(all, t.path) != nil; {
		case len(all) == 0 || !isShown && slices.ContainsFunc(byPatch, isWrong):
			return nil, fmt.Errorf("check the ids of the organization and the objects, the key and the base URL. %w", failed)
		case !isShown:
			r.say("  - %s is left out: the API does not show it", t.object)
			continue
		case t.part == "" && latest(byPatch, t.path) == nil:
			r.cli = &byGet
		}
		readable = append(readable, t)
	}
	return readable, nil
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

// changeAll changes the attributes of an object that its generated configuration sets.
func (r *run) changeAll(ctx context.Context, t target, set map[string]bool) error {
	skipped := map[string][]string{} // attributes, by the reason
	for _, name := range names(t.members()) {
		if r.s.attributes != nil && !slices.Contains(r.s.attributes, name) {
			continue
		}
		state, err := attributesOf(filepath.Join(t.folder, "terraform.tfstate"))
		if err != nil {
			return err
		}
		value, why := any(nil), "the generated configuration leaves it out"
		if set[name] {
			value, why = r.otherValue(t, name, state)
		}
		if why == "" {
			why, err = r.change(ctx, t.folder, &change{t.resource, t.object, t.path, name, t.members()[name], state[name], value})
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
	shown := latest(r.recorder.all(), t.path).shown(t.part)
	if t.resource == "api_key" && name != "name" && r.mayBeOwn(shown) {
		return nil, "the tests may use this key"
	}
	for _, member := range t.members() {
		if value := shown[member]; t.part == "settings" && value != nil && !t.allows(member, value) {
			return nil, "a PUT would leave out " + member + ", whose value is outside the documented bounds"
		}
	}
	return t.other(t.members()[name], shown, state)
}

// mayBeOwn reports whether a key may be the one that authenticates. Only a suffix
// that the credentials do not have shows that it is another.
func (r *run) mayBeOwn(shown map[string]any) bool {
	suffix, _ := shown["keySuffix"].(string)
	suffix = strings.TrimLeft(suffix, "*.…•xX ") // what hides the rest; everything ends in ""
	return r.s.keyID == r.s.apiKeyID || strings.HasSuffix(r.s.keyID, suffix) || strings.HasSuffix(r.s.keySecret, suffix)
}

// change sets an attribute to another value, and back. It returns why the API does
// not change it, or the error that ends the run.
func (r *run) change(interruptible context.Context, folder string, c *change) (why string, err error) {
	// An interrupt does not end a command: the outcome of a change would be unknown.
	ctx := context.WithoutCancel(interruptible)
	text, err := os.ReadFile(filepath.Join(folder, "terraform.tfstate"))
	block := map[string]any{"dbplatform_" + c.Resource: map[string]any{"test": map[string]any{c.Attribute: c.Value}}}
	if err := errors.Join(err,
		os.WriteFile(filepath.Join(folder, "original.tfstate"), text, 0o600),
		writeJSON(filepath.Join(folder, "override.tf.json"), map[string]any{"resource": block}),
	); err != nil {
		return "", err
	}
	r.recorder.allow(c)
	since := len(r.recorder.all())
	failed, isFinal := r.cli.apply(ctx, folder), true
	if failed != nil {
		why, isFinal = c.refusal(r.recorder.all()[since:])
	} else if interruptible.Err() == nil {
		failed = r.cli.planIsEmpty(ctx, folder)
	}
	if interruptible.Err() != nil {
		r.say("\nInterrupted. Setting back %s of %s. Another Ctrl-C ends the program at once.", c.Attribute, c.Object)
	}
	if !isFinal {
		r.say("  … waiting up to %v: the change of %s may still show", r.s.updateTimeout, c.Attribute)
		<-time.After(r.s.updateTimeout)
	}
	if err := r.setBack(ctx, folder, c); err != nil {
		return "", err
	}
	switch {
	case interruptible.Err() != nil:
		return "", interruptible.Err()
	case why != "":
	case failed != nil:
		r.fail("%s: %s: %v", c.Object, c.Attribute, failed)
	default:
		r.say("  ✓ %s: %s", c.Object, c.Attribute)
	}
	return why, nil
}

// refusal is why the API did not make a change, by the last response to it, and
// whether no effect can show later.
func (c *change) refusal(exchanges []*exchange) (why string, isFinal bool) {
	for _, e := range exchanges {
		if !e.isWrite() || e.object() != c.Path {
			continue
		}
		if why, isFinal = "", e.isRefused(); isFinal {
			why = fmt.Sprintf("the API refuses it with %d", e.status)
		} else if e.isAccepted() && c.Member == "roles" && equal(e.shown("")[c.Member], c.Before) {
			why = "the API accepts it, and the old roles stay"
		}
	}
	return why, isFinal
}

// setBack takes a change away, and confirms that the object is as it was.
func (r *run) setBack(ctx context.Context, folder string, c *change) (err error) {
	const attempts = 3
	for i := range attempts {
		<-time.After(time.Duration(i) * r.s.updateTimeout / 10)
		if err = r.trySetBack(ctx, folder, c); err == nil {
			r.recorder.allow(nil)
			return nil
		}
	}
	r.keep = true
	before, _ := json.Marshal(c.Before)
	r.fail("%s is not set back: %v", c.Object, err)
	r.say("\n%s of %s was:\n\n  %s = %s\n\n%s", c.Attribute, c.Object, c.Attribute, before, r.s.advice())
	return fmt.Errorf("%s of %s is not set back", c.Attribute, c.Object)
}

// trySetBack fails without an empty plan, an equal state, and a response that shows
// the attribute.
func (r *run) trySetBack(ctx context.Context, folder string, c *change) error {
	if err := os.Remove(filepath.Join(folder, "override.tf.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	state, original := filepath.Join(folder, "terraform.tfstate"), filepath.Join(folder, "original.tfstate")
	before, err := attributesOf(original)
	if err != nil {
		return err
	}
	if err := r.cli.apply(ctx, folder); err != nil { // after it has waited for the lock
		if _, isCut := attributesOf(state); isCut != nil { // Terraform was killed when it wrote it
			text, _ := os.ReadFile(original)
			err = errors.Join(err, os.WriteFile(state, text, 0o600)) // for the next attempt
		}
		return err
	}
	since := len(r.recorder.all())
	if err := r.cli.planIsEmpty(ctx, folder); err != nil {
		return err
	}
	after, err := attributesOf(state)
	for name := range before {
		if err == nil && !equal(before[name], after[name]) {
			return fmt.Errorf("%s is not what it was", name)
		}
	}
	for _, e := range r.recorder.all()[since:] {
		if _, isShown := e.shown(c.kind().part)[c.Member]; e.path == c.Path && isShown {
			return err
		}
	}
	return errors.Join(err, fmt.Errorf("the API does not show %s", c.Attribute))
}
