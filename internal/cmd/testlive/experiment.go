package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// An experiment changes an object by requests of its own, to see what the
// provider's requests do not show. The object is restored after it.
type experiment struct {
	kind, title string
	do          func(*run, context.Context, *object) error
}

var experiments = []experiment{
	{"service", "access list", (*run).tryServiceList},
	{"pipe", "scaling", (*run).tryScaling},
	{"pipe", "settings", (*run).trySettings},
	{"key", "expiry", (*run).tryExpiry},
	{"key", "roles", (*run).tryRoles},
}

// change sends a change and waits until it shows. It returns the response to the
// change, and the object as the first read after it shows it: nil if the change was
// refused or does not show.
func (r *run) change(ctx context.Context, o *object, method, path string, body any, expected func(map[string]any) bool) (e *exchange, first map[string]any, err error) {
	e, err = r.client.do(ctx, method, path, body)
	if err != nil || !e.isAccepted() {
		return e, nil, err
	}
	last, err := r.client.await(ctx, o, func(shown map[string]any) bool {
		if first == nil {
			first = shown
		}
		return expected(shown)
	})
	if err != nil || !expected(last) {
		return e, nil, err
	}
	o.late = max(o.late, time.Since(e.at))
	return e, first, nil
}

// unseen describes a change that has no effect.
func (r *run) unseen(what string, e *exchange) string {
	if !e.isAccepted() {
		return fmt.Sprintf("%s is refused with %d", what, e.status)
	}
	return fmt.Sprintf("%s is accepted, but does not show within %v", what, r.s.patience)
}

// settle waits for as long as changes of an object took to show.
func (o *object) settle(ctx context.Context) error {
	const margin = 2
	return sleep(ctx, margin*o.late)
}

// noteDelay notes how late a change showed, of several objects the latest: not
// late at all if the response to it, and the first read, had it.
func (r *run) noteDelay(key, flag string, e *exchange, expected func(map[string]any) bool, first map[string]any, delay time.Duration) {
	result, _ := e.result().(map[string]any)
	if expected(result) || (result == nil || isSparse(result)) && expected(first) {
		if r.delays[key] == 0 {
			r.notes[key] = &finding{seen: "none"}
		}
		return
	}
	const step = 10 * time.Millisecond
	r.delays[key] = max(r.delays[key], delay.Round(step)+step)
	late := saw(r.delays[key].String(), fmt.Sprintf("%s=%v", flag, r.delays[key]))
	r.notes[key] = &late
}

// refuse keeps the tests of the provider from trying what the API does not accept.
func (o *object) refuse(resource string, e *exchange) {
	o.leave(resource, fmt.Sprintf("the API refuses changes with %d", e.status))
}

// leave keeps the tests of the provider from changing a resource or an attribute.
func (o *object) leave(name, why string) {
	if o.refused == nil {
		o.refused = map[string]string{}
	}
	o.refused[name] = why
}

// try sends a change that may have no effect, and returns its response and the
// object once it has settled.
func (r *run) try(ctx context.Context, o *object, method, path string, body any) (e *exchange, shown map[string]any, err error) {
	if e, err = r.client.do(ctx, method, path, body); err != nil {
		return nil, nil, err
	}
	if err := o.settle(ctx); err != nil {
		return nil, nil, err
	}
	shown, err = r.client.read(ctx, o)
	return e, shown, err
}

func (r *run) tryScaling(ctx context.Context, o *object) error {
	a, value, why := r.usable(o, "pipe_scaling", "")
	if why != "" {
		r.skip("no attribute can be changed: "+why, "late")
		return nil
	}
	isNew := func(shown map[string]any) bool { return sameValue(unquoted(a.now(shown)), value) }
	e, first, err := r.change(ctx, o, http.MethodPatch, o.Path+"/scaling", map[string]any{a.name: value}, isNew)
	if err != nil {
		return err
	}
	result, _ := e.result().(map[string]any)
	zero, isNumber := asNumber(a.now(result))
	switch {
	case first == nil:
		if !e.isAccepted() {
			o.refuse("pipe_scaling", e)
		}
		r.skip(r.unseen("a new "+a.name, e), "late")
	case (result == nil || isNew(result)) && isNew(first):
		r.note("late", "none")
	case a.now(result) == nil:
		r.note("late", "is left out for a while", "late=absent")
	case isNumber && zero.Sign() == 0:
		r.note("late", "is 0 for a while", "late=zero")
	default:
		r.note("late", "the old value for a while", "late=old")
	}
	return nil
}

