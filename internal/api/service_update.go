package api

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

const maxPatches = 4 // of one update

// UpdateService changes a service and returns the newest one: the latest, under
// what was sent, under what the responses show. Without anything to change it is
// a read.
//
// The lists approach their targets in at most four PATCHes, each made from the
// response to the one before. A response that leaves a list out counts as what
// was asked for. A list that still differs at the end is no error: it is for the
// caller to compare. A removal that nothing shows in time is one.
func (c *Client) UpdateService(ctx context.Context, serviceID string, want ServiceUpdate) (*Service, error) {
	changesLists := !want.IPAccessList.After.IsAbsent() || !want.PrivateEndpointIDs.After.IsAbsent()
	if !changesLists && (servicePatch{ServiceUpdate: want}).isEmpty() {
		return c.Service(ctx, serviceID)
	}
	return c.services.at(serviceID).write(ctx, "update service", func(latest Service) (_ *Service, err error) {
		if changesLists {
			if latest, err = noneIfHidden(c.Service(ctx, serviceID)); err != nil {
				return nil, err
			}
		}
		u := serviceUpdate{client: c, id: serviceID, budget: c.transport.NewBudget(), want: want, service: latest}
		u.entries = newServiceList(latest.IPAccessList, want.IPAccessList, addressOf, identityOf)
		u.endpoints = newServiceList(latest.PrivateEndpointIDs, want.PrivateEndpointIDs, stringKey, stringKey)
		if err := u.putBack(ctx, u.converge(ctx)); err != nil {
			if u.mayHaveChanged {
				err = partlyApplied(err) // so that what is cached is forgotten
			}
			return nil, err
		}
		u.service.IPAccessList, u.service.PrivateEndpointIDs = u.entries.current, u.endpoints.current
		return &u.service, nil
	})
}

// A serviceUpdate is an update under way.
type serviceUpdate struct {
	client *Client
	id     string
	budget *transport.Budget
	want   ServiceUpdate // zero once everything but the lists is delivered

	service   Service // the newest, except its lists
	entries   *serviceList[AccessEntry]
	endpoints *serviceList[string]

	mayHaveChanged bool          // a PATCH may have taken effect
	ignored        bool          // a PATCH had no effect in time; it may still come
	removed        []AccessEntry // as accepted removals have written them
	toPutBack      []AccessEntry // removed, although their address stays
	afterStop      bool
}

const (
	adviceTwoApplies = "if the API refuses a second entry for an address, change a description in two applies: " +
		"remove the entry in one, and add it with the new description in the next"
	adviceUnknownList = "the API did not show this list before the update: if one of the added entries exists already, " +
		"remove it from the service by other means and apply again"
)

// nextSteps are the steps that a PATCH leads to. Only a conflict leads to one that
// takes away what should stay: after any other refusal, adding it again could be
// refused too. A refusal leads to a step only if the PATCH adds an entry for an
// address that has one; any other is the error of the update.
var nextSteps = map[step]struct{ accepted, conflict, invalid step }{
	//               accepted        409             400, 422
	addChanged:     {replaceChanged, replaceChanged, replaceOrSkip},
	replaceChanged: {replaceChanged, removeOutdated, skipChanged},
	replaceOrSkip:  {replaceOrSkip, skipChanged, skipChanged},
	removeOutdated: {accepted: skipChanged}, // which adds what was removed
	skipChanged:    {accepted: skipChanged},
}

// converge sends the PATCHes, from step to step.
func (u *serviceUpdate) converge(ctx context.Context) error {
	var refusal error
	current := addChanged
	for patches := 1; current != none && patches <= maxPatches; patches++ {
		p, err := u.deliver(ctx, current)
		if p.isEmpty() {
			break
		}
		current = u.nextStep(p, err)
		switch {
		case err == nil:
			current, err = u.settle(ctx, p, current)
		case current == removeOutdated && patches+2 > maxPatches: // the addition needs one too
		case current != none:
			refusal, err = advised(err, adviceTwoApplies), nil
		case isConflict(err) && (u.entries.isUnknown() || u.endpoints.isUnknown()):
			err = advised(err, adviceUnknownList)
		case len(u.unshownRemovals()) > 0:
			err = advised(err, "the removal of "+sources(u.unshownRemovals())+" was accepted before, and may still show")
		}
		if err != nil {
			return err
		}
	}
	if u.plan(replaceChanged).isEmpty() {
		return nil
	}
	return refusal
}

