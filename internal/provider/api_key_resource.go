package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// apiKey is an API key (operation updateKey).
type apiKey struct{}

const never = "never" // the expiry of a key that never expires

// isKeyID is isUUID with a hint: the key_id of the provider block can be another id.
var isKeyID = require(aUUID+". key_id is the UUID that identifies the key in the API, not the ID that the provider authenticates with (key_id in the provider block)", lifecycle.IsUUID)

func (apiKey) Metadata() lifecycle.Metadata {
	return lifecycle.Metadata{
		TypeName:         "api_key",
		Noun:             "API key",
		IDs:              []string{"key_id"},
		IgnoredInRefresh: []string{"used_at"},
		ReadByUpdate:     true,
	}
}

func (apiKey) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing API key and manages the attributes that you set. Its secret is never in Terraform's state.",
		Attributes: map[string]schema.Attribute{
			"key_id": idAttribute("UUID that identifies the key in the API, which can differ from `key_id` in the provider block.", isKeyID, strings.ToLower),
			"name":   managedString("Name of the key."),
			"roles":  managedSet("Roles of the key. At least one is required. "+choices(api.KeyRoles), someOf(api.KeyRoles)),
			"expire_at": schema.StringAttribute{
				MarkdownDescription: "Expiry, in RFC 3339 format such as `2030-01-31T12:00:00Z`, or `never`.",
				CustomType:          timestampType{},
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{isExpiry},
			},
			"state":          configuredString("State of the key. "+choices(api.KeyStates), oneOf(api.KeyStates)),
			"ip_access_list": managedAccessList("use the key"),
			"key_suffix":     computedString("Last characters of the key, to tell keys apart."),
			"created_at":     computedTimestamp("Creation time."),
			"used_at":        computedTimestamp("Time of last use."),
		},
	}
}

func (apiKey) Read(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (*api.Key, error) {
	return client.Key(ctx, lifecycle.Text(ids["key_id"]))
}

func (apiKey) Write(ctx context.Context, client *api.Client, update lifecycle.Update[api.Key]) (*api.Key, error) {
	before, after := update.Before, update.Change
	if expireAt, ok := after.ExpireAt.Get(); ok && expireAt == never {
		after.ExpireAt = api.NullOf[string]()
	}
	return client.UpdateKey(ctx, lifecycle.Text(update.IDs["key_id"]), api.KeyUpdate{
		Name:         after.Name,
		ExpireAt:     after.ExpireAt,
		State:        after.State,
		Roles:        api.ListUpdate[string]{Before: before.Roles, After: after.Roles},
		IPAccessList: api.ListUpdate[api.AccessEntry]{Before: before.IPAccessList, After: after.IPAccessList},
	})
}

// Present shows an expiry of null or "" as never.
func (apiKey) Present(key *api.Key, _ lifecycle.Attributes) lifecycle.Attributes {
	if expireAt, ok := key.ExpireAt.Get(); key.ExpireAt.IsNull() || ok && expireAt == "" {
		return lifecycle.Attributes{"expire_at": timestamp{types.StringValue(never)}}
	}
	return nil
}

func (apiKey) Advise(_ context.Context, client *api.Client, change lifecycle.Change) diag.Diagnostics {
	return slices.Concat(warnOfAddresses(change), warnOfExpiry(change), warnOfLockout(client, change))
}

// AdviseDestroy warns that a key may stay usable, unless Terraform has disabled it.
func (apiKey) AdviseDestroy(state lifecycle.Attributes) diag.Diagnostics {
	id := lifecycle.Text(state["key_id"])
	if lifecycle.Text(state["state"]) == "disabled" {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("API key "+lifecycle.ShortID(id)+" may stay usable", fmt.Sprintf(
		"API key %s can still be used, unless it is disabled already. To disable it, keep its block, set state = \"disabled\" and apply; then remove the block.", id))}
}
