package api

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// UpdateService changes a service and returns the newest one: the latest, under
// what was sent, under what the responses show. Without anything to change it is
// a read.
//
// No PATCH removes an address that stays unless the same PATCH adds it. There are
// three: one that adds and removes, one that replaces entries whose description still
// shows as before, and one that adds what the second has left missing. A list that
// still differs at the end is no error: it is for the caller to compare. A removal that
// does not show in time is one.
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
		u := serviceUpdate{client: c, id: serviceID, budget: c.transport.NewBudget(), advice: want.advice, service: latest}
		isReadable := !c.services.at(serviceID).isHidden()
		u.entries = newServiceList(latest.IPAccessList, isReadable, want.IPAccessList, addressOf, identityOf)
		u.endpoints = newServiceList(latest.PrivateEndpointIDs, isReadable, want.PrivateEndpointIDs, stringKey, stringKey)
		if err := u.run(ctx, want); err != nil {
			if changesLists {
				c.services.at(serviceID).forget() // a refused PATCH may be carried out in part
			}
			if u.stage > untouched {
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
	client *Client
	id     string
	budget *transport.Budget
	advice string
	stage  stage

	service   Service // the newest, except its lists
	entries   *serviceList[AccessEntry]
	endpoints *serviceList[string]
}

type stage uint8

const (
	untouched stage = iota
	patched         // a PATCH may have taken effect
	replacing       // an address that stays may be missing: the update runs to its end
)

// Advice in errors.
const (
	adviceUnknownList = "the API did not show this list before the update: if one of the added entries exists already, " +
		"remove it from the service by other means and apply again"
	adviceTwoApplies = "if the API refuses to replace an entry, change the description of %s in two applies: " +
		"remove the entry in one, and add it with the new description in the next"
	adviceReplace = "if the API refuses to replace the entry, apply with -replace and the address of this resource: " +
		"that removes the entry and then adds it with the new description"
)

// run sends the first PATCH and, if something is left to remove or to replace, the
// second.
func (u *serviceUpdate) run(ctx context.Context, want ServiceUpdate) error {
	err := u.deliver(ctx, func() servicePatch {
		return servicePatch{want, u.entries.addition(), u.endpoints.addition()}
	})
	switch {
	case err == nil:
		want = ServiceUpdate{} // delivered
	case transport.IsOutcomeUnknown(err):
		return err
	case (isConflict(err) || isInvalid(err)) && len(u.entries.outdated()) > 0:
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
	before := u.stage
	u.stage = replacing
	if err = u.replace(ctx, second); isRefusal(err) {
		u.stage = before
	}
	return err
}

// replace sends the second PATCH. If that leaves addresses missing, the third adds them:
// as planned or, if the API refused the second and carried out a part of it, as they were.
func (u *serviceUpdate) replace(ctx context.Context, second func() servicePatch) error {
	outdated := u.entries.outdated()
	stay := within(u.entries.added, outdated, addressOf)
	err := u.deliver(ctx, second)
	if isRefusal(err) {
		stay = outdated
		if isConflict(err) || isInvalid(err) {
			err = advised(err, cmp.Or(u.advice, fmt.Sprintf(adviceTwoApplies, strings.Join(sources(outdated), ", "))))
		}
		p := servicePatch{IPAccessList: listChange[AccessEntry]{Add: stay}}
		if u.entries.sent(p.IPAccessList); u.look(ctx, p) != nil || u.isUnread(p) {
			return namesMissing(err, outdated)
		}
	}
	third := func() servicePatch { return servicePatch{IPAccessList: u.entries.missing(stay)} }
	missing := third().IPAccessList.Add
	if failed := u.deliver(ctx, third); failed != nil {
		return namesMissing(cmp.Or(err, failed), missing)
	}
	if second().isEmpty() {
		return nil // whatever the response was
	}
	return err
}

// namesMissing adds to an error what an update may have left missing.
func namesMissing(err error, lost []AccessEntry) error {
	return advised(err, "ip_access_list: may be missing now, add again: "+strings.Join(sources(lost), ", "))
}

func sources(entries []AccessEntry) []string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Source)
	}
	return all
}
