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

// from is the service that the API returned.
func (m serviceModel) from(service *api.Service) serviceModel {
	return serviceModel{
		ServiceID:                       m.ServiceID,
		Name:                            stringFrom(withoutNull(service.Name)),
		IPAccessList:                    accessListFrom(service.IPAccessList),
		PrivateEndpointIDs:              setFrom(service.PrivateEndpointIDs),
		TransparentDataEncryptionKeyID:  stringFrom(withoutNull(service.TransparentDataEncryptionKeyID)),
		ReleaseChannel:                  stringFrom(withoutNull(service.ReleaseChannel)),
		EndpointsEnabled:                m.endpointsEnabled(service),
		Endpoints:                       endpointsFrom(service.Endpoints),
		DBVersion:                       stringFrom(service.DBVersion),
		MinTotalMemoryGB:                float64From(service.MinTotalMemoryGB),
		MaxTotalMemoryGB:                float64From(service.MaxTotalMemoryGB),
		MinReplicaMemoryGB:              float64From(service.MinReplicaMemoryGB),
		MaxReplicaMemoryGB:              float64From(service.MaxReplicaMemoryGB),
		NumReplicas:                     int64From(service.NumReplicas),
		IdleScaling:                     boolFrom(service.IdleScaling),
		IdleTimeoutMinutes:              int64From(service.IdleTimeoutMinutes),
		CreatedAt:                       timestampFrom(service.CreatedAt),
		EncryptionKey:                   stringFrom(service.EncryptionKey),
		EncryptionAssumedRoleIdentifier: stringFrom(service.EncryptionAssumedRoleIdentifier),
		IAMRole:                         stringFrom(service.IAMRole),
		AvailablePrivateEndpointIDs:     setFrom(service.AvailablePrivateEndpointIDs),
		DataWarehouseID:                 stringFrom(service.DataWarehouseID),
		IsPrimary:                       boolFrom(service.IsPrimary),
		IsReadonly:                      boolFrom(service.IsReadonly),
		BYOCID:                          stringFrom(service.BYOCID),
		HasTransparentDataEncryption:    boolFrom(service.HasTransparentDataEncryption),
		EncryptionRoleID:                stringFrom(service.EncryptionRoleID),
	}
}

// endpointsEnabled is the switches of m, updated by what the API returned. The
// API is not documented to return them; if it does, that counts. Otherwise an
// endpoint counts as switched when it appears in or disappears from the
// endpoints of m. Without switches in m, it is whatever the API returned.
func (m serviceModel) endpointsEnabled(service *api.Service) types.Map {
	list, listed := service.Endpoints.Get()
	returned, now := map[string]attr.Value{}, map[string]bool{}
	for _, endpoint := range list {
		protocol, _ := endpoint.Protocol.Get()
		now[protocol] = true
		if enabled, ok := endpoint.Enabled.Get(); ok {
			returned[protocol] = types.BoolValue(enabled)
		}
	}
	if m.EndpointsEnabled.IsNull() || m.EndpointsEnabled.IsUnknown() {
		if len(returned) == 0 {
			return types.MapUnknown(types.BoolType)
		}
		return types.MapValueMust(types.BoolType, returned)
	}

	switches, before := m.EndpointsEnabled.Elements(), m.Endpoints.Elements()
	compares := listed && !m.Endpoints.IsNull() && !m.Endpoints.IsUnknown()
	for protocol := range switches {
		_, was := before[protocol]
		switch {
		case returned[protocol] != nil:
			switches[protocol] = returned[protocol]
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
			continue // the first by host, in any order of the response
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
