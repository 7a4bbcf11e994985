package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// After three objects in a row that did not show their changes in time, others wait a
// sixth of update_timeout: the API probably never shows such a change.
const shortWaitAfter, shortening = 3, 6

// await confirms the response to a write. Some APIs go on returning the old value for a while,
// so the object is read again until the change shows or the time is up. If an error ends the
// wait, the response may be out of date, and then shows nothing.
func (r *managedResource) await(ctx context.Context, c Change) (Change, diag.Diagnostics) {
	began := time.Now()
	diags := c.confirm(0)
	if !diags.HasError() {
		return c, diags
	}
	timeout := r.UpdateTimeout
	if r.timeouts.Load() >= shortWaitAfter {
		timeout /= shortening
	}
	err := api.Await(ctx, timeout, func() (shows bool, err error) {
		returned, err := r.Definition.Read(ctx, r.Client.Fresh(), c.Planned)
		if err == nil {
			c.Response = r.show(returned, c.Planned)
			diags = c.confirm(time.Since(began))
		}
		return !diags.HasError(), err
	})
	switch {
	case err == nil && !diags.HasError():
		r.timeouts.Store(0)
		return c, diags
	case err == nil && ctx.Err() == nil:
		r.timeouts.Add(1)
		return c, diags
	}
	c.Response = r.notReturned
	switch {
	case ctx.Err() != nil:
		return c, diag.Diagnostics{diag.NewErrorDiagnostic("Interrupted while waiting for "+r.name(c.Planned),
			fmt.Sprintf("The API accepted the change but had not shown it yet when the run was interrupted (%s). Run terraform plan to see the current values.", ctx.Err()))}
	case r.isHidden(err):
		return c, diags
	}
	return c, append(diags, r.failureOf(confirming, writing, c.Planned, err)...)
}

// confirm checks the response: every attribute that was sent must come back as planned. One
// that the API does not return counts as confirmed. What it returns besides is a warning.
// waited is the time so far, for the message.
func (c Change) confirm(waited time.Duration) (diags diag.Diagnostics) {
	after := ""
	if waited >= time.Second {
		after = " after " + waited.Round(time.Second).String()
	}
	for _, name := range c.sentNames() {
		switch shown := c.Response[name]; {
		case shown.IsUnknown():
		case !c.matches(name, shown):
			diags.AddAttributeError(path.Root(name), "Change not confirmed by the API", fmt.Sprintf(
				"The API accepted the change to %s but %s%s. If that means the same, write it as the API returns it. "+
					"Otherwise, it may still show: if the API needs longer, raise update_timeout; if it never shows, leave it out.",
				name, c.describeWrong(name, shown), after))
		default:
			if unplanned := c.compare(name, shown).unplanned; len(unplanned) > 0 {
				diags.AddAttributeWarning(path.Root(name), "Unplanned entries: "+c.ShortName(), fmt.Sprintf(
					"The API also shows %s in %s. If nobody else has added that, it is how the API stores the planned list: write it as the API returns it. "+
						"Otherwise, the next plan that shows it removes it.", Names(unplanned), name))
			}
		}
	}
	return diags
}