// nextStep is the step that a PATCH leads to, none if its error ends the update.
func (u *serviceUpdate) nextStep(p servicePatch, err error) step {
	next := nextSteps[p.step]
	overwrites := len(within(p.IPAccessList.Add, u.entries.current.value, addressOf)) > 0
	switch {
	case err == nil:
		return next.accepted
	case overwrites && isConflict(err):
		return next.conflict
	case overwrites && isInvalid(err):
		return next.invalid
	}
	return none
}

// settle waits for the effect of an accepted PATCH. It returns the step that follows:
// next or, if a removal does not show, the same step, which removes nothing more; none
// if there is nothing else to try.
func (u *serviceUpdate) settle(ctx context.Context, p servicePatch, next step) (step, error) {
	if err := u.awaitEffect(ctx); err != nil || !u.isEffectPending() {
		return next, err
	}
	if err := u.overdue(); err != nil {
		return none, err
	}
	if len(p.IPAccessList.Remove) > 0 {
		next = p.step
	}
	if p.ServiceUpdate = u.want; bytes.Equal(p.json(), u.plan(next).json()) {
		return none, nil
	}
	return next, nil
}

// deliver sends the PATCH of a step, unless it is empty. One of unknown outcome is
// planned anew: sent again as it was, it could add and remove what someone else has
// changed since.
func (u *serviceUpdate) deliver(ctx context.Context, s step) (servicePatch, error) {
	for {
		p := u.plan(s)
		if p.isEmpty() {
			return p, nil
		}
		err := u.send(ctx, p)
		if !p.changesLists() || !u.canPlanAnew(ctx, err) {
			return p, err
		}
	}
}

// plan is the PATCH of a step, made from the lists as they are now.
func (u *serviceUpdate) plan(s step) servicePatch {
	p := servicePatch{u.want, u.entries.change(s), u.endpoints.change(s), s}
	if s == addChanged && p.isEmpty() {
		return u.plan(replaceChanged) // an outdated entry may be left beside the new one
	}
	p.IPAccessList.Add, p.IPAccessList.Remove = sendable(p.IPAccessList.Add), sendable(p.IPAccessList.Remove)
	for i, entry := range p.IPAccessList.Remove {
		if slices.Contains(u.removed, entry) { // and is still there
			p.IPAccessList.Remove[i].Source = otherNotation(entry.Source)
		}
	}
	return p
}

// send sends a PATCH and records what its response shows.
func (u *serviceUpdate) send(ctx context.Context, p servicePatch) error {
	r := serviceRequest("update service", u.id)
	r.Effect, r.AfterStop = transport.Idempotent, u.afterStop
	if p.changesLists() && !u.afterStop { // putting an entry back twice does no harm
		r.Effect = transport.NonIdempotent
	}
	r.Body = p.json()
	resp, err := u.client.transport.Do(ctx, r, u.budget)
	if err != nil && !transport.IsOutcomeUnknown(err) {
		return err
	}
	u.mayHaveChanged = true
	u.entries.sent(p.IPAccessList)
	u.endpoints.sent(p.PrivateEndpointIDs)
	// Entries whose address stays may have to be put back.
	removed := within(u.entries.current.value, p.IPAccessList.Remove, identityOf)
	removed = within(removed, u.entries.update.After.value, addressOf)
	u.toPutBack = append(u.toPutBack, without(removed, u.toPutBack, addressOf)...)
	if err != nil {
		return err
	}
	u.want = ServiceUpdate{}
	u.removed = append(u.removed, p.IPAccessList.Remove...)
	return u.receive(p, resp)
}

// receive records what the response to a PATCH shows.
func (u *serviceUpdate) receive(p servicePatch, resp transport.Response) error {
	p.Endpoints = nil // a service has other members there
	sent, _ := json.Marshal(p.ServiceUpdate)
	u.service.IPAccessList, u.service.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	service, err := overlayResponse(u.service, sent, resp)
	if err != nil {
		return err
	}
	u.service = *service
	u.entries.received(service.IPAccessList)
	u.endpoints.received(service.PrivateEndpointIDs)
	return nil
}
