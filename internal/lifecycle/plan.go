package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// ModifyPlan checks and completes a plan.
func (r *managedResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.planDestroy(ctx, r.objectType.attributes(ctx, req.State.Raw))...)
		return
	}
	config := r.objectType.attributes(ctx, req.Config.Raw)
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(r.planCreate(ctx, config, false)...)
		return
	}
	plan := r.objectType.attributes(ctx, req.Plan.Raw)
	prior := r.objectType.attributes(ctx, req.State.Raw)
	if r.kind.canonicalID(plan) != r.kind.canonicalID(prior) {
		// A replacement is planned twice: as a change, whose warnings are shown, and as a
		// creation, whose warnings are not.
		resp.Diagnostics.Append(r.planCreate(ctx, config, true)...)
		if !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(r.planDestroy(ctx, prior)...)
		}
		return
	}
	planned := r.planUpdate(config, plan, prior)
	resp.Plan.Raw = r.objectType.raw(ctx, planned)
	resp.Diagnostics.Append(r.keep(prior)...)
	resp.Diagnostics.Append(r.noLongerManaged(planned, prior)...)
	resp.Diagnostics.Append(r.advice(ctx, Plan{Config: config, Before: prior, Planned: planned})...)
}

// planCreate reads the object of a new resource, so that mistakes fail in the plan, and
// warns of what the apply overwrites. It fills in no value: Terraform plans a creation
// again during the apply, and a value that has changed since would be inconsistent.
func (r *managedResource) planCreate(ctx context.Context, config Attributes, isReplacement bool) diag.Diagnostics {
	if slices.ContainsFunc(r.kind.IDs, func(id string) bool { return !hasValue(config[id]) }) {
		return r.notChecked("The id is known only after apply")
	}
	if r.Client == nil {
		return append(r.keep(config), r.notChecked("The provider's configuration is known only after apply")...)
	}
	before := config.pick(ctx, r.kind.isID)
	returned, err := r.definition.Read(ctx, r.Client, before)
	isEntry := r.kind.isEntry()
	if isEntry && err == nil {
		return r.exists(config)
	}
	diags := r.keep(config)
	switch {
	case err == nil:
		before = r.remote(ctx, returned, before)
		diags.Append(r.overwrites(config, before)...)
		diags.Append(r.nothingToManage(config)...)
	case errors.Is(err, ErrAbsent): // nothing is overwritten
	case isEntry && (r.isHidden(err) || errors.Is(err, ErrUnlisted)):
		diags.AddWarning("Entry may exist already",
			"If the list has it, the apply may change it, and a destroy removes it."+r.because(err, config))
	case r.isHidden(err):
		// Not folded with others: what it overwrites is not shown.
		diags.AddWarning("Adoption of "+r.kind.shortName(config)+": current values unknown",
			"The apply sends everything that is configured. Other entries of a configured list may be removed."+r.because(err, config))
	case r.isAbsent(err) && r.walk.notFound.have(r.kind.uniqueName(config)):
		// An error would also stop a destroy, which begins with a plan of everything.
		diags.AddWarning("Not found: "+r.kind.shortName(config),
			"If it was deleted, remove its block from the configuration. Otherwise, the apply fails."+r.because(err, config))
		return diags
	default:
		return append(diags, r.failureOf(planningAdoption, reading, config, err)...)
	}
	advice := r.advice(ctx, Plan{Creates: true, Config: config, Before: before, Planned: config})
	// The first plan of a replacement has the old object's value of what ignore_changes ignores.
	if removals := r.kind.removals(config, before); removals.HasError() && !isReplacement && !advice.HasError() {
		return removals
	}
	return append(diags, advice...)
}

// notChecked is the warning about an adoption that the plan knows nothing of. An entry
// overwrites nothing.
func (r *managedResource) notChecked(why string) diag.Diagnostics {
	if r.kind.isEntry() {
		return nil
	}
	text := why + ", so the plan does not show what the apply overwrites."
	if len(r.kind.SharedLists) > 0 {
		text += " If a configured list lacks an entry that the API shows, the apply fails."
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Adoption not checked: "+r.kind.Noun, text)}
}

// removals is the error of an adoption that would remove entries. No plan shows that, since
// the plan of an adoption has no prior state. Another description removes nobody.
func (k Kind) removals(config, remote Attributes) (diags diag.Diagnostics) {
	for _, name := range k.SharedLists {
		if !hasValue(config[name]) || isPartlyUnknown(config[name]) {
			continue
		}
		removed := k.compareEntries(name, config, remote, remote).leftOver
		if len(removed) == 0 {
			continue
		}
		for i, entry := range removed { // with its description, which would be lost otherwise
			description := Elements(remote[name])[entry]
			removed[i] = printable(entry)
			if _, isSet := remote[name].(types.Set); !isSet && Text(description) != "" {
				removed[i] += " (" + describe(description) + ")"
			}
		}
		diags.AddAttributeError(path.Root(name), "Adoption would remove entries: "+k.shortName(config), fmt.Sprintf(
			"%s of %s has entries that the configuration lacks: %s. An adoption removes nothing.\n"+
				"- To keep them: add them to %s.\n"+
				"- To remove them: import the object. The plan then shows what the apply removes.\n\n%s\n\n"+
				"If this stops terraform destroy, add -refresh=false.",
			name, k.name(config), api.Listed(removed, ", "), name, k.importBlock(config)))
	}
	return diags
}

// nothingToManage warns of a new resource that sets no attribute.
func (r *managedResource) nothingToManage(config Attributes) diag.Diagnostics {
	for name, value := range config {
		if !r.kind.isID(name) && !value.IsNull() {
			return nil
		}
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Nothing to manage: "+r.kind.shortName(config),
		"The configuration sets no attribute of "+r.kind.name(config)+". Set one, or remove the resource.")}
}

