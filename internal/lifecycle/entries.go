package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// An EntryDefinition is a definition whose objects are single entries of a list. The object that has the
// list is their owner. The API adds and removes them, so their resource creates and deletes them.
// Its Write adds an entry that is absent; a creation of one that exists is [api.ErrExists]. The entry's ids are
// the owner's and its own.
type EntryDefinition struct {
	Definition
	List string // the owner's attribute that sets the whole list: ip_access_list

	// Remove removes an entry. If it is gone, it sends nothing. It reports whether the API has shown the list since.
	Remove func(ctx context.Context, client *api.Client, state Attributes) (isShown bool, err error)

	// Entries returns the owner's entries by their own id, or an error like Fetch.
	Entries func(ctx context.Context, client *api.Client, owner Attributes) (map[string]Returned, error)

	// AdviseRemoval warns, at plan time, of what a removal does to the list; it may be nil. isRemoved reports
	// whether the plan removes the entry of the list with an id.
	AdviseRemoval func(ctx context.Context, client *api.Client, state Attributes, isRemoved func(id string) bool) diag.Diagnostics
}

// Errors of an entry's Fetch.
var (
	ErrAbsent = errors.New("the API's list does not have this entry")
	// ErrLeftOut is an ErrAbsent. A removal is sent all the same: the entry would keep its access, and be in no state.
	ErrLeftOut = fmt.Errorf("%w: the API has left the list out", ErrAbsent)
	// ErrListUnknown is for a list that a bare response lacks, or that is mistyped.
	ErrListUnknown = errors.New("the API does not return the list as documented")
)

// An entryResource is the resource of an [EntryDefinition]. What it does not define itself, such as an update, is as
// for other resources.
type entryResource struct {
	*managedResource
	entry EntryDefinition
}

// NewEntryResource returns the constructor of a definition's resource.
func NewEntryResource(definition EntryDefinition) func() resource.Resource {
	prepared := definition.prepared()
	return func() resource.Resource {
		return &entryResource{&managedResource{prepared, &ProviderData{}}, definition}
	}
}

// ModifyPlan checks a plan.
func (r *entryResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	config := r.attributes(req.Config.Raw)
	switch {
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(r.planDestroyedEntry(ctx, r.attributes(req.State.Raw))...)
		return
	case req.State.Raw.IsNull():
		resp.Diagnostics.Append(r.planAddition(ctx, config)...)
		return
	}
	c := r.change(config, r.attributes(req.State.Raw), r.attributes(req.Plan.Raw))
	if r.entryName(c.Planned) != r.entryName(c.Prior) { // a replacement
		resp.Diagnostics.Append(r.planAddition(ctx, config)...)
		if !resp.Diagnostics.HasError() && !r.lacksEntry(ctx, c.Prior) {
			resp.Diagnostics.Append(r.planRemoval(ctx, c.Prior)...)
		}
		return
	}
	c.Planned = c.completed()
	resp.Plan.Raw = r.raw(c.Planned)
	resp.Diagnostics.Append(r.keep(config)...)
	resp.Diagnostics.Append(r.advice(ctx, c)...)
}

// planAddition fails if the entry exists: it may be someone else's, so it is imported, and never taken over.
func (r *entryResource) planAddition(ctx context.Context, config Attributes) diag.Diagnostics {
	if slices.ContainsFunc(r.IDs, func(id string) bool { return !hasValue(config[id]) }) {
		return nil
	}
	if r.Client == nil {
		return r.keep(config)
	}
	returned, err := r.Fetch(ctx, r.Client, config)
	if err == nil {
		if diags := r.listConflict(config); diags.HasError() {
			return diags
		}
		return r.existsError(config, Text(returned[r.lastID()]))
	}
	diags := r.keep(config)
	switch {
	case errors.Is(err, ErrAbsent):
	case r.canSend(err):
		diags.Append(r.notShownWarning("add", config, err))
	case r.isAbsent(err) && has(&r.walk.absent, r.uniqueName(config)):
		return append(diags, r.notFoundWarning(config, err))
	default:
		return append(diags, r.failure("add", r.Kind, config, err)...)
	}
	return append(diags, r.advice(ctx, r.creation(config, config))...)
}

func (r *entryResource) planDestroyedEntry(ctx context.Context, state Attributes) diag.Diagnostics {
	if r.lacksEntry(ctx, state) {
		return nil
	}
	diags := r.planRemoval(ctx, state)
	if !diags.HasError() {
		diags.AddWarning("Destroy removes the "+r.Noun+" from the "+r.Owner.Noun, r.name(state)+
			": to keep it, use a removed block with destroy = false or, for one key of a for_each, terraform state rm.")
	}
	return diags
}

// lacksEntry reports whether the list lacks the entry already: the state is out of date, as with -minimal-refresh.
func (r *entryResource) lacksEntry(ctx context.Context, state Attributes) bool {
	if r.Client == nil {
		return false
	}
	_, err := r.Fetch(ctx, r.Client, state)
	return errors.Is(err, ErrAbsent) && !errors.Is(err, ErrLeftOut)
}

// planRemoval notes that the plan removes an entry for a block.
func (r *entryResource) planRemoval(ctx context.Context, state Attributes) diag.Diagnostics {
	r.walk.removed.Store(r.entryName(state), r.ownID(state))
	diags := r.conflicts(state, &r.walk.kept)
	if r.entry.AdviseRemoval != nil && r.Client != nil {
		isRemoved := func(id string) bool { return has(&r.walk.removed, r.entryName(r.withID(state, id))) }
		diags.Append(r.entry.AdviseRemoval(ctx, r.Client, state, isRemoved)...)
	}
	return diags
}

