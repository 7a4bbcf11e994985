package provider

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

type serviceModel struct {
	ServiceID                       types.String  `tfsdk:"service_id"`
	Name                            types.String  `tfsdk:"name"`
	IPAccessList                    accessList    `tfsdk:"ip_access_list"`
	PrivateEndpointIDs              types.Set     `tfsdk:"private_endpoint_ids"`
	TransparentDataEncryptionKeyID  types.String  `tfsdk:"transparent_data_encryption_key_id"`
	ReleaseChannel                  types.String  `tfsdk:"release_channel"`
	EndpointsEnabled                types.Map     `tfsdk:"endpoints_enabled"`
	Endpoints                       types.Map     `tfsdk:"endpoints"`
	DBVersion                       types.String  `tfsdk:"db_version"`
	MinTotalMemoryGB                types.Float64 `tfsdk:"min_total_memory_gb"`
	MaxTotalMemoryGB                types.Float64 `tfsdk:"max_total_memory_gb"`
	MinReplicaMemoryGB              types.Float64 `tfsdk:"min_replica_memory_gb"`
	MaxReplicaMemoryGB              types.Float64 `tfsdk:"max_replica_memory_gb"`
	NumReplicas                     types.Int64   `tfsdk:"num_replicas"`
	IdleScaling                     types.Bool    `tfsdk:"idle_scaling"`
	IdleTimeoutMinutes              types.Int64   `tfsdk:"idle_timeout_minutes"`
	CreatedAt                       timestamp     `tfsdk:"created_at"`
	EncryptionKey                   types.String  `tfsdk:"encryption_key"`
	EncryptionAssumedRoleIdentifier types.String  `tfsdk:"encryption_assumed_role_identifier"`
	IAMRole                         types.String  `tfsdk:"iam_role"`
	AvailablePrivateEndpointIDs     types.Set     `tfsdk:"available_private_endpoint_ids"`
	DataWarehouseID                 types.String  `tfsdk:"data_warehouse_id"`
	IsPrimary                       types.Bool    `tfsdk:"is_primary"`
	IsReadonly                      types.Bool    `tfsdk:"is_readonly"`
	BYOCID                          types.String  `tfsdk:"byoc_id"`
	HasTransparentDataEncryption    types.Bool    `tfsdk:"has_transparent_data_encryption"`
	EncryptionRoleID                types.String  `tfsdk:"encryption_role_id"`
}

// from is what an answer says of the service that m names.
func (m serviceModel) from(answer *api.Service) serviceModel {
	return serviceModel{
		ServiceID:                       m.ServiceID,
		Name:                            stringFrom(withoutNull(answer.Name)),
		IPAccessList:                    accessListFrom(answer.IPAccessList),
		PrivateEndpointIDs:              setFrom(answer.PrivateEndpointIDs),
		TransparentDataEncryptionKeyID:  stringFrom(withoutNull(answer.TransparentDataEncryptionKeyID)),
		ReleaseChannel:                  stringFrom(withoutNull(answer.ReleaseChannel)),
		EndpointsEnabled:                m.endpointsEnabled(answer),
		Endpoints:                       endpointsFrom(answer.Endpoints),
		DBVersion:                       stringFrom(answer.DBVersion),
		MinTotalMemoryGB:                float64From(answer.MinTotalMemoryGB),
		MaxTotalMemoryGB:                float64From(answer.MaxTotalMemoryGB),
		MinReplicaMemoryGB:              float64From(answer.MinReplicaMemoryGB),
		MaxReplicaMemoryGB:              float64From(answer.MaxReplicaMemoryGB),
		NumReplicas:                     int64From(answer.NumReplicas),
		IdleScaling:                     boolFrom(answer.IdleScaling),
		IdleTimeoutMinutes:              int64From(answer.IdleTimeoutMinutes),
		CreatedAt:                       timestampFrom(answer.CreatedAt),
		EncryptionKey:                   stringFrom(answer.EncryptionKey),
		EncryptionAssumedRoleIdentifier: stringFrom(answer.EncryptionAssumedRoleIdentifier),
		IAMRole:                         stringFrom(answer.IAMRole),
		AvailablePrivateEndpointIDs:     setFrom(answer.AvailablePrivateEndpointIDs),
		DataWarehouseID:                 stringFrom(answer.DataWarehouseID),
		IsPrimary:                       boolFrom(answer.IsPrimary),
		IsReadonly:                      boolFrom(answer.IsReadonly),
		BYOCID:                          stringFrom(answer.BYOCID),
		HasTransparentDataEncryption:    boolFrom(answer.HasTransparentDataEncryption),
		EncryptionRoleID:                stringFrom(answer.EncryptionRoleID),
	}
}

