package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// apiKey is an API key (operation updateKey).
type apiKey struct{}

// Values of on_destroy and of a key's state.
const (
	onDestroyKeep    = "keep"
	onDestroyDisable = "disable"

	keyDisabled = "disabled"
)

// A key has two ids: one in the API's paths, and one in its credential.
const (
	keyIDs = "It can differ from `key_id` in the provider block."

	keyIDNote = "key_id is the UUID that identifies the key in the API, not the ID that the provider authenticates with (key_id in the provider block)."
)

func (apiKey) Metadata() adopt.Metadata {
	return adopt.Metadata{
		TypeName:         "api_key",
		Noun:             "API key",
		IDs:              []string{"key_id"},
		Path:             "keys/{key_id}",
		IDNote:           keyIDNote,
		TerraformOnly:    map[string]attr.Value{"on_destroy": types.StringValue(onDestroyKeep)},
		IgnoredInRefresh: []string{"used_at"},
		ReadByUpdate:     true,
		WhyUnconfirmed: map[string]string{
			"roles": "Accounts with custom roles may freeze the roles of existing keys: then leave roles out.",
		},
	}
}

func (apiKey) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing API key and manages the attributes that you set. Its secret is never in Terraform's state.",
		Attributes: map[string]schema.Attribute{
			"key_id": idAttribute("UUID that identifies the key in the API. "+keyIDs, keyIDNote),
			"name":   managedString("Name of the key."),
			"roles":  managedSet("Roles of the key; at least one. "+choices(api.KeyRoles), someOf(api.KeyRoles)),
			"expire_at": schema.StringAttribute{
				MarkdownDescription: "Expiry, in RFC 3339 format such as `2030-01-31T12:00:00Z`; `\"\"` for never.",
				CustomType:          timestampType{},
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{rule[string](isExpiry)},
			},
			"state":          configuredString("State of the key. "+choices(api.KeyStates), oneOf(api.KeyStates)),
			"ip_access_list": managedAccessList("Addresses that may use the key."),
			"on_destroy": schema.StringAttribute{
				MarkdownDescription: "What destroying the resource does to the key: `keep` (default) leaves it as it is, " +
					"`disable` sets its state to `disabled`. The key itself is never deleted.",
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(onDestroyKeep),
				Validators: []validator.String{oneOf([]string{onDestroyKeep, onDestroyDisable})},
			},
			"key_suffix": computedString("Last characters of the key, to tell keys apart."),
			"created_at": computedTimestamp("Creation time."),
			"used_at":    computedTimestamp("Time of last use."),
		},
	}
}

func (apiKey) Read(ctx context.Context, client *api.Client, ids adopt.Attributes) (any, error) {
	return client.Key(ctx, adopt.Text(ids["key_id"]))
}

func (apiKey) Write(ctx context.Context, client *api.Client, update adopt.Update) (any, error) {
	var change api.KeyUpdate
	update.Change.SetMembers(&change)
	if expireAt, ok := change.ExpireAt.Get(); ok && expireAt == "" {
		change.ExpireAt = api.NullOf[string]()
	}
	var before, after api.Key
	update.Base.SetMembers(&before)
	update.Change.SetMembers(&after)
	change.Roles = api.ListUpdate[string]{Before: before.Roles, After: after.Roles}
	change.IPAccessList = api.ListUpdate[api.AccessEntry]{Before: before.IPAccessList, After: after.IPAccessList}
	return client.UpdateKey(ctx, adopt.Text(update.Change["key_id"]), change)
}

// Show shows an expiry of null as "", which is never.
func (apiKey) Show(object any, _ adopt.Attributes) adopt.Attributes {
	if object.(*api.Key).ExpireAt.IsNull() {
		return adopt.Attributes{"expire_at": timestamp{types.StringValue("")}}
	}
	return nil
}

func (apiKey) Advise(_ context.Context, client *api.Client, change adopt.Change) diag.Diagnostics {
	diags := append(warnOfAddresses(change), warnOfExpiry(change)...)
	diags.Append(warnOfLockout(client, change)...)
	if change.Creates && adopt.Text(change.Prior["state"]) == keyDisabled && change.Planned["state"].IsNull() {
		diags.AddAttributeWarning(path.Root("state"), "Adopting a disabled API key", fmt.Sprintf(
			"API key %s is disabled and state is not set, so it stays disabled. To enable it, set state = \"enabled\".", adopt.Text(change.Config["key_id"])))
	}
	return diags
}

// OnDestroy disables the key if the block asks for that.
func (apiKey) OnDestroy(client *api.Client, state adopt.Attributes) (adopt.Attributes, diag.Diagnostics) {
	name := "API key " + adopt.Text(state["key_id"])
	if adopt.Text(state["on_destroy"]) != onDestroyDisable {
		return nil, diag.Diagnostics{diag.NewWarningDiagnostic("API keys stay usable",
			name+" can still be used. To disable it on destroy, first set on_destroy = \"disable\" and apply.")}
	}
	diags := diag.Diagnostics{diag.NewWarningDiagnostic("API keys are disabled, not deleted",
		"Applying this plan disables "+name+".")}
	diags.Append(lockout(client, state, []string{"state (on_destroy = \"disable\")"})...)
	return adopt.Attributes{"state": types.StringValue(keyDisabled)}, diags
}

func (apiKey) DestroyTexts() adopt.DestroyTexts {
	return adopt.DestroyTexts{
		Verb: "disable",
		Conflict: "If you renamed the block, add a moved block. To stop managing the key in the destroyed block, " +
			"first apply on_destroy = \"keep\" there, or replace the block with a removed block that has destroy = false. " +
			"To disable the key, set state = \"disabled\" in the block that stays. In a for_each, do not move a key to another entry.",
	}
}
