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
// three: see serviceList. All waits for a change share one update timeout. A list that still
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
// restoration if something is missing then. rest is what to change besides the lists: it goes along
// until it is accepted.
func (p *servicePatches) sendAll(ctx context.Context, rest ServiceUpdate) error {
	err := p.send(ctx, rest, (*serviceList).addition)
	var refused error
	switch {
	case errors.Is(err, ErrOverdue): // a replacement would not show either
		return p.restore(ctx, ServiceUpdate{}, err, nil)
	case err == nil:
		rest = ServiceUpdate{}
	case refusesEntry(err) && len(p.lists[accessList].outdated()) > 0:
		refused = err // because of an outdated entry, perhaps: the API may accept the replacement
	case isConflict(err) && slices.ContainsFunc(p.lists, (*serviceList).isStale):
		return advised(err, adviceUnseen)
	default:
		return err
	}
	err = p.send(ctx, rest, (*serviceList).replacement)
	switch {
	case err == nil, errors.Is(err, ErrOverdue):
		rest = ServiceUpdate{}
	case isRefusal(err):
		return p.replacementRefused(ctx, err, rest)
	}
	return p.restore(ctx, rest, err, refused)
}

// restore sends the restoration, and ends the update. If the lists are as planned then, it has succeeded, whatever
// was refused. Else the error is earlier, that of the PATCH before, or that of the restoration. rest is what no PATCH
// has changed yet, and refused the error of the addition if the API refused it.
func (p *servicePatches) restore(ctx context.Context, rest ServiceUpdate, earlier, refused error) error {
	err := p.send(ctx, ServiceUpdate{}, (*serviceList).restoration)
	isDone := isEmpty(rest.body(p.plan((*serviceList).replacement))) && p.plan((*serviceList).restoration).IsZero()
	switch {
	case isDone:
		return nil
	case p.lists[accessList].lacksReplaced():
		return cmp.Or(earlier, err, error(&transport.Error{Operation: "update service", Err: ErrOverdue}))
	case refused == nil && refusesEntry(err): // the API has what it accepted before, and does not show it: the caller compares
		return earlier
	}
	return cmp.Or(earlier, err)
}

// replacementRefused ends an update whose replacement was refused. The API may have removed an entry
// all the same. That is likely if it refuses the entry. If it refuses something else, because it is busy,
// or because of the key or of what the update changes besides the lists, the list is read, for as long as
// that is likely to be out of date.
func (p *servicePatches) replacementRefused(ctx context.Context, err error, rest ServiceUpdate) error {
	access := p.lists[accessList]
	if isInvalid(err) && !rest.changesBesideLists() && len(access.replaced) > 0 {
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
