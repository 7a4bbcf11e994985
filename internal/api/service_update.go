package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A serviceUpdate is an update of a service under way.
type serviceUpdate struct {
	client   *Client
	id       string
	lock     *transport.Lock
	budget   *transport.RetryBudget
	timeLeft time.Duration // to wait until the lists show the changes

	hasBegun       atomic.Bool // a PATCH was sent
	isSecond       bool        // the first PATCH was accepted
	mayHaveChanged bool        // a PATCH may have taken effect
	isShown        bool        // the last response has returned the service
	isHalf         bool        // responses have left out what was changed besides the lists

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
	return cached.write(ctx, "update service", func() (*Service, error) {
		before := cached.latestOrZero()
		if changesLists {
			shown, err := c.Service(ctx, serviceID)
			switch {
			case err == nil:
				before = *shown
			case !errors.Is(err, ErrHidden):
				return nil, err
			}
		}
		u := newServiceUpdate(c, serviceID, before, want)
		exists := func(l *serviceList) bool { return len(within(l.added(), l.entries(), l.key)) > 0 }
		if want.isCreation && slices.ContainsFunc(u.lists, exists) {
			return nil, ErrExists
		}
		defer u.lock.Unlock()
		lasting, cancel := u.withGracePeriod(ctx)
		defer cancel()
		err := u.sendAll(lasting, want)
		isUncertain := u.mayHaveChanged && (!u.isShown || !u.showsLists())
		if isUncertain || err != nil && changesLists { // a refused PATCH may be carried out in part
			cached.forget()
		}
		switch {
		case err != nil && u.mayHaveChanged:
			return nil, partlyApplied(u.withMissing(err))
		case err != nil:
			return nil, u.withMissing(err)
		case u.isHalf:
			return nil, nil
		}
		return u.result(), nil
	})
}

// withGracePeriod returns a context for an update that must not end half-way: Ctrl-C ends it at once while nothing
// was sent, and else after some time.
func (u *serviceUpdate) withGracePeriod(ctx context.Context) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if ctx.Err() != nil { // AfterFunc takes its time
		cancel()
	}
	unregister := context.AfterFunc(ctx, func() {
		if !u.hasBegun.Load() {
			cancel()
		}
		time.AfterFunc(10*time.Second, cancel)
	})
	return lasting, func() { unregister(); cancel() }
}

