package lifecycle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ModifyPlan checks and completes a plan.
func (r *managedResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.planDestroy(r.attributes(req.State.Raw))...)
		return
	}
	config := r.attributes(req.Config.Raw)
	if req.State.Raw.IsNull() {
		c, diags := r.planCreate(ctx, config)
		if refused := c.refuseRemovals(); refused.HasError() { // the warnings would repeat the error
			diags = append(diags.Errors(), refused...)
		}
		resp.Diagnostics.Append(diags...)
		return
	}
	c := r.change(config, r.attributes(req.State.Raw), r.attributes(req.Plan.Raw))
	if r.uniqueName(c.Planned) != r.uniqueName(c.Prior) {
		// A replacement is planned twice: as a change, whose warnings are shown and which has the old object's
		// values for what ignore_changes ignores, and as a creation, whose warnings are not.
		_, diags := r.planCreate(ctx, config)
		resp.Diagnostics.Append(diags...)
		if !diags.HasError() {
			resp.Diagnostics.Append(r.planDestroy(c.Prior)...)
		}
		return
	}
	c.Planned = c.completed()
	resp.Plan.Raw = r.raw(c.Planned)
	resp.Diagnostics.Append(r.configureLists(c)...)
	resp.Diagnostics.Append(c.noLongerManagedWarnings()...)
	resp.Diagnostics.Append(r.wholeListWarnings(ctx, c)...)
	resp.Diagnostics.Append(r.advice(ctx, c)...)
}

// planCreate reads the object of a new resource, so that mistakes fail in the plan, and
// warns of what the apply overwrites. It fills in no value:
// decisions/an-adoption-plans-without-values.md says why.
func (r *managedResource) planCreate(ctx context.Context, config Attributes) (Change, diag.Diagnostics) {
	c := r.creation(config, config)
	if slices.ContainsFunc(r.IDs, func(id string) bool { return !hasValue(config[id]) }) {
		return c, r.notCheckedWarning("The id is known only after apply")
	}
	diags := r.configureLists(c)
	if r.Client == nil {
		return c, append(diags, r.notCheckedWarning("The provider's configuration is known only after apply")...)
	}
	c, err := r.withRead(ctx, r.Client, c)
	switch {
	case err == nil:
		diags.Append(c.overwriteWarning()...)
		diags.Append(r.wholeListWarnings(ctx, c)...)
	case r.canSend(err) && len(c.sentNames()) == 0:
		return c, append(diags, r.hiddenError(config, err))
	case r.canSend(err):
		diags.Append(r.notShownWarning("adopt", config, err))
	case r.isAbsent(err) && has(&r.walk.absent, r.uniqueName(config)):
		return c, append(diags, r.notFoundWarning(config, err))
	default:
		return c, append(diags, r.failure("adopt", r.Kind, config, err)...)
	}
	return c, append(diags, r.advice(ctx, c)...)
}

// notCheckedWarning is the warning about an adoption that the plan knows nothing of.
func (r *managedResource) notCheckedWarning(why string) (diags diag.Diagnostics) {
	diags.AddWarning("Adoption not checked: "+r.Noun, why+", so the plan does not show what the apply overwrites. "+
		"If a configured list lacks an entry that the API shows, the apply fails.")
	return diags
}

// overwriteWarning is the warning about what an adoption overwrites: old values only,
// so that they are not mistaken for the new ones.
func (c Change) overwriteWarning() diag.Diagnostics {
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(c.Planned)) {
		isManaged := !c.isID(name) && !c.Planned[name].IsNull()
		if isManaged && !c.matches(name, c.now(name)) {
			changes = append(changes, name+" ("+c.describeOld(name)+")")
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic( // one line: there may be hundreds
		fmt.Sprintf("Adoption of %s: %s", c.ShortName(), strings.Join(changes, ", ")), "The apply overwrites this. ID: "+c.id(c.Planned))}
}

