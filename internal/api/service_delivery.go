package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// deliver sends a PATCH, unless it is empty, and waits until it shows. After an unknown
// outcome the lists are read and the rest is planned anew: the same PATCH again could
// add and remove what someone else has changed since.
func (u *serviceUpdate) deliver(ctx context.Context, rest ServiceUpdate, change listStep) error {
	r := updateRequest("update service", "services", u.id)
	if r.Body = u.next(rest, change); r.Body == nil {
		return nil
	}
	r.Writes, r.TurnOf = true, strings.ToLower(u.id)
	var unread error
	if slices.ContainsFunc(u.lists, (*serviceList).isChanged) {
		// A 409 may mean that the API is busy, unless a list has an entry that the PATCH adds.
		r.IsFinal = func(status int) bool {
			return status == http.StatusConflict && slices.ContainsFunc(u.lists, (*serviceList).hasAdded)
		}
		r.MakeBody = func(_ context.Context, failed *transport.Error) ([]byte, error) {
			if failed != nil && failed.OutcomeUnknown {
				unread = u.lookUp(ctx)
				if unread != nil {
					return nil, unread
				}
				failed.OutcomeUnknown = false
				r.Body = u.next(rest, change)
			}
			return r.Body, nil
		}
	}
	resp, err := u.client.transport.Do(ctx, r, u.budget)
	u.changed = u.changed || err == nil || transport.IsOutcomeUnknown(err)
	switch {
	case err == nil && r.Body == nil: // all of it shows
		return nil
	case err == nil:
		return u.accept(ctx, rest, resp)
	case !transport.IsOutcomeUnknown(err) || r.MakeBody == nil || unread != nil:
		return err
	}
	// No attempt is left, but the last one may have done it.
	if unread = u.lookUp(ctx); unread != nil {
		return advised(err, unread.Error())
	}
	if isEmpty(rest.body(u.plan(change))) {
		return nil
	}
	return err
}

// plan returns what a PATCH changes in the lists.
func (u *serviceUpdate) plan(change listStep) (changes listChanges) {
	for i, l := range u.lists {
		changes[i] = change(l)
	}
	return changes
}

// next returns the body of the next PATCH and records it, or returns nil if there is nothing
// to send.
func (u *serviceUpdate) next(rest ServiceUpdate, change listStep) []byte {
	changes := u.plan(change)
	body := rest.body(changes)
	if isEmpty(body) {
		return nil
	}
	for i, l := range u.lists {
		l.sending(changes[i])
	}
	return body
}

// lookUp reads the lists after an unknown outcome. Its error is why that stays unknown.
func (u *serviceUpdate) lookUp(ctx context.Context) error {
	u.changed = true
	u.forget()
	if err := u.await(ctx); err != nil {
		return fmt.Errorf("the service could not be read afterwards: %w", err)
	}
	if slices.ContainsFunc(u.lists, (*serviceList).isUnseen) {
		return errors.New("the API has not returned the changed lists after that")
	}
	return nil
}

// accept records the response to a PATCH, and waits until the service shows it. A removal
// that does not show is an error; an addition that does not is for the restoration.
func (u *serviceUpdate) accept(ctx context.Context, rest ServiceUpdate, resp transport.Response) error {
	u.forget()
	before := u.service
	if len(rest.Endpoints) > 0 {
		before.Endpoints = Value[[]Endpoint]{} // a switch changes the list
	}
	service, err := overlayResponse(before, resp)
	if isAccepted(err) {
		if !isEmpty(rest.body(listChanges{})) {
			u.unshown = err // the lists are read here, the rest by the caller
		}
		service, err = &u.service, nil
	}
	if err != nil {
		return err
	}
	if isHidden := u.client.services.at(u.id).isHidden(); !isHidden && u.service.Endpoints.IsKnown() && !service.Endpoints.IsKnown() {
		u.unshown = &AcceptedError{} // the list may be left out because it is empty
	}
	for i, shown := range service.takeLists() {
		u.lists[i].accepted(shown)
	}
	u.service = *service
	if err := u.await(ctx); err != nil {
		return partlyApplied(err) // what was refused is the read, not the PATCH
	}
	var overdue []AccessEntry
	for _, l := range u.lists {
		overdue = append(overdue, l.overdue()...)
	}
	if len(overdue) == 0 {
		return nil
	}
	err = fmt.Errorf("%w after %s; it still shows: %s", ErrOverdue, u.client.config.UpdateTimeout, sources(overdue))
	return &transport.Error{Operation: "update service", Err: err}
}

// await reads the service until it shows the last PATCH, or the time of the update is up.
// What the response left out is read at once; if reads leave it out too, the wait ends.
func (u *serviceUpdate) await(ctx context.Context) error {
	if !slices.ContainsFunc(u.lists, (*serviceList).isPending) {
		return nil
	}
	look := func() (done bool, err error) {
		if err = u.look(ctx); transport.IsMissing(err) { // the PATCH was accepted
			return false, nil
		}
		return !slices.ContainsFunc(u.lists, func(l *serviceList) bool { return l.isPending() && l.isReadable }), err
	}
	if slices.ContainsFunc(u.lists, (*serviceList).isUnseen) {
		if done, err := look(); done || err != nil {
			return err
		}
	}
	began := time.Now()
	err := Await(ctx, u.patience, look)
	u.patience -= time.Since(began)
	if ctx.Err() != nil {
		return &transport.Error{Operation: "read service", Err: ctx.Err()}
	}
	return err
}

// look reads the lists that the last PATCH changes.
func (u *serviceUpdate) look(ctx context.Context) error {
	lists, err := u.read(ctx)
	for i, shown := range lists {
		u.lists[i].read(shown)
	}
	return err
}

// read returns the lists, none of a hidden service.
func (u *serviceUpdate) read(ctx context.Context) ([]Value[[]AccessEntry], error) {
	if u.client.services.at(u.id).isHidden() {
		return nil, nil
	}
	r := u.client.readRequest("read service", "services", u.id)
	service, err := fetch[Service](ctx, u.client, r, u.budget)
	if err != nil {
		return nil, err
	}
	return service.takeLists(), nil
}

func (u *serviceUpdate) forget() {
	for _, l := range u.lists {
		l.forget()
	}
}
