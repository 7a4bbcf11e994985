package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A ServiceUpdate is what to change about a service (updateService). What is
// absent is left alone.
type ServiceUpdate struct {
	Name                           Value[string]
	ReleaseChannel                 Value[string]
	TransparentDataEncryptionKeyID Value[string]
	Endpoints                      []EndpointSwitch // only the ones to change
	IPAccessList                   ListUpdate[AccessEntry]
	PrivateEndpointIDs             ListUpdate[string]
}

// An EndpointSwitch turns a service's endpoint of one protocol on or off.
type EndpointSwitch struct {
	Protocol string `json:"protocol"`
	Enabled  bool   `json:"enabled"`
}

const maxPatches = 4 // of one update

// UpdateService changes a service and returns the newest one: the latest, under
// what was sent, under what the responses show. Without anything to change it is
// a read.
//
// The lists approach their targets in at most four PATCHes, each made from the
// response to the one before. A response that leaves a list out counts as what
// was asked for. A list that still differs at the end is no error: it is for the
// caller to compare.
func (c *Client) UpdateService(ctx context.Context, serviceID string, want ServiceUpdate) (*Service, error) {
	const operation = "update service"
	cached := c.services.at(serviceID)
	release, err := cached.lock(ctx, operation)
	if err != nil {
		return nil, err
	}
	defer release()

	u := serviceUpdate{
		client:    c,
		id:        serviceID,
		cached:    cached,
		want:      want,
		budget:    c.transport.NewBudget(),
		pending:   details{want.Name, want.ReleaseChannel, want.TransparentDataEncryptionKeyID, want.Endpoints},
		attempted: map[string]bool{},
	}
	if err := u.begin(ctx); err != nil {
		return nil, err
	}
	if err := u.putBack(ctx, u.converge(ctx)); err != nil {
		if transport.IsOutcomeUnknown(err) || u.unseen {
			cached.forget()
		}
		return nil, err
	}
	return u.service, nil
}

// A serviceUpdate is an update under way.
type serviceUpdate struct {
	client  *Client
	id      string
	cached  *object[Service]
	want    ServiceUpdate
	budget  *transport.Budget
	service *Service // the newest

	showsEntries, showsIDs bool    // what the API returned when the update began
	pending                details // not delivered yet

	last      servicePatch    // the one sent last
	before    *Service        // as it was before the last patch
	unseen    bool            // the last patch may still take effect
	attempted map[string]bool // sources, as a removal has named them
	taken     []AccessEntry   // removed, although their address stays
	afterStop bool
}

// begin reads the service. A list that the API does not show is taken to be as
// it was when it was planned.
func (u *serviceUpdate) begin(ctx context.Context) error {
	changesLists := !u.want.IPAccessList.After.IsAbsent() || !u.want.PrivateEndpointIDs.After.IsAbsent()
	if !changesLists && !u.pending.isEmpty() {
		u.service = cmp.Or(u.cached.newest(), &Service{})
		return nil
	}
	remote, err := u.client.Service(ctx, u.id)
	if changesLists && errors.Is(err, transport.ErrReadRefused) {
		remote, err = &Service{}, nil
	}
	if err != nil {
		return err
	}
	u.showsEntries, u.showsIDs = !remote.IPAccessList.IsAbsent(), !remote.PrivateEndpointIDs.IsAbsent()
	service := *remote
	service.IPAccessList = orElse(service.IPAccessList, u.want.IPAccessList.Before)
	service.PrivateEndpointIDs = orElse(service.PrivateEndpointIDs, u.want.PrivateEndpointIDs.Before)
	u.service = &service
	return nil
}

func orElse[T any](v, fallback Value[T]) Value[T] {
	if v.IsAbsent() && !fallback.IsAbsent() {
		return fallback
	}
	return v
}

// lists returns the lists of a service, empty if they are not shown.
func lists(s *Service) (entries []AccessEntry, ids []string) {
	entries, _ = s.IPAccessList.Get()
	ids, _ = s.PrivateEndpointIDs.Get()
	return entries, ids
}

const adviceTwoApplies = "if the API refuses a second entry for an address, change a description in two applies: " +
	"remove the entry in one, and add it with the new description in the next"

