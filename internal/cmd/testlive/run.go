package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// A run is one run of the program.
type run struct {
	s       *settings
	out     io.Writer
	record  *record
	client  *client
	objects []*object
	unknown *exchange // a request for a pipe that does not exist

	notes    map[string]*finding // of the experiments, by row
	whyNot   map[string]string   // rows were not observed
	delays   map[string]time.Duration
	failures []string
	journal  *os.File // of a run that writes
	looked   bool     // the API has shown something
	writing  bool     // the objects may have to be restored
	begun    int      // requests before this run's own, to restore an earlier one
}

func newRun(s *settings, out io.Writer) *run {
	r := &run{
		s: s, out: out, record: newRecord(s),
		notes: map[string]*finding{}, whyNot: map[string]string{}, delays: map[string]time.Duration{},
	}
	r.client = newClient(s, r.record)
	r.client.say = r.say
	return r
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

// pass and fail print the outcome of a step.
func (r *run) pass(format string, args ...any) { r.say("  ✓ "+format, args...) }

func (r *run) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	first, _, _ := strings.Cut(text, "\n")
	r.failures = append(r.failures, first)
	r.say("  ✗ %s", indented(text))
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }

// errInterrupted is a run that was asked to end.
var errInterrupted = errors.New("interrupted")

// do tests and reports. Whatever happens in between, it restores what it has
// changed; the provider is no part of that.
func (r *run) do(ctx context.Context, folder string) (err error) {
	if r.journal, err = openJournal(r.s); err != nil {
		return err
	}
	defer func() {
		panicked := recover()
		if ctx.Err() != nil {
			err = errInterrupted
		}
		r.finish(context.WithoutCancel(ctx), err)
		if panicked != nil {
			panic(panicked)
		}
		err = r.summarize(err)
	}()
	if err := r.restoreEarlier(ctx); err != nil {
		return err
	}
	r.say("Reading, without the provider")
	if err := r.look(ctx); err != nil {
		return err
	}
	r.looked = true
	if r.s.provider != "" {
		if err := r.testProvider(ctx, folder, r.testReads); err != nil {
			return err
		}
	}
	r.checkOnlyReads()
	if !r.s.writes {
		return nil
	}
	if err := r.beginWriting(); err != nil {
		return err
	}
	if err := r.experiment(ctx); err != nil || r.s.provider == "" {
		return err
	}
	return r.testProvider(ctx, folder, r.testWrites)
}

// look reads every object in every way, twice, and something that does not exist. It
// ends the run if the API refuses everything, or an id or the key is wrong.
func (r *run) look(ctx context.Context) error {
	if r.s.serviceID != "" {
		if err := r.add(ctx, "service", "service "+r.s.serviceID, servicePath(r.s.serviceID)); err != nil {
			return err
		}
		if _, err := r.client.do(ctx, http.MethodGet, backupsPath(r.s.serviceID), nil); err != nil {
			return err
		}
	}
	for _, id := range r.s.pipeIDs {
		if err := r.add(ctx, "pipe", "pipe "+id, pipePath(r.s.serviceID, id)); err != nil {
			return err
		}
	}
	if r.s.apiKeyID != "" {
		if err := r.add(ctx, "key", "API key "+r.s.apiKeyID, keyPath(r.s.apiKeyID)); err != nil {
			return err
		}
	}
	switch {
	case !r.accepted(""):
		return errors.New("the API has accepted no request. " + check)
	case len(r.failures) > 0:
		return errors.New("not all objects were found. " + check)
	case r.s.serviceID == "":
		return nil
	}
	var err error
	r.unknown, err = r.client.do(ctx, http.MethodGet, pipePath(r.s.serviceID, uuid.NewString()), nil)
	return err
}

// check is what to do about requests that are refused.
const check = "Check the ids of the organization and the objects, the key and the base URL"

// accepted reports whether the API has accepted a request about the object at a path.
func (r *run) accepted(path string) bool {
	return slices.ContainsFunc(r.record.all(), func(e *exchange) bool {
		return e.status == http.StatusOK && strings.HasPrefix(e.path, path)
	})
}

