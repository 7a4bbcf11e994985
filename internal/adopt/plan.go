package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// plannedDestroyKey marks, in the private state, a destroy that Terraform has
// planned with this provider.
const plannedDestroyKey = "destroy_planned"

// ModifyPlan checks and completes a plan.
func (r *Resource[M]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.planDestroy(r.objectType.attributes(ctx, req.State.Raw))...)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, plannedDestroyKey, []byte("true"))...)
		return
	}
	config := r.objectType.attributes(ctx, req.Config.Raw)
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(r.planAdoption(ctx, config)...)
		return
	}
	plan := r.objectType.attributes(ctx, req.Plan.Raw)
	prior := r.objectType.attributes(ctx, req.State.Raw)
	if !r.sameObject(plan, prior) {
		// Terraform plans a replacement twice, as a change and as a creation,
		// and shows the warnings of the first.
		resp.Diagnostics.Append(r.planDestroy(prior)...)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, plannedDestroyKey, []byte("true"))...)
		resp.Diagnostics.Append(r.planAdoption(ctx, config)...)
		return
	}
	planned := r.planChange(ctx, config, plan, prior, returned(ctx, req.Private))
	if !planned.equal(plan) {
		resp.Plan.Raw = r.objectType.raw(ctx, planned)
	}
	resp.Diagnostics.Append(r.advice(ctx, Change{false, config, prior, planned})...)
}

// planAdoption reads the object that a new resource names, so that mistakes
// fail in the plan, and warns of what the apply will overwrite. It fills in no
// value: Terraform plans a creation again during the apply, and a value that
// has moved since would be an inconsistent plan.
func (r *Resource[M]) planAdoption(ctx context.Context, config Attributes) diag.Diagnostics {
	if r.Client == nil || !r.hasIDs(config) {
		return nil
	}
	var diags diag.Diagnostics
	remote, err := r.remote(ctx, r.Client, r.identityOnly(ctx, config))
	switch {
	case err == nil:
	case r.isUnreadable(err):
		diags.Append(r.unreadable(config, err))
		diags.Append(r.advice(ctx, Change{true, config, r.identityOnly(ctx, config), config})...)
		return diags
	case transport.IsNotFound(err) && r.hasVanished(config):
		// An error would also stop a destroy, which is planned after a plan of
		// everything.
		diags.AddWarning("Object no longer exists", fmt.Sprintf(
			"The API returned 404 for %s, so Terraform has removed it from the state. An apply of this plan will fail; terraform destroy will not.", r.fullName(config)))
		return diags
	default:
		return r.failure(planAdoption, config, err)
	}
	if r.tracker().claim(ctx, r.trackingKey(config)) > 1 {
		diags.AddWarning("Adopted twice: "+r.shortName(config), fmt.Sprintf(
			"More than one block of this configuration manages %s. Each apply of one undoes the changes of the other; keep a single block.", r.fullName(config)))
	}
	if warning := r.overwrites(config, remote); warning != nil {
		diags.Append(warning)
	}
	diags.Append(r.advice(ctx, Change{true, config, remote, config})...)
	return diags
}

// overwrites is the warning about what an adoption overwrites: old values only,
// so that nobody takes them for the new ones.
func (r *Resource[M]) overwrites(config, remote Attributes) diag.Diagnostic {
	var changes []string
	for _, name := range sortedNames(config) {
		planned := config[name]
		if !r.metadata.isSent(name) || planned.IsNull() || hasChange(planned, remote[name], remote[name]) {
			continue
		}
		changes = append(changes, name+" ("+describeOld(remote[name], planned)+")")
	}
	if len(changes) == 0 {
		return nil
	}
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Adopting %s: %s", r.shortName(config), strings.Join(changes, ", ")),
		"ID "+r.metadata.id(config)) // one line of 78 characters, since there may be many
}

// planChange completes the plan of an update: what the configuration does not
// set keeps its prior value, except what follows from a change, and another
// notation of the same value is no change.
func (r *Resource[M]) planChange(ctx context.Context, config, plan, prior Attributes, returned []string) Attributes {
	planned := maps.Clone(plan)
	for _, id := range r.metadata.IDs {
		planned[id] = prior[id] // they may differ in case
	}
	for name, value := range plan {
		if !config[name].IsNull() && isFullyKnown(ctx, value) && semanticEqual(prior[name], value) {
			planned[name] = prior[name]
		}
	}
	derived := map[string]bool{}
	for name, dependents := range r.metadata.Derived {
		if !config[name].IsNull() && !planned[name].Equal(prior[name]) {
			for _, dependent := range dependents {
				derived[dependent] = true
			}
		}
	}
	kept := maps.Clone(prior)
	for name, value := range plan {
		if derived[name] || config[name].IsUnknown() {
			kept[name] = value
		}
	}
	planned = fill(planned, kept)
	for _, name := range r.metadata.NotReturned {
		// Nobody would notice a change of what is no longer managed and not
		// returned. As null, setting it again is a change.
		if config[name].IsNull() && hasValue(planned[name]) && !slices.Contains(returned, name) {
			planned[name] = nullOf(ctx, planned[name].Type(ctx))
		}
	}
	return planned
}

// returnedKey holds, in the private state, which attributes of
// Metadata.NotReturned the API has returned all the same. A plan cannot
// ask the API: it is made twice, and both have to be the same.
const returnedKey = "returned"

func returned(ctx context.Context, private privateReader) []string {
	value, _ := private.GetKey(ctx, returnedKey)
	var names []string
	_ = json.Unmarshal(value, &names) // not there: none
	return names
}

// saveReturned notes which attributes of Metadata.NotReturned the API returns. A
// creation notes them too: to Terraform, a refresh that changes the private state
// is drift.
func (r *Resource[M]) saveReturned(ctx context.Context, private privateState, isReturned func(name string) bool) diag.Diagnostics {
	names := []string{}
	for _, name := range r.metadata.NotReturned {
		// What is not computed is never kept without a configuration.
		if r.schema.Attributes[name].IsComputed() && isReturned(name) {
			names = append(names, name)
		}
	}
	value, err := json.Marshal(names)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Unable to save the private state", err.Error())}
	}
	return private.SetKey(ctx, returnedKey, value)
}

func (r *Resource[M]) sameObject(plan, prior Attributes) bool {
	return !slices.ContainsFunc(r.metadata.IDs, func(id string) bool { return !strings.EqualFold(Text(plan[id]), Text(prior[id])) })
}

func (r *Resource[M]) advice(ctx context.Context, change Change) diag.Diagnostics {
	var diags diag.Diagnostics
	if names := r.unreadableAmong(change.Prior, func(name string) bool { return !change.Config[name].IsNull() }); names != nil {
		diags.AddWarning("Unreadable value in an API response", fmt.Sprintf(
			"%s: the API returns %s in a form that is not documented. Terraform can neither detect drift there nor confirm a change.",
			r.fullName(change.Prior), strings.Join(names, ", ")))
	}
	if adviser, ok := r.definition.(Adviser); ok && r.Client != nil {
		diags.Append(adviser.Advise(ctx, r.Client, change)...)
	}
	return diags
}

// unreadableAmong names the attributes for which holds is true and which the API
// returned in a form that cannot be read.
func (r *Resource[M]) unreadableAmong(object Attributes, holds func(name string) bool) []string {
	reader, ok := r.definition.(PartialReader)
	if !ok || r.Client == nil {
		return nil
	}
	var names []string
	for _, name := range reader.Unreadable(r.Client, object) {
		if _, isAttribute := object[name]; isAttribute && holds(name) {
			names = append(names, name)
		}
	}
	return names
}
