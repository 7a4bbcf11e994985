package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A serviceUpdate is an update of a service under way.
type serviceUpdate struct {
	client   *Client
	id       string
	budget   *transport.RetryBudget
	timeLeft time.Duration // to wait until the lists show the changes
	changed  bool          // a PATCH may have taken effect
	number   int           // of PATCHes that were accepted
	isShown  bool          // the last response has returned the service
	isHalf   bool          // responses have left out what was changed besides the lists

	service Service        // the newest, without its lists
	lists   []*serviceList // the access list and the private endpoints
}

// UpdateService changes a service and returns the new one: what was known of it, overlaid with what
// the responses show. Without anything to change it is a read.
//
// Lists are changed by one PATCH. If the list then lacks something that it adds (an API may add first and remove by
// address), a second PATCH adds it. All waits share one update timeout. A removal that does not show in time is an
// error, and whatever else differs at the end is for the caller to compare. An error names what may be missing.
func (c *Client) UpdateService(ctx context.Context, serviceID string, want ServiceUpdate) (*Service, error) {
	changesLists := want.IPAccessList.After.IsKnown() || want.PrivateEndpointIDs.After.IsKnown()
	if !changesLists && !want.changesBesideLists() {
		return c.Service(ctx, serviceID)
	}
	cached := c.services.at(serviceID)
	return cached.write(ctx, "update service", func(latest Service) (*Service, error) {
		if changesLists {
			shown, err := c.Service(ctx, serviceID)
			switch {
			case err == nil:
				latest = *shown
			case !errors.Is(err, ErrHidden):
				return nil, err
			}
		}
		u := newServiceUpdate(c, serviceID, latest, want)
		exists := func(l *serviceList) bool { return len(within(l.added(), l.latest, l.key)) > 0 }
		if want.isCreation && slices.ContainsFunc(u.lists, exists) {
			return nil, ErrExists
		}
		graceful, cancel := withGracePeriod(ctx)
		defer cancel()
		if err := u.sendAll(graceful, want); err != nil {
			if changesLists {
				cached.forget() // a refused PATCH may be carried out in part
				err = u.withMissing(err)
			}
			if u.changed {
				err = partlyApplied(err)
			}
			return nil, err
		}
		if u.isHalf {
			return nil, nil
		}
		if !u.isShown || slices.ContainsFunc(u.lists, func(l *serviceList) bool { return l.isLeftOut }) {
			cached.forget() // what it shows may be old, or incomplete
		}
		return u.result(), nil
	})
}

// withGracePeriod returns a context for an update that must not end half-way: it ends some time after Ctrl-C.
func withGracePeriod(ctx context.Context) (context.Context, context.CancelFunc) {
	graceful, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unregister := context.AfterFunc(ctx, func() { time.AfterFunc(10*time.Second, cancel) })
	return graceful, func() { unregister(); cancel() }
}

func newServiceUpdate(c *Client, id string, latest Service, want ServiceUpdate) *serviceUpdate {
	u := &serviceUpdate{client: c, id: id, budget: c.transport.NewRetryBudget(), timeLeft: c.config.UpdateTimeout, service: latest}
	ids := want.PrivateEndpointIDs
	updates := []ListUpdate[AccessEntry]{want.IPAccessList, {Before: asEntries(ids.Before), After: asEntries(ids.After)}}
	key := byIDAndDescription[AccessEntry]
	if want.isCreation { // another description at the address is someone else's, and stays
		key = byID[AccessEntry]
	}
	for i, shown := range u.service.takeLists() {
		u.lists = append(u.lists, newServiceList(shown, !u.isHidden(), updates[i], key))
	}
	return u
}

func (u *serviceUpdate) isHidden() bool { return u.client.services.at(u.id).isHidden() }

// takeLists removes the lists from a service, and returns them.
func (s *Service) takeLists() []Value[[]AccessEntry] {
	lists := []Value[[]AccessEntry]{s.IPAccessList, asEntries(s.PrivateEndpointIDs)}
	s.IPAccessList, s.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	return lists
}

// result returns the newest service, with the lists that are shown.
func (u *serviceUpdate) result() *Service {
	u.service.IPAccessList = u.lists[accessList].shown()
	if endpoints, isShown := u.lists[endpointList].shown().Get(); isShown {
		u.service.PrivateEndpointIDs = ValueOf(asIDs(endpoints))
	}
	return &u.service
}

const adviceReplace = "if the API refuses to replace an entry, change its description in two applies: " +
	"remove the entry in one, and add it with the new description in the next; in between, the address has no access"

// sendAll sends PATCHes until nothing is left to change, each once the one before has shown: two at most, and three
// if only responses to updates show a list.
func (u *serviceUpdate) sendAll(ctx context.Context, want ServiceUpdate) error {
	for u.number = range 3 {
		isSent, err := u.send(ctx, want)
		if u.number > 0 && transport.IsBusy(err) && u.isIncomplete() { // what is missing has no access meanwhile
			u.budget = u.client.transport.NewRetryBudget()
			_, _ = Poll(ctx, u.client.config.UpdateTimeout, func() (done bool, _ error) {
				isSent, err = u.send(ctx, want)
				return !transport.IsBusy(err) || !u.isIncomplete(), nil
			})
		}
		switch isPending := slices.ContainsFunc(u.lists, (*serviceList).isPending); {
		case refusesEntry(err) && len(u.lists[accessList].replaced()) > 0:
			return advised(err, adviceReplace)
		case refusesEntry(err) && u.number > 0 && !u.isIncomplete():
			return nil // the API may have it in another form: the caller compares
		case err != nil || isPending || !isSent:
			return err
		}
		want = ServiceUpdate{}
		u.budget = u.client.transport.NewRetryBudget()
	}
	return nil
}