// trySettings begins with a PUT that changes nothing: what it cannot send could
// not be restored. Then it changes all settings, not only those of -attributes.
func (r *run) trySettings(ctx context.Context, o *object) error {
	rows := []string{"put", "put result", "null", "stale pipe"}
	a, value, why := r.usable(o, "pipe_settings", "")
	if risk := o.atRisk(); why == "" && risk != "" {
		why = risk
		o.leave("pipe_settings", risk)
	}
	if why != "" {
		r.skip("no setting can be changed: "+why, append(rows, "same settings")...)
		return nil
	}
	original, _ := o.Original["settings"].(map[string]any)
	whole := sentSettings(original)
	body, e, err := r.client.putSettings(ctx, o, whole, func(name string) bool { return !o.appliesTo(name) })
	if err != nil {
		return err
	}
	if !e.isAccepted() {
		text := fmt.Sprintf("refused with %d (source: %s)", e.status, pipeSource(o))
		if isPostgres := pipeSource(o) == "postgres"; isPostgres && (e.status == http.StatusNotFound || e.status == http.StatusMethodNotAllowed) {
			r.note("same settings", text, fmt.Sprintf("postgres_settings=%d", e.status))
		} else {
			r.note("same settings", text)
		}
		r.skip("settings are "+text, rows...)
		o.refuse("pipe_settings", e)
		return nil
	}
	o.settings = body
	r.noteLeftOut(without(slices.Sorted(maps.Keys(whole)), slices.Sorted(maps.Keys(body))))

	if body[a.name] == nil {
		why = "the setting " + a.name + " is refused"
	}
	if r.s.attributes != nil {
		why = notChosen
	}
	if why != "" {
		r.skip(why, rows...)
		return nil
	}
	return r.tryPartialSettings(ctx, o, a, value)
}

func (r *run) noteLeftOut(names []string) {
	if len(names) == 0 {
		r.note("same settings", "accepted")
		return
	}
	seen := "accepted without " + listed(names)
	for _, name := range names {
		if shapes["pipe"].members["settings"].members[name] == nil {
			r.note("same settings", seen, "refuse_extra_setting")
		} else {
			r.note("same settings", seen, "refuse_foreign_settings")
		}
	}
}

// pipeSource is the kind of source of a pipe.
func pipeSource(o *object) string {
	sources, _ := o.shown["source"].(map[string]any)
	return cmp.Or(listed(present(sources)), "not documented")
}

