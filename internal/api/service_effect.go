package api

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

const (
	// A back end that applies a PATCH late shows the old lists for a while.
	lateEffect = 5 * time.Second

	putBackTimeout = 10 * time.Second
)

var errNotShown = errors.New("the API does not show the list")

// awaitEffect reads the service until it shows something of the last patch, for
// at most 5 s. Without that, a new address could be added twice, and refused the
// second time.
func (u *serviceUpdate) awaitEffect(ctx context.Context, wait time.Duration) error {
	for waited := time.Duration(0); u.unseen && waited+wait <= lateEffect; wait = time.Second {
		if err := sleep(ctx, wait); err != nil {
			return &transport.Error{Operation: "read service", Err: err}
		}
		waited += wait
		shown, err := u.read(ctx)
		if err != nil {
			return err
		}
		shown = u.withEmptyLists(shown)
		if u.isNotShown(shown) {
			return errNotShown
		}
		service := *u.service
		service.IPAccessList = orElse(shown.IPAccessList, service.IPAccessList)
		service.PrivateEndpointIDs = orElse(shown.PrivateEndpointIDs, service.PrivateEndpointIDs)
		u.service, u.unseen = &service, u.isUnseen(shown)
		u.cached.put(&service)
	}
	return nil
}

// read reads the service as it is now. It shares no read that began earlier.
func (u *serviceUpdate) read(ctx context.Context) (*Service, error) {
	if err := u.cached.refusal(); err != nil {
		return nil, err
	}
	r := readServiceRequest(u.id)
	r.AfterStop = u.afterStop
	return fetch[Service](ctx, u.client, r, u.budget)
}

// isNotShown reports whether a service lacks a list that the last patch changed.
func (u *serviceUpdate) isNotShown(shown *Service) bool {
	return !u.last.IPAccessList.IsZero() && shown.IPAccessList.IsAbsent() ||
		!u.last.PrivateEndpointIDs.IsZero() && shown.PrivateEndpointIDs.IsAbsent()
}

// mayBeEmpty reports which lists the last patch may have emptied: some APIs
// leave out what is empty, although they returned it before. An API that removes
// after it adds can also remove what it has added.
func (u *serviceUpdate) mayBeEmpty(shown *Service) (entries, ids bool) {
	return u.showsEntries && len(u.last.IPAccessList.Remove) > 0 && shown.IPAccessList.IsAbsent(),
		u.showsIDs && len(u.last.PrivateEndpointIDs.Remove) > 0 && shown.PrivateEndpointIDs.IsAbsent()
}

// isDoubtful reports whether a response leaves out a list that should not be
// empty but may be.
func (u *serviceUpdate) isDoubtful(shown *Service) bool {
	entries, ids := lists(u.service)
	mayBeEmpty, idsMayBeEmpty := u.mayBeEmpty(shown)
	return mayBeEmpty && len(entries) > 0 || idsMayBeEmpty && len(ids) > 0
}

// withEmptyLists returns a service that was read, with the lists that a read
// leaves out because they are empty.
func (u *serviceUpdate) withEmptyLists(shown *Service) *Service {
	service := *shown
	entries, ids := u.mayBeEmpty(shown)
	if entries {
		service.IPAccessList = ValueOf([]AccessEntry{})
	}
	if ids {
		service.PrivateEndpointIDs = ValueOf([]string{})
	}
	return &service
}

// isUnseen reports whether the lists of a service show nothing of the last patch.
func (u *serviceUpdate) isUnseen(shown *Service) bool {
	entries, ids := lists(shown)
	entriesBefore, idsBefore := lists(u.before)
	compared := false
	if !u.last.IPAccessList.IsZero() && !shown.IPAccessList.IsAbsent() {
		compared = true
		if isShown(u.last.IPAccessList, entriesBefore, entries, addressOf, identityOf) {
			return false
		}
	}
	if !u.last.PrivateEndpointIDs.IsZero() && !shown.PrivateEndpointIDs.IsAbsent() {
		compared = true
		if isShown(u.last.PrivateEndpointIDs, idsBefore, ids, itself, itself) {
			return false
		}
	}
	return compared
}

// lookAgain reads the service after a PATCH of unknown outcome, and reports
// whether the step can be planned anew.
func (u *serviceUpdate) lookAgain(ctx context.Context, err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok || !failed.OutcomeUnknown || !failed.Transient || u.budget.Wait(ctx) != nil {
		return false
	}
	u.cached.forget()
	return u.awaitEffect(ctx, 0) == nil
}

// putBack restores entries that had to be removed for a new description and are
// missing when the update ends, whatever ended it. If that fails, the error names
// them.
func (u *serviceUpdate) putBack(ctx context.Context, cause error) error {
	if len(u.taken) == 0 {
		return cause
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putBackTimeout)
	defer cancel()
	u.afterStop, u.budget = true, u.client.transport.NewBudget()

	lost, verb := u.lost(), "is"
	if cause != nil && u.unseen {
		if u.awaitEffect(ctx, 0) == nil {
			lost = u.lost()
		} else {
			lost, verb = distinct(u.taken, addressOf), "may be"
		}
	}
	if len(lost) == 0 {
		return cause
	}
	defer u.cached.forget()
	err := u.send(ctx, plannedPatch{servicePatch: servicePatch{IPAccessList: listChange[AccessEntry]{Add: sendable(lost)}}})
	if isConflict(err) {
		if len(lost) == 1 {
			return cause // it is there
		}
		verb = "may be"
	}
	if err == nil && u.awaitEffect(ctx, time.Second/2) == nil {
		lost = u.lost()
	}
	if err == nil && len(lost) == 0 {
		return cause
	}
	return missing(cause, verb, lost)
}

// lost returns the entries that were taken and whose address is not there now.
func (u *serviceUpdate) lost() []AccessEntry {
	entries, _ := lists(u.service)
	return without(distinct(u.taken, addressOf), entries, addressOf)
}

// missing adds to the error that ended an update which entries it has lost.
func missing(cause error, verb string, lost []AccessEntry) error {
	if cause == nil {
		cause = &transport.Error{Operation: "update service"}
	}
	addresses := make([]string, len(lost))
	for i, entry := range lost {
		addresses[i] = entry.Source
	}
	text, it := verb, "it"
	if len(lost) > 1 {
		it = "them"
		if verb == "is" {
			text = "are"
		}
	}
	return advised(cause, "ip_access_list: "+strings.Join(addresses, ", ")+" "+text+" missing now: add "+it+" again")
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