func (r *run) add(ctx context.Context, kind, name, path string) error {
	o := &object{Kind: kind, Name: name, Path: path}
	methods := []string{http.MethodGet}
	if kind != "pipe" {
		methods = []string{http.MethodGet, http.MethodPatch}
	}
	var refusals []string
	isWrong := false // the key, or the id
	for _, method := range methods {
		by := *o
		by.ReadBy = method
		shown, err := r.client.read(ctx, &by)
		refusal, isRefused := errors.AsType[statusError](err)
		switch {
		case isRefused:
			isDocumented := method == methods[len(methods)-1]
			isWrong = isWrong || refusal.status == http.StatusUnauthorized || refusal.status == http.StatusNotFound && isDocumented
			refusals = append(refusals, method+": "+refusal.text)
		case err != nil:
			return err
		case isSparse(shown):
			refusals = append(refusals, method+" returns only the id")
		default:
			o.ReadBy, o.shown = method, shown
			if _, err := r.client.read(ctx, o); err != nil {
				return err
			}
		}
	}
	r.objects = append(r.objects, o)
	switch why := "\n" + strings.Join(refusals, "\n"); {
	case o.shown != nil:
		r.pass("%s, read by %s", name, o.ReadBy)
	case isWrong:
		r.fail("%s cannot be read%s", name, why)
	default:
		r.say("  - %s is left out, because the API does not show it%s", name, indented(why))
	}
	return nil
}

// readMethod is how the provider reads services and keys.
func (r *run) readMethod() string {
	for _, o := range r.objects {
		if o.Kind != "pipe" && o.shown != nil && o.ReadBy == http.MethodGet {
			return http.MethodGet
		}
	}
	return http.MethodPatch
}

// checkOnlyReads proves that nothing was changed so far.
func (r *run) checkOnlyReads() {
	gets, patches := 0, 0
	for _, e := range r.record.all()[r.begun:] {
		switch {
		case !isRead(e.method, e.sent):
			r.fail("a request other than a read was sent: %s %s", e.method, e.path)
		case e.method == http.MethodGet:
			gets++
		default:
			patches++
		}
	}
	r.checkRefused()
	r.pass("%d requests so far: %d GET, %d PATCH with {}, and no other", gets+patches, gets, patches)
}

// checkRefused fails if the provider tried what this program does not allow.
func (r *run) checkRefused() {
	r.record.mu.Lock()
	defer r.record.mu.Unlock()
	for _, refused := range r.record.refused {
		r.fail("a request was not sent: %s", refused)
	}
	r.record.refused = nil
}

// beginWriting keeps what the objects are, and allows changes of them.
func (r *run) beginWriting() error {
	for _, o := range r.objects {
		if o.shown == nil {
			continue
		}
		members := restorable[o.Kind]
		if o.Kind == "key" && r.mayBeOwn(o) {
			members = []string{"name"}
			r.say("  - %s: only its name is changed, because the tests may use this key", o.Name)
		}
		o.keepOriginal(members)
	}
	if err := r.writeJournal(); err != nil {
		return err
	}
	r.writing = true
	for _, o := range r.objects {
		if o.shown != nil {
			r.record.guard.allow(o)
		}
	}
	r.say("Writing, without the provider. If this program is killed, run it again with DBPLATFORM_TEST_WRITES=1: it first restores the objects from %s.", r.s.journal)
	return nil
}

// mayBeOwn reports whether a key may be the one that authenticates. Only a suffix
// that the credentials do not have shows that it is another.
func (r *run) mayBeOwn(o *object) bool {
	suffix, _ := o.shown["keySuffix"].(string)
	suffix = strings.TrimLeft(suffix, "*.…•xX ") // what hides the rest
	return suffix == "" || o.Path == keyPath(r.s.keyID) || strings.HasSuffix(r.s.keyID, suffix) || strings.HasSuffix(r.s.keySecret, suffix)
}

