package lifecycle

import (
	"context"
	"fmt"

	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// After three waits in a row that have timed out, others take a sixth of update_timeout: the API
// probably never shows such a change.
const shortWaitAfter, shortening = 3, 6

// await waits until the API shows an accepted change. Some APIs go on returning the old value for a
// while, and some responses show nothing, so the object is read until the change shows or the time is up.
// If an error ends the wait, the response may be out of date. It then shows nothing.
func (r *managedResource) await(ctx context.Context, c Change) (Change, diag.Diagnostics) {
	diags := c.confirm(0)
	showsNothing := c.readErr == nil && !c.showsAny(c.Response)
	if !diags.HasError() && !showsNothing {
		return c, diags
	}
	began, timeout := time.Now(), r.UpdateTimeout
	if r.timeouts.Load() >= shortWaitAfter {
		timeout /= shortening
	}
	var unread error // a 404, or the 409 of an API that is busy with the change, ends no wait: it was accepted
	shows, err := api.Poll(ctx, timeout, func() (shows bool, err error) {
		returned, err := r.fetch(ctx, r.Client.Fresh(), c.Planned)
		unread = nil
		switch {
		case transport.IsMissing(err), transport.IsBusy(err):
			unread = err
			return false, nil
		case err != nil:
			return false, err
		}
		c.Response = r.show(returned, c.Planned)
		diags = c.confirm(time.Since(began))
		return !diags.HasError(), nil
	})
	if err == nil {
		err = unread
	}
	switch {
	case shows:
		r.timeouts.Store(0)
		return c, diags
	case ctx.Err() != nil:
		c.Response = r.notReturned
		return c, diag.Diagnostics{diag.NewErrorDiagnostic("Interrupted while waiting for "+r.name(c.Planned),
			fmt.Sprintf("The API accepted the change but had not shown it yet when the run was interrupted (%s). Run terraform plan to see the current values.", ctx.Err()))}
	case err == nil:
		r.timeouts.Add(1)
		return c, diags
	}
	c.Response = r.notReturned
	if r.isHidden(err) {
		return c, diags
	}
	return c, append(diags, r.failureOf(confirming, hasFound(c.readErr), c.Planned, err)...)
}

// confirm checks the response: every attribute that was sent must come back as planned. One that
// reads do not return counts as confirmed. waited is the time so far, for the message.
func (c Change) confirm(waited time.Duration) (diags diag.Diagnostics) {
	after := ""
	if waited >= time.Second {
		after = " after " + waited.Round(time.Second).String()
	}
	for _, name := range c.sentNames() {
		shown := c.Response[name]
		canBeWritten := validate(c.Schema.Attributes[name], shown) == nil // into a configuration
		neverReturned := shown.IsUnknown() && c.Shown[name].IsUnknown()
		leftOutAsEmpty := shown.IsUnknown() && isEmptyValue(c.Planned[name])
		switch unplanned := c.compare(name, shown).unplanned; {
		case neverReturned, leftOutAsEmpty:
		case shown.IsUnknown():
			diags.AddAttributeError(path.Root(name), "Change not confirmed by the API", fmt.Sprintf(
				"The API accepted the change to %s, but no longer returns the attribute%s. Run terraform plan to see the current value.", name, after))
		case !c.matches(name, shown):
			advice := "It may still show"
			if canBeWritten {
				advice = "If that means the same, write it as the API returns it. Otherwise, it may still show"
			}
			diags.AddAttributeError(path.Root(name), "Change not confirmed by the API", fmt.Sprintf(
				"The API accepted the change to %s but %s%s. %s: if the API needs longer, raise update_timeout; if it never shows, leave it out.",
				name, c.describeWrong(name, shown), after, advice))
		case len(unplanned) > 0:
			advice := "The next plan that shows it removes it."
			if canBeWritten {
				advice = "If nobody else has added that, it is how the API stores the planned list: write it as the API returns it. " +
					"Otherwise, the next plan that shows it removes it."
			}
			diags.AddAttributeWarning(path.Root(name), "Unplanned entries: "+c.ShortName(), fmt.Sprintf("The API also shows %s in %s. %s", Names(unplanned), name, advice))
		}
	}
	return diags
}

// sideEffectWarning warns of what the update has changed although it was not sent. The state keeps what was
// planned: Terraform accepts nothing else.
func (c Change) sideEffectWarning() diag.Diagnostics {
	if !c.showsAny(c.Shown) { // a response may show more than reads do
		return nil
	}
	var changes, configured []string
	for _, name := range slices.Sorted(maps.Keys(c.Response)) {
		was, is := c.Shown[name], c.Response[name]
		isExpected := was.IsUnknown() && (c.same(name, c.Planned[name], is) || isEmptyValue(is))
		switch {
		case !c.isConfigurable(name), !hasValue(is), c.same(name, was, is), isExpected:
		case c.sends(name), slices.Contains(c.EntryLists, name): // others change these lists, too
		default:
			changes = append(changes, fmt.Sprintf("%s from %s to %s", name, describe(was), describe(is)))
			if !c.Config[name].IsNull() && !c.same(name, c.Planned[name], is) {
				configured = append(configured, name)
			}
		}
	}
	if len(changes) == 0 {
		return nil
	}
	text := "With the update of " + c.name(c.Planned) + ", the API changed what the update did not contain."
	if len(configured) > 0 {
		text += " The next plan changes back " + strings.Join(configured, ", ") + "."
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("The API also changed "+strings.Join(changes, ", "), text)}
}

// isEmptyValue reports whether a value is one that many APIs leave out as empty: also a zero.
func isEmptyValue(value attr.Value) bool {
	switch v := value.(type) {
	case types.Int64:
		return v.ValueInt64() == 0
	case types.Float64:
		return v.ValueFloat64() == 0
	case types.Bool:
		return !v.ValueBool()
	case types.String:
		return v.ValueString() == ""
	}
	return len(Elements(value)) == 0
}

// lostWarning warns of what a request left out and the API has not returned since.
func (c Change) lostWarning(names []string) (diags diag.Diagnostics) {
	if len(names) > 0 {
		diags.AddWarning("May have been reset: "+strings.Join(names, ", "), fmt.Sprintf(
			"The API refused an update of %s with these, so Terraform left them out. No read has shown them as they were since then. Check their values.", c.name(c.Planned)))
	}
	return diags
}

// showsAny reports whether a response shows anything that can be configured.
func (c Change) showsAny(shown Attributes) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(shown)), func(name string) bool {
		return c.isConfigurable(name) && !shown[name].IsUnknown()
	})
}