func newServiceUpdate(c *Client, id string, before Service, want ServiceUpdate) *serviceUpdate {
	u := &serviceUpdate{
		client: c, id: id, service: before,
		lock: c.transport.NewLock(strings.ToLower(id)), budget: c.transport.NewRetryBudget(), timeLeft: c.config.UpdateTimeout,
	}
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

func (u *serviceUpdate) showsLists() bool {
	return !slices.ContainsFunc(u.lists, func(l *serviceList) bool { return l.isStale })
}

// takeLists removes the lists from a service, and returns them.
func (s *Service) takeLists() []Value[[]AccessEntry] {
	lists := []Value[[]AccessEntry]{s.IPAccessList, asEntries(s.PrivateEndpointIDs)}
	s.IPAccessList, s.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	return lists
}

// result returns the newest service, with the lists that are shown.
func (u *serviceUpdate) result() *Service {
	entries, endpoints := u.lists[accessList].shown(), u.lists[endpointList].shown()
	u.service.IPAccessList = entries
	u.service.PrivateEndpointIDs = Value[[]string]{state: endpoints.state}
	if ids, ok := endpoints.Get(); ok {
		u.service.PrivateEndpointIDs = ValueOf(asIDs(ids))
	}
	return &u.service
}

const adviceReplace = "if the API refuses to replace an entry, change its description in two applies: " +
	"remove the entry in one, and add it with the new description in the next; in between, the address has no access"

// sendAll sends the PATCH and, if that has left something missing, a second one. A third one follows only if the response
// to the first was the first to show a list.
func (u *serviceUpdate) sendAll(ctx context.Context, want ServiceUpdate) error {
	isSent, err := u.send(ctx, want)
	for range 2 {
		if err != nil || !isSent {
			break
		}
		isSent, err = u.sendNext(ctx)
	}
	remaining := slices.Concat(u.lists[accessList].remaining(), u.lists[endpointList].remaining())
	if err == nil && len(remaining) > 0 {
		return overdueError("in its response", remaining)
	}
	return err
}

// sendNext sends the PATCH after one that was accepted. What is missing has no access meanwhile, so it has
// retries of its own, and time for an API that is busy with the last one.
func (u *serviceUpdate) sendNext(ctx context.Context) (isSent bool, err error) {
	u.isSecond, u.budget = true, u.client.transport.NewRetryBudget()
	for _, l := range u.lists {
		l.accepted()
	}
	if u.next().IsZero() {
		return false, nil
	}
	_, _ = Poll(ctx, u.client.config.UpdateTimeout, func() (done bool, _ error) {
		isSent, err = u.send(ctx, ServiceUpdate{})
		isUrgent := transport.IsBusy(err) && u.isIncomplete()
		return !isUrgent, nil
	})
	if refusesEntry(err) && !u.isIncomplete() {
		err = nil // the API may have it in another form: the caller compares
	}
	return isSent, err
}

// send sends a PATCH, unless nothing is left to change, and waits until the lists show it. After an
// unknown outcome they are read and the rest is planned anew: the same PATCH again could
// add and remove what someone else has changed since.
func (u *serviceUpdate) send(ctx context.Context, want ServiceUpdate) (isSent bool, err error) {
	r := updateRequest("update service", "services", u.id)
	r.Lock = u.lock
	r.Sending = func() { u.hasBegun.Store(true) }
	r.Settle = u.settle
	r.MakeBody = func(context.Context) ([]byte, error) {
		body := want.body(u.next())
		if isEmpty(body) {
			return nil, nil
		}
		return body, nil
	}
	resp, err := u.client.transport.Do(ctx, r, u.budget)
	switch {
	case transport.IsOutcomeUnknown(err):
		u.mayHaveChanged = true
		u.markStale()
		return false, err
	case err != nil:
		return false, u.refused(ctx, err)
	case resp.Status == 0: // nothing was left to send
		return false, nil
	}
	u.mayHaveChanged = true
	return true, u.accept(ctx, want, resp)
}

// next plans what the next PATCH does to the lists.
func (u *serviceUpdate) next() listChanges {
	return listChanges{u.lists[accessList].next(), u.lists[endpointList].next()}
}

// refused completes the error of a PATCH that was refused, or not sent. An API may have carried out a part of
// a replacement that it refuses, which a read shows; otherwise nothing has changed.
func (u *serviceUpdate) refused(ctx context.Context, err error) error {
	if isReplacement := len(u.lists[accessList].replaced()) > 0; isReplacement && refusesEntry(err) {
		err = advised(err, adviceReplace)
		u.markStale()
		if service, err := u.read(ctx); err == nil {
			u.recordRead(service)
		}
	}
	for _, l := range u.lists {
		if !l.isStale && !u.mayHaveChanged {
			l.change = listChange[AccessEntry]{}
		}
	}
	return err
}

// settle reads the lists after a PATCH of unknown outcome.
func (u *serviceUpdate) settle(ctx context.Context) (isKnown bool, err error) {
	u.mayHaveChanged = true
	if !u.markStale() {
		return false, nil
	}
	if err := u.await(ctx, u.timeLeft/2); err != nil { // if the PATCH had no effect, the next needs time
		return false, fmt.Errorf("the service could not be read afterwards: %w", err)
	}
	if !u.showsLists() {
		return false, errors.New("the API has not returned the changed lists after that")
	}
	return true, nil
}

// accept records the response to a PATCH, and waits until the lists show it. A removal that does not
// show is an error.
func (u *serviceUpdate) accept(ctx context.Context, want ServiceUpdate, resp transport.Response) error {
	u.markStale()
	u.budget = u.client.transport.NewRetryBudget() // for the reads that wait for it
	before := u.service
	for _, l := range u.lists {
		l.doubtful = nil
	}
	if len(want.Endpoints) > 0 {
		before.Endpoints = Value[[]Endpoint]{} // what was known of them is out of date
	}
	service, err := afterUpdate(before, resp, want.Name)
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
		u.lists[i].record(shown)
	}
	if err := u.await(ctx, u.timeLeft); err != nil {
		return partlyApplied(err) // what was refused is the read, not the PATCH
	}
	var overdue []AccessEntry
	for _, l := range u.lists {
		if l.isReadable { // a response may be late, too
			overdue = append(overdue, l.overdue()...)
		}
	}
	if len(overdue) > 0 {
		return overdueError("after "+u.client.config.UpdateTimeout.String(), overdue)
	}
	return nil
}

