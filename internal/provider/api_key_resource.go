package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
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

	keyEnabled  = "enabled"
	keyDisabled = "disabled"
)

// A key has an id in the API's paths, and its credential has one.
const (
	keyIDs = "It can differ from the ID that the provider authenticates with (`key_id` in the provider block)."

	keyIDNote = "This is the UUID that identifies the key in the API, not the ID that the provider authenticates with (key_id in the provider block)."
)

func (apiKey) Metadata() adopt.Metadata {
	return adopt.Metadata{
		TypeName:      "api_key",
		Noun:          "API key",
		IDs:           []string{"key_id"},
		Path:          "keys/{key_id}",
		IDNote:        keyIDNote,
		TerraformOnly: map[string]attr.Value{"on_destroy": types.StringValue(onDestroyKeep)},
		NotReturned:   []string{"state"},
		Volatile:      []string{"used_at"},
		ReadByUpdate:  true,
		Unconfirmed: map[string]string{
			"roles": "Accounts with custom roles may freeze the roles of existing keys.",
		},
	}
}

func (apiKey) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing API key and manages the attributes that you set. Attributes that you leave out keep their values. " +
			"The API never returns the key's secret, so it is never in Terraform's state.",
		Attributes: map[string]schema.Attribute{
			"key_id": idAttribute("UUID that identifies the key in the API. "+keyIDs, keyIDNote),
			"name":   managedString("Name of the key."),
			"roles": managedSet("Roles of the key; at least one. "+choices(api.KeyRoles),
				setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(oneOf(api.KeyRoles))),
			"expire_at": schema.StringAttribute{
				MarkdownDescription: "Expiry, in RFC 3339 format such as `2030-01-31T12:00:00Z`; `\"\"` for never.",
				CustomType:          timestampType{},
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{expiry{}},
			},
			"state": managedString("State of the key. "+choices(api.KeyStates)+
				" "+notReturned, oneOf(api.KeyStates)),
			"ip_access_list": managedAccessList("Addresses that may use the key."),
			"on_destroy": schema.StringAttribute{
				MarkdownDescription: "What destroying the resource does to the key: `keep` (default) leaves it as it is, " +
					"`disable` sets its state to `disabled`. The key itself is never deleted.",
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(onDestroyKeep),
				Validators: []validator.String{oneOf{onDestroyKeep, onDestroyDisable}},
			},
			"key_suffix": computedString("Last characters of the key, to tell keys apart."),
			"created_at": computedTimestamp("Creation time."),
			"used_at":    computedTimestamp("Time of last use."),
		},
	}
}

func (apiKey) Read(ctx context.Context, client *api.Client, prior apiKeyModel) (apiKeyModel, error) {
	key, err := client.Key(ctx, prior.KeyID.ValueString())
	if err != nil {
		return prior, err
	}
	return prior.from(key), nil
}

func (apiKey) Write(ctx context.Context, client *api.Client, update adopt.Update[apiKeyModel]) (apiKeyModel, error) {
	key, err := client.UpdateKey(ctx, update.Change.KeyID.ValueString(), update.Change.update(update.Base))
	if err != nil {
		return update.Change, err
	}
	return update.Change.from(key), nil
}

func (apiKey) Advise(_ context.Context, client *api.Client, change adopt.Change) diag.Diagnostics {
	diags := append(warnOfEmptyList(change), warnOfLockout(client, change)...)
	if change.Creates && adopt.Text(change.Prior["state"]) == keyDisabled && change.Planned["state"].IsNull() {
		diags.AddAttributeWarning(path.Root("state"), "Adopting a disabled API key", fmt.Sprintf(
			"API key %s is disabled and state is not set, so it stays disabled. To enable it, set state = \"enabled\".", adopt.Text(change.Config["key_id"])))
	}
	return diags
}

// Releases reports whether destroying the resource disables the key.
func (apiKey) Releases(state adopt.Attributes) bool {
	return adopt.Text(state["on_destroy"]) == onDestroyDisable
}

// Release disables the key. Only an API that returns a key's state tells
// whether it was enabled.
func (apiKey) Release(ctx context.Context, client *api.Client, state apiKeyModel) (wasEnabled bool, err error) {
	before, err := client.Fresh().Key(ctx, state.KeyID.ValueString())
	switch {
	case err == nil:
		known, _ := before.State.Get()
		wasEnabled = known == keyEnabled
	case !errors.Is(err, api.ErrHidden):
		return false, err
	}
	_, err = client.UpdateKey(ctx, state.KeyID.ValueString(), api.KeyUpdate{State: api.ValueOf(keyDisabled)})
	return wasEnabled, err
}

// Restore enables the key.
func (apiKey) Restore(ctx context.Context, client *api.Client, planned apiKeyModel) error {
	_, err := client.UpdateKey(ctx, planned.KeyID.ValueString(), api.KeyUpdate{State: api.ValueOf(keyEnabled)})
	return err
}

// Decides reports whether the plan sets the key's state.
func (apiKey) Decides(planned adopt.Attributes) bool {
	return adopt.Text(planned["state"]) != ""
}

func (apiKey) ReleaseTexts() adopt.ReleaseTexts {
	return adopt.ReleaseTexts{
		Verb:            "disable",
		RestoreVerb:     "enable",
		Summary:         "API keys are disabled, not deleted",
		Planned:         `%s will be disabled (on_destroy = "disable") and removed from state. The API cannot delete it.`,
		NothingReleased: "%s no longer exists, so it was not disabled.",
		KeptSummary:     "API keys stay usable",
		Kept:            `Terraform stops managing %s. The key was not deleted and can still be used. To disable it on destroy, set on_destroy = "disable" and apply first.`,
		StaysSummary:    "API key left disabled",
		Stays: `This run disabled %s (on_destroy = "disable"), and it stays disabled: Terraform does not know whether it was enabled before. ` +
			`To enable it, set state = "enabled".`,
	}
}

// warnOfEmptyList warns of a plan that empties an access list.
func warnOfEmptyList(change adopt.Change) diag.Diagnostics {
	const name = "ip_access_list"
	planned, before := change.Planned[name], adopt.Elements(change.Prior[name])
	if planned.IsNull() || planned.IsUnknown() || len(adopt.Elements(planned)) > 0 || len(before) == 0 {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root(name), "Access list becomes empty",
		"The plan removes all entries. The API does not document what an empty list means: it may admit nobody, or everybody.")}
}
