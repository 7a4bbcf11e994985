package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A change sets one attribute of one object to another value.
type change struct {
	target
	attribute, member string         // member: the API's name for the attribute
	original          map[string]any // all attributes, as the state had them before
	value             any
}

// The file that changes an attribute, and its name while the attribute is set back. While
// one of them exists, something may not be as it was.
const override, overrideSetBack = "override.tf.json", "override.tf.json.off"

// overrides returns the existing ones of these files: one at most.
func (s *settings) overrides() []string {
	paths, _ := filepath.Glob(filepath.Join(s.folder, "*", "override*"))
	return paths
}

// advice says how to set back what a run has left.
func (s *settings) advice() string {
	paths := s.overrides()
	if len(paths) == 0 {
		return "Nothing has to be set back. Delete the folder " + s.folder
	}
	return fmt.Sprintf("To set the object back, run this with the same environment variables:\n\n"+
		"  cd '%s'\n  rm -f %s\n  TF_CLI_CONFIG_FILE=../cli.tfrc '%s' apply -lock-timeout=5m\n\nThen delete the folder %s",
		filepath.Dir(paths[0]), override, s.terraform, s.folder)
}

// change sets an attribute to another value, and back. An error ends the run.
func (r *run) change(interruptible context.Context, c *change) error {
	// An interrupt does not end a command: the outcome of a change would be unknown.
	ctx := context.WithoutCancel(interruptible)
	block := map[string]any{"dbplatform_" + c.resource: map[string]any{"test": map[string]any{c.attribute: c.value}}}
	if err := writeBlocks(filepath.Join(c.folder, override), map[string]any{"resource": block}); err != nil {
		return err
	}
	defer context.AfterFunc(interruptible, func() {
		r.say("\nInterrupted. The program now sets back %s of %s. A second Ctrl-C ends it at once, and leaves that to you. %s.", c.attribute, c.object, r.s.advice())
	})()
	r.recorder.allow(c)
	since := len(r.recorder.all())
	failed := r.cli.apply(ctx, c.folder)
	refused := refusal(r.recorder.all()[since:])
	if failed == nil && interruptible.Err() == nil {
		failed = r.cli.planIsEmpty(ctx, c.folder)
	}
	if failed != nil && refused == 0 {
		r.say("  … waiting up to %v: the change of %s may still show", r.s.updateTimeout, c.attribute)
		<-time.After(r.s.updateTimeout)
	}
	if err := r.setBack(ctx, c); err != nil {
		return err
	}
	switch {
	case interruptible.Err() != nil:
		return interruptible.Err()
	case failed == nil:
		r.say("  ✓ %s: %s", c.object, c.attribute)
	case refused != 0:
		r.say("  - %s: %s is not changed: the API refuses it with %d", c.object, c.attribute, refused)
	default:
		r.fail("%s: %s: %v", c.object, c.attribute, failed)
	}
	return nil
}

// refusal returns the status with which the API last refused a change. It is 0 if the
// change may have been made, or was not sent.
func refusal(exchanges []*exchange) (status int) {
	for _, e := range exchanges {
		if e.isWrite() {
			status = e.status
		}
	}
	if status < 400 || status > 498 || status == http.StatusRequestTimeout {
		return 0
	}
	return status
}

// setBack takes a change away, and confirms that the object is as it was.
func (r *run) setBack(ctx context.Context, c *change) (err error) {
	const attempts = 3
	for i := range attempts {
		<-time.After(time.Duration(i) * r.s.updateTimeout / 10)
		if err = r.trySetBack(ctx, c); err == nil {
			r.recorder.allow(nil)
			return os.Remove(filepath.Join(c.folder, overrideSetBack))
		}
	}
	before, _ := json.Marshal(c.original[c.attribute])
	return fmt.Errorf("%s is not set back: %w\n\nThe original value is:\n\n  %s = %s\n\n%s",
		c.object, err, c.attribute, before, r.s.advice())
}

