package lifecycle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// The keys of what Terraform keeps for a resource beside its state.
const (
	importedKey = "imported" // the object was imported and not yet read
	originKey   = "origin"   // where the object was last seen
	shownKey    = "shown"    // the attributes that reads have shown: see recordShown
)

// privateState is the part of a resource's private state that is used here.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// An Origin is where an object is: an organization at an API, both normalized.
type Origin struct {
	BaseURL        string `json:"base_url"`
	OrganizationID string `json:"organization_id"`
}

func (o Origin) String() string { return "organization " + o.OrganizationID + " at " + o.BaseURL }

// save notes that an object was seen here.
func (o Origin) save(ctx context.Context, private privateState) diag.Diagnostics {
	value, _ := json.Marshal(o) // two strings
	return private.SetKey(ctx, originKey, value)
}

// checkOrigin is the error about an object that was last seen elsewhere: its state and the
// plans made from it are valid only there. more is what else to do about it.
func (r *managedResource) checkOrigin(ctx context.Context, private privateState, a Attributes, more string) diag.Diagnostics {
	value, diags := private.GetKey(ctx, originKey)
	var last Origin
	if len(value) == 0 || diags.HasError() || json.Unmarshal(value, &last) != nil || last == r.Origin {
		return diags
	}
	diags.AddError("Another organization or API", fmt.Sprintf(
		"Terraform last saw the %s in %s, but the provider is configured for %s. "+
			"Restore the previous organization_id and base_url, or keep a separate state for each organization.%s",
		r.name(a), last, r.Origin, more))
	return diags
}

const newAddress = " If the API has moved, plan again with a refresh, which records the new address. " +
	"If the API refuses to return the object, remove it from the state (terraform state rm) and adopt it again instead."

// recordShown records which attributes the last read showed: one that the next read leaves out is
// gone (see emptyGone). earlier are those that were recorded before, which only a refresh may drop.
func (r *managedResource) recordShown(ctx context.Context, private privateState, c Change, earlier []string) diag.Diagnostics {
	returned, err := c.returned, c.readErr
	switch {
	case c.isReadAfter:
		returned, err = c.returnedAfter, nil
	case c.mayBeDone && c.showsMoreThanRead():
		returned, err = r.Fetch(ctx, r.Client.Fresh(), c.Prior)
	}
	if errors.Is(err, api.ErrHidden) {
		return nil
	}
	names := append(r.shownIn(returned, err), earlier...)
	slices.Sort(names)
	value, _ := json.Marshal(slices.Compact(names)) // texts
	return private.SetKey(ctx, shownKey, value)
}

// showsMoreThanRead reports whether the response shows something that was sent and that the read
// before did not show.
func (c Change) showsMoreThanRead() bool {
	if c.isEntry() { // perhaps its list was left out because it was empty, which it now is not
		return errors.Is(c.readErr, ErrUnlisted)
	}
	return c.returned != nil && slices.ContainsFunc(c.sentNames(), func(name string) bool {
		is := c.Response[name]
		return c.isConfigurable(name) && c.returned[name] == nil && hasValue(is) && !c.isEmptyValue(name, is)
	})
}

func shownBefore(ctx context.Context, private privateState) (names []string) {
	value, _ := private.GetKey(ctx, shownKey)
	_ = json.Unmarshal(value, &names) // none, if another version has written it
	return names
}

// shownIn names the attributes that a read showed, of those that can be configured; for an entry,
// the list that it is in.
func (r *managedResource) shownIn(returned Attributes, err error) (names []string) {
	if r.isEntry() {
		if err == nil || errors.Is(err, ErrAbsent) || errors.Is(err, ErrMistyped) {
			names = []string{r.EntryOf.Attribute}
		}
		return names
	}
	for _, name := range slices.Sorted(maps.Keys(returned)) {
		if r.isConfigurable(name) && returned[name] != nil {
			names = append(names, name)
		}
	}
	return names
}