// tryPartialSettings changes one setting, then sends a PUT without it, and one
// with null in its place.
func (r *run) tryPartialSettings(ctx context.Context, o *object, a attribute, value any) error {
	changed := maps.Clone(o.settings)
	changed[a.name] = value
	isNew := func(shown map[string]any) bool { return sameValue(unquoted(a.now(shown)), value) }

	begun := o.late
	o.late = 0
	e, first, err := r.change(ctx, o, http.MethodPut, o.Path+"/settings", changed, isNew)
	delay := o.late
	o.late = max(begun, delay)
	switch {
	case err != nil:
		return err
	case first == nil:
		r.skip(r.unseen("a new "+a.name, e), "stale pipe", "put", "put result", "null")
		return nil
	}
	r.noteDelay("stale pipe", "stale_pipes", e, func(result map[string]any) bool {
		return isNew(result) || isNew(map[string]any{"settings": result})
	}, first, delay)

	other, kept := "", any(nil)
	for _, name := range slices.Sorted(maps.Keys(o.settings)) {
		if name != a.name && shapes["pipe"].members["settings"].members[name] != nil {
			other, kept = name, o.settings[name]
		}
	}
	if other == "" {
		return nil
	}
	e, shown, err := r.try(ctx, o, http.MethodPut, o.Path+"/settings", map[string]any{other: kept})
	if err != nil {
		return err
	}
	result, _ := e.result().(map[string]any)
	settings, _ := shown["settings"].(map[string]any)
	switch now := a.now(shown); {
	case !e.isAccepted():
		r.note("put", fmt.Sprintf("refused with %d", e.status))
	case now == nil:
		r.note("put", "are no longer shown", "settings_put=forget")
	case isNew(shown):
		r.note("put", "stay", "settings_put=merge")
	default:
		r.note("put", "are reset")
	}
	switch {
	case !e.isAccepted():
	case result == nil:
		r.note("put result", "nothing")
	case len(result) < len(settings):
		r.note("put result", "only what was sent", "sparse_settings_response")
	default:
		r.note("put result", "all settings")
	}
	return r.tryNull(ctx, o, a, changed, isNew)
}

func (r *run) tryNull(ctx context.Context, o *object, a attribute, changed map[string]any, isNew func(map[string]any) bool) error {
	path := o.Path + "/settings"
	if _, _, err := r.change(ctx, o, http.MethodPut, path, changed, isNew); err != nil {
		return err
	}
	null := maps.Clone(changed)
	null[a.name] = nil
	e, shown, err := r.try(ctx, o, http.MethodPut, path, null)
	switch {
	case err != nil:
		return err
	case !e.isAccepted():
		r.note("null", fmt.Sprintf("refused with %d", e.status))
	case isNew(shown):
		r.note("null", "stays as it is", "ignore_nulls")
	default:
		r.note("null", "is reset")
	}
	return nil
}

func (r *run) tryExpiry(ctx context.Context, o *object) error {
	_, value, why := r.usable(o, "api_key", "expireAt")
	if why != "" {
		r.skip("the expiry is not changed: "+why, "expiry", "stale key")
		return nil
	}
	isNew := func(shown map[string]any) bool { return sameValue(shown["expireAt"], value) }
	e, first, err := r.change(ctx, o, http.MethodPatch, o.Path, map[string]any{"expireAt": value}, isNew)
	switch {
	case err != nil:
		return err
	case first == nil:
		r.skip(r.unseen("a new expiry", e), "expiry", "stale key")
		return nil
	}
	r.noteDelay("stale key", "stale_keys", e, isNew, first, o.late)
	shown, err := r.client.read(ctx, o)
	if err != nil {
		return err
	}
	text, _ := shown["expireAt"].(string)
	switch {
	case text == value:
		r.note("expiry", "as it was sent")
	case timeNotation(text) == "0000-00-00T00:00:00.000Z":
		r.note("expiry", "sent 0000-00-00T00:00:00Z, shown "+timeNotation(text), "normalise_expiry")
	default:
		r.note("expiry", "sent 0000-00-00T00:00:00Z, shown "+timeNotation(text))
	}
	return nil
}

func (r *run) tryRoles(ctx context.Context, o *object) error {
	_, value, why := r.usable(o, "api_key", "roles")
	if why != "" {
		r.skip("the roles are not changed: "+why, "roles")
		return nil
	}
	count := len(texts(o.Original["roles"]))
	isNew := func(shown map[string]any) bool { return len(texts(shown["roles"])) != count }
	e, _, err := r.change(ctx, o, http.MethodPatch, o.Path, map[string]any{"roles": value}, isNew)
	if err != nil {
		return err
	}
	shown, err := r.client.read(ctx, o)
	switch {
	case err != nil:
		return err
	case !e.isAccepted():
		r.note("roles", fmt.Sprintf("refused with %d", e.status))
	case isNew(shown):
		r.note("roles", "take effect")
	default:
		r.note("roles", "are accepted and stay as they were", "frozen_roles")
		o.leave("roles", "the API ignores changes")
	}
	return nil
}
