package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An object is one that was named for the tests.
type object struct {
	Kind     string // service, pipe or key
	Name     string // in the output
	Path     string
	ReadBy   string         // GET, or PATCH with {}
	Original map[string]any // what may be changed, as it was first read

	shown    map[string]any // as it was first read, whole; nil if it cannot be read
	settings map[string]any // of a pipe: those that a PUT accepts, as they were first
	late     time.Duration  // how long a change took to show

	refused map[string]string // what the API does not change, and why: a resource or an attribute
}

// restorable are the members that a run may change, and restores.
var restorable = map[string][]string{
	"service": {"name", "releaseChannel", "ipAccessList", "privateEndpointIds"},
	"pipe":    {"scaling", "settings"},
	"key":     {"name", "roles", "expireAt", "ipAccessList"},
}

// keepOriginal keeps what the API returns: only that can be restored.
func (o *object) keepOriginal(members []string) {
	o.Original = map[string]any{}
	for _, name := range members {
		if value, ok := o.shown[name]; ok {
			o.Original[name] = value
		}
	}
}

// read reads an object.
func (c *client) read(ctx context.Context, o *object) (map[string]any, error) {
	var body any
	if o.ReadBy == http.MethodPatch {
		body = map[string]any{}
	}
	e, err := c.do(ctx, o.ReadBy, o.Path, body)
	if err != nil {
		return nil, err
	}
	result, ok := e.result().(map[string]any)
	if e.status != http.StatusOK || !ok {
		return nil, statusError{e.status, e.text()}
	}
	return result, nil
}

// A statusError is a response to a read that is not the object.
type statusError struct {
	status int
	text   string
}

func (e statusError) Error() string { return e.text }

// differences names what is not as it was, with both values.
func (o *object) differences(now map[string]any) []string {
	var names []string
	compare := func(before, after map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(before)) {
			if !sameValue(before[name], after[name]) {
				names = append(names, fmt.Sprintf("%s is %s, was %s", name, canonical(after[name]), canonical(before[name])))
			}
		}
	}
	if o.Kind != "pipe" {
		compare(o.Original, now)
		return names
	}
	for _, name := range restorable["pipe"] {
		before, _ := o.Original[name].(map[string]any)
		after, _ := now[name].(map[string]any)
		compare(before, after)
	}
	return names
}

// restore makes an object what it was, and confirms that by a read. It returns
// what differs in the end.
func (c *client) restore(ctx context.Context, o *object) (changed bool, remaining []string, err error) {
	touched := c.record.touchedOf(o.Path)
	now, err := c.read(ctx, o)
	if err != nil {
		return false, nil, err
	}
	differ := func(shown map[string]any) bool { return len(o.differences(shown)) > 0 }
	if !differ(now) && len(touched) == 0 {
		return false, nil, nil
	}
	unshown := func(shown map[string]any) []string { return o.unshownLists(touched, shown) }
	if now, err = c.await(ctx, o, func(shown map[string]any) bool { return len(unshown(shown)) == 0 }); err != nil {
		return false, nil, err
	}
	for _, name := range unshown(now) {
		if !c.hasChanged(o, name) {
			err = fmt.Errorf("an addition to %s was accepted and does not show; check the list later", name)
		}
	}
	if err := errors.Join(err, c.writeBack(ctx, o, now, touched)); err != nil {
		return true, o.differences(now), err
	}
	now, err = c.await(ctx, o, func(shown map[string]any) bool { return !differ(shown) })
	if remaining = o.differences(now); err == nil && len(remaining) == 0 {
		c.record.forget(o.Path)
	}
	return true, remaining, err
}

// unshownLists are the lists that were changed, and that show nothing of it. Only
// what is shown can be removed.
func (o *object) unshownLists(touched map[string]bool, shown map[string]any) []string {
	return slices.DeleteFunc([]string{"ipAccessList", "privateEndpointIds"}, func(name string) bool {
		return o.Kind != "service" || !touched[name] || !sameValue(o.Original[name], shown[name])
	})
}

// hasChanged reports whether a response has shown a change of a member.
func (c *client) hasChanged(o *object, name string) bool {
	return slices.ContainsFunc(c.record.all(), func(e *exchange) bool {
		result, _ := e.result().(map[string]any)
		now, isReturned := result[name]
		return e.path == o.Path && isReturned && !sameValue(o.Original[name], now)
	})
}

// await reads an object until it is as expected, or no change can still show, and
// returns what it was last.
func (c *client) await(ctx context.Context, o *object, expected func(map[string]any) bool) (map[string]any, error) {
	begun := time.Now()
	for pause := time.Duration(0); ; pause = min(pause+20*time.Millisecond, time.Second) {
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
		shown, err := c.read(ctx, o)
		if err != nil || expected(shown) || time.Since(begun) > c.s.patience {
			return shown, err
		}
	}
}

