package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// UpdateService changes a service and returns the newest one: the latest, under
// what was sent, under what the responses show. Without anything to change it is
// a read.
//
// No PATCH removes an address that stays unless the same PATCH adds it. There are
// three: one that adds and removes, one that replaces entries whose description still
// shows as before, and one that adds what is missing then. A list that still differs at
// the end is for the caller to compare. A removal that does not show in time is an error.
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
		exists := func(l *serviceList) bool { return len(within(l.added, l.current, l.identity)) > 0 }
		if want.isNew && slices.ContainsFunc(u.lists, exists) {
			return nil, ErrExists
		}
		if err := u.run(ctx, want); err != nil {
			if changesLists {
				cached.forget() // a refused PATCH may be carried out in part
			}
			if u.changed {
				err = partlyApplied(err)
			}
			return nil, err
		}
		return u.result(), nil
	})
}

// A serviceUpdate is an update under way.
type serviceUpdate struct {
	client  *Client
	id      string
	budget  *transport.Budget
	changed bool // a PATCH may have taken effect

	service Service        // the newest, without its lists
	lists   []*serviceList // the access list and the private endpoints
}

func newServiceUpdate(c *Client, id string, latest Service, want ServiceUpdate) *serviceUpdate {
	u := &serviceUpdate{client: c, id: id, budget: c.transport.NewBudget(), service: latest}
	ids := want.PrivateEndpointIDs
	updates := []ListUpdate[AccessEntry]{want.IPAccessList, {Before: asEntries(ids.Before), After: asEntries(ids.After)}}
	identity := identityOf[AccessEntry]
	if want.isNew { // another description at the address is someone else's, and stays
		identity = addressOf[AccessEntry]
	}
	for i, shown := range u.service.takeLists() {
		u.lists = append(u.lists, newServiceList(shown, !c.services.at(id).isHidden(), updates[i], identity))
	}
	return u
}

// takeLists removes the lists from a service, and returns them.
func (s *Service) takeLists() []Value[[]AccessEntry] {
	lists := []Value[[]AccessEntry]{s.IPAccessList, asEntries(s.PrivateEndpointIDs)}
	s.IPAccessList, s.PrivateEndpointIDs = Value[[]AccessEntry]{}, Value[[]string]{}
	return lists
}

// result returns the newest service, with the lists that were seen.
func (u *serviceUpdate) result() *Service {
	if l := u.lists[accessList]; l.seen {
		u.service.IPAccessList = ValueOf(l.current)
	}
	if l := u.lists[endpointList]; l.seen {
		u.service.PrivateEndpointIDs = ValueOf(asIDs(l.current))
	}
	return &u.service
}

// A listStep is what one of the PATCHes changes in a list.
type listStep func(*serviceList) listChange[AccessEntry]

// Advice in errors.
const (
	adviceUnknownList = "the API did not show this list before the update: if one of the added entries exists already, " +
		"remove it from the service by other means and apply again"
	adviceImport     = "the API did not show this list before the update: if the entry exists already, import it"
	adviceTwoApplies = "if the API refuses to replace an entry, change the description of %s in two applies: " +
		"remove the entry in one, and add it with the new description in the next"
	adviceReplace = "if the API refuses to replace the entry, change its description in two applies: " +
		"remove the block in one, and add it with the new description in the next; in between, the address has no access"
)

// run sends the addition, and the other PATCHes if something is left to remove or replace.
func (u *serviceUpdate) run(ctx context.Context, want ServiceUpdate) error {
	rest := want
	err := u.deliver(ctx, rest, (*serviceList).addition)
	mayReplace := (isConflict(err) || isInvalid(err)) && isRefusal(err) && len(u.lists[accessList].outdated()) > 0
	switch {
	case err == nil:
		rest = ServiceUpdate{} // delivered
	case mayReplace: // with what the addition was to change besides
	case isConflict(err) && slices.ContainsFunc(u.lists, (*serviceList).isUnseen):
		if want.isNew {
			return advised(err, adviceImport)
		}
		return advised(err, adviceUnknownList)
	default:
		return err
	}
	if u.plan((*serviceList).replacement).IsZero() {
		return nil
	}
	if ctx.Err() != nil {
		return &transport.Error{Operation: "update service", Err: ctx.Err()}
	}
	return u.replace(ctx, rest, want.advice)
}

// replace sends the replacement, and the restoration if something is missing then. If the
// API refused the replacement, it may still have removed entries: these are added again, as
// they were. advice is for the error then; "" for adviceTwoApplies.
func (u *serviceUpdate) replace(ctx context.Context, rest ServiceUpdate, advice string) error {
	access, last := u.lists[accessList], (*serviceList).restoration
	err := u.deliver(ctx, rest, (*serviceList).replacement)
	if isRefusal(err) {
		taken := sources(access.taken)
		if taken == "" { // nothing that stays was to be replaced
			return err
		}
		if err = advised(err, "check that the service still has "+taken); isConflict(err) || isInvalid(err) {
			err = advised(err, cmp.Or(advice, fmt.Sprintf(adviceTwoApplies, taken)))
		}
		u.forget()
		_ = u.look(ctx)
		if !access.seen {
			return mayMiss(err, access.taken)
		}
		last = (*serviceList).undo
	}
	failed := u.deliver(ctx, ServiceUpdate{}, last)
	if lost := access.missing(access.taken); len(lost) > 0 {
		return mayMiss(cmp.Or(err, failed, error(&transport.Error{Operation: "update service", Err: ErrOverdue})), lost)
	}
	if isEmpty(rest.body(u.plan((*serviceList).replacement))) && u.plan((*serviceList).restoration).IsZero() {
		return nil // whatever the responses were
	}
	return cmp.Or(err, failed)
}

// mayMiss names in an error what may be missing.
func mayMiss(err error, lost []AccessEntry) error {
	return advised(err, "ip_access_list: may be missing now, add again: "+sources(lost))
}
