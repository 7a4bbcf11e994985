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

// A delivery is an update of a service under way.
type delivery struct {
	client   *Client
	id       string
	budget   *transport.Budget
	patience time.Duration // left to wait until changes show
	changed  bool          // a PATCH may have taken effect
	unshown  error         // an UnshownError, about what is no list

	service Service        // the newest, without its lists
	lists   []*serviceList // the access list and the private endpoints
}

func newDelivery(c *Client, id string, latest Service, want ServiceUpdate) *delivery {
	d := &delivery{client: c, id: id, budget: c.transport.NewBudget(), patience: c.config.UpdateTimeout, service: latest}
	ids := want.PrivateEndpointIDs
	updates := []ListUpdate[AccessEntry]{want.IPAccessList, {Before: asEntries(ids.Before), After: asEntries(ids.After)}}
	key := byElement[AccessEntry]
	if want.isCreation { // another description at the address is someone else's, and stays
		key = byID[AccessEntry]
	}
	for i, shown := range d.service.takeLists() {
		d.lists = append(d.lists, newServiceList(shown, !d.isHidden(), updates[i], key))
	}
	return d
}

func (d *delivery) isHidden() bool { return d.client.services.at(d.id).isHidden() }

// takeLists removes the lists from a service, and returns them.
func (s *Service) takeLists() []Value[[]AccessEntry] {
	lists := []Value[[]AccessEntry]{s.IPAccessList, asEntries(s.PrivateEndpointIDs)}
	s.IPAccessList, s.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	return lists
}

// result returns the newest service, with the lists that are shown.
func (d *delivery) result() *Service {
	d.service.IPAccessList = d.lists[accessList].shown()
	if endpoints, isShown := d.lists[endpointList].shown().Get(); isShown {
		d.service.PrivateEndpointIDs = ValueOf(asIDs(endpoints))
	}
	return &d.service
}

// patch sends a PATCH, unless it is empty, and waits until it shows. After an unknown
// outcome the lists are read and the rest is planned anew: the same PATCH again could
// add and remove what someone else has changed since.
func (d *delivery) patch(ctx context.Context, rest ServiceUpdate, change listStep) error {
	body := d.next(rest, change)
	if body == nil {
		return nil
	}
	r := updateRequest("update service", "services", d.id)
	r.Body, r.Writes, r.TurnOf = body, true, strings.ToLower(d.id)
	var unread error
	if slices.ContainsFunc(d.lists, (*serviceList).isChanged) {
		// A 409 may mean that the API is busy, unless a list has an entry that the PATCH adds.
		r.IsFinal = func(status int) bool {
			return status == http.StatusConflict && slices.ContainsFunc(d.lists, (*serviceList).conflicts)
		}
		r.MakeBody = func(_ context.Context, failed *transport.Error) ([]byte, error) {
			if failed != nil && failed.OutcomeUnknown {
				unread = d.findOutcome(ctx)
				if unread != nil {
					return nil, unread
				}
				failed.OutcomeUnknown = false
				body = d.next(rest, change)
			}
			return body, nil
		}
	}
	resp, err := d.client.transport.Do(ctx, r, d.budget)
	d.changed = d.changed || err == nil || transport.IsOutcomeUnknown(err)
	switch {
	case err == nil && resp.Status == 0: // nothing was left to send
		return nil
	case err == nil:
		return d.accept(ctx, rest, resp)
	case !transport.IsOutcomeUnknown(err) || r.MakeBody == nil || unread != nil:
		return err
	}
	// No attempt is left, but the last one may have done it.
	if unread = d.findOutcome(ctx); unread != nil {
		return advised(err, unread.Error())
	}
	if isEmpty(rest.body(d.plan(change))) {
		return nil
	}
	return err
}

// plan returns what a PATCH changes in the lists.
func (d *delivery) plan(change listStep) (changes listChanges) {
	for i, l := range d.lists {
		changes[i] = change(l)
	}
	return changes
}

