package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// timeAfterStop is how long a request that must finish may take after Ctrl-C.
const timeAfterStop = 10 * time.Second

// deliver sends a PATCH, unless it is empty, and waits until it shows. After an unknown
// outcome the lists are read and the rest is planned anew: the same PATCH again could
// add and remove what someone else has changed since.
func (u *serviceUpdate) deliver(ctx context.Context, plan func() servicePatch) error {
	timeout := u.client.config.UpdateTimeout
	for {
		p := plan()
		if p.isEmpty() {
			return nil
		}
		err := u.send(ctx, p)
		switch {
		case err == nil:
			return u.settle(ctx)
		case !transport.IsOutcomeUnknown(err) || !p.changesLists():
			return err
		}
		if unread := u.await(ctx, timeout); unread != nil {
			return advised(err, "the service could not be read since: "+unread.Error())
		}
		if u.isUnseen() {
			return advised(err, "the API has not returned the changed lists since")
		}
		if p = plan(); p.isEmpty() {
			return nil
		}
		if !failureOf(err).Transient || u.budget.Wait(u.waiting(ctx), failureOf(err)) != nil {
			return err
		}
		timeout = 0 // one wait without success is enough
	}
}

// send sends a PATCH and records what its response shows.
func (u *serviceUpdate) send(ctx context.Context, p servicePatch) error {
	u.entries.sending(p.IPAccessList)
	u.endpoints.sending(p.PrivateEndpointIDs)
	ctx, cancel := u.request(ctx)
	defer cancel()
	r := updateRequest("update service", "services", u.id)
	r.Effect, r.AfterStop, r.Body = transport.Idempotent, u.mustFinish(), p.json()
	if p.changesLists() {
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
	p.Endpoints = nil // switches, which are no endpoints of a service
	sent, _ := json.Marshal(p.ServiceUpdate)
	u.service.IPAccessList, u.service.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	service, err := overlayResponse(u.service, sent, resp)
	if err != nil {
		return err
	}
	u.service = *service
	u.entries.accepted(service.IPAccessList)
	u.endpoints.accepted(service.PrivateEndpointIDs)
	return nil
}

// settle waits until an accepted PATCH shows. A removal that does not is an error, and
// an addition counts as ignored.
func (u *serviceUpdate) settle(ctx context.Context) error {
	timeout := u.client.config.UpdateTimeout
	if err := u.await(ctx, timeout); err != nil {
		return partlyApplied(err)
	}
	overdue := u.endpoints.overdue()
	if entries := u.entries.overdue(); len(entries) > 0 {
		overdue = append(overdue, sources(entries))
	}
	if len(overdue) == 0 {
		return nil
	}
	return &transport.Error{
		Operation: "update service", OutcomeUnknown: true,
		Err: fmt.Errorf("%w after %s; it may still have: %s", ErrOverdue, timeout, strings.Join(overdue, ", ")),
	}
}

// await reads the service until it shows the last PATCH, or the time is up. What the
// response left out is read at once; if reads leave it out too, the wait ends.
func (u *serviceUpdate) await(ctx context.Context, timeout time.Duration) error {
	if u.entries.reflects() && u.endpoints.reflects() {
		return nil
	}
	look := func() (done bool, err error) {
		err = u.look(ctx)
		return (u.entries.reflects() || !u.entries.inReads) && (u.endpoints.reflects() || !u.endpoints.inReads), err
	}
	if u.isUnseen() {
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
	ctx, cancel := u.request(ctx)
	defer cancel()
	r := u.client.readRequest("read service", "services", u.id)
	r.AfterStop, r.IsFinal = u.mustFinish(), nil // the service was shown before
	shown, err := fetch[Service](ctx, u.client, r, u.budget)
	if err != nil {
		u.forget()
		return err
	}
	u.entries.read(shown.IPAccessList)
	u.endpoints.read(shown.PrivateEndpointIDs)
	return nil
}

func (u *serviceUpdate) forget() {
	u.entries.forget()
	u.endpoints.forget()
}

// isUnseen reports whether nothing has shown a list since the PATCH that changes it.
func (u *serviceUpdate) isUnseen() bool {
	return !u.entries.seen && !u.entries.change.IsZero() || !u.endpoints.seen && !u.endpoints.change.IsZero()
}

// mustFinish reports whether an address that stays may be missing. Ctrl-C does not end
// the update then.
func (u *serviceUpdate) mustFinish() bool { return len(u.entries.taken) > 0 }

// waiting is the context of a wait.
func (u *serviceUpdate) waiting(ctx context.Context) context.Context {
	if u.mustFinish() {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// request is the context of a request. If it must finish, Ctrl-C leaves it timeAfterStop.
func (u *serviceUpdate) request(ctx context.Context) (context.Context, context.CancelFunc) {
	request, cancel := context.WithCancel(u.waiting(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(timeAfterStop, cancel) })
	return request, func() { stop(); cancel() }
}
