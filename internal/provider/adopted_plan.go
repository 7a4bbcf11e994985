package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// announcedKey marks, in the private state, a destruction that was announced
// when it was planned, so that it is not announced again when it is applied.
const announcedKey = "release_announced"

func (r *adopted[M]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(r.letGo(r.shape.attributes(ctx, req.State.Raw)))
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, announcedKey, []byte("true"))...)
		return
	}

	config := r.shape.attributes(ctx, req.Config.Raw)
	if req.State.Raw.IsNull() {
		// Of the plan nothing is filled in: Terraform plans a create again
		// during apply, and what moved in between would be an inconsistency.
		resp.Diagnostics.Append(r.planAdoption(ctx, config)...)
		return
	}

	plan := r.shape.attributes(ctx, req.Plan.Raw)
	prior := r.shape.attributes(ctx, req.State.Raw)
	if !r.sameObject(plan, prior) {
		// Terraform plans a replacement twice, as a change and as a creation,
		// and shows the warnings of the first.
		resp.Diagnostics.Append(r.letGo(prior))
		resp.Diagnostics.Append(r.planAdoption(ctx, config)...)
		return
	}
	if planned := r.planChange(ctx, config, plan, prior); !planned.equal(plan) {
		resp.Plan.Raw = r.shape.raw(ctx, planned)
	}
	resp.Diagnostics.Append(r.advice(ctx, config, prior)...)
}

// planAdoption reads the object that a new resource names, so that what is
// wrong fails in the plan and not half-way through an apply, and so that
// nobody overwrites unawares.
func (r *adopted[M]) planAdoption(ctx context.Context, config attributes) diag.Diagnostics {
	if r.client == nil || !r.named(config) {
		return nil
	}
	var diags diag.Diagnostics
	known, err := r.known(ctx, r.bare(ctx, config))
	switch {
	case errors.Is(err, transport.ErrReadRefused):
		diags.Append(r.unreadable(config))
		return diags
	case err != nil:
		return r.failure("adopt", config, err)
	}
	if warning := r.overwrites(config, known); warning != nil {
		diags.Append(warning)
	}
	diags.Append(r.advice(ctx, config, known)...)
	return diags
}

// overwrites says, in the summary of its warning, which object adoption
// changes and how: Terraform folds warnings of equal summary into one.
func (r *adopted[M]) overwrites(config, known attributes) diag.Diagnostic {
	names := r.difference(config, known)
	if len(names) == 0 {
		return nil
	}
	var brief, full []string
	for _, name := range names {
		from, to := settledTo(config[name], known[name]), config[name]
		brief = append(brief, name+" "+describeChange(from, to))
		full = append(full, fmt.Sprintf("  %s: %s", name, describe(from)))
	}
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("Adopting %s: %s", r.short(config), strings.Join(brief, ", ")),
		fmt.Sprintf("This exists already: %s. Applying this plan overwrites what it has:\n\n%s\n\n"+
			"An attribute that is left out of the configuration keeps the value that it has.",
			r.long(config), strings.Join(full, "\n")))
}

// planChange makes the plan of a change quiet: what is not configured keeps
// its value, but for what follows from a change, and another notation of the
// same value is no change.
func (r *adopted[M]) planChange(ctx context.Context, config, plan, prior attributes) attributes {
	planned := maps.Clone(plan)
	for _, id := range r.about.ids {
		planned[id] = prior[id] // but perhaps for its case
	}
	for name, value := range plan {
		if !config[name].IsNull() && whollyKnown(ctx, value) && equivalent(prior[name], value) {
			planned[name] = prior[name]
		}
	}
	open := map[string]bool{}
	for name, following := range r.about.follows {
		if !config[name].IsNull() && !planned[name].Equal(prior[name]) {
			for _, f := range following {
				open[f] = true
			}
		}
	}
	quiet := maps.Clone(prior)
	for name, value := range plan {
		if open[name] || config[name].IsUnknown() {
			quiet[name] = value
		}
	}
	return fill(planned, quiet)
}

func (r *adopted[M]) sameObject(plan, prior attributes) bool {
	return !slices.ContainsFunc(r.about.ids, func(id string) bool { return !strings.EqualFold(text(plan[id]), text(prior[id])) })
}

func (r *adopted[M]) advice(ctx context.Context, config, known attributes) diag.Diagnostics {
	if k, ok := r.kind.(adviser); ok && r.client != nil {
		return k.advise(ctx, r.client, config, known)
	}
	return nil
}
