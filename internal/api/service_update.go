package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A ServiceUpdate says how a service should be (specification, "Update service
// basic details"). What is absent is left alone.
type ServiceUpdate struct {
	Name                           Value[string] `json:"name,omitzero"`
	ReleaseChannel                 Value[string] `json:"releaseChannel,omitzero"`
	TransparentDataEncryptionKeyID Value[string] `json:"transparentDataEncryptionKeyId,omitzero"`

	// Endpoints are the ones to change.
	Endpoints []EndpointSwitch `json:"-"`
	// IPAccessList is the list as it should be, whole; null is an empty one.
	IPAccessList Value[[]AccessEntry] `json:"ipAccessList,omitzero"`
	// PrivateEndpointIDs is the list as it should be, whole; null is an empty
	// one.
	PrivateEndpointIDs Value[[]string] `json:"privateEndpointIds,omitzero"`

	// Before is the lists as the caller last knew them, for a service that
	// does not show them.
	Before ServiceLists `json:"-"`
}

// ServiceLists are the lists of a service that can only be added to and
// removed from.
type ServiceLists struct {
	IPAccessList       Value[[]AccessEntry]
	PrivateEndpointIDs Value[[]string]
}

// An EndpointSwitch turns a service's endpoint of one protocol on or off.
type EndpointSwitch struct {
	Protocol string `json:"protocol"`
	Enabled  bool   `json:"enabled"`
}

// details are the members of an update that say how things should be, and can
// be sent again.
type details struct {
	Name                           Value[string]    `json:"name,omitzero"`
	ReleaseChannel                 Value[string]    `json:"releaseChannel,omitzero"`
	TransparentDataEncryptionKeyID Value[string]    `json:"transparentDataEncryptionKeyId,omitzero"`
	Endpoints                      []EndpointSwitch `json:"endpoints,omitempty"`
}

// A servicePatch is the body of the update-service operation (specification,
// "Update service basic details").
type servicePatch struct {
	details
	IPAccessList       listChange[AccessEntry] `json:"ipAccessList,omitzero"`
	PrivateEndpointIDs listChange[string]      `json:"privateEndpointIds,omitzero"`
}

func (p servicePatch) changesLists() bool {
	return !p.IPAccessList.IsZero() || !p.PrivateEndpointIDs.IsZero()
}

func (p servicePatch) adds() bool {
	return len(p.IPAccessList.Add) > 0 || len(p.PrivateEndpointIDs.Add) > 0
}

func (p servicePatch) isEmpty() bool {
	return !p.changesLists() && p.details.isEmpty()
}

func (d details) isEmpty() bool {
	return d.Name.IsAbsent() && d.ReleaseChannel.IsAbsent() &&
		d.TransparentDataEncryptionKeyID.IsAbsent() && len(d.Endpoints) == 0
}

// UpdateService brings a service to want and returns the newest service: what
// was known, under what was sent, under what the answers say (specification,
// "Update service basic details"). Without anything to change it is a read.
//
// The lists can only be added to and removed from, and how is open in many
// ways; they approach their target in at most four PATCHes, each made from the
// answer to the one before. An answer that leaves a list out counts as what was
// asked for. Where a list still differs in the end, that is no error: it is for
// the caller to compare.
func (c *Client) UpdateService(ctx context.Context, serviceID string, want ServiceUpdate) (*Service, error) {
	const operation = "update service"
	known := c.services.at(serviceID)
	release, err := known.lock(ctx, operation)
	if err != nil {
		return nil, err
	}
	defer release()

	u := serviceUpdate{
		client:  c,
		id:      serviceID,
		known:   known,
		want:    want,
		budget:  c.transport.NewBudget(),
		removed: map[entryIdentity]int{},
		pending: details{want.Name, want.ReleaseChannel, want.TransparentDataEncryptionKeyID, want.Endpoints},
	}
	if err := u.begin(ctx); err != nil {
		return nil, err
	}
	if err := u.converge(ctx); err != nil {
		if transport.IsOutcomeUnknown(err) {
			known.forget()
		}
		return nil, err
	}
	return u.service, nil
}

// A serviceUpdate is an update under way.
type serviceUpdate struct {
	client  *Client
	id      string
	known   *object[Service]
	want    ServiceUpdate
	budget  *transport.Budget
	service *Service              // the newest
	pending details               // what no PATCH has delivered yet
	removed map[entryIdentity]int // how many PATCHes that were answered removed an entry

	told      bool // the lists are as the caller, not the API, tells them
	blind     bool // nobody tells a list that is to be compared
	replacing bool // nor could it be added to, because something of it is there
	exact     bool // a removal took the entry it named, and left its address's other entry
}

// begin finds the service as it is. Without lists to compare, what is known
// will do. A service that shows no list is taken to have the one that the
// caller knows, else one without entries: they are all added, none is removed.
func (u *serviceUpdate) begin(ctx context.Context) error {
	comparesLists := !u.want.IPAccessList.IsAbsent() || !u.want.PrivateEndpointIDs.IsAbsent()
	if !comparesLists && !u.pending.isEmpty() {
		u.service = cmp.Or(u.known.newest(), &Service{})
		return nil
	}
	service, err := u.client.Service(ctx, u.id)
	if comparesLists && errors.Is(err, transport.ErrReadRefused) {
		service, err = &Service{}, nil
	}
	if err != nil {
		return err
	}
	u.service = u.want.Before.under(service)
	u.told, u.blind = u.hides(service), u.hides(u.service)
	return nil
}

// under returns the service with these lists where it shows none.
func (l ServiceLists) under(service *Service) *Service {
	if l.IPAccessList.IsAbsent() && l.PrivateEndpointIDs.IsAbsent() ||
		!service.IPAccessList.IsAbsent() && !service.PrivateEndpointIDs.IsAbsent() {
		return service
	}
	below := *service
	if below.IPAccessList.IsAbsent() {
		below.IPAccessList = l.IPAccessList
	}
	if below.PrivateEndpointIDs.IsAbsent() {
		below.PrivateEndpointIDs = l.PrivateEndpointIDs
	}
	return &below
}

// hides reports whether a service does not show a list that is to be compared.
func (u *serviceUpdate) hides(service *Service) bool {
	return !u.want.IPAccessList.IsAbsent() && service.IPAccessList.IsAbsent() ||
		!u.want.PrivateEndpointIDs.IsAbsent() && service.PrivateEndpointIDs.IsAbsent()
}

// lists returns the two lists as they are shown, empty where they are not.
func (u *serviceUpdate) lists() (entries []AccessEntry, ids []string) {
	entries, _ = u.service.IPAccessList.Get()
	ids, _ = u.service.PrivateEndpointIDs.Get()
	return entries, ids
}

// converge takes the steps. A refusal of a PATCH that adds an address which is
// there already is final only where no later step gets by without that.
func (u *serviceUpdate) converge(ctx context.Context) error {
	before, _ := u.lists()
	var refusal error
	for next := 0; next < len(steps); {
		patch := u.plan(steps[next])
		if patch.isEmpty() {
			next++
			continue
		}
		repeatsAddress := u.repeatsAddress(patch)
		err := u.send(ctx, patch)
		switch {
		case err == nil:
			refusal = nil
			next++
		case isRefusal(err) && repeatsAddress:
			refusal = err
			next++
		case isConflict(err) && u.blind:
			refusal, u.replacing = err, true
			next++
		case patch.changesLists() && u.lookAgain(ctx, err):
			refusal = nil // the same step, from what is there now
		default:
			u.putBack(ctx, err, before)
			return err
		}
	}
	return refusal
}

// plan returns what a step has to send.
func (u *serviceUpdate) plan(s step) servicePatch {
	patch := servicePatch{details: u.pending}
	if u.replacing {
		entries, _ := u.want.IPAccessList.Get()
		ids, _ := u.want.PrivateEndpointIDs.Get()
		patch.IPAccessList = replacement(s, sendable(entries))
		patch.PrivateEndpointIDs = replacement(s, ids)
		return patch
	}
	s.removesChanged = s.removesChanged || s.removes && u.exact
	entries, ids := u.lists()
	if target, _ := u.want.IPAccessList.Get(); !u.want.IPAccessList.IsAbsent() {
		change := s.accessChange(entries, target)
		patch.IPAccessList.Add = sendable(change.Add)
		patch.IPAccessList.Remove = u.renamed(sendable(change.Remove))
	}
	if target, _ := u.want.PrivateEndpointIDs.Get(); !u.want.PrivateEndpointIDs.IsAbsent() {
		patch.PrivateEndpointIDs = s.endpointChange(ids, target)
	}
	return patch
}

// renamed writes those entries the other way that an earlier removal, naming
// them as they are shown, did not reach, and both ways those of which nobody
// knows how the API writes them.
func (u *serviceUpdate) renamed(entries []AccessEntry) []AccessEntry {
	for i, entry := range entries {
		other := otherNotation(entry.Source)
		switch {
		case u.told && other != entry.Source:
			entry.Source = other
			entries = append(entries, entry)
		case u.removed[identityOf(entry)]%2 == 1:
			entries[i].Source = other
		}
	}
	return entries
}

// repeatsAddress reports whether a patch adds an address that is there.
func (u *serviceUpdate) repeatsAddress(patch servicePatch) bool {
	entries, _ := u.lists()
	return len(without(patch.IPAccessList.Add, entries, addressOf)) < len(patch.IPAccessList.Add)
}

// send sends a patch and remembers the service that comes of it.
func (u *serviceUpdate) send(ctx context.Context, patch servicePatch) error {
	r := serviceRequest(u.id)
	r.Operation, r.Effect = "update service", transport.Idempotent
	if patch.changesLists() {
		r.Effect = transport.NonIdempotent
	}
	sent, err := json.Marshal(u.after(patch))
	if err != nil {
		return &transport.Error{Operation: r.Operation, Err: err}
	}
	if r.Body, err = json.Marshal(patch); err != nil {
		return &transport.Error{Operation: r.Operation, Err: err}
	}
	a, err := u.client.transport.Do(ctx, r, u.budget)
	if err != nil {
		return err
	}
	service, err := layered(u.service, sent, a)
	if err != nil {
		return err
	}
	shown, err := layered[Service](nil, nil, a)
	if err != nil {
		return err
	}
	u.service = service
	u.told = u.told && u.hides(shown)
	if u.replacing {
		u.exact = u.keepsOthers(shown, patch)
		u.replacing = u.hides(shown) && !patch.adds()
	}
	u.known.put(service)
	u.pending = details{}
	for _, entry := range distinct(patch.IPAccessList.Remove, identityOf) {
		u.removed[identityOf(entry)]++
	}
	return nil
}

// keepsOthers reports whether a service shows other entries of the addresses
// that a patch removed.
func (u *serviceUpdate) keepsOthers(shown *Service, patch servicePatch) bool {
	entries, _ := shown.IPAccessList.Get()
	others := without(entries, slices.Concat(patch.IPAccessList.Remove, patch.IPAccessList.Add), identityOf)
	return len(without(others, patch.IPAccessList.Remove, addressOf)) < len(others)
}

// after returns what a patch brings the service to, as far as it can be told
// without an answer.
func (u *serviceUpdate) after(patch servicePatch) ServiceUpdate {
	result := u.want
	entries, ids := u.lists()
	if !u.want.IPAccessList.IsAbsent() {
		entries = without(entries, patch.IPAccessList.Remove, identityOf)
		entries = without(entries, patch.IPAccessList.Add, addressOf)
		result.IPAccessList = ValueOf(append(entries, patch.IPAccessList.Add...))
	}
	if !u.want.PrivateEndpointIDs.IsAbsent() {
		ids = without(ids, patch.PrivateEndpointIDs.Remove, itself)
		ids = without(ids, patch.PrivateEndpointIDs.Add, itself)
		result.PrivateEndpointIDs = ValueOf(append(ids, patch.PrivateEndpointIDs.Add...))
	}
	return result
}

// lookAgain reads the service after a PATCH that may or may not have been
// acted on, and reports whether the difference can be computed anew. Sending
// that PATCH again could add and remove what somebody else changed since.
func (u *serviceUpdate) lookAgain(ctx context.Context, err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok || !failed.OutcomeUnknown || !failed.Transient {
		return false
	}
	if u.budget.Wait(ctx) != nil {
		return false
	}
	u.known.forget()
	service, err := u.client.readService(ctx, u.id, true, u.budget)
	if err != nil {
		return false
	}
	if u.hides(service) {
		return false
	}
	u.service = service
	return true
}

// putBack restores the entries whose addresses should have stayed but had to
// be removed for a new description, which was then refused.
func (u *serviceUpdate) putBack(ctx context.Context, err error, before []AccessEntry) {
	target, _ := u.want.IPAccessList.Get()
	entries, _ := u.lists()
	toGo := without(before, target, addressOf)
	lost := without(before, slices.Concat(toGo, entries), addressOf)
	if !isRefusal(err) || len(lost) == 0 {
		return
	}
	// The refusal is what the caller has to hear of, whatever comes of this.
	_ = u.send(ctx, servicePatch{IPAccessList: listChange[AccessEntry]{Add: sendable(lost)}})
	u.known.forget()
}

// isConflict reports whether the API refused a PATCH because of what is there.
// Only that lets a list which is not shown be replaced: to remove entries for
// another reason could lose them.
func isConflict(err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	return ok && failed.Status == http.StatusConflict
}

// isRefusal reports whether the API refused a PATCH for what it says.
func isRefusal(err error) bool {
	failed, ok := errors.AsType[*transport.Error](err)
	return ok && slices.Contains([]int{
		http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity,
	}, failed.Status)
}
