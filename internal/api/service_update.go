package api

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// UpdateService changes a service and returns the new one: what was known of
// it, overlaid with what the responses show. Without anything to change it is
// a read.
//
// No PATCH removes an address that stays unless the same PATCH adds it. There are
// three: one that adds and removes, one that replaces entries whose description still
// shows as before, and one that adds what is missing then. All waits share one update
// timeout. A list that still differs at the end is for the caller to compare. A removal
// that does not show in time is an error.
func (c *Client) UpdateService(ctx context.Context, serviceID string, want ServiceUpdate) (*Service, error) {
	changesLists := want.IPAccessList.After.IsKnown() || want.PrivateEndpointIDs.After.IsKnown()
	if !changesLists && isEmpty(want.body(listChanges{})) {
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
		if want.isNew && slices.ContainsFunc(u.lists, exists) {
			return nil, ErrExists
		}
		finishing, cancel := c.transport.Finishing(ctx)
		defer cancel()
		if err := u.run(finishing, want); err != nil {
			if changesLists {
				cached.forget() // a refused PATCH may be carried out in part
				err = u.withMissing(err)
			}
			if u.changed {
				err = partlyApplied(err)
			}
			return nil, err
		}
		return u.result(), u.unshown
	})
}

// A serviceUpdate is an update under way.
type serviceUpdate struct {
	client   *Client
	id       string
	budget   *transport.Budget
	patience time.Duration // left to wait until changes show
	changed  bool          // a PATCH may have taken effect
	unshown  error         // an AcceptedError, about what is no list

	service Service        // the newest, without its lists
	lists   []*serviceList // the access list and the private endpoints
}

func newServiceUpdate(c *Client, id string, latest Service, want ServiceUpdate) *serviceUpdate {
	u := &serviceUpdate{client: c, id: id, budget: c.transport.NewBudget(), patience: c.config.UpdateTimeout, service: latest}
	ids := want.PrivateEndpointIDs
	updates := []ListUpdate[AccessEntry]{want.IPAccessList, {Before: asEntries(ids.Before), After: asEntries(ids.After)}}
	key := byElement[AccessEntry]
	if want.isNew { // another description at the address is someone else's, and stays
		key = byID[AccessEntry]
	}
	for i, shown := range u.service.takeLists() {
		u.lists = append(u.lists, newServiceList(shown, !c.services.at(id).isHidden(), updates[i], key))
	}
	return u
}

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

// A listStep is what one of the PATCHes changes in a list.
type listStep func(*serviceList) listChange[AccessEntry]

// timeToSettle is how long the API is likely to go on returning an old list.
const timeToSettle = 5 * time.Second

// Advice in errors.
const (
	adviceUnseen = "the API did not show this list before the update: if an added entry exists already, " +
		"import it as a resource of its own, or remove it from the service by other means and apply again"
	adviceReplace = "if the API refuses to replace an entry, change its description in two applies: " +
		"remove the entry in one, and add it with the new description in the next; in between, the address has no access"
)

// run sends the addition, the replacement if something is left to remove or replace, and the
// restoration if something is missing then.
func (u *serviceUpdate) run(ctx context.Context, want ServiceUpdate) error {
	access := u.lists[accessList]
	err := u.deliver(ctx, want, (*serviceList).addition)
	isOverdue := errors.Is(err, ErrOverdue)
	switch {
	case err == nil, isOverdue:
		want = ServiceUpdate{}
	case refusesEntry(err) && len(access.outdated()) > 0: // it may accept the replacement, with what the addition was to change besides
	case isConflict(err) && slices.ContainsFunc(u.lists, (*serviceList).isUnseen):
		return advised(err, adviceUnseen)
	default:
		return err
	}
	if !isOverdue {
		if err = u.deliver(ctx, want, (*serviceList).replacement); isRefusal(err) {
			return u.refused(ctx, err, isEmpty(want.body(listChanges{})))
		}
	}
	failed := u.deliver(ctx, ServiceUpdate{}, (*serviceList).restoration)
	if isEmpty(want.body(u.plan((*serviceList).replacement))) && u.plan((*serviceList).restoration).IsZero() {
		return nil // whatever the responses were
	}
	switch isLost := len(without(access.replaced, access.latest, byID)) > 0; {
	case isLost:
		return cmp.Or(err, failed, error(&transport.Error{Operation: "update service", Err: ErrOverdue}))
	case refusesEntry(failed): // the API has the entry and does not show it: the caller compares
		return err
	}
	return cmp.Or(err, failed)
}

// refused ends an update whose replacement was refused. The API may have removed an entry all the
// same. That is likely if it refuses the entry. If it refuses something else, because it is busy, or
// because of the key or of what the update changes besides the lists, the list is read, for as long as
// that is likely to be out of date.
func (u *serviceUpdate) refused(ctx context.Context, err error, changesListsOnly bool) error {
	access := u.lists[accessList]
	if isInvalid(err) && changesListsOnly && len(access.replaced) > 0 {
		return advised(err, adviceReplace)
	}
	u.forget()
	isGone := func() bool { return len(without(access.replaced, access.latest, byID)) > 0 }
	look := func() (done bool, err error) {
		err = u.look(ctx)
		return isGone(), err
	}
	done, failed := look()
	if !done && failed == nil {
		failed = Await(ctx, timeToSettle, look)
	}
	if failed == nil && !isGone() {
		access.replaced = nil
	}
	return err
}

// withMissing names in the error of an update what may be missing since.
func (u *serviceUpdate) withMissing(err error) error {
	for i, attribute := range []string{"ip_access_list", "private_endpoint_ids"} {
		if missing := u.lists[i].missing(); len(missing) > 0 {
			err = advised(err, "check "+attribute+", which may be missing: "+sources(missing))
		}
	}
	return err
}