// converge sends the PATCHes. Only a conflict leads to one that takes away what
// should stay: after any other refusal, adding it again could be refused too.
func (u *serviceUpdate) converge(ctx context.Context) error {
	var refusal error
	next := addChanged
	for patches := range maxPatches {
		touchesChanged, err := u.take(ctx, &next)
		if errors.Is(err, errNothingToDo) {
			break
		}
		switch {
		case err == nil && (next == addChanged || next == replaceChanged):
			next = replaceChanged
		case err == nil:
			next = skipChanged // adds what removeOutdated has removed
		case isConflict(err) && touchesChanged && next == addChanged:
			refusal, next = err, replaceChanged
		case isConflict(err) && touchesChanged && next == replaceChanged && patches+2 < maxPatches:
			refusal, next = err, removeOutdated
		case isInvalid(err) && touchesChanged && next != removeOutdated:
			refusal, next = advised(err, adviceTwoApplies), skipChanged
		case isConflict(err) && u.isHidden():
			return advised(err, "the API does not return this list, so Terraform adds every entry, and one of them exists already: "+
				"remove it from the service by other means and apply again")
		default:
			return err
		}
	}
	if u.plan(replaceChanged).isEmpty() {
		return nil
	}
	return refusal
}

var errNothingToDo = errors.New("nothing to do")

// take sends the PATCH of a step and waits until it takes effect. A PATCH of
// unknown outcome is not resent: it could add and remove what somebody else has
// changed since. The step is planned anew from what is there then.
func (u *serviceUpdate) take(ctx context.Context, next *step) (touchesChanged bool, err error) {
	for {
		p := u.plan(*next)
		if p.isEmpty() && *next == addChanged {
			*next = replaceChanged
			p = u.plan(*next)
		}
		if p.isEmpty() {
			return false, errNothingToDo
		}
		err := u.send(ctx, p)
		if err == nil {
			err = u.awaitEffect(ctx, time.Second/2)
			if errors.Is(err, transport.ErrReadRefused) || errors.Is(err, errNotShown) {
				err = nil
			}
			return p.touchesChanged, err
		}
		if !p.changesLists() || !u.lookAgain(ctx, err) {
			return p.touchesChanged, err
		}
	}
}

// send sends a patch and records the service that results from it.
func (u *serviceUpdate) send(ctx context.Context, p plannedPatch) error {
	r := serviceRequest(u.id)
	r.Operation, r.Effect, r.AfterStop = "update service", transport.Idempotent, u.afterStop
	if p.changesLists() && !u.afterStop { // putting an entry back twice does no harm
		r.Effect = transport.NonIdempotent
	}
	body, err := json.Marshal(p.servicePatch)
	if err != nil {
		return &transport.Error{Operation: r.Operation, Err: err}
	}
	r.Body = body
	resp, err := u.client.transport.Do(ctx, r, u.budget)
	if err != nil && !transport.IsOutcomeUnknown(err) {
		return err
	}
	u.last, u.before, u.unseen = p.servicePatch, u.service, p.changesLists()
	u.taken = append(u.taken, p.takes...)
	if err != nil {
		return err
	}
	for _, entry := range p.IPAccessList.Remove {
		u.attempted[entry.Source] = true
	}
	u.pending = details{}
	shown, err := layered[Service](nil, nil, resp)
	if err != nil {
		return err
	}
	service, err := layered(u.after(p.servicePatch), nil, resp)
	if err != nil {
		return err
	}
	u.service = service
	u.unseen = u.isUnseen(shown) || u.isDoubtful(shown)
	u.cached.put(service)
	return nil
}

// isHidden reports whether neither the API nor the plan knows a list to change.
func (u *serviceUpdate) isHidden() bool {
	return u.service.IPAccessList.IsAbsent() && !u.want.IPAccessList.After.IsAbsent() ||
		u.service.PrivateEndpointIDs.IsAbsent() && !u.want.PrivateEndpointIDs.After.IsAbsent()
}

func isConflict(err error) bool { return hasStatus(err, http.StatusConflict) }

func isInvalid(err error) bool {
	return hasStatus(err, http.StatusBadRequest, http.StatusUnprocessableEntity)
}

func hasStatus(err error, statuses ...int) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	return ok && slices.Contains(statuses, failed.Status)
}

// advised adds what to do to the message of an error.
func advised(err error, advice string) error {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return err
	}
	extended := *failed
	if extended.Message != "" {
		extended.Message += "; "
	}
	extended.Message += advice
	return &extended
}