// refuseRemovals is the error of an adoption that would remove entries, which its plan does not
// show. Another description removes nobody.
func (c Change) refuseRemovals() (diags diag.Diagnostics) {
	for _, name := range c.SharedLists {
		if !hasValue(c.Planned[name]) || isPartlyUnknown(c.Planned[name]) {
			continue
		}
		removed := c.compare(name, c.now(name)).remaining
		if len(removed) == 0 {
			continue
		}
		diags.AddAttributeError(path.Root(name), "Adoption would remove entries: "+c.ShortName(), fmt.Sprintf(
			"%s of %s has entries that the configuration lacks: %s. An adoption removes nothing.\n"+
				"- To keep them: add them to %s.\n"+
				"- To remove them: import the object. The plan then shows what the apply removes.\n\n%s\n\n"+
				"If Terraform has the object already (-replace): apply without -replace first. If this stops terraform destroy, add -refresh=false.",
			name, c.name(c.Planned), Names(removed), name, c.importBlock(c.Planned)))
	}
	return diags
}

// completed is the plan of an update: what is not configured keeps its prior value,
// unless it changes along with something. A scalar in another notation is no change; a
// collection keeps its configured notation, because a plan may know only a part of it.
func (c Change) completed() Attributes {
	changesAlong := func(name string) bool {
		cause, follows := c.Follows[name]
		return follows && !c.Config[cause].IsNull() && !c.matches(cause, c.Prior[cause])
	}
	planned := maps.Clone(c.Planned)
	for name, value := range c.Planned {
		isScalar := isScalar(c.AttrTypes[name])
		switch {
		case c.isID(name): // it may differ in case
			planned[name] = c.Prior[name]
		case c.Config[name].IsUnknown() || changesAlong(name): // known after apply
		case value.IsUnknown() || isScalar && !c.Config[name].IsNull() && c.same(name, c.Prior[name], value):
			planned[name] = c.Prior[name]
		}
	}
	return planned
}

// noLongerManagedWarnings warns of what a plan sets to null: it looks like a change, but nothing
// is sent. Only what is neither computed nor configured is planned as null.
func (c Change) noLongerManagedWarnings() (diags diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(c.Prior)) {
		if c.Planned[name].IsNull() && !c.Prior[name].IsNull() {
			diags.AddAttributeWarning(path.Root(name), "No longer managed: "+name, "Nothing is sent, and "+c.name(c.Prior)+" keeps its "+name+".")
		}
	}
	return diags
}

// wholeListWarnings warns of lists that an update sends whole although a read does not show what is in them.
func (r *managedResource) wholeListWarnings(ctx context.Context, c Change) (diags diag.Diagnostics) {
	isOther := func(name string) bool { return isScalar(r.AttrTypes[name]) || !c.Sets(name) }
	lists := slices.DeleteFunc(slices.Sorted(maps.Keys(c.Planned)), isOther)
	if r.Client == nil || !r.SendsWholeLists || len(lists) == 0 {
		return nil
	}
	c, err := r.withRead(ctx, r.Client, c)
	if err != nil && !isHidden(err) {
		return nil // reported by the refresh
	}
	for _, name := range lists {
		if c.Shown[name].IsUnknown() {
			diags.AddAttributeWarning(path.Root(name), "Other entries may be removed: "+c.ShortName(), fmt.Sprintf(
				"The API does not return %s of %s. The apply sends the whole list, so entries that the configuration lacks are removed.", name, c.name(c.Planned)))
		}
	}
	return diags
}

func (r *managedResource) advice(ctx context.Context, c Change) diag.Diagnostics {
	if r.Advise == nil || r.Client == nil {
		return nil
	}
	return r.Advise(ctx, r.Client, c)
}

// planDestroy says what a destroy leaves behind.
func (r *managedResource) planDestroy(state Attributes) (diags diag.Diagnostics) {
	if r.AdviseDestroy != nil {
		diags = r.AdviseDestroy(state)
	}
	if len(diags) == 0 {
		// One line: Terraform does not fold these once their blocks are gone. The object may be gone, too.
		diags.AddWarning("Destroy changes nothing in the API", r.Noun+" "+Text(state[r.lastID()]))
	}
	return diags
}

// isPartlyUnknown reports whether an entry is known only after apply: it may be an old one.
func isPartlyUnknown(planned attr.Value) bool {
	set, _ := planned.(types.Set) // or none, which has no elements
	return planned.IsUnknown() || slices.ContainsFunc(set.Elements(), attr.Value.IsUnknown)
}
