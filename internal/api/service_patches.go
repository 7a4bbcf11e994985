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

// servicePatches are the PATCHes of one update of a service, and what is known of it meanwhile.
type servicePatches struct {
	client   *Client
	id       string
	budget   *transport.RetryBudget
	timeLeft time.Duration // left to wait until changes show
	changed  bool          // a PATCH may have taken effect
	unshown  error         // an UnshownError, about what is no list

	service Service        // the newest, without its lists
	lists   []*serviceList // the access list and the private endpoints
}

func newServicePatches(c *Client, id string, latest Service, want ServiceUpdate) *servicePatches {
	p := &servicePatches{client: c, id: id, budget: c.transport.NewRetryBudget(), timeLeft: c.config.UpdateTimeout, service: latest}
	ids := want.PrivateEndpointIDs
	updates := []ListUpdate[AccessEntry]{want.IPAccessList, {Before: asEntries(ids.Before), After: asEntries(ids.After)}}
	key := byIDAndDescription[AccessEntry]
	if want.isCreation { // another description at the address is someone else's, and stays
		key = byID[AccessEntry]
	}
	for i, shown := range p.service.takeLists() {
		p.lists = append(p.lists, newServiceList(shown, !p.isHidden(), updates[i], key))
	}
	return p
}

func (p *servicePatches) isHidden() bool { return p.client.services.at(p.id).isHidden() }

// takeLists removes the lists from a service, and returns them.
func (s *Service) takeLists() []Value[[]AccessEntry] {
	lists := []Value[[]AccessEntry]{s.IPAccessList, asEntries(s.PrivateEndpointIDs)}
	s.IPAccessList, s.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	return lists
}

// result returns the newest service, with the lists that are shown.
func (p *servicePatches) result() *Service {
	p.service.IPAccessList = p.lists[accessList].shown()
	if endpoints, isShown := p.lists[endpointList].shown().Get(); isShown {
		p.service.PrivateEndpointIDs = ValueOf(asIDs(endpoints))
	}
	return &p.service
}

// send sends a PATCH, unless it is empty, and waits until it shows. After an unknown
// outcome the lists are read and the rest is planned anew: the same PATCH again could
// add and remove what someone else has changed since.
func (p *servicePatches) send(ctx context.Context, rest ServiceUpdate, kind patchKind) error {
	r := updateRequest("update service", "services", p.id)
	r.Writes, r.Lock = true, strings.ToLower(p.id)
	if r.Body = p.next(rest, kind); r.Body == nil {
		return nil
	}
	var unread error
	if slices.ContainsFunc(p.lists, (*serviceList).isChanged) {
		// A 409 may mean that the API is busy, unless a list has an entry that the PATCH adds.
		r.IsFinal = func(status int) bool {
			return status == http.StatusConflict && slices.ContainsFunc(p.lists, (*serviceList).conflicts)
		}
		r.MakeBody = func(_ context.Context, failed *transport.Error) ([]byte, error) {
			if failed != nil && failed.OutcomeUnknown {
				unread = p.findOutcome(ctx, p.timeLeft/2) // if the PATCH had no effect, the next needs time
				if unread != nil {
					return nil, unread
				}
				failed.OutcomeUnknown = false
				r.Body = p.next(rest, kind)
			}
			return r.Body, nil
		}
	}
	resp, err := p.client.transport.Do(ctx, r, p.budget)
	p.changed = p.changed || err == nil || transport.IsOutcomeUnknown(err)
	switch {
	case err == nil && resp.Status == 0: // nothing was left to send
		return nil
	case err == nil:
		return p.accept(ctx, rest, resp)
	case !transport.IsOutcomeUnknown(err) || r.MakeBody == nil || unread != nil:
		return err
	}
	// No attempt is left, but the last one may have done it.
	if unread = p.findOutcome(ctx, p.timeLeft); unread != nil {
		return advised(err, unread.Error())
	}
	if isEmpty(rest.body(p.plan(kind))) {
		return nil
	}
	return err
}

// plan returns what a PATCH changes in the lists.
func (p *servicePatches) plan(kind patchKind) (changes listChanges) {
	for i, l := range p.lists {
		changes[i] = kind(l)
	}
	return changes
}

