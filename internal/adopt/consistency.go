package adopt

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// awaitConsistency checks the response to a write. Some APIs go on returning
// the old value for a while, so the object is read again until the change shows
// or the time is up. If something else ends the wait, it is unknown whether the
// response is an old one, and the result shows nothing.
func (r *Resource[O]) awaitConsistency(ctx context.Context, sent []string, planned, before, response Attributes) (Attributes, diag.Diagnostics) {
	began := time.Now()
	check := func() diag.Diagnostics {
		return confirm(sent, planned, before, response, time.Since(began))
	}
	diags := check()
	if !diags.HasError() {
		return response, nil
	}
	err := api.Await(ctx, r.UpdateTimeout, func() (shows bool, err error) {
		object, err := r.definition.Read(ctx, r.Client.Fresh(), planned)
		if err == nil {
			response = r.show(ctx, object, planned)
			diags = check()
		}
		return !diags.HasError(), err
	})
	switch {
	case err == nil && !diags.HasError():
		return response, nil
	case ctx.Err() != nil:
		diags.AddError("Interrupted while waiting for "+r.metadata.name(planned),
			fmt.Sprintf("The API accepted the change but had not shown it yet when the run was interrupted (%s). Run terraform plan to see the current values.", ctx.Err()))
		return r.notReturned, diags
	case err != nil && r.isHidden(err):
		return r.notReturned, diags
	case err != nil:
		return r.notReturned, append(diags, r.failure(confirming, planned, err)...)
	}
	return response, diags
}
