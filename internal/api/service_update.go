package api

import (
	"cmp"
	"context"
	"fmt"

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
	if !changesLists && (servicePatch{ServiceUpdate: want}).isEmpty() {
		return c.Service(ctx, serviceID)
	}
	return c.services.at(serviceID).write(ctx, "update service", func(latest Service) (_ *Service, err error) {
		if changesLists {
			if latest, err = noneIfHidden(c.Service(ctx, serviceID)); err != nil {
				return nil, err
			}
		}
		if want.isNew && want.isIn(latest) {
			return nil, ErrExists
		}
		u := serviceUpdate{client: c, id: serviceID, budget: c.transport.NewBudget(), service: latest}
		isReadable := !c.services.at(serviceID).isHidden()
		u.entries = newServiceList(latest.IPAccessList, isReadable, want.IPAccessList, addressOf, identityOf)
		u.endpoints = newServiceList(latest.PrivateEndpointIDs, isReadable, want.PrivateEndpointIDs, stringKey, stringKey)
		if err := u.run(ctx, want); err != nil {
			if changesLists {
				c.services.at(serviceID).forget() // a refused PATCH may be carried out in part
			}
			if u.changed {
				err = partlyApplied(err)
			}
			return nil, err
		}
		u.service.IPAccessList, u.service.PrivateEndpointIDs = u.entries.result(), u.endpoints.result()
		return &u.service, nil
	})
}

// A serviceUpdate is an update under way.
type serviceUpdate struct {
	client  *Client
	id      string
	budget  *transport.Budget
	changed bool // a PATCH may have taken effect

	service   Service // the newest, except its lists
	entries   *serviceList[AccessEntry]
	endpoints *serviceList[string]
}

// Advice in errors.
const (
	adviceUnknownList = "the API did not show this list before the update: if one of the added entries exists already, " +
		"remove it from the service by other means and apply again"
	adviceTwoApplies = "if the API refuses to replace an entry, change the description of %s in two applies: " +
		"remove the entry in one, and add it with the new description in the next"
	adviceReplace = "if the API refuses to replace the entry, change its description in two applies: " +
		"remove the block in one, and add it with the new description in the next; in between, the address has no access"
)

// run sends the first PATCH, and the others if something is left to remove or replace.
func (u *serviceUpdate) run(ctx context.Context, want ServiceUpdate) error {
	advice := want.advice
	err := u.deliver(ctx, func() servicePatch {
		return servicePatch{want, u.entries.addition(), u.endpoints.addition()}
	})
	mayReplace := isRefusal(err) && (isConflict(err) || isInvalid(err)) && len(u.entries.outdated()) > 0
	switch {
	case err == nil:
		want = ServiceUpdate{} // delivered
	case mayReplace: // with the second PATCH
	case isConflict(err) && (u.entries.isUnknown() || u.endpoints.isUnknown()):
		return advised(err, adviceUnknownList)
	default:
		return err
	}
	second := func() servicePatch {
		return servicePatch{want, u.entries.replacement(), u.endpoints.replacement()}
	}
	if p := second(); len(p.IPAccessList.Remove)+len(p.PrivateEndpointIDs.Remove) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return &transport.Error{Operation: "update service", Err: ctx.Err()}
	}
	return u.replace(ctx, second, advice)
}

// replace sends the second PATCH, and the third if something is missing then. If the API
// refused the second, it may still have removed entries: the third adds these again, as
// they were. advice is for the error then; "" for adviceTwoApplies.
func (u *serviceUpdate) replace(ctx context.Context, second func() servicePatch, advice string) error {
	third := func() servicePatch {
		var p servicePatch
		p.IPAccessList.Add = u.entries.missing(u.entries.added)
		p.PrivateEndpointIDs.Add = u.endpoints.missing(u.endpoints.added)
		return p
	}
	last := third
	err := u.deliver(ctx, second)
	if isRefusal(err) {
		taken := sources(u.entries.taken)
		if taken == "" { // nothing that stays was to be replaced
			return err
		}
		if err = advised(err, "check that the service still has "+taken); isConflict(err) || isInvalid(err) {
			err = advised(err, cmp.Or(advice, fmt.Sprintf(adviceTwoApplies, taken)))
		}
		u.forget()
		if _ = u.look(ctx); !u.entries.seen {
			return mayMiss(err, u.entries.taken)
		}
		last = func() (p servicePatch) {
			p.IPAccessList.Add = u.entries.missing(u.entries.taken)
			return p
		}
	}
	failed := u.deliver(ctx, last)
	if lost := u.entries.missing(u.entries.taken); len(lost) > 0 {
		return mayMiss(cmp.Or(err, failed, error(&transport.Error{Operation: "update service", Err: ErrOverdue})), lost)
	}
	if second().isEmpty() && third().isEmpty() {
		return nil // whatever the responses were
	}
	return cmp.Or(err, failed)
}

// mayMiss names in an error what may be missing.
func mayMiss(err error, lost []AccessEntry) error {
	return advised(err, "ip_access_list: may be missing now, add again: "+sources(lost))
}
