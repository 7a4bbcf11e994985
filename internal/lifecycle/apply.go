package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Create adopts an object: it sends what is configured and the API does not show, unless
// that removes an entry of a shared list. An entry is always sent: its Write fails if it
// exists. A creation that fails returns no state, which would taint the resource.
func (r *managedResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	c := r.creation(r.objectType.attributes(req.Config.Raw), r.objectType.attributes(req.Plan.Raw))
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	c, err := r.read(ctx, c)
	isEntry, isSent := r.kind.isEntry(), len(c.sent()) > 0
	switch canSend := r.isHidden(err) || mayBeAdded(err); {
	case err == nil:
		resp.Diagnostics.Append(c.removals()...)
	case !canSend || !isSent && !isEntry: // nothing shows that the object exists
		resp.Diagnostics.Append(r.failureOf(adopting, reading, c.Planned, err)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	response := c.Shown
	if isSent || isEntry {
		var diags diag.Diagnostics
		response, diags = r.send(ctx, c, err)
		if diags.HasError() && isEntry && response != nil {
			diags = r.kind.mayExist(diags, c.Planned)
		}
		resp.Diagnostics.Append(diags...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	state := c.state(response)
	resp.State.Raw = r.objectType.raw(state)
	resp.Diagnostics.Append(r.Origin.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, state)...)
}

// Update sends what the plan changes and the API does not show. With an error, the state is
// what is known of the object.
func (r *managedResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	c := r.update(r.objectType.attributes(req.Config.Raw), r.objectType.attributes(req.State.Raw), r.objectType.attributes(req.Plan.Raw))
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity, c.Prior)...)
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	resp.Diagnostics.Append(r.checkOrigin(ctx, req.Private, c.Prior, newAddress)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if c.IsEmpty() {
		resp.State.Raw = r.objectType.raw(c.state(c.Shown))
		return
	}
	c, err := r.read(ctx, c)
	if err != nil && !r.isHidden(err) && !mayBeAdded(err) {
		resp.Diagnostics.Append(r.failureOf(updating, reading, c.Prior, err)...)
		return
	}
	response := c.Shown
	if len(c.sent()) > 0 {
		var diags diag.Diagnostics
		response, diags = r.send(ctx, c, err)
		resp.Diagnostics.Append(diags...)
	}
	switch {
	case !resp.Diagnostics.HasError():
		resp.State.Raw = r.objectType.raw(c.state(response))
	case response != nil: // not refused
		resp.State.Raw = r.objectType.raw(c.failedState(response))
	}
}

// read reads the object of a change. The prior state of a creation is what the API shows.
func (r *managedResource) read(ctx context.Context, c Change) (Change, error) {
	returned, err := r.definition.Read(ctx, r.Client, c.Prior)
	if err == nil {
		c.returned, c.Shown = returned, r.show(returned, c.Prior)
		if c.Creates {
			c.Prior = fill(c.Shown, c.Prior)
		}
	}
	return c, err
}

// send sends a change and waits until the API shows it. readErr is the error of the read
// before. The response is nil if the API refuses the change, and shows nothing if it is
// unknown what the API did.
func (r *managedResource) send(ctx context.Context, c Change, readErr error) (Attributes, diag.Diagnostics) {
	var listed []string // before an entry is added
	if r.kind.EntryOf != nil {
		listed = r.entries(ctx, c.Planned)
	}
	returned, err := r.definition.Write(ctx, r.Client, c)
	isOverdue := errors.Is(err, api.ErrOverdue)
	if isOverdue { // a comparison says more
		if returned, err := r.definition.Read(ctx, r.Client.Fresh(), c.Planned); err == nil {
			response := r.show(returned, c.Planned)
			return response, c.confirm(response, r.UpdateTimeout)
		}
	}
	switch {
	case isOverdue || transport.IsOutcomeUnknown(err):
		return r.notReturned, r.failureOf(c.action(), stageAfter(readErr), c.Planned, err)
	case errors.Is(err, api.ErrExists) || errors.Is(err, ErrAbsent):
		return r.notAdded(ctx, c.Planned, listed, err)
	case err != nil:
		return nil, atNamed(c.sent(), r.failureOf(c.action(), stageAfter(readErr), c.Planned, err), err)
	}
	return r.await(ctx, c, r.show(returned, c.Planned))
}

func (r *managedResource) identify(ctx context.Context, identity *tfsdk.ResourceIdentity, a Attributes) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, id := range r.kind.IDs {
		diags.Append(identity.SetAttribute(ctx, path.Root(id), Text(a[id]))...)
	}
	return diags
}

// originKey holds, in the private state, where an object was last seen.
const originKey = "origin"

// An Origin is where an object is: an organization at an API, both normalized.
type Origin struct {
	BaseURL        string `json:"base_url"`
	OrganizationID string `json:"organization_id"`
}

func (o Origin) String() string { return "organization " + o.OrganizationID + " at " + o.BaseURL }

// privateState is the part of a resource's private state that is used here.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// save notes that an object was seen here.
func (o Origin) save(ctx context.Context, private privateState) diag.Diagnostics {
	value, _ := json.Marshal(o) // two strings
	return private.SetKey(ctx, originKey, value)
}

// checkOrigin fails if an object was last seen elsewhere: its state and the plans made from
// it are valid only there. remedy is what else to do about it.
func (r *managedResource) checkOrigin(ctx context.Context, private privateState, a Attributes, remedy string) diag.Diagnostics {
	value, diags := private.GetKey(ctx, originKey)
	var last Origin
	if len(value) == 0 || diags.HasError() || json.Unmarshal(value, &last) != nil || last == r.Origin {
		return diags
	}
	diags.AddError("Another organization or API", fmt.Sprintf(
		"Terraform last saw the %s in %s, but the provider is configured for %s. "+
			"Restore the previous organization_id and base_url, or keep a separate state for each organization.%s",
		r.kind.name(a), last, r.Origin, remedy))
	return diags
}

const newAddress = " If the API has moved, plan again with a refresh, which records the new address. " +
	"If the API refuses to return the object, remove it from the state (terraform state rm) and adopt it again instead."
