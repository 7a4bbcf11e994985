package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// timeAfterStop is how long a request may take after Ctrl-C, while an address that
// stays may be missing.
const timeAfterStop = 10 * time.Second

// deliver sends a PATCH, unless it is empty, and waits until it shows. After an unknown
// outcome the lists are read and the rest is planned anew: the same PATCH again could
// add and remove what someone else has changed since.
func (u *serviceUpdate) deliver(ctx context.Context, plan func() servicePatch) error {
	timeout := u.client.config.UpdateTimeout
	var failed error
	for {
		p := plan()
		if p.isEmpty() {
			return nil
		}
		if failed != nil && (!isTransient(failed) || u.budget.Wait(u.waiting(ctx)) != nil) {
			return failed
		}
		failed = u.send(ctx, p)
		switch {
		case failed == nil:
			return u.settle(ctx, p)
		case !transport.IsOutcomeUnknown(failed) || !p.changesLists():
			return failed
		case u.await(ctx, p, timeout) != nil || u.isUnread(p):
			return advised(failed, "the service's lists could not be read since")
		}
		timeout = 0 // one wait without success is enough
	}
}

// send sends a PATCH and records what its response shows.
func (u *serviceUpdate) send(ctx context.Context, p servicePatch) error {
	ctx, cancel := u.request(ctx)
	defer cancel()
	r := serviceRequest("update service", u.id)
	r.Effect, r.AfterStop, r.Body = transport.Idempotent, u.stage == replacing, p.json()
	if p.changesLists() {
		r.Effect = transport.NonIdempotent
	}
	resp, err := u.client.transport.Do(ctx, r, u.budget)
	if err != nil && !transport.IsOutcomeUnknown(err) {
		return err
	}
	u.stage = max(u.stage, patched)
	u.entries.sent(p.IPAccessList)
	u.endpoints.sent(p.PrivateEndpointIDs)
	if err != nil {
		return err
	}
	p.Endpoints = nil // a service has other members there
	sent, _ := json.Marshal(p.ServiceUpdate)
	u.service.IPAccessList, u.service.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	service, err := overlayResponse(u.service, sent, resp)
	if err != nil {
		return err
	}
	u.service = *service
	u.entries.accepted(p.IPAccessList, service.IPAccessList)
	u.endpoints.accepted(p.PrivateEndpointIDs, service.PrivateEndpointIDs)
	return nil
}

// ErrOverdue is in the error of an update (errors.Is) that removes something, if the
// API accepted that and has not shown it in time.
var ErrOverdue = errors.New("the API accepted the change but has not shown it")

// settle waits until an accepted PATCH shows. A removal that does not is an error, and
// an addition counts as ignored.
func (u *serviceUpdate) settle(ctx context.Context, p servicePatch) error {
	timeout := u.client.config.UpdateTimeout
	if err := u.await(ctx, p, timeout); err != nil {
		return partlyApplied(err)
	}
	overdue := append(sources(u.entries.overdue(p.IPAccessList)), u.endpoints.overdue(p.PrivateEndpointIDs)...)
	if len(overdue) == 0 {
		return nil
	}
	return &transport.Error{
		Operation: "update service", OutcomeUnknown: true,
		Err: fmt.Errorf("%w after %s; it may still show: %s", ErrOverdue, timeout, strings.Join(overdue, ", ")),
	}
}

// await reads the service until it shows a PATCH, reads turn out not to show its lists,
// or the time is up. A list that the response has left out is read at once.
func (u *serviceUpdate) await(ctx context.Context, p servicePatch, timeout time.Duration) error {
	done := u.entries.shows(p.IPAccessList) && u.endpoints.shows(p.PrivateEndpointIDs)
	look := func() (bool, error) {
		err := u.look(ctx, p)
		return u.entries.isDone(p.IPAccessList) && u.endpoints.isDone(p.PrivateEndpointIDs), err
	}
	var err error
	if u.isUnread(p) {
		done, err = look()
	}
	if done || err != nil {
		return err
	}
	waiting := u.waiting(ctx)
	if err = Await(waiting, timeout, look); waiting.Err() != nil {
		return &transport.Error{Operation: "read service", Err: waiting.Err()}
	}
	return err
}

// look reads the lists that a PATCH changes. A hidden service shows nothing.
func (u *serviceUpdate) look(ctx context.Context, p servicePatch) error {
	if u.client.services.at(u.id).isHidden() {
		return nil
	}
	ctx, cancel := u.request(ctx)
	defer cancel()
	r := u.client.asRead(serviceRequest("read service", u.id))
	r.AfterStop = u.stage == replacing
	shown, err := fetch[Service](ctx, u.client, r, u.budget)
	if err != nil {
		return err
	}
	u.entries.read(p.IPAccessList, shown.IPAccessList)
	u.endpoints.read(p.PrivateEndpointIDs, shown.PrivateEndpointIDs)
	return nil
}

// isUnread reports whether nothing has shown a list since the PATCH that changes it.
func (u *serviceUpdate) isUnread(p servicePatch) bool {
	return !u.entries.shown && !p.IPAccessList.IsZero() || !u.endpoints.shown && !p.PrivateEndpointIDs.IsZero()
}

// waiting is the context of a wait. While entries are replaced, Ctrl-C does not end it.
func (u *serviceUpdate) waiting(ctx context.Context) context.Context {
	if u.stage == replacing {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// request is the context of a request. While entries are replaced, Ctrl-C leaves it
// timeAfterStop.
func (u *serviceUpdate) request(ctx context.Context) (context.Context, context.CancelFunc) {
	request, cancel := context.WithCancel(u.waiting(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(timeAfterStop, cancel) })
	return request, func() { stop(); cancel() }
}
