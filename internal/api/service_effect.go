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

// What a PATCH of a service does may show later than its response. The update waits
// for it, and in the end puts back what must not be missing.

const putBackTimeout = 10 * time.Second

// awaitEffect waits until each list shows something of the last PATCH. Without that,
// a new address could be added twice, and refused the second time. An addition that
// does not show in time counts as ignored. A removal is an error: nothing more is
// removed then.
func (u *serviceUpdate) awaitEffect(ctx context.Context) error {
	if err := u.look(ctx); err != nil {
		return err
	}
	if names := u.overdue(); len(names) > 0 {
		return &transport.Error{
			Operation: "update service", OutcomeUnknown: true,
			Err: OverdueError{u.client.config.UpdateTimeout, names},
		}
	}
	return nil
}

// An OverdueError is about a removal that the API accepted and has not shown in time.
type OverdueError struct {
	waited  time.Duration
	entries []string
}

func (e OverdueError) Error() string {
	return fmt.Sprintf("the API accepted the change but has not shown it after %s; it may still show: %s", e.waited, strings.Join(e.entries, ", "))
}

// overdue names the entries that the last PATCH removes, if nothing shows its effect.
// An address that does not stay is removed once more in its other notation.
func (u *serviceUpdate) overdue() (names []string) {
	planned, _ := u.entries.update.After.Get()
	for _, e := range u.lastPatch.IPAccessList.Remove {
		stays := len(within([]AccessEntry{e}, planned, addressOf)) > 0
		names = append(names, e.Source)
		e.Source = otherNotation(e.Source)
		if !u.entries.effectPending || !stays && !slices.Contains(u.removed, e) {
			names = names[:len(names)-1]
		}
	}
	if u.endpoints.effectPending {
		names = append(names, u.lastPatch.PrivateEndpointIDs.Remove...)
	}
	return names
}

// canPlanAnew waits for the effect of a PATCH of unknown outcome, and reports whether
// the lists are known then.
func (u *serviceUpdate) canPlanAnew(ctx context.Context, err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	return ok && failed.OutcomeUnknown && failed.Transient && u.budget.Wait(ctx) == nil &&
		u.look(ctx) == nil && !u.entries.leftOut && !u.endpoints.leftOut
}

// look reads the service until the effect of the last PATCH shows, for at most the
// update timeout.
func (u *serviceUpdate) look(ctx context.Context) error {
	if !u.isEffectPending() {
		return nil
	}
	err := Await(ctx, u.client.config.UpdateTimeout, func() (bool, error) {
		err := u.readLists(ctx)
		return !u.isEffectPending(), err
	})
	u.ignored = u.ignored || err == nil && u.isEffectPending()
	if err != nil && ctx.Err() != nil {
		return &transport.Error{Operation: "read service", Err: ctx.Err()}
	}
	return err
}

func (u *serviceUpdate) isEffectPending() bool {
	return u.entries.effectPending || u.endpoints.effectPending
}

func (u *serviceUpdate) readLists(ctx context.Context) error {
	shown, err := u.read(ctx)
	if err != nil {
		return err
	}
	u.entries.read(shown.IPAccessList, u.lastPatch.IPAccessList)
	u.endpoints.read(shown.PrivateEndpointIDs, u.lastPatch.PrivateEndpointIDs)
	return nil
}

// read reads the service as it is now; a hidden one shows nothing. It always sends
// a new request.
func (u *serviceUpdate) read(ctx context.Context) (*Service, error) {
	if u.cached.whyHidden() != nil {
		return &Service{}, nil
	}
	r := u.client.asRead(serviceRequest("read service", u.id))
	r.AfterStop = u.afterStop
	return fetch[Service](ctx, u.client, r, u.budget)
}

// putBack restores entries that had to be removed for a new description and are
// missing when the update ends, whatever ended it, or may be. If that fails, the
// error names them.
func (u *serviceUpdate) putBack(ctx context.Context, cause error) error {
	if len(u.toPutBack) == 0 {
		return cause
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putBackTimeout)
	defer cancel()
	u.afterStop, u.budget = true, &transport.Budget{} // of no retries: the addition needs the time
	if cause != nil && u.entries.effectPending {
		_ = u.readLists(ctx) // the effect stays pending
	}
	// After an effect that came too late, what shows may be that of an earlier PATCH.
	isKnown := !u.ignored && (cause == nil || !u.entries.effectPending && !u.entries.leftOut)
	lost := u.toPutBack
	if isKnown {
		current, _ := u.entries.current.Get()
		lost = without(lost, current, addressOf)
	}
	if len(lost) == 0 {
		return cause
	}
	_, isOverdue := errors.AsType[OverdueError](cause)
	if planned, _ := u.entries.update.After.Get(); cause == nil || isOverdue { // the API accepts the new descriptions
		lost = within(planned, lost, addressOf)
	}
	u.budget = u.client.transport.NewBudget()
	err := u.send(ctx, servicePatch{IPAccessList: listChange[AccessEntry]{Add: sendable(lost)}})
	if isKnown && isConflict(err) { // it can be there already
		if shown, readErr := u.read(ctx); readErr == nil {
			current, _ := shown.IPAccessList.Get()
			lost = without(lost, current, addressOf)
		}
	}
	if err == nil || len(lost) == 0 {
		return cause
	}
	if cause == nil {
		cause = err
	}
	var addresses []string
	for _, entry := range lost {
		addresses = append(addresses, entry.Source)
	}
	return advised(cause, "ip_access_list: may be missing now, add again: "+strings.Join(addresses, ", "))
}
