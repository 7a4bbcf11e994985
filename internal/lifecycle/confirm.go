package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// await waits until the API shows an accepted change. If the response shows it, only what was not sent may have to be
// read: some responses have zeros there.
func (r *managedResource) await(ctx context.Context, c Change) (Change, diag.Diagnostics) {
	diags, canRead := c.confirm(0), !isHidden(c.readErr)
	switch {
	case diags.HasError() || canRead && !c.responded:
		return r.poll(ctx, c)
	case canRead && c.differsBeside():
		returned, _ := r.Fetch(ctx, r.Client.Fresh(), c.Planned) // after an error, the rest stays unknown
		c.Response = fill(c.onlySent(c.Response), r.show(returned, c.Planned))
	}
	return c, diags
}

// poll reads the object until the change shows or the time is up: some APIs go on returning the old value for a while, and
// some responses show nothing. What no read shows is as the response shows it. If an error ends the wait, that may be out
// of date.
func (r *managedResource) poll(ctx context.Context, c Change) (Change, diag.Diagnostics) {
	diags, response := c.confirm(0), c.onlySent(c.Response)
	for name := range response {
		if c.mustShow(name) {
			response[name] = r.notReturned[name]
		}
	}
	began := time.Now()
	var unread error // a 404, or the 409 of an API that is busy with the change, ends no wait: it was accepted
	_, err := api.Poll(ctx, r.UpdateTimeout, func() (shows bool, err error) {
		returned, err := r.Fetch(ctx, r.Client.Fresh(), c.Planned)
		unread = nil
		switch isBare := errors.Is(err, ErrListUnknown); {
		case transport.Is404(err), transport.IsBusy(err), errors.Is(err, ErrAbsent):
			unread = err
			return false, nil
		case err != nil && !isBare:
			return false, err
		default:
			c.isSeen = c.isSeen || !isBare
			c.Response = fill(r.show(returned, c.Planned), response)
			diags = c.confirm(time.Since(began))
			return isBare || !diags.HasError(), nil
		}
	})
	if err == nil {
		err = unread
	}
	if err == nil {
		return c, diags
	}
	c.Response = r.notReturned
	if !isHidden(err) {
		diags.Append(r.failure("confirm the update of", r.Kind, c.Planned, withResponse(err, c.text))...)
	}
	return c, diags
}

// onlySent is what a response shows of what was sent. Everything else is unknown.
func (c Change) onlySent(response Attributes) Attributes {
	sent := maps.Clone(response)
	for name, unknown := range c.notReturned {
		if !c.sends(name) {
			sent[name] = unknown
		}
	}
	return sent
}

// differsBeside reports whether a response shows something else than the read before of what was not sent.
func (c Change) differsBeside() bool {
	for name, is := range c.Response {
		was, cause := c.Shown[name], c.Follows[name]
		isExpected := c.isID(name) || c.sends(name) || cause != "" && c.sends(cause)
		if !isExpected && !was.IsUnknown() && !is.IsUnknown() && !c.same(name, was, is) {
			return true
		}
	}
	return false
}

// unconfirmedWarning warns of what was sent and no read shows, if the response has shown nothing of the object, or not the
// list that was sent.
func (c Change) unconfirmedWarning() (diags diag.Diagnostics) {
	var names []string
	for _, name := range c.sentNames() {
		isSilent := !c.responded || slices.Contains(c.SharedLists, name)
		if isSilent && c.Response[name].IsUnknown() && !c.mustShow(name) {
			names = append(names, name)
		}
	}
	if c.Owner != nil && !c.isSeen {
		names = append(names, c.lastID())
	}
	if len(names) > 0 {
		diags.AddWarning("Not confirmed: "+strings.Join(names, ", "), fmt.Sprintf(
			"The API accepted the update of %s, but neither its response nor a read shows this.%s", c.name(c.Planned), responseText(c.text)))
	}
	return diags
}

// mustShow reports whether reads have shown an attribute, so that they must show it again. Switches they need not show.
func (c Change) mustShow(name string) bool { return !c.Shown[name].IsUnknown() && !c.isSwitches(name) }

// confirm checks the response: every attribute that was sent must come back as planned. One that
// reads do not return counts as confirmed, and so does an empty one that is left out. waited is the time so far.
func (c Change) confirm(waited time.Duration) (diags diag.Diagnostics) {
	after := ""
	if waited >= time.Second {
		after = " after " + waited.Round(time.Second).String()
	}
	for _, name := range c.sentNames() {
		shown := c.Response[name]
		switch unplanned := c.compare(name, shown).unplanned; {
		case shown.IsUnknown() && (!c.mustShow(name) || isEmptyValue(c.Planned[name])):
		case shown.IsUnknown():
			diags.AddAttributeError(path.Root(name), "Change not confirmed by the API", fmt.Sprintf(
				"The API accepted the change to %s, but no longer returns the attribute%s. Run terraform plan to see the current value.", name, after)+responseText(c.text))
		case !c.matches(name, shown):
			wrong, advice := c.describeWrong(name, shown)
			diags.AddAttributeError(path.Root(name), "Change not confirmed by the API", fmt.Sprintf(
				"The API accepted the change to %s but %s%s. %s: if the API needs longer, raise update_timeout; if it never shows, leave it out.",
				name, wrong, after, advice)+responseText(c.text))
		case len(unplanned) > 0:
			diags.AddAttributeWarning(path.Root(name), "Unplanned entries: "+c.ShortName(), fmt.Sprintf(
				"The API also shows %s in %s. To keep it, add it to the configuration. Otherwise, the next plan shows its removal.", Names(unplanned), name))
		}
	}
	return diags
}

// sideEffectWarning warns of what the update has changed although it was not sent: what reads have shown before and
// after it. The state keeps what was planned: Terraform accepts nothing else.
func (c Change) sideEffectWarning() (diags diag.Diagnostics) {
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(c.Response)) {
		was, is := c.Shown[name], c.Response[name]
		isOfOthers := slices.Contains(c.SharedLists, name)
		if c.isConfigurable(name) && hasValue(was) && hasValue(is) && !c.same(name, was, is) && !c.sends(name) && !isOfOthers {
			changes = append(changes, fmt.Sprintf("%s from %s to %s", name, Describe(was), Describe(is)))
		}
	}
	if len(changes) > 0 {
		diags.AddWarning("The API also changed "+strings.Join(changes, ", "),
			"With the update of "+c.name(c.Planned)+", the API changed what the update did not contain.")
	}
	return diags
}