func (r *run) experiment(ctx context.Context) error {
	for _, o := range r.objects {
		for _, x := range experiments {
			if o.shown == nil || x.kind != o.Kind {
				continue
			}
			r.say("  … %s: %s", o.Name, x.title)
			err := x.do(r, ctx, o)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				r.fail("%s: %s: %v", o.Name, x.title, err)
			}
			if err := r.restore(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// restore restores one object, and ends the run if that fails.
func (r *run) restore(ctx context.Context, o *object) error {
	_, remaining, err := r.client.restore(ctx, o)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	if len(remaining) > 0 {
		return fmt.Errorf("%s: %s", o.Name, strings.Join(remaining, ", "))
	}
	return nil
}

// restoreEarlier restores what a run that was killed has left. It keeps the journal
// for this run.
func (r *run) restoreEarlier(ctx context.Context) error {
	if r.journal == nil {
		return nil
	}
	j, err := readJournal(r.journal, r.s)
	if err != nil || j == nil {
		return err
	}
	r.say("%s comes from a run that did not restore everything (begun %s). Restoring the objects, in %v: its last change may not show yet.",
		r.s.journal, j.Begun.Format(time.RFC3339), r.s.patience)
	if err := sleep(ctx, r.s.patience); err != nil {
		return err
	}
	r.objects = j.Objects
	for _, o := range j.Objects {
		o.shown = o.Original
		r.record.guard.allow(o)
	}
	if !r.restoreAll(ctx) {
		return errors.New("the objects of an earlier run are not restored")
	}
	r.objects, r.record.guard, r.begun = nil, newGuard(), len(r.record.all())
	return nil
}

// finish restores everything, with a context that no interrupt ends.
func (r *run) finish(ctx context.Context, err error) {
	const limit = 5 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if r.writing {
		hint := ""
		if errors.Is(err, errInterrupted) {
			hint = fmt.Sprintf(". A change may take %v to show. Another Ctrl-C ends the program at once; the next run with DBPLATFORM_TEST_WRITES=1 then restores from %s", r.s.patience, r.s.journal)
		}
		r.say("\nRestoring%s", hint)
		if wait := time.Until(r.record.lastLost().Add(r.s.patience)); wait > 0 {
			r.say("  … waiting %v: a change without a response may still be made", wait.Round(time.Second))
			_ = sleep(ctx, wait) // the reads fail, too
		}
		r.restoreAll(ctx)
	}
	if r.journal != nil {
		if err := closeJournal(r.journal); err != nil {
			r.fail("%v", err)
		}
	}
}

// restoreAll restores all objects, says what is not restored, and empties the
// journal if everything is.
func (r *run) restoreAll(ctx context.Context) bool {
	complete := true
	for _, o := range slices.Backward(r.objects) {
		if o.shown == nil {
			continue
		}
		switch changed, remaining, err := r.client.restore(ctx, o); {
		case err != nil:
			complete = false
			r.fail("unable to confirm that %s is restored: %v%s", o.Name, err, strings.Join(append([]string{""}, remaining...), "\n  "))
		case len(remaining) > 0:
			complete = false
			r.fail("%s is not restored: %s", o.Name, strings.Join(remaining, ", "))
		case changed:
			r.pass("%s is as it was before; it was set back just now", o.Name)
		default:
			r.pass("%s is as it was before", o.Name)
		}
	}
	if !complete {
		r.say("  The values from before are in %s. The next run with DBPLATFORM_TEST_WRITES=1 tries again. If the objects are as they should be, delete the file.", r.s.journal)
		return false
	}
	if err := r.journal.Truncate(0); err != nil {
		r.fail("%v", err)
	}
	return true
}

// summarize prints what was tested and found, and returns the error of the run.
func (r *run) summarize(err error) error {
	r.checkRefused()
	r.say("\nSummary")
	isInterrupted := errors.Is(err, errInterrupted)
	switch {
	case isInterrupted:
		r.say("  The run was interrupted.")
	case err != nil:
		r.failures = append(r.failures, err.Error())
	}
	r.sayUntested()
	for _, failure := range r.failures {
		r.say("  ✗ %s", failure)
	}
	if isInterrupted {
		return err
	}
	if len(r.failures) == 0 && len(r.managed()) > 0 {
		r.say("  ✓ Everything that was tested works.")
	}
	if r.looked {
		report(r.out, r)
	}
	if len(r.failures) > 0 {
		return errors.New("see the summary")
	}
	return nil
}

func (r *run) sayUntested() {
	for _, object := range []struct{ what, ids, name string }{
		{"a service", r.s.serviceID, "DBPLATFORM_TEST_SERVICE_ID"},
		{"pipes", strings.Join(r.s.pipeIDs, ","), "DBPLATFORM_TEST_PIPE_ID"},
		{"an API key", r.s.apiKeyID, "DBPLATFORM_TEST_API_KEY_ID"},
	} {
		if object.ids == "" {
			r.say("  - Not tested: %s. %s is not set.", object.what, object.name)
		}
	}
	for _, o := range r.objects {
		if r.looked && o.shown == nil {
			r.say("  - Not tested: %s. The API does not show it.", o.Name)
		}
	}
	if !r.s.writes {
		r.say("  - No attribute was changed: DBPLATFORM_TEST_WRITES is not 1.")
	}
}
