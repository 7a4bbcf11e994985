package adopt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// shortWaitAfter is the number of consecutive objects that have to time out
// before the wait for others is cut short.
const shortWaitAfter = 3

// awaitConsistency checks the response to a write. Some APIs go on returning
// the old value for a while, so the object is read again until the change shows
// or the time is up. If something else ends the wait, nobody knows whether the
// response is an old one, and it shows nothing.
func (r *Resource[M]) awaitConsistency(ctx context.Context, sent []string, planned, base, response Attributes) (Attributes, diag.Diagnostics) {
	confirm := func(response Attributes) diag.Diagnostics {
		return confirm(sent, planned, base, response, r.metadata.Unconfirmed)
	}
	diags := confirm(response)
	if !diags.HasError() {
		return response, r.confirmReadable(sent, planned)
	}
	timeout := r.ConsistencyTimeout
	if r.timeouts.Load() >= shortWaitAfter {
		timeout /= 6
	}
	deadline := time.Now().Add(timeout)
	for pause := r.ConsistencyTimeout / 100; time.Now().Add(pause).Before(deadline); pause = min(2*pause, r.ConsistencyTimeout/10) {
		select {
		case <-ctx.Done():
			diags.AddError("Interrupted while waiting for "+r.fullName(planned),
				fmt.Sprintf("The API accepted the change but did not show it yet when the run was interrupted (%s). Run terraform plan to see the current values.", ctx.Err()))
			return r.objectType.unknown(ctx), diags
		case <-time.After(pause):
		}
		again, err := r.read(ctx, r.Client.Fresh(), planned)
		switch {
		case err != nil && r.isUnreadable(err):
			return r.objectType.unknown(ctx), diags
		case err != nil:
			return r.objectType.unknown(ctx), append(diags, r.failure(confirming, planned, err)...)
		}
		response, diags = again, confirm(again)
		if !diags.HasError() {
			r.timeouts.Store(0)
			return response, r.confirmReadable(sent, planned)
		}
	}
	r.timeouts.Add(1)
	return response, diags
}

// confirmReadable fails if the API returned what was sent in a form that cannot
// be read: nobody knows whether it has taken the change.
func (r *Resource[M]) confirmReadable(sent []string, planned Attributes) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, name := range r.unreadableAmong(planned, func(name string) bool { return slices.Contains(sent, name) }) {
		diags.AddAttributeError(path.Root(name), "Change not confirmed by the API", fmt.Sprintf(
			"The API accepted the change of %s but returns it in a form that is not documented, so Terraform cannot tell whether it took effect. "+
				"Remove %s from the configuration and set it elsewhere.", name, name))
	}
	return diags
}
