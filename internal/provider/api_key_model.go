package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

type apiKeyModel struct {
	KeyID        types.String `tfsdk:"key_id"`
	Name         types.String `tfsdk:"name"`
	Roles        types.Set    `tfsdk:"roles"`
	ExpireAt     timestamp    `tfsdk:"expire_at"`
	State        types.String `tfsdk:"state"`
	IPAccessList accessList   `tfsdk:"ip_access_list"`
	OnDestroy    types.String `tfsdk:"on_destroy"`
	KeySuffix    types.String `tfsdk:"key_suffix"`
	CreatedAt    timestamp    `tfsdk:"created_at"`
	UsedAt       timestamp    `tfsdk:"used_at"`
}

// from is the key that the API returned.
func (m apiKeyModel) from(key *api.Key) apiKeyModel {
	model := apiKeyModel{
		KeyID:        m.KeyID,
		Name:         stringFrom(withoutNull(key.Name)),
		Roles:        setFrom(key.Roles),
		ExpireAt:     timestampFrom(key.ExpireAt),
		State:        stringFrom(withoutNull(key.State)),
		IPAccessList: accessListFrom(key.IPAccessList),
		OnDestroy:    m.OnDestroy,
		KeySuffix:    stringFrom(key.KeySuffix),
		CreatedAt:    timestampFrom(key.CreatedAt),
		UsedAt:       timestampFrom(key.UsedAt),
	}
	if key.ExpireAt.IsNull() {
		model.ExpireAt = timestamp{types.StringValue("")} // never
	}
	return model
}

// update is what m changes about base. To the API, an expiry of null is never.
func (m apiKeyModel) update(base apiKeyModel) api.KeyUpdate {
	update := api.KeyUpdate{
		Name:         toString(m.Name),
		Roles:        api.ListUpdate[string]{Before: toStrings(base.Roles), After: toStrings(m.Roles)},
		ExpireAt:     toString(m.ExpireAt.StringValue),
		State:        toString(m.State),
		IPAccessList: api.ListUpdate[api.AccessEntry]{Before: base.IPAccessList.entries(), After: m.IPAccessList.entries()},
	}
	if expireAt, ok := update.ExpireAt.Get(); ok && expireAt == "" {
		update.ExpireAt = api.NullOf[string]()
	}
	return update
}
