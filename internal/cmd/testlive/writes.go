package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

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
	var shown map[string]any
	for _, e := range r.recorder.all() {
		switch isMissing := e.status == 404 || e.status == 405; {
		case isMissing && e.isWrite() && e.path == t.path+"/"+t.part:
			return nil, fmt.Sprintf("this kind of pipe has no such operation (%d)", e.status)
		case e.path == t.path && e.isWhole():
			shown = e.shown(t.part)
		}
	}
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
	suffix = strings.TrimLeft(suffix, "*.…•xX ") // what hides the rest
	return suffix == "" || r.s.keyID == r.s.apiKeyID || strings.HasSuffix(r.s.keyID, suffix) || strings.HasSuffix(r.s.keySecret, suffix)
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
		writeJSON(filepath.Join(folder, "change.json"), c),
		writeJSON(filepath.Join(folder, "override.tf.json"), map[string]any{"resource": block}),
	); err != nil {
		return "", err
	}
	r.recorder.allow(c)
	since := len(r.recorder.all())
	failed := r.cli.apply(ctx, folder)
	if failed != nil {
		why = c.refusal(r.recorder.all()[since:])
	} else if interruptible.Err() == nil {
		failed = r.cli.planIsEmpty(ctx, folder)
	}
	if interruptible.Err() != nil {
		r.say("\nInterrupted. Setting back %s of %s. Another Ctrl-C ends the program at once: then run make testlive ARGS=-restore.", c.Attribute, c.Object)
	}
	r.recorder.mu.Lock()
	wait := time.Until(r.recorder.written.Add(r.s.updateTimeout))
	r.recorder.mu.Unlock()
	if failed != nil && wait > 0 && !strings.HasPrefix(why, refused) {
		r.say("  … waiting %v: the change of %s may still show", wait.Round(time.Second), c.Attribute)
		<-time.After(wait)
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

const refused = "the API refuses it with "

// refusal is why the API did not make a change, by the last response to it.
func (c *change) refusal(exchanges []*exchange) (why string) {
	for _, e := range exchanges {
		switch {
		case !e.isWrite() || e.object() != c.Path:
		case e.isRefused():
			why = fmt.Sprintf("%s%d", refused, e.status)
		case e.isAccepted() && c.Member == "roles" && equal(e.shown("")[c.Member], c.Before):
			why = "the API accepts it, and the old roles stay"
		default:
			why = ""
		}
	}
	return why
}

// setBack takes a change away, and confirms that the object is as it was.
func (r *run) setBack(ctx context.Context, folder string, c *change) (err error) {
	const attempts = 6
	for i := range attempts {
		<-time.After(time.Duration(i) * time.Second)
		if err = r.trySetBack(ctx, folder, c); err == nil {
			r.recorder.allow(nil)
			return os.Remove(filepath.Join(folder, "change.json"))
		}
	}
	r.keep = true
	before, _ := json.Marshal(c.Before)
	r.fail("%s is not set back: %v", c.Object, err)
	r.say("\nSet %s of %s by hand to what it was:\n\n  %s = %s\n\nor try again: make testlive ARGS=-restore. If it is as it was, delete the folder %s.",
		c.Attribute, c.Object, c.Attribute, before, r.s.folder)
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
	}
	r.keep = err != nil
	r.say("Everything is as it was before.")
	return err
}
