package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// The keys of what Terraform keeps for a resource beside its state.
const (
	importedKey = "imported" // the object was imported and not yet read
	originKey   = "origin"   // where the object was last seen
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
// plans made from it are valid only there.
func (r *managedResource) checkOrigin(ctx context.Context, private privateState, a Attributes) diag.Diagnostics {
	value, diags := private.GetKey(ctx, originKey)
	var last Origin
	if len(value) == 0 || diags.HasError() || json.Unmarshal(value, &last) != nil || last == r.Origin {
		return diags
	}
	diags.AddError("Another organization or API", fmt.Sprintf(
		"Terraform last saw the %s in %s, but the provider is configured for %s. "+
			"Restore the previous organization_id and base_url, or keep a separate state for each organization. "+
			"If the API has moved, make a new plan, whose refresh records the new address. If that fails too, the object is not there: run terraform state rm.",
		r.name(a), last, r.Origin))
	return diags
}