// overwrites is the warning about what an adoption overwrites: old values only,
// so that they are not mistaken for the new ones.
func (r *managedResource) overwrites(config, remote Attributes) diag.Diagnostics {
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(config)) {
		isManaged := !r.kind.isID(name) && !config[name].IsNull()
		if isManaged && !r.kind.isApplied(name, config, remote, remote) {
			changes = append(changes, name+" ("+r.kind.describeOld(name, remote, config)+")")
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic( // short: there may be many
		fmt.Sprintf("Adoption of %s: %s", r.kind.shortName(config), strings.Join(changes, ", ")),
		"The apply replaces these values with those of the configuration.\nID "+r.kind.id(config))}
}

// planUpdate completes the plan of an update: what is not configured keeps its prior value,
// unless it changes along with something. A scalar in another notation is no change; a
// collection keeps its configured notation, because a plan may know only a part of it.
func (r *managedResource) planUpdate(config, plan, prior Attributes) Attributes {
	var changesAlong []string
	for name, dependents := range r.kind.ChangesWith {
		if !config[name].IsNull() && !r.kind.isApplied(name, plan, prior, prior) {
			changesAlong = append(changesAlong, dependents...)
		}
	}
	planned := maps.Clone(plan)
	for name, value := range plan {
		isScalar := isScalar(r.objectType.AttrTypes[name])
		switch {
		case r.kind.isID(name): // it may differ in case
			planned[name] = prior[name]
		case config[name].IsUnknown() || slices.Contains(changesAlong, name): // known after apply
		case value.IsUnknown() || isScalar && !config[name].IsNull() && semanticEqual(prior[name], value):
			planned[name] = prior[name]
		}
	}
	return planned
}

// noLongerManaged warns of what a plan sets to null: it looks like a change, but nothing
// is sent. Only what is neither computed nor configured is planned as null.
func (r *managedResource) noLongerManaged(planned, prior Attributes) (diags diag.Diagnostics) {
	object := r.kind.name(prior)
	for _, name := range slices.Sorted(maps.Keys(prior)) {
		if planned[name].IsNull() && !prior[name].IsNull() {
			diags.AddAttributeWarning(path.Root(name), "No longer managed: "+name, "Nothing is sent, and "+object+" keeps its "+name+".")
		}
	}
	for _, name := range r.kind.ManagedByKey {
		isPlanned := func(key string) bool { return Elements(planned[name])[key] != nil }
		released := slices.DeleteFunc(entryNames(prior[name]), isPlanned)
		if hasValue(planned[name]) && len(released) > 0 {
			keys := strings.Join(released, ", ")
			diags.AddAttributeWarning(path.Root(name), "No longer managed: "+name+" ("+keys+")", object+" keeps what it has for "+keys+".")
		}
	}
	return diags
}

func (r *managedResource) advice(ctx context.Context, plan Plan) diag.Diagnostics {
	if r.definition.Advise == nil || r.Client == nil {
		return nil
	}
	plan.Name = r.kind.shortName(plan.Before)
	return r.definition.Advise(ctx, r.Client, plan)
}

// planDestroy says what a destroy leaves behind.
func (r *managedResource) planDestroy(ctx context.Context, state Attributes) diag.Diagnostics {
	if r.kind.isEntry() {
		diags := r.remove(state)
		if advise := r.kind.EntryOf.AdviseRemoval; advise != nil && r.Client != nil && !diags.HasError() {
			return advise(ctx, r.Client, state, func(id string) bool { return r.removes(state, id) })
		}
		return diags
	}
	if r.definition.AdviseDestroy != nil {
		if diags := r.definition.AdviseDestroy(state); len(diags) > 0 {
			return diags
		}
	}
	// One line: Terraform does not fold these once their blocks are gone.
	object := r.kind.Noun + " " + Text(state[r.kind.lastID()])
	return diag.Diagnostics{diag.NewWarningDiagnostic("Destroy leaves the object as it is", object)}
}