func overdueError(when string, entries []AccessEntry) error {
	err := fmt.Errorf("%w %s; it still shows: %s", ErrOverdue, when, inMessage(entries))
	return &transport.Error{Operation: "update service", Err: err}
}

// await reads the lists until they show the last PATCH, or the timeout is over. If reads do not show a
// list, the wait for it ends.
func (u *serviceUpdate) await(ctx context.Context, timeout time.Duration) error {
	isAwaited := func(l *serviceList) bool { return l.isPending() && l.isReadable }
	if !slices.ContainsFunc(u.lists, (*serviceList).isPending) || u.isHidden() {
		return nil
	}
	began := time.Now()
	_, err := Poll(ctx, timeout, func() (done bool, err error) {
		service, err := u.read(ctx)
		switch {
		case transport.Is404(err), transport.IsBusy(err): // the PATCH was accepted
			return false, nil
		case err != nil:
			return false, err
		}
		u.recordRead(service)
		return !slices.ContainsFunc(u.lists, isAwaited), nil
	})
	u.timeLeft -= time.Since(began)
	if ctx.Err() != nil {
		return &transport.Error{Operation: "read service", Err: ctx.Err()}
	}
	return err
}

// read reads the service. It has been returned before, so no status hides it.
func (u *serviceUpdate) read(ctx context.Context) (*Service, error) {
	r := u.client.readRequest("read service", "services", u.id)
	r.Final = nil
	budget := u.budget
	if u.isSecond { // what is missing has no access meanwhile
		budget = u.client.transport.NewRetryBudget()
	}
	return fetch[Service](ctx, u.client, r, budget)
}

// recordRead records the lists that a read shows. What the last PATCH did not change may be older than the last response.
func (u *serviceUpdate) recordRead(service *Service) {
	for i, shown := range service.takeLists() {
		if !u.lists[i].change.IsZero() {
			u.lists[i].recordRead(shown)
		}
	}
}

// markStale records that a PATCH may have taken effect, and reports whether it changes a list.
func (u *serviceUpdate) markStale() (changesLists bool) {
	for _, l := range u.lists {
		l.markStale()
		changesLists = changesLists || l.isStale
	}
	return changesLists
}

// isIncomplete reports whether something may be missing from a list.
func (u *serviceUpdate) isIncomplete() bool {
	return slices.ContainsFunc(u.lists, func(l *serviceList) bool { return len(l.missing()) > 0 })
}

// withMissing names in the error of an update what may be missing since.
func (u *serviceUpdate) withMissing(err error) error {
	for i, attribute := range []string{"ip_access_list", "private_endpoint_ids"} {
		if missing := u.lists[i].missing(); len(missing) > 0 {
			err = advised(err, "check "+attribute+", which may lack: "+inMessage(missing))
		}
	}
	return err
}
