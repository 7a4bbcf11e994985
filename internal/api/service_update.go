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
// No PATCH removes an address that stays unless the same PATCH adds it. There are up to
// four: see serviceList. All waits for a change share one update timeout. A list that still
// differs at the end is for the caller to compare. A removal that does not show in time is an
// error.
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
		p := newServicePatches(c, serviceID, latest, want)
		exists := func(l *serviceList) bool { return len(within(l.added(), l.latest, l.key)) > 0 }
		if want.isCreation && slices.ContainsFunc(p.lists, exists) {
			return nil, ErrExists
		}
		graceful, cancel := c.transport.WithGracePeriod(ctx)
		defer cancel()
		if err := p.sendAll(graceful, want); err != nil {
			if changesLists {
				cached.forget() // a refused PATCH may be carried out in part
				err = p.withMissing(err)
			}
			if p.changed {
				err = partlyApplied(err)
			}
			return nil, err
		}
		if slices.ContainsFunc(p.lists, func(l *serviceList) bool { return l.isLeftOut }) {
			cached.forget() // that one read may have been incomplete
		}
		return p.result(), p.unshown
	})
}

// timeToSettle is how long the API is likely to go on returning an old list.
const timeToSettle = 5 * time.Second

// Advice in errors.
const (
	adviceUnseen = "the API did not show this list before the update: if an added entry exists already, " +
		"import it as a resource of its own, or remove it from the service by other means and apply again"
	adviceReplace = "if the API refuses to replace an entry, change its description in two applies: " +
		"remove the entry in one, and add it with the new description in the next; in between, the address has no access"
)

// sendAll sends the addition, the replacement if something is left to remove or replace, and the
// restoration if something is missing then. A replacement may take away access, so all else is accepted before it.
func (p *servicePatches) sendAll(ctx context.Context, want ServiceUpdate) error {
	access := p.lists[accessList]
	err := p.send(ctx, want, (*serviceList).addition)
	if refusesEntry(err) && len(access.outdated()) > 0 { // perhaps because of a description beside the old
		err = p.send(ctx, want, (*serviceList).newAddition)
	}
	switch {
	case errors.Is(err, ErrOverdue): // a replacement would not show either
		return p.restore(ctx, err)
	case isConflict(err) && slices.ContainsFunc(p.lists, (*serviceList).isStale):
		return advised(err, adviceUnseen)
	case err != nil:
		return err
	}
	err = p.send(ctx, ServiceUpdate{}, (*serviceList).replacement)
	if isRefusal(err) && !errors.Is(err, ErrOverdue) {
		return p.replacementRefused(ctx, err)
	}
	return p.restore(ctx, err)
}

// restore sends the restoration, and ends the update. If the lists are as planned then, it has succeeded, whatever
// was refused. Otherwise it returns earlier, the error of the PATCH before, or else that of the restoration.
func (p *servicePatches) restore(ctx context.Context, earlier error) error {
	err := p.send(ctx, ServiceUpdate{}, (*serviceList).restoration)
	switch {
	case p.plan((*serviceList).replacement).IsZero() && p.plan((*serviceList).restoration).IsZero():
		return nil
	case p.lists[accessList].lacksReplaced():
		return cmp.Or(earlier, err, error(&transport.Error{Operation: "update service", Err: ErrOverdue}))
	case refusesEntry(err): // the API may have what it accepted before, and not show it: the caller compares
		return earlier
	}
	return cmp.Or(earlier, err)
}

// replacementRefused ends an update whose replacement was refused. The API may have removed an entry
// all the same. That is likely if it refuses the entry. If it refuses something else, because it is busy
// or because of the key, the list is read, for as long as that is likely to be out of date.
func (p *servicePatches) replacementRefused(ctx context.Context, err error) error {
	access := p.lists[accessList]
	if isInvalid(err) && len(access.replaced) > 0 {
		return advised(err, adviceReplace)
	}
	p.markStale()
	if p.isHidden() {
		return err
	}
	isLost, failed := Poll(ctx, timeToSettle, func() (isLost bool, err error) {
		err = p.readLists(ctx)
		return access.lacksReplaced(), err
	})
	if failed == nil && !isLost {
		access.replaced = nil
	}
	return err
}

// withMissing names in the error of an update what may be missing since.
func (p *servicePatches) withMissing(err error) error {
	for i, attribute := range []string{"ip_access_list", "private_endpoint_ids"} {
		if missing := p.lists[i].missing(); len(missing) > 0 {
			err = advised(err, "check "+attribute+", which may be missing: "+inMessage(missing))
		}
	}
	return err
}
