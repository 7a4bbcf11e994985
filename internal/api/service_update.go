package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

const (
	maxPatches     = 4                // of one update
	lateEffect     = 5 * time.Second  // how long an accepted PATCH may not show
	putBackTimeout = 10 * time.Second // to restore what an interrupted update has removed
)

// UpdateService changes a service and returns the newest one: the latest, under
// what was sent, under what the responses show. Without anything to change it is
// a read.
//
// The lists approach their targets in at most four PATCHes, each made from the
// response to the one before. A response that leaves a list out counts as what
// was asked for. A list that still differs at the end is no error: it is for the
// caller to compare.
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
	removed   []AccessEntry // as accepted removals have written them
	toPutBack []AccessEntry // removed, although their address stays
	afterStop bool
}

const (
	adviceTwoApplies = "if the API refuses a second entry for an address, change a description in two applies: " +
		"remove the entry in one, and add it with the new description in the next"
	adviceUnknownList = "the API does not return this list, so Terraform adds every entry: " +
		"if one of them exists already, remove it from the service by other means and apply again"
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
	for patches := 0; patches < maxPatches; {
		p := u.plan(current)
		if p.isEmpty() && current == addChanged {
			current = replaceChanged // an outdated entry may be left beside the new one
			p = u.plan(current)
		}
		if p.isEmpty() {
			break
		}
		overwrites := u.overwrites(p)
		err := u.send(ctx, p)
		if p.changesLists() && u.canPlanAnew(ctx, err) {
			continue
		}
		patches++
		next := nextSteps[current]
		switch {
		case err == nil:
			if err := u.awaitEffect(ctx, time.Second/2); err != nil && !errors.Is(err, ErrHidden) {
				return err
			}
			current = next.accepted
			continue
		case isConflict(err) && overwrites:
			current = next.conflict
		case isInvalid(err) && overwrites:
			current = next.invalid
		case isConflict(err) && (u.entries.isUnknown() || u.endpoints.isUnknown()):
			return advised(err, adviceUnknownList)
		default:
			return err
		}
		refusal = advised(err, adviceTwoApplies)
		if current == removeOutdated && patches+2 > maxPatches { // the addition needs one too
			return err
		}
	}
	if u.plan(replaceChanged).isEmpty() {
		return nil
	}
	return refusal
}

// overwrites reports whether a PATCH adds an entry for an address that has one.
func (u *serviceUpdate) overwrites(p servicePatch) bool {
	current, _ := u.entries.current.Get()
	return len(within(p.IPAccessList.Add, current, addressOf)) > 0
}

// plan is the PATCH of a step, made from the lists as they are now.
func (u *serviceUpdate) plan(s step) servicePatch {
	p := servicePatch{u.want, u.entries.change(s), u.endpoints.change(s)}
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

// awaitEffect reads the service, after a pause, until each list shows something of
// the last PATCH, for at most 5 s. Without that, a new address could be added
// twice, and refused the second time. The error is [ErrHidden] if the API does not
// show a list: what was asked for counts then.
func (u *serviceUpdate) awaitEffect(ctx context.Context, pause time.Duration) error {
	var notShown error
	for waited := time.Duration(0); u.isEffectPending() && waited+pause <= lateEffect; pause = time.Second {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return &transport.Error{Operation: "read service", Err: ctx.Err()}
		}
		waited += pause
		shown, err := u.read(ctx)
		if err != nil {
			return err
		}
		showsEntries := u.entries.read(shown.IPAccessList, u.lastPatch.IPAccessList)
		showsEndpoints := u.endpoints.read(shown.PrivateEndpointIDs, u.lastPatch.PrivateEndpointIDs)
		if !showsEntries || !showsEndpoints {
			notShown = ErrHidden
		}
	}
	return notShown
}

func (u *serviceUpdate) isEffectPending() bool {
	return u.entries.effectPending || u.endpoints.effectPending
}

// read reads the service as it is now. It always sends a new request.
func (u *serviceUpdate) read(ctx context.Context) (*Service, error) {
	if err := u.cached.whyHidden(); err != nil {
		return nil, err
	}
	r := u.client.asRead(serviceRequest("read service", u.id))
	r.AfterStop = u.afterStop
	return fetch[Service](ctx, u.client, r, u.budget)
}

// canPlanAnew reads the service after a PATCH of unknown outcome. Sent again as
// it was, the PATCH could add and remove what someone else has changed since.
func (u *serviceUpdate) canPlanAnew(ctx context.Context, err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	return ok && failed.OutcomeUnknown && failed.Transient && u.budget.Wait(ctx) == nil && u.awaitEffect(ctx, 0) == nil
}

// putBack restores entries that had to be removed for a new description and are
// missing when the update ends, whatever ended it. If that fails, the error names
// them.
func (u *serviceUpdate) putBack(ctx context.Context, cause error) error {
	if len(u.toPutBack) == 0 {
		return cause
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putBackTimeout)
	defer cancel()
	u.afterStop, u.budget = true, u.client.transport.NewBudget()
	u.endpoints.effectPending = false // only the entries matter now

	lost := u.toPutBack
	if cause == nil || u.awaitEffect(ctx, 0) == nil && !u.entries.leftOut {
		current, _ := u.entries.current.Get()
		lost = without(lost, current, addressOf)
	}
	if len(lost) == 0 {
		return cause
	}
	if planned, _ := u.entries.update.After.Get(); cause == nil { // the API accepts the new descriptions
		lost = within(planned, lost, addressOf)
	}
	err := u.send(ctx, servicePatch{IPAccessList: listChange[AccessEntry]{Add: sendable(lost)}})
	if isConflict(err) { // it can be there already
		if shown, readErr := u.read(ctx); readErr == nil {
			current, _ := shown.IPAccessList.Get()
			lost = without(lost, current, addressOf)
		}
	}
	if err == nil || len(lost) == 0 {
		return cause
	}
	if cause == nil {
		cause = err
	}
	var addresses []string
	for _, entry := range lost {
		addresses = append(addresses, entry.Source)
	}
	return advised(cause, "ip_access_list: may be missing now, add again: "+strings.Join(addresses, ", "))
}