// send sends a PATCH, unless nothing is left to change, and waits until the lists show it. After an
// unknown outcome they are read and the rest is planned anew: the same PATCH again could
// add and remove what someone else has changed since.
func (u *serviceUpdate) send(ctx context.Context, want ServiceUpdate) (isSent bool, err error) {
	r := updateRequest("update service", "services", u.id)
	r.Writes, r.Lock = true, strings.ToLower(u.id)
	r.MakeBody = func(_ context.Context, failed *transport.Error) ([]byte, error) {
		if failed != nil && failed.OutcomeUnknown && u.markStale() {
			u.changed = true
			if err := u.await(ctx, u.timeLeft/2); err != nil { // if the PATCH had no effect, the next needs time
				return nil, fmt.Errorf("the service could not be read afterwards: %w", err)
			}
			if slices.ContainsFunc(u.lists, func(l *serviceList) bool { return l.isStale }) {
				return nil, errors.New("the API has not returned the changed lists after that")
			}
			failed.OutcomeUnknown = false
		}
		body := want.body(listChanges{u.lists[accessList].next(), u.lists[endpointList].next()})
		if isEmpty(body) {
			return nil, nil
		}
		return body, nil
	}
	resp, err := u.client.transport.Do(ctx, r, u.budget)
	u.changed = u.changed || err == nil && resp.Status != 0 || transport.IsOutcomeUnknown(err)
	if err != nil || resp.Status == 0 { // nothing was left to send
		return false, err
	}
	return true, u.accept(ctx, want, resp)
}

// accept records the response to a PATCH, and waits until the lists show it. A removal that does not
// show is an error.
func (u *serviceUpdate) accept(ctx context.Context, want ServiceUpdate, resp transport.Response) error {
	u.markStale()
	before := u.service
	if len(want.Endpoints) > 0 {
		before.Endpoints = Value[[]Endpoint]{} // what was known of them is out of date
	}
	service, err := afterUpdate(before, resp)
	u.isShown = service != nil
	switch {
	case err != nil:
		return err
	case !u.isShown:
		u.isHalf = u.isHalf || want.changesBesideLists()
	default: // the endpoints may be left out because there are none
		u.isHalf = u.isHalf || u.service.Endpoints.IsKnown() && !service.Endpoints.IsKnown()
		u.service = *service
	}
	for i, shown := range u.service.takeLists() {
		u.lists[i].accepted(shown)
	}
	if err := u.await(ctx, u.timeLeft); err != nil {
		return partlyApplied(err) // what was refused is the read, not the PATCH
	}
	if overdue := slices.Concat(u.lists[accessList].overdue(), u.lists[endpointList].overdue()); len(overdue) > 0 {
		err = fmt.Errorf("%w after %s; it still shows: %s", ErrOverdue, u.client.config.UpdateTimeout, inMessage(overdue))
		return &transport.Error{Operation: "update service", Err: err}
	}
	return nil
}

// await reads the lists until they show the last PATCH, or the timeout is over. If reads leave out a
// list, too, the wait for it ends.
func (u *serviceUpdate) await(ctx context.Context, timeout time.Duration) error {
	isPending := func(l *serviceList) bool { return l.isPending() && l.isReadable }
	if !slices.ContainsFunc(u.lists, (*serviceList).isPending) || u.isHidden() {
		return nil
	}
	r := u.client.readRequest("read service", "services", u.id)
	r.Final = nil // it has been returned before, so no status hides it
	began := time.Now()
	_, err := Poll(ctx, timeout, func() (done bool, err error) {
		service, err := fetch[Service](ctx, u.client, r, u.readBudget())
		switch {
		case transport.IsMissing(err), transport.IsBusy(err): // the PATCH was accepted
			return false, nil
		case err != nil:
			return false, err
		}
		for i, shown := range service.takeLists() {
			if !u.lists[i].change.IsZero() { // what the PATCH does not change may be older than the last response
				u.lists[i].read(shown)
			}
		}
		return !slices.ContainsFunc(u.lists, isPending), nil
	})
	u.timeLeft -= time.Since(began)
	if ctx.Err() != nil {
		return &transport.Error{Operation: "read service", Err: ctx.Err()}
	}
	return err
}

// markStale records that a PATCH may have taken effect, and reports whether it changes a list.
func (u *serviceUpdate) markStale() (changesLists bool) {
	for _, l := range u.lists {
		l.markStale()
		changesLists = changesLists || l.isStale
	}
	return changesLists
}

// missing returns what may be missing from a list.
func (u *serviceUpdate) missing(list int) []AccessEntry { return u.lists[list].missing() }

// readBudget is the update's until a PATCH was accepted: what is missing then has no access.
func (u *serviceUpdate) readBudget() *transport.RetryBudget {
	if u.number > 0 {
		return u.client.transport.NewRetryBudget()
	}
	return u.budget
}

func (u *serviceUpdate) isIncomplete() bool {
	return len(u.missing(accessList))+len(u.missing(endpointList)) > 0
}

// withMissing names in the error of an update what may be missing since.
func (u *serviceUpdate) withMissing(err error) error {
	for i, attribute := range []string{"ip_access_list", "private_endpoint_ids"} {
		if missing := u.missing(i); len(missing) > 0 {
			err = advised(err, "check "+attribute+", which may be missing: "+inMessage(missing))
		}
	}
	return err
}
