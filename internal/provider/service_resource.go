package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// service is a service (operation updateService). Its schema is in
// service_schema.go.
type service struct{}

func (service) Metadata() adopt.Metadata {
	return adopt.Metadata{
		TypeName: "service",
		Noun:     "service",
		IDs:      []string{"service_id"},
		ChangesWith: map[string][]string{
			"endpoints_enabled": {"endpoints"},
			"transparent_data_encryption_key_id": {
				"encryption_key", "encryption_assumed_role_identifier", "encryption_role_id", "has_transparent_data_encryption",
			},
		},
		SentAsDifference: []string{"ip_access_list", "private_endpoint_ids"},
		ReadByUpdate:     true,
	}
}

func (service) Read(ctx context.Context, client *api.Client, ids adopt.Attributes) (*api.Service, error) {
	return client.Service(ctx, adopt.Text(ids["service_id"]))
}

func (service) Write(ctx context.Context, client *api.Client, update adopt.Update[api.Service]) (*api.Service, error) {
	before, after := update.Before, update.Change
	return client.UpdateService(ctx, adopt.Text(update.IDs["service_id"]), api.ServiceUpdate{
		Name:                           after.Name,
		ReleaseChannel:                 after.ReleaseChannel,
		TransparentDataEncryptionKeyID: after.TransparentDataEncryptionKeyID,
		Endpoints:                      endpointSwitches(update.AttributesBefore["endpoints_enabled"], update.ChangedAttributes["endpoints_enabled"]),
		IPAccessList:                   api.ListUpdate[api.AccessEntry]{Before: before.IPAccessList, After: after.IPAccessList},
		PrivateEndpointIDs:             api.ListUpdate[string]{Before: before.PrivateEndpointIDs, After: after.PrivateEndpointIDs},
	})
}

// endpointSwitches are the switches to send: those that are new or different.
func endpointSwitches(before, after attr.Value) []api.EndpointSwitch {
	var switches []api.EndpointSwitch
	old, planned := adopt.Elements(before), adopt.Elements(after)
	for _, protocol := range slices.Sorted(maps.Keys(planned)) {
		if enabled := planned[protocol]; !enabled.Equal(old[protocol]) {
			switches = append(switches, api.EndpointSwitch{Protocol: protocol, Enabled: enabled.Equal(types.BoolValue(true))})
		}
	}
	return switches
}

func (service) Advise(ctx context.Context, client *api.Client, change adopt.Change) diag.Diagnostics {
	diags := append(warnOfAddresses(change), refuseUnknownRemovals(ctx, client, change)...)
	added := maps.Clone(adopt.Elements(change.Planned["private_endpoint_ids"]))
	for id := range adopt.Elements(change.Before["private_endpoint_ids"]) {
		delete(added, id)
	}
	available := slices.Collect(maps.Keys(adopt.Elements(change.Before["available_private_endpoint_ids"])))
	return append(diags, warnOfUnavailable("private_endpoint_ids", change, slices.Collect(maps.Values(added)), available)...)
}

// refuseUnknownRemovals refuses to empty a list that the state does not have, of a
// service that the API hides: entries are removed by name, so nothing would be sent. A
// list that is missing from a service that is shown may be empty.
func refuseUnknownRemovals(ctx context.Context, client *api.Client, change adopt.Change) (diags diag.Diagnostics) {
	for _, name := range []string{"ip_access_list", "private_endpoint_ids"} {
		planned, before := change.Planned[name], change.Before[name]
		if !change.Sets(name) || planned.IsUnknown() || len(adopt.Elements(planned)) > 0 || len(adopt.Elements(before)) > 0 {
			continue
		}
		id := adopt.Text(change.Before["service_id"])
		if _, err := client.Service(ctx, id); errors.Is(err, api.ErrHidden) {
			diags.AddAttributeError(path.Root(name), "Unable to empty an unknown list", fmt.Sprintf(
				"The API did not return the lists of service %s, and Terraform removes entries by name. If this always happens, remove %s from the configuration.", id, name))
		}
	}
	return diags
}

// Show shows the endpoints by protocol, and which of them are enabled.
func (service) Show(service *api.Service, prior adopt.Attributes) adopt.Attributes {
	return adopt.Attributes{
		"endpoints":         endpointsByProtocol(service.Endpoints),
		"endpoints_enabled": enabledEndpoints(service.Endpoints, prior),
	}
}

var endpointShape = map[string]attr.Type{
	"host":     types.StringType,
	"port":     types.Int64Type,
	"username": types.StringType,
}

func endpointsByProtocol(endpoints api.Value[[]api.Endpoint]) types.Map {
	shape := types.ObjectType{AttrTypes: endpointShape}
	if !endpoints.IsKnown() {
		return types.MapUnknown(shape)
	}
	list, _ := endpoints.Get()
	byProtocol := make(map[string]attr.Value, len(list))
	for _, endpoint := range slices.SortedFunc(slices.Values(list), byHost) {
		protocol, _ := endpoint.Protocol.Get()
		if byProtocol[protocol] != nil {
			continue // sorted by host, so that the order of the response does not matter
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

// pointer is a pointer to the value, nil if there is none.
func pointer[T any](v api.Value[T]) *T {
	if value, ok := v.Get(); ok {
		return &value
	}
	return nil
}

// enabledEndpoints is the prior endpoints_enabled, updated by what the API
// returned. Its documentation does not list the switches in responses; if they
// are returned, they count. Otherwise an endpoint counts as switched when it
// appears in or disappears from the prior endpoints. Without prior switches, it
// is whatever the API returned.
func enabledEndpoints(endpoints api.Value[[]api.Endpoint], prior adopt.Attributes) types.Map {
	list, listed := endpoints.Get()
	list = slices.SortedFunc(slices.Values(list), byHost) // the order of the response does not matter
	returned, now := map[string]attr.Value{}, map[string]bool{}
	for _, endpoint := range list {
		protocol, _ := endpoint.Protocol.Get()
		now[protocol] = true
		if enabled, ok := endpoint.Enabled.Get(); ok {
			returned[protocol] = types.BoolValue(enabled)
		}
	}
	switches, before := maps.Clone(adopt.Elements(prior["endpoints_enabled"])), adopt.Elements(prior["endpoints"])
	switch {
	case switches == nil && len(returned) == 0:
		return types.MapUnknown(types.BoolType)
	case switches == nil:
		return types.MapValueMust(types.BoolType, returned)
	}
	for protocol := range switches {
		_, was := before[protocol]
		switch {
		case returned[protocol] != nil:
			switches[protocol] = returned[protocol]
		case listed && before != nil && was != now[protocol]:
			switches[protocol] = types.BoolValue(now[protocol])
		}
	}
	return types.MapValueMust(types.BoolType, switches)
}
