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

const never = "never" // the expiry of a key that never expires

// isKeyID is isUUID with a hint: the key_id of the provider block can be another id.
var isKeyID = spaced(require(aUUID+". key_id is the UUID that identifies the key in the API, not the ID that the provider authenticates with (key_id in the provider block)", lifecycle.IsUUID))

// apiKey is an API key (operation updateKey).
func apiKey() lifecycle.Definition {
	return lifecycle.Definition{
		Kind: lifecycle.Kind{
			TypeName:         "api_key",
			Noun:             "API key",
			IDs:              []string{"key_id"},
			SharedLists:      []string{"ip_access_list"},
			NullAs:           map[string]string{"expire_at": never},
			IgnoredInRefresh: []string{"used_at"},
			ReadByUpdate:     true,
		},
		Schema:        apiKeySchema(),
		Read:          readKey,
		Write:         writeKey,
		Advise:        adviseKey,
		AdviseDestroy: adviseDestroyKey,
	}
}

func apiKeySchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing API key and manages the attributes that you set. Its secret is never in Terraform's state.",
		Attributes: map[string]schema.Attribute{
			"key_id": idAttribute("UUID that identifies the key in the API, which can differ from `key_id` in the provider block.", isKeyID, strings.ToLower),
			"name":   managedString("Name of the key.", ""),
			"roles":  managedSet("Roles of the key.", "At least one is required. "+choices(api.KeyRoles), someOf(api.KeyRoles)),
			"expire_at": schema.StringAttribute{
				MarkdownDescription: "Expiry, in RFC 3339 format such as `2030-01-31T12:00:00Z`, or `never`.",
				CustomType:          timestampType{},
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{isExpiry},
			},
			"state":          configuredString("State of the key.", choices(api.KeyStates), oneOf(api.KeyStates)),
			"ip_access_list": managedAccessList("use the key"),
			"key_suffix":     computedString("Last characters of the key, to tell keys apart."),
			"created_at":     computedTimestamp("Creation time."),
			"used_at":        computedTimestamp("Time of last use."),
		},
	}
}

func readKey(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (lifecycle.Attributes, error) {
	key, err := client.Key(ctx, lifecycle.Text(ids["key_id"]))
	return showKey(ctx, key, err)
}

func writeKey(ctx context.Context, client *api.Client, change lifecycle.Change) (lifecycle.Attributes, error) {
	before, after := lifecycle.ObjectOf[api.Key](change.Before()), lifecycle.ObjectOf[api.Key](change.Sent())
	if expireAt, ok := after.ExpireAt.Get(); ok && expireAt == never {
		after.ExpireAt = api.NullOf[string]()
	}
	key, err := client.UpdateKey(ctx, lifecycle.Text(change.Planned["key_id"]), api.KeyUpdate{
		Name:         after.Name,
		ExpireAt:     after.ExpireAt,
		State:        after.State,
		Roles:        api.ListUpdate[string]{Before: before.Roles, After: after.Roles},
		IPAccessList: accessListUpdate(change),
	})
	return showKey(ctx, key, err)
}

// showKey shows an expiry of null or "" as never.
func showKey(ctx context.Context, key *api.Key, err error) (lifecycle.Attributes, error) {
	if err != nil {
		return nil, err
	}
	shown := lifecycle.Shown(ctx, *key)
	if expireAt, ok := key.ExpireAt.Get(); key.ExpireAt.IsNull() || ok && expireAt == "" {
		shown["expire_at"] = types.StringValue(never)
	}
	showAccessList(shown, key.IPAccessList)
	return shown, nil
}

func adviseKey(_ context.Context, client *api.Client, change lifecycle.Change) diag.Diagnostics {
	return slices.Concat(warnOfAddresses(change), warnOfWhiteSpace(change), warnOfExpiry(change), warnOfLockout(client, change))
}

// adviseDestroyKey warns that a key may stay usable, unless Terraform has disabled it.
func adviseDestroyKey(state lifecycle.Attributes) diag.Diagnostics {
	id := lifecycle.Text(state["key_id"])
	if lifecycle.Text(state["state"]) == "disabled" {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("API key "+lifecycle.ShortID(id)+" may stay usable", fmt.Sprintf(
		"API key %s can still be used, unless it is disabled already. To disable it, keep its block, set state = \"disabled\" and apply; then remove the block.", id))}
}
