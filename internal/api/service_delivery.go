package api

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// deliver sends a PATCH, unless it is empty, and waits until it shows. After an unknown
// outcome the lists are read and the rest is planned anew: the same PATCH again could
// add and remove what someone else has changed since.
func (u *serviceUpdate) deliver(ctx context.Context, rest ServiceUpdate, change listStep) error {
	for timeout := u.client.config.UpdateTimeout; ; timeout = 0 { // one wait without success is enough
		changes := u.plan(change)
		if isEmpty(rest.body(changes)) {
			return nil
		}
		err := u.send(ctx, rest, changes)
		switch {
		case err == nil:
			return u.settle(ctx)
		case !transport.IsOutcomeUnknown(err) || changes.IsZero():
			return err
		}
		if unread := u.await(ctx, timeout); unread != nil {
			return advised(err, "the service could not be read since: "+unread.Error())
		}
		if slices.ContainsFunc(u.lists, (*serviceList).isUnseen) {
			return advised(err, "the API has not returned the changed lists since")
		}
		if isEmpty(rest.body(u.plan(change))) {
			return nil
		}
		if !failureOf(err).Transient || u.client.transport.Wait(u.waiting(ctx), u.budget, failureOf(err)) != nil {
			return err
		}
	}
}

// plan returns what a PATCH changes in the lists.
func (u *serviceUpdate) plan(change listStep) (changes listChanges) {
	for i, l := range u.lists {
		changes[i] = change(l)
	}
	return changes
}

// send sends a PATCH and records what its response shows.
func (u *serviceUpdate) send(ctx context.Context, rest ServiceUpdate, changes listChanges) error {
	for i, l := range u.lists {
		l.sending(changes[i])
	}
	r := updateRequest("update service", "services", u.id)
	r.Effect, r.AfterStop, r.Body = transport.Idempotent, u.mustFinish(), rest.body(changes)
	if !changes.IsZero() {
		r.Effect = transport.NonIdempotent
	}
	resp, err := u.client.transport.Do(ctx, r, u.budget)
	if err != nil && !transport.IsOutcomeUnknown(err) {
		return err
	}
	u.changed = true
	u.forget()
	if err != nil {
		return err
	}
	rest.Endpoints = nil // switches, which are no endpoints of a service
	service, err := overlayResponse(u.service, rest.body(listChanges{}), resp)
	if err != nil {
		return err
	}
	for i, shown := range service.takeLists() {
		u.lists[i].accepted(shown)
	}
	u.service = *service
	return nil
}

// settle waits until an accepted PATCH shows. A removal that does not is an error, and
// an addition counts as ignored.
func (u *serviceUpdate) settle(ctx context.Context) error {
	timeout := u.client.config.UpdateTimeout
	if err := u.await(ctx, timeout); err != nil {
		return partlyApplied(err) // what was refused is the read, not the PATCH
	}
	var overdue []AccessEntry
	for _, l := range u.lists {
		overdue = append(overdue, l.overdue()...)
	}
	if len(overdue) == 0 {
		return nil
	}
	err := fmt.Errorf("%w after %s; it may still have: %s", ErrOverdue, timeout, sources(overdue))
	return &transport.Error{Operation: "update service", Err: err}
}

// await reads the service until it shows the last PATCH, or the time is up. What the
// response left out is read at once; if reads leave it out too, the wait ends.
func (u *serviceUpdate) await(ctx context.Context, timeout time.Duration) error {
	if !slices.ContainsFunc(u.lists, (*serviceList).isPending) {
		return nil
	}
	look := func() (done bool, err error) {
		err = u.look(ctx)
		return !slices.ContainsFunc(u.lists, func(l *serviceList) bool { return l.isPending() && l.inReads }), err
	}
	if slices.ContainsFunc(u.lists, (*serviceList).isUnseen) {
		if done, err := look(); done || err != nil {
			return err
		}
	}
	waiting := u.waiting(ctx)
	err := Await(waiting, timeout, look)
	if waiting.Err() != nil {
		return &transport.Error{Operation: "read service", Err: waiting.Err()}
	}
	return err
}

// look reads the lists that the last PATCH changes. A hidden service shows nothing.
func (u *serviceUpdate) look(ctx context.Context) error {
	if u.client.services.at(u.id).isHidden() {
		return nil
	}
	r := u.client.readRequest("read service", "services", u.id)
	r.AfterStop, r.IsFinal = u.mustFinish(), nil // the service was shown before
	service, err := fetch[Service](ctx, u.client, r, u.budget)
	if err != nil {
		u.forget()
		return err
	}
	for i, shown := range service.takeLists() {
		u.lists[i].read(shown)
	}
	return nil
}

func (u *serviceUpdate) forget() {
	for _, l := range u.lists {
		l.forget()
	}
}

// mustFinish reports whether an address that stays may be missing. Ctrl-C does not end
// the update then. A private endpoint has no description: it is never replaced.
func (u *serviceUpdate) mustFinish() bool { return len(u.lists[accessList].taken) > 0 }

func (u *serviceUpdate) waiting(ctx context.Context) context.Context {
	if u.mustFinish() {
		return context.WithoutCancel(ctx)
	}
	return ctx
}
