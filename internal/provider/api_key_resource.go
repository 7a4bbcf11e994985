package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// apiKey is an API key (specification, "Update key").
type apiKey struct{}

// What becomes of a key that Terraform lets go of.
const (
	onDestroyKeep    = "keep"
	onDestroyDisable = "disable"
)

func (apiKey) about() about {
	return about{
		typeName: "api_key",
		noun:     "API key",
		ids:      []string{"key_id"},
		own:      map[string]attr.Value{"on_destroy": types.StringValue(onDestroyKeep)},
	}
}

func (apiKey) schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing API key and manages it. An attribute that is left out keeps the value that it has. " +
			"The key's secret is never seen: no operation of the API answers with it.",
		Attributes: map[string]schema.Attribute{
			"key_id": idAttribute("The UUID of the key."),
			"name":   managedString("The key's name."),
			"roles": managedSet("The key's roles, at least one. "+choices(api.KeyRoles),
				setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(stringvalidator.OneOf(api.KeyRoles...))),
			"expire_at": schema.StringAttribute{
				MarkdownDescription: "When the key expires, as an RFC 3339 time such as `2030-01-31T12:00:00Z`; `\"\"` for never.",
				CustomType:          timestampType{},
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{expiry{}},
			},
			"state": managedString("Whether the key can be used. "+choices(api.KeyStates)+
				" "+notAnswered, stringvalidator.OneOf(api.KeyStates...)),
			"ip_access_list": managedAccessList("The addresses from which the key may be used."),
			"on_destroy": schema.StringAttribute{
				MarkdownDescription: "What happens to the key when the resource is destroyed: `keep` (the default) leaves it as it is, " +
					"`disable` sets its state to `disabled`. The API cannot delete it.",
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(onDestroyKeep),
				Validators: []validator.String{stringvalidator.OneOf(onDestroyKeep, onDestroyDisable)},
			},
			"key_suffix": computedString("The last characters of the key."),
			"created_at": computedTimestamp("When the key was created."),
			"used_at":    computedTimestamp("When the key was last used."),
		},
	}
}

func (apiKey) read(ctx context.Context, client *api.Client, prior apiKeyModel) (apiKeyModel, error) {
	key, err := client.Key(ctx, prior.KeyID.ValueString())
	if err != nil {
		return prior, err
	}
	return prior.from(key), nil
}

func (apiKey) write(ctx context.Context, client *api.Client, w writing[apiKeyModel]) (apiKeyModel, error) {
	key, err := client.UpdateKey(ctx, w.change.KeyID.ValueString(), w.change.update())
	if err != nil {
		return w.want, err
	}
	return w.want.from(key), nil
}

func (apiKey) advise(_ context.Context, _ *api.Client, config, known attributes) diag.Diagnostics {
	return warnOfEmptying(config, known)
}

func (apiKey) releases(state attributes) bool {
	return text(state["on_destroy"]) == onDestroyDisable
}

func (apiKey) release(ctx context.Context, client *api.Client, state apiKeyModel) error {
	_, err := client.UpdateKey(ctx, state.KeyID.ValueString(), api.KeyUpdate{State: api.ValueOf("disabled")})
	return err
}

// restore enables a key that the same run has disabled, unless the
// configuration says how it should be.
func (apiKey) restore(ctx context.Context, client *api.Client, config apiKeyModel) error {
	if !config.State.IsNull() {
		return nil
	}
	_, err := client.UpdateKey(ctx, config.KeyID.ValueString(), api.KeyUpdate{State: api.ValueOf("enabled")})
	return err
}

// warnOfEmptying warns of an access list that loses its last entry: whether
// that shuts everybody out or lets everybody in, the API does not say.
func warnOfEmptying(config, known attributes) diag.Diagnostics {
	const name = "ip_access_list"
	if config[name].IsNull() || config[name].IsUnknown() || size(config[name]) > 0 || size(known[name]) == 0 {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root(name),
		"Access list becomes empty",
		"The list loses all its entries. The API does not say what an empty list means: nobody, or everybody, may be let in.")}
}

func size(list attr.Value) int {
	return len(elements(list))
}
