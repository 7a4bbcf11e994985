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

// awaitEffect reads the service until each list shows something of the last PATCH,
// for at most the update timeout. Without that, a new address could be added twice,
// and refused the second time.
func (u *serviceUpdate) awaitEffect(ctx context.Context) error {
	if !u.isEffectPending() {
		return nil
	}
	err := Await(ctx, u.client.config.UpdateTimeout, func() (bool, error) {
		err := u.readLists(ctx)
		return !u.isEffectPending(), err
	})
	u.ignored = u.ignored || err == nil && (u.isEffectPending() || u.entries.leftOut)
	if err != nil && ctx.Err() != nil {
		return &transport.Error{Operation: "read service", Err: ctx.Err()}
	}
	return err
}

func (u *serviceUpdate) isEffectPending() bool {
	return u.entries.effectPending || u.endpoints.effectPending
}

// canPlanAnew waits for the effect of a PATCH of unknown outcome, and reports whether
// the lists are known then. After one wait without success, it only looks once.
func (u *serviceUpdate) canPlanAnew(ctx context.Context, err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok || !failed.OutcomeUnknown || !failed.Transient || u.budget.Wait(ctx) != nil {
		return false
	}
	look := u.awaitEffect
	if u.ignored {
		look = u.readLists
	}
	return look(ctx) == nil && !u.entries.leftOut && !u.endpoints.leftOut
}

// ErrOverdue is in the error of an update (errors.Is) that removes something, if the
// API accepted that and has not shown it in time.
var ErrOverdue = errors.New("the API accepted the change but has not shown it")

// overdue is the error of an accepted PATCH that removes something, if nothing shows
// its effect: nothing more is removed then. An address that does not stay is first
// removed once more, in its other notation. An addition that does not show counts as
// ignored.
func (u *serviceUpdate) overdue() error {
	var names []string
	if u.entries.effectPending {
		removed := u.entries.lastChange.Remove
		stay := within(removed, u.entries.update.After.value, addressOf)
		for _, e := range removed {
			other := AccessEntry{otherNotation(e.Source), e.Description}
			if slices.Contains(stay, e) || slices.Contains(u.removed, other) {
				names = append(names, e.Source)
			}
		}
	}
	if u.endpoints.effectPending {
		names = append(names, u.endpoints.lastChange.Remove...)
	}
	if len(names) == 0 {
		return nil
	}
	return &transport.Error{
		Operation: "update service", OutcomeUnknown: true,
		Err: fmt.Errorf("%w after %s; it may still show: %s", ErrOverdue, u.client.config.UpdateTimeout, strings.Join(names, ", ")),
	}
}

// unshownRemovals returns entries that the list still shows, although the API has
// accepted their removal.
func (u *serviceUpdate) unshownRemovals() []AccessEntry {
	shown := within(u.entries.current.value, u.removed, addressOf)
	return without(shown, u.entries.update.After.value, addressOf)
}

func (u *serviceUpdate) readLists(ctx context.Context) error {
	shown, err := u.read(ctx)
	if err != nil {
		return err
	}
	u.entries.read(shown.IPAccessList)
	u.endpoints.read(shown.PrivateEndpointIDs)
	return nil
}

// read reads the service as it is now; a hidden one shows nothing. It always sends
// a new request.
func (u *serviceUpdate) read(ctx context.Context) (*Service, error) {
	if u.client.services.at(u.id).isHidden() {
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
		lost = without(lost, u.entries.current.value, addressOf)
	}
	if len(lost) == 0 {
		return cause
	}
	if cause == nil || errors.Is(cause, ErrOverdue) { // the API accepts the new descriptions
		lost = within(u.entries.update.After.value, lost, addressOf)
	}
	u.budget = u.client.transport.NewBudget()
	err := u.send(ctx, servicePatch{IPAccessList: listChange[AccessEntry]{Add: sendable(lost)}})
	if isKnown && isConflict(err) { // it can be there already
		if shown, readErr := u.read(ctx); readErr == nil {
			lost = without(lost, shown.IPAccessList.value, addressOf)
		}
	}
	if err == nil || len(lost) == 0 {
		return cause
	}
	if cause == nil {
		cause = err
	}
	return advised(cause, "ip_access_list: may be missing now, add again: "+sources(lost))
}

// sources lists addresses in a message.
func sources(entries []AccessEntry) string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Source)
	}
	return strings.Join(all, ", ")
}