// writeBack sends the original of what differs, and of what was touched: a read
// may still show what was before that.
func (c *client) writeBack(ctx context.Context, o *object, now map[string]any, touched map[string]bool) error {
	if o.Kind == "pipe" {
		return errors.Join(c.writeBackScaling(ctx, o, now, touched), c.writeBackSettings(ctx, o, now, touched))
	}
	body := map[string]any{}
	for name, was := range o.Original {
		differs := !sameValue(was, now[name])
		switch {
		case !differs && !touched[name]:
		case name == "ipAccessList":
			if change := o.listBack(was, now[name]); change != nil {
				body[name] = change
			}
		case name == "privateEndpointIds":
			if differs {
				body[name] = map[string]any{"add": without(texts(was), texts(now[name])), "remove": without(texts(now[name]), texts(was))}
			}
		default:
			body[name] = was
		}
	}
	if len(body) == 0 {
		return nil
	}
	return c.mustDo(ctx, http.MethodPatch, o.Path, body)
}

// listBack is what makes an access list what it was; nil for nothing. Entries that
// somebody else has added stay.
func (o *object) listBack(was, now any) any {
	before, _ := entries(was)
	after, _ := entries(now)
	added, missing := without(after, before), without(before, after)
	if o.Kind == "key" {
		return append(before, slices.DeleteFunc(added, func(e entry) bool {
			return isTestAddress(e.Source) || slices.ContainsFunc(missing, func(m entry) bool { return m.Source == e.Source })
		})...)
	}
	added = slices.DeleteFunc(added, func(e entry) bool { return !isTestAddress(e.Source) })
	if len(added)+len(missing) == 0 {
		return nil
	}
	return map[string]any{"add": missing, "remove": added}
}

func (c *client) writeBackScaling(ctx context.Context, o *object, now map[string]any, touched map[string]bool) error {
	was, _ := o.Original["scaling"].(map[string]any)
	is, _ := now["scaling"].(map[string]any)
	body := map[string]any{}
	for name, value := range was {
		if touched[name] || !sameValue(value, is[name]) {
			body[name] = unquoted(value)
		}
	}
	if len(body) == 0 {
		return nil
	}
	return c.mustDo(ctx, http.MethodPatch, o.Path+"/scaling", body)
}

func (c *client) writeBackSettings(ctx context.Context, o *object, now map[string]any, touched map[string]bool) error {
	was, _ := o.Original["settings"].(map[string]any)
	is, _ := now["settings"].(map[string]any)
	if !slices.ContainsFunc(slices.Collect(maps.Keys(was)), func(name string) bool { return touched[name] || !sameValue(was[name], is[name]) }) {
		return nil
	}
	body := o.settings
	if body == nil { // it is not known yet which of them the API accepts
		body = sentSettings(was)
	}
	_, e, err := c.putSettings(ctx, o, body, func(string) bool { return true })
	if err == nil && !e.isAccepted() {
		err = errors.New(e.text())
	}
	return err
}

// sentSettings is a PUT of what a GET returns.
func sentSettings(settings map[string]any) map[string]any {
	body := map[string]any{}
	for name, value := range settings {
		if known := shapes["pipe"].members["settings"].members[name]; known != nil && known.kind == isNumber {
			value = unquoted(value)
		}
		if value != nil {
			body[name] = value
		}
	}
	return body
}

// putSettings sends settings, as long as a refusal names only some that may be left
// out. It returns what was sent last.
func (c *client) putSettings(ctx context.Context, o *object, body map[string]any, mayLeaveOut func(string) bool) (map[string]any, *exchange, error) {
	body = maps.Clone(body)
	for {
		e, err := c.do(ctx, http.MethodPut, o.Path+"/settings", body)
		if err != nil || e.status != http.StatusBadRequest && e.status != http.StatusUnprocessableEntity {
			return body, e, err
		}
		named := slices.DeleteFunc(slices.Collect(maps.Keys(body)), func(name string) bool {
			return !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).Match(e.received)
		})
		isKept := func(name string) bool { return !mayLeaveOut(name) }
		if len(named) == 0 || len(named) == len(body) || slices.ContainsFunc(named, isKept) {
			return body, e, nil
		}
		for _, name := range named {
			delete(body, name)
		}
	}
}

// mustDo is do for a request that must be accepted.
func (c *client) mustDo(ctx context.Context, method, path string, body any) error {
	e, err := c.do(ctx, method, path, body)
	if err == nil && !e.isAccepted() {
		err = fmt.Errorf("%s %s: %s", method, strings.TrimPrefix(path, "/"), e.text())
	}
	return err
}
