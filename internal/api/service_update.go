package api

import (
	"context"
	"encoding/json"
	"errors"
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
	cached := c.services.at(serviceID)
	return cached.write(ctx, "update service", func(latest *Service) (*Service, error) {
		if changesLists {
			remote, err := c.Service(ctx, serviceID)
			if err != nil && !errors.Is(err, ErrHidden) {
				return nil, err
			}
			latest = remote // nil if it is hidden
		}
		u := serviceUpdate{client: c, id: serviceID, cached: cached, budget: c.transport.NewBudget(), want: want}
		if latest != nil {
			u.service = *latest
		}
		u.entries = newServiceList(u.service.IPAccessList, want.IPAccessList, addressOf, identityOf)
		u.endpoints = newServiceList(u.service.PrivateEndpointIDs, want.PrivateEndpointIDs, stringKey, stringKey)
		if err := u.putBack(ctx, u.converge(ctx)); err != nil {
			if !u.lastPatch.isEmpty() {
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
	cached *object[Service]
	budget *transport.Budget
	want   ServiceUpdate // zero once everything but the lists is delivered

	service   Service // the newest, except its lists
	entries   *serviceList[AccessEntry]
	endpoints *serviceList[string]

	lastPatch servicePatch  // that may have taken effect
	ignored   bool          // a PATCH had no effect in time; it may still come
	removed   []AccessEntry // as accepted removals have written them
	toPutBack []AccessEntry // removed, although their address stays
	afterStop bool
}

const (
	adviceTwoApplies = "if the API refuses a second entry for an address, change a description in two applies: " +
		"remove the entry in one, and add it with the new description in the next"
	adviceUnknownList = "the API does not return this list: if one of the added entries exists already, " +
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
	for patches := 1; patches <= maxPatches; patches++ {
		p, err := u.deliver(ctx, current)
		if p.isEmpty() {
			break
		}
		current = u.nextStep(p, err)
		switch {
		case err == nil:
			err = u.awaitEffect(ctx)
		case current == removeOutdated && patches+2 > maxPatches: // the addition needs one too
		case current != none:
			refusal, err = advised(err, adviceTwoApplies), nil
		case isConflict(err) && (u.entries.isUnknown() || u.endpoints.isUnknown()):
			err = advised(err, adviceUnknownList)
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
	current, _ := u.entries.current.Get()
	overwrites := len(within(p.IPAccessList.Add, current, addressOf)) > 0
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
	var err error
	if r.Body, err = json.Marshal(p); err != nil {
		return &transport.Error{Operation: r.Operation, Err: err}
	}
	resp, err := u.client.transport.Do(ctx, r, u.budget)
	if err != nil && !transport.IsOutcomeUnknown(err) {
		return err
	}
	u.lastPatch = p
	u.entries.sent(p.IPAccessList)
	u.endpoints.sent(p.PrivateEndpointIDs)
	// Entries whose address stays may have to be put back.
	current, _ := u.entries.current.Get()
	planned, _ := u.entries.update.After.Get()
	removed := within(within(current, p.IPAccessList.Remove, identityOf), planned, addressOf)
	u.toPutBack = append(u.toPutBack, without(removed, u.toPutBack, addressOf)...)
	if err != nil {
		return err
	}
	u.want = ServiceUpdate{}
	u.removed = append(u.removed, p.IPAccessList.Remove...)
	return u.receive(resp)
}

// receive records what the response to the last PATCH shows.
func (u *serviceUpdate) receive(resp transport.Response) error {
	sent := u.lastPatch.ServiceUpdate
	sent.Endpoints = nil // a service has other members there
	details, err := json.Marshal(sent)
	if err != nil {
		return &transport.Error{Operation: resp.Operation, Err: err}
	}
	u.service.IPAccessList, u.service.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	service, err := overlayResponse(&u.service, details, resp)
	if err != nil {
		return err
	}
	u.service = *service
	u.entries.received(service.IPAccessList, u.lastPatch.IPAccessList)
	u.endpoints.received(service.PrivateEndpointIDs, u.lastPatch.PrivateEndpointIDs)
	return nil
}