// next returns the body of the next PATCH and records it, or returns nil if there is nothing
// to send.
func (d *delivery) next(rest ServiceUpdate, change listStep) []byte {
	changes := d.plan(change)
	body := rest.body(changes)
	if isEmpty(body) {
		return nil
	}
	for i, l := range d.lists {
		l.sending(changes[i])
	}
	return body
}

// findOutcome reads the lists after an unknown outcome. Its error is why that stays unknown.
func (d *delivery) findOutcome(ctx context.Context) error {
	d.changed = true
	d.markStale()
	if err := d.awaitLists(ctx); err != nil {
		return fmt.Errorf("the service could not be read afterwards: %w", err)
	}
	if slices.ContainsFunc(d.lists, (*serviceList).isStale) {
		return errors.New("the API has not returned the changed lists after that")
	}
	return nil
}

// accept records the response to a PATCH, and waits until the service shows it. A removal
// that does not show is an error; an addition that does not is for the restoration.
func (d *delivery) accept(ctx context.Context, rest ServiceUpdate, resp transport.Response) error {
	d.markStale()
	before := d.service
	if len(rest.Endpoints) > 0 {
		before.Endpoints = Value[[]Endpoint]{} // what was known of them is out of date
	}
	service, err := overlayResponse(before, resp)
	if isUnshown(err) {
		if !rest.changesListsOnly() {
			d.unshown = err // the lists are read here, the rest by the caller
		}
		service, err = &d.service, nil
	}
	if err != nil {
		return err
	}
	if !d.isHidden() && d.service.Endpoints.IsKnown() && !service.Endpoints.IsKnown() {
		d.unshown = &UnshownError{} // the endpoints may be left out because there are none
	}
	for i, shown := range service.takeLists() {
		d.lists[i].accepted(shown)
	}
	d.service = *service
	if err := d.awaitLists(ctx); err != nil {
		return partlyApplied(err) // what was refused is the read, not the PATCH
	}
	var overdue []AccessEntry
	for _, l := range d.lists {
		overdue = append(overdue, l.overdue()...)
	}
	if len(overdue) == 0 {
		return nil
	}
	err = fmt.Errorf("%w after %s; it still shows: %s", ErrOverdue, d.client.config.UpdateTimeout, sources(overdue))
	return &transport.Error{Operation: "update service", Err: err}
}

// awaitLists reads the service until it shows the last PATCH, or the time of the update is up.
// If reads leave out a list, too, the wait for it ends.
func (d *delivery) awaitLists(ctx context.Context) error {
	if !slices.ContainsFunc(d.lists, (*serviceList).isPending) {
		return nil
	}
	look := func() (done bool, err error) {
		if err = d.readLists(ctx); transport.IsMissing(err) { // the PATCH was accepted
			return false, nil
		}
		return !slices.ContainsFunc(d.lists, func(l *serviceList) bool { return l.isPending() && l.isReadable }), err
	}
	began := time.Now()
	_, err := Poll(ctx, d.patience, look)
	d.patience -= time.Since(began)
	if ctx.Err() != nil {
		return &transport.Error{Operation: "read service", Err: ctx.Err()}
	}
	return err
}

// readLists reads the lists that the last PATCH changes.
func (d *delivery) readLists(ctx context.Context) error {
	lists, err := d.fetchLists(ctx)
	for i, shown := range lists {
		d.lists[i].read(shown)
	}
	return err
}

// fetchLists returns the lists, none of a hidden service.
func (d *delivery) fetchLists(ctx context.Context) ([]Value[[]AccessEntry], error) {
	if d.isHidden() {
		return nil, nil
	}
	r := d.client.readRequest("read service", "services", d.id)
	r.IsFinal = nil // it has been returned before
	service, err := fetch[Service](ctx, d.client, r, d.budget)
	if err != nil {
		return nil, err
	}
	return service.takeLists(), nil
}

func (d *delivery) markStale() {
	for _, l := range d.lists {
		l.markStale()
	}
}