// keep notes that a block has an entry after the plan.
func (r *entryResource) keep(config Attributes) diag.Diagnostics {
	r.walk.kept.Store(r.entryName(config), r.ownID(config))
	return r.conflicts(config, &r.walk.removed)
}

// conflicts are the errors about an entry that is both kept and removed, or whose whole list is configured: what is left
// would depend on the order of the apply.
func (r *entryResource) conflicts(a Attributes, elsewhere *sync.Map) diag.Diagnostics {
	if has(elsewhere, r.entryName(a)) {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Entry is removed and kept: "+r.shortName(a), fmt.Sprintf(
			"Two blocks have the entry %s in %s of %s, and the plan removes it for one of them. If you renamed a block, use a moved block instead of an import. "+
				"To remove a block and keep its entry, use a removed block with destroy = false; for one key of a for_each, use terraform state rm.",
			r.ownID(a), r.entry.List, r.Owner.name(a)))}
	}
	return r.listConflict(a)
}

// listConflict is the error about an entry whose whole list is configured.
func (r *entryResource) listConflict(a Attributes) diag.Diagnostics {
	if has(&r.walk.lists, r.Owner.listName(r.entry.List, a)) {
		return diag.Diagnostics{r.Owner.listAndEntriesError(r.entry.List, a, r.ownID(a))}
	}
	return nil
}

// entryName is an entry's name in a walk, the same for all notations of its id. It begins with that of its list.
func (r *entryResource) entryName(a Attributes) string {
	return r.Owner.listName(r.entry.List, a) + r.canonical(r.lastID(), Text(a[r.lastID()]))
}

// Create adds an entry. It fails if the entry exists.
func (r *entryResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	c, err := r.withRead(ctx, r.Client, r.creation(r.attributes(req.Config.Raw), r.attributes(req.Plan.Raw)))
	if err != nil && !r.canSend(err) {
		resp.Diagnostics.Append(r.failure("add", r.Kind, c.Planned, err)...)
		return
	}
	c, err = r.write(ctx, c)
	if errors.Is(err, api.ErrExists) {
		resp.Diagnostics.Append(r.existsError(c.Planned, "")...)
		return
	}
	c, diags := r.awaitOrFail(ctx, c, err)
	resp.Diagnostics.Append(diags...)
	switch {
	case !diags.HasError():
		resp.Diagnostics.Append(r.saveCreated(ctx, c, resp)...)
	case c.mayBeDone:
		resp.Diagnostics.AddWarning("The entry may exist now: "+r.shortName(c.Planned),
			"If the next plan says so, import it:\n\n"+r.importBlock(c.Planned)+"\n\nIf the API shows it in another form, write and import it in that form.")
	}
}

// Delete removes an entry.
func (r *entryResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.attributes(req.State.Raw)
	if r.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	resp.Diagnostics.Append(r.checkOrigin(ctx, req.Private, state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	_, err := r.Fetch(ctx, r.Client, state)
	if r.isAbsent(err) && !errors.Is(err, ErrLeftOut) {
		return
	}
	if diags := r.conflicts(state, &r.walk.kept); diags.HasError() { // by what the plan did not know
		resp.Diagnostics.Append(diags...)
		return
	}
	isShown := true
	writing, reply := transport.WithReply(ctx)
	if err == nil || r.canSend(err) {
		isShown, err = r.entry.Remove(writing, r.Client, state)
	}
	if err == nil && !isShown {
		isShown, err = r.confirmRemoval(ctx, state)
	}
	switch {
	case err != nil:
		resp.Diagnostics.Append(r.failure("remove", r.Kind, state, withResponse(err, reply.Text()))...)
	case !isShown:
		resp.Diagnostics.AddWarning("Not confirmed: removal of "+r.shortName(state),
			"The API accepted the removal of "+r.name(state)+", but neither its response nor a read shows the list."+responseText(reply.Text()))
	}
}

// confirmRemoval reads the list after a removal that was accepted and that nothing has shown yet. It reports whether the
// API shows the list. An error says that the entry is still there, or that the list could not be read.
func (r *entryResource) confirmRemoval(ctx context.Context, state Attributes) (isShown bool, err error) {
	_, err = r.Fetch(ctx, r.Client.Fresh(), state)
	isGone := errors.Is(err, ErrAbsent)
	switch {
	case err == nil:
		return true, &transport.Error{Operation: "remove " + r.Noun, Err: api.ErrOverdue}
	case isGone || r.canSend(err):
		return isGone, nil
	}
	return false, err
}

// existsError is the error of a plan or an apply that would add an entry that exists. It cannot
// know why, so it lists the ways out, the likeliest first. shown is the id as the API writes it, "" if that is not known.
func (r *entryResource) existsError(a Attributes, shown string) diag.Diagnostics {
	id, form, imported := r.ownID(a), "", r.id(a)
	if shown != "" && escaped(shown) != id {
		form, imported = " (the API writes "+escaped(shown)+")", r.id(r.withID(a, shown))
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(r.lastID()), "Entry exists already: "+r.shortName(a), fmt.Sprintf(
		"%s of %s has the entry %s%s, so Terraform cannot add it.\n"+
			"- If you renamed the block or its key: add a moved block.\n"+
			"- If the resource is tainted: run terraform untaint. To replace it, remove the block in one apply and add it in the next.\n"+
			"- If a block sets %s as a whole: remove that attribute, and import the entry.\n"+
			"- If another block has it: remove one of the two.\n"+
			"- Otherwise, import it, with the id %q. From then on, a destroy removes it.",
		r.entry.List, r.Owner.name(a), id, form, r.entry.List, imported))}
}

// withID is the ids of another entry of the list that has a.
func (k Kind) withID(a Attributes, id string) Attributes {
	other := maps.Clone(a)
	other[k.lastID()] = types.StringValue(id)
	return other
}