// trySetBack fails without an empty plan, an equal state, and a response that shows
// the attribute.
func (r *run) trySetBack(ctx context.Context, c *change) error {
	err := os.Rename(filepath.Join(c.folder, override), filepath.Join(c.folder, overrideSetBack))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := r.cli.apply(ctx, c.folder); err != nil {
		return err
	}
	since := len(r.recorder.all())
	if err := r.cli.planIsEmpty(ctx, c.folder); err != nil {
		return err
	}
	after, err := attributesOf(c.folder)
	if err != nil {
		return err
	}
	for name, before := range c.original {
		if !equal(before, after[name]) {
			return fmt.Errorf("%s is not what it was", name)
		}
	}
	if _, isShown := latest(r.recorder.all()[since:], c.path).shown(c.part)[c.member]; !isShown {
		return fmt.Errorf("the API does not show %s", c.attribute)
	}
	return nil
}

// check returns an error if a request does more than this change or its way back. read
// is the last read of the object.
func (c *change) check(e, read *exchange) error {
	if e.method != c.method || e.path != c.updatePath() || len(e.sent) == 0 {
		return fmt.Errorf("%s %s is not the change of %s", e.method, e.path, c.attribute)
	}
	shown := read.shown(c.part)
	for name, value := range e.sent {
		if name != c.member && !c.repeats(name, value, shown) {
			return fmt.Errorf("%s is not the attribute under test", name)
		}
	}
	if c.member == "ipAccessList" {
		return c.checkList(e.sent[c.member], shown[c.member])
	}
	if value, isSent := e.sent[c.member]; isSent && !equal(value, c.original[c.attribute]) && !equal(value, c.value) {
		return fmt.Errorf("%s has a value that is not of this test", c.member)
	}
	for name, value := range shown {
		_, isSent := e.sent[name]
		if c.method == http.MethodPut && value != nil && !isSent && !c.isUnused(name, read.shown("")) {
			return fmt.Errorf("%s would be left out", name)
		}
	}
	return nil
}

// repeats reports whether a request may also contain this value of another member: a
// settings PUT contains all settings, and the provider sends the CPU and memory of a
// replica together.
func (c *change) repeats(name string, value any, shown map[string]any) bool {
	size := []string{"replicaCpuMillicores", "replicaMemoryGb"}
	isPair := slices.Contains(size, name) && slices.Contains(size, c.member)
	isOld := value != nil && (equal(value, shown[name]) || equal(value, c.original[snake(name)]))
	return isOld && (isPair || c.method == http.MethodPut)
}

// checkList returns an error if a request adds or removes another entry of a list than
// that of the test.
func (c *change) checkList(sent, shown any) error {
	others := func(list any) []string { return without(sources(list), []string{address(testAddress)}) }
	known := append(others(c.original[c.attribute]), others(shown)...)
	added, removed := others(sent), without(known, others(sent))
	if difference, ok := sent.(map[string]any); ok {
		added, removed = others(difference["add"]), others(difference["remove"])
	}
	if len(removed) > 0 || len(without(added, known)) > 0 {
		return errors.New("only the entry of this test may be added or removed")
	}
	return nil
}

// sources returns the addresses of a list: of a map in the state, or of an array in a
// request or response.
func sources(list any) (all []string) {
	switch list := list.(type) {
	case map[string]any:
		for source := range list {
			all = append(all, address(source))
		}
	case []any:
		for _, element := range list {
			entry, _ := element.(map[string]any)
			all = append(all, address(fmt.Sprint(entry["source"])))
		}
	}
	return all
}

// address returns one notation for all of an address or range. Other texts stay.
func address(text string) string {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked().String()
	}
	if ip, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(ip, ip.BitLen()).String()
	}
	return text
}

// without returns the elements of a that b does not have.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(element string) bool { return slices.Contains(b, element) })
}

// equal compares values: numbers and times in any notation, lists in any order.
func equal(a, b any) bool { return canonical(a) == canonical(b) }

func canonical(value any) string {
	if list, ok := value.([]any); ok {
		value = slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	text := fmt.Sprint(value)
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return fmt.Sprint(number)
	}
	if moment, err := time.Parse(time.RFC3339, text); err == nil {
		return moment.UTC().String()
	}
	return text
}