// endpointsEnabled is the switches that m has, with what an answer shows of
// them: the documented answers do not say which endpoints are enabled. Where
// one says all the same, that counts; else an endpoint counts as switched when
// it has appeared in or vanished from the endpoints that m has. Where m has no
// switches it is what the answer says of any.
func (m serviceModel) endpointsEnabled(answer *api.Service) types.Map {
	list, listed := answer.Endpoints.Get()
	said, now := map[string]attr.Value{}, map[string]bool{}
	for _, endpoint := range list {
		protocol, _ := endpoint.Protocol.Get()
		now[protocol] = true
		if enabled, ok := endpoint.Enabled.Get(); ok {
			said[protocol] = types.BoolValue(enabled)
		}
	}
	if m.EndpointsEnabled.IsNull() || m.EndpointsEnabled.IsUnknown() {
		if len(said) == 0 {
			return types.MapUnknown(types.BoolType)
		}
		return types.MapValueMust(types.BoolType, said)
	}

	switches, before := m.EndpointsEnabled.Elements(), m.Endpoints.Elements()
	compares := listed && !m.Endpoints.IsNull() && !m.Endpoints.IsUnknown()
	for protocol := range switches {
		_, was := before[protocol]
		switch {
		case said[protocol] != nil:
			switches[protocol] = said[protocol]
		case compares && was != now[protocol]:
			switches[protocol] = types.BoolValue(now[protocol])
		}
	}
	return types.MapValueMust(types.BoolType, switches)
}

var endpointShape = map[string]attr.Type{
	"host":     types.StringType,
	"port":     types.Int64Type,
	"username": types.StringType,
}

func endpointsFrom(endpoints api.Value[[]api.Endpoint]) types.Map {
	shape := types.ObjectType{AttrTypes: endpointShape}
	if endpoints.IsAbsent() {
		return types.MapUnknown(shape)
	}
	list, _ := endpoints.Get()
	byProtocol := make(map[string]attr.Value, len(list))
	for _, endpoint := range slices.SortedFunc(slices.Values(list), byHost) {
		protocol, _ := endpoint.Protocol.Get()
		if byProtocol[protocol] != nil {
			continue // whatever the order in which they are listed
		}
		byProtocol[protocol] = types.ObjectValueMust(endpointShape, map[string]attr.Value{
			"host":     types.StringPointerValue(pointer(endpoint.Host)),
			"port":     types.Int64PointerValue(pointer(endpoint.Port)),
			"username": types.StringPointerValue(pointer(endpoint.Username)),
		})
	}
	return types.MapValueMust(shape, byProtocol)
}

func byHost(a, b api.Endpoint) int {
	one, _ := a.Host.Get()
	other, _ := b.Host.Get()
	return cmp.Compare(one, other)
}

// update is what m changes about base, which is the service as it was planned.
func (m serviceModel) update(base serviceModel) api.ServiceUpdate {
	update := api.ServiceUpdate{
		Name:                           toString(m.Name),
		ReleaseChannel:                 toString(m.ReleaseChannel),
		TransparentDataEncryptionKeyID: toString(m.TransparentDataEncryptionKeyID),
		IPAccessList: api.ListUpdate[api.AccessEntry]{
			Before: base.IPAccessList.entries(),
			After:  m.IPAccessList.entries(),
		},
		PrivateEndpointIDs: api.ListUpdate[string]{
			Before: toStrings(base.PrivateEndpointIDs),
			After:  toStrings(m.PrivateEndpointIDs),
		},
	}
	switches, before := m.EndpointsEnabled.Elements(), base.EndpointsEnabled.Elements()
	for _, protocol := range slices.Sorted(maps.Keys(switches)) {
		if enabled := switches[protocol]; before[protocol] == nil || !before[protocol].Equal(enabled) {
			update.Endpoints = append(update.Endpoints, api.EndpointSwitch{
				Protocol: protocol,
				Enabled:  enabled.Equal(types.BoolValue(true)),
			})
		}
	}
	return update
}
