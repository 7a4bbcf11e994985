package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// originKey holds, in the private state, where an object was last seen.
const originKey = "origin"

// An Origin is where an object is: an organization at an API, both normalized.
type Origin struct {
	BaseURL        string `json:"base_url"`
	OrganizationID string `json:"organization_id"`
}

// privateState is the part of a resource's private state that is used here.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// save notes that an object was seen here.
func (o Origin) save(ctx context.Context, private privateState) diag.Diagnostics {
	value, _ := json.Marshal(o) // two strings
	return private.SetKey(ctx, originKey, value)
}

// check fails if an object was last seen elsewhere: its state and the plans made
// from it are valid only there. remedy is what else to do about it.
func (o Origin) check(ctx context.Context, private privateState, name, remedy string) diag.Diagnostics {
	value, diags := private.GetKey(ctx, originKey)
	var last Origin
	if len(value) == 0 || diags.HasError() || json.Unmarshal(value, &last) != nil || last == o {
		return diags
	}
	diags.AddError("Another organization or API", fmt.Sprintf(
		"Terraform last saw the %s in %s, but the provider is configured for %s. "+
			"Restore the previous organization_id and base_url, or keep a separate state for each organization.%s",
		name, last, o, remedy))
	return diags
}

func (o Origin) String() string { return "organization " + o.OrganizationID + " at " + o.BaseURL }

const newAddress = " If the API has moved, plan again with a refresh, which records the new address. " +
	"If the API refuses to return the object, remove it from the state (terraform state rm) and adopt it again instead."