// next returns the body of the next PATCH and records it, or returns nil if there is nothing
// to send.
func (p *servicePatches) next(rest ServiceUpdate, kind patchKind) []byte {
	changes := p.plan(kind)
	body := rest.body(changes)
	if isEmpty(body) {
		return nil
	}
	for i, l := range p.lists {
		l.sending(changes[i])
	}
	return body
}

// findOutcome waits until the lists show a PATCH of unknown outcome. The error is why that stays unknown.
func (p *servicePatches) findOutcome(ctx context.Context, timeout time.Duration) error {
	p.changed = true
	p.markStale()
	if err := p.awaitLists(ctx, timeout); err != nil {
		return fmt.Errorf("the service could not be read afterwards: %w", err)
	}
	if slices.ContainsFunc(p.lists, (*serviceList).isStale) {
		return errors.New("the API has not returned the changed lists after that")
	}
	return nil
}

// accept records the response to a PATCH, and waits until the service shows it. A removal
// that does not show is an error; an addition that does not is for the restoration.
func (p *servicePatches) accept(ctx context.Context, rest ServiceUpdate, resp transport.Response) error {
	p.markStale()
	before := p.service
	if len(rest.Endpoints) > 0 {
		before.Endpoints = Value[[]Endpoint]{} // what was known of them is out of date
	}
	service, err := afterUpdate(before, resp)
	if isUnshown(err) {
		if rest.changesBesideLists() {
			p.unshown = err // the lists are read here, the rest by the caller
		}
		service, err = &p.service, nil
	}
	if err != nil {
		return err
	}
	if !p.isHidden() && p.service.Endpoints.IsKnown() && !service.Endpoints.IsKnown() {
		p.unshown = &UnshownError{} // the endpoints may be left out because there are none
	}
	for i, shown := range service.takeLists() {
		p.lists[i].accepted(shown)
	}
	p.service = *service
	if err := p.awaitLists(ctx, p.timeLeft); err != nil {
		return partlyApplied(err) // what was refused is the read, not the PATCH
	}
	var overdue []AccessEntry
	for _, l := range p.lists {
		overdue = append(overdue, l.overdue()...)
	}
	if len(overdue) == 0 {
		return nil
	}
	err = fmt.Errorf("%w after %s; it still shows: %s", ErrOverdue, p.client.config.UpdateTimeout, inMessage(overdue))
	return &transport.Error{Operation: "update service", Err: err}
}

// awaitLists reads the service until it shows the last PATCH, or the timeout is over.
// If reads leave out a list, too, the wait for it ends.
func (p *servicePatches) awaitLists(ctx context.Context, timeout time.Duration) error {
	if !slices.ContainsFunc(p.lists, (*serviceList).isPending) {
		return nil
	}
	look := func() (done bool, err error) {
		if err = p.readLists(ctx); transport.IsMissing(err) || transport.IsBusy(err) { // the PATCH was accepted
			return false, nil
		}
		return !slices.ContainsFunc(p.lists, func(l *serviceList) bool { return l.isPending() && l.isReadable }), err
	}
	began := time.Now()
	_, err := Poll(ctx, timeout, look)
	p.timeLeft -= time.Since(began)
	if ctx.Err() != nil {
		return &transport.Error{Operation: "read service", Err: ctx.Err()}
	}
	return err
}

// readLists reads the lists that the last PATCH changes.
func (p *servicePatches) readLists(ctx context.Context) error {
	lists, err := p.fetchLists(ctx)
	for i, shown := range lists {
		p.lists[i].read(shown)
	}
	return err
}

// fetchLists returns the lists, none of a hidden service.
func (p *servicePatches) fetchLists(ctx context.Context) ([]Value[[]AccessEntry], error) {
	if p.isHidden() {
		return nil, nil
	}
	r := p.client.readRequest("read service", "services", p.id)
	r.IsFinal = nil // it has been returned before, so no status hides it
	service, err := fetch[Service](ctx, p.client, r, p.budget)
	if err != nil {
		return nil, err
	}
	return service.takeLists(), nil
}

func (p *servicePatches) markStale() {
	for _, l := range p.lists {
		l.markStale()
	}
}
