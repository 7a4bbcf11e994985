package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// service is a service (operation updateService).
func service() lifecycle.Definition {
	return lifecycle.Definition{
		Kind:        serviceKind,
		Schema:      serviceSchema(),
		Fetch:       readService,
		Write:       writeService,
		Canonical:   map[string]func(string) string{"ip_access_list": api.CanonicalAddress, "private_endpoint_ids": api.CanonicalAddress},
		Follows:     map[string]string{"endpoints": "endpoints_enabled"},
		SharedLists: []string{"ip_access_list", "private_endpoint_ids"},
		Advise:      adviseService,
	}
}

var serviceKind = lifecycle.Kind{TypeName: "service", Noun: "service", IDs: []string{"service_id"}, NoDocumentedRead: true}

func serviceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing service and manages the attributes that you set.",
		Attributes: map[string]schema.Attribute{
			"service_id": uuidAttribute("UUID of the service."),
			"name": managedString(
				"Name of the service.",
				fmt.Sprintf("It consists of 1 to %d ASCII letters, digits and white space.", api.ServiceNameMaxLength),
				isServiceName),
			"ip_access_list": managedAccessList("connect to the service"),
			"private_endpoint_ids": managedSet(
				"IDs of the private endpoints of the service.",
				"Authoritative: an update removes other IDs; an adoption fails if there are any.",
				areTrimmed),
			"transparent_data_encryption_key_id": managedString(
				"ID of the encryption key for transparent data encryption.",
				"Changing it rotates the encryption key.",
				isTrimmed),
			"release_channel": configuredString(
				"Release channel.",
				choices(api.ReleaseChannels)+" `slow` defers new releases; "+
					"`fast` delivers them as soon as possible, with a higher risk of bugs. Applies only to production services.", oneOf(api.ReleaseChannels)),
			"endpoints_enabled": schema.MapAttribute{
				Description: "Whether each endpoint is enabled, by protocol, such as `mysql`.",
				MarkdownDescription: "Whether each endpoint is enabled, by protocol, such as `mysql`. Only the listed protocols are managed. " +
					"If the API does not return this value, drift is detected only when a protocol appears in or disappears from `endpoints`.",
				ElementType: types.BoolType,
				Optional:    true,
				Validators:  []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1))},
			},
			"endpoints": schema.MapNestedAttribute{
				MarkdownDescription: "Endpoints of the service, by protocol.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"host":     computedString("Host name."),
					"port":     computedInt64("TCP port."),
					"username": computedString("User name for connections."),
				}},
			},
			"db_version":                         computedString("Version of the database engine."),
			"min_total_memory_gb":                computedFloat64("Minimum total memory, in GB."),
			"max_total_memory_gb":                computedFloat64("Maximum total memory, in GB."),
			"min_replica_memory_gb":              computedFloat64("Minimum memory per replica, in GB."),
			"max_replica_memory_gb":              computedFloat64("Maximum memory per replica, in GB."),
			"num_replicas":                       computedInt64("Number of replicas."),
			"idle_scaling":                       computedBool("Whether the service scales down when it is idle."),
			"idle_timeout_minutes":               computedInt64("Minutes of inactivity after which the service becomes idle."),
			"created_at":                         computedString("Creation time."),
			"encryption_assumed_role_identifier": computedString("Role that is assumed for access to the encryption key."),
			"iam_role":                           computedString("Cloud role of the service."),
			"available_private_endpoint_ids": schema.SetAttribute{
				MarkdownDescription: "IDs of the private endpoints that are available.",
				ElementType:         types.StringType,
				Computed:            true,
			},
			"data_warehouse_id":               computedString("ID of the data warehouse of the service."),
			"is_primary":                      computedBool("Whether this is the primary service of its data warehouse."),
			"is_readonly":                     computedBool("Whether the service is read-only."),
			"byoc_id":                         computedString("ID of the customer's own cloud account that the service runs in."),
			"has_transparent_data_encryption": computedBool("Whether transparent data encryption is enabled."),
			"encryption_role_id":              computedString("ID of the role for transparent data encryption."),
		},
	}
}

// lookedUpService also has the encryption key, which the resource keeps out of the state.
func lookedUpService() lifecycle.Definition {
	definition := service()
	definition.Schema.Attributes["encryption_key"] = schema.StringAttribute{
		MarkdownDescription: "Encryption key of the service.", Computed: true, Sensitive: true,
	}
	return definition
}

func readService(ctx context.Context, client *api.Client, prior lifecycle.Attributes) (lifecycle.Returned, error) {
	service, err := client.Service(ctx, lifecycle.Text(prior["service_id"]))
	if err != nil {
		return nil, err
	}
	return showService(service, prior), nil
}

func writeService(ctx context.Context, client *api.Client, change lifecycle.Change) (lifecycle.Returned, error) {
	before, after := lifecycle.ObjectOf[api.Service](change.Base()), lifecycle.ObjectOf[api.Service](change.Sent())
	service, err := client.UpdateService(ctx, lifecycle.Text(change.Planned["service_id"]), api.ServiceUpdate{
		Name:                           after.Name,
		ReleaseChannel:                 after.ReleaseChannel,
		TransparentDataEncryptionKeyID: after.TransparentDataEncryptionKeyID,
		Endpoints:                      endpointSwitches(change.Base()["endpoints_enabled"], change.Sent()["endpoints_enabled"]),
		IPAccessList:                   accessListUpdate(change),
		PrivateEndpointIDs:             api.ListUpdate[string]{Before: before.PrivateEndpointIDs, After: after.PrivateEndpointIDs},
	})
	if err != nil {
		return nil, err
	}
	return showService(service, change.Planned), nil
}

func showService(service *api.Service, prior lifecycle.Attributes) lifecycle.Returned {
	shown := lifecycle.ReturnedOf(*service)
	showAccessList(shown, service.IPAccessList)
	if endpoints, ok := service.Endpoints.Get(); ok {
		shown["endpoints"] = endpointsByProtocol(endpoints)
	}
	if len(shown) > 0 {
		showSwitches(shown, service, prior)
	}
	return shown
}

// endpointSwitches are the switches to send: those that are new or different.
func endpointSwitches(before, planned attr.Value) (switches []api.EndpointSwitch) {
	old, enabled := lifecycle.Elements(before), lifecycle.Elements(planned)
	for _, protocol := range slices.Sorted(maps.Keys(enabled)) {
		if value := enabled[protocol].(types.Bool); !value.Equal(old[protocol]) {
			switches = append(switches, api.EndpointSwitch{Protocol: protocol, Enabled: value.ValueBool()})
		}
	}
	return switches
}

func adviseService(_ context.Context, _ *api.Client, change lifecycle.Change) diag.Diagnostics {
	return append(warnOfAddresses(change), warnOfReplacements(change)...)
}

var endpointShape = map[string]attr.Type{
	"host":     types.StringType,
	"port":     types.Int64Type,
	"username": types.StringType,
}

// endpointsByProtocol shows one endpoint of each protocol: of several, the first by host, port and user name,
// so that the order of the response does not matter.
func endpointsByProtocol(endpoints []api.Endpoint) types.Map {
	byProtocol := make(map[string]attr.Value, len(endpoints))
	for _, endpoint := range slices.SortedFunc(slices.Values(endpoints), byHost) {
		protocol, _ := endpoint.Protocol.Get()
		if byProtocol[protocol] != nil {
			continue
		}
		byProtocol[protocol] = types.ObjectValueMust(endpointShape, map[string]attr.Value{
			"host":     types.StringPointerValue(pointer(endpoint.Host)),
			"port":     types.Int64PointerValue(pointer(endpoint.Port)),
			"username": types.StringPointerValue(pointer(endpoint.Username)),
		})
	}
	return types.MapValueMust(types.ObjectType{AttrTypes: endpointShape}, byProtocol)
}

func byHost(a, b api.Endpoint) int {
	return cmp.Or(compare(a.Host, b.Host), compare(a.Port, b.Port), compare(a.Username, b.Username))
}

// compare compares two values, of which a missing one counts as zero.
func compare[T cmp.Ordered](a, b api.Value[T]) int {
	one, _ := a.Get()
	other, _ := b.Get()
	return cmp.Compare(one, other)
}

// pointer is a pointer to the value, nil if there is none.
func pointer[T any](v api.Value[T]) *T {
	if value, ok := v.Get(); ok {
		return &value
	}
	return nil
}

// returnedSwitches are the switches of endpoints by protocol, which no documented response
// has. Of several endpoints of a protocol, one that is enabled counts.
func returnedSwitches(endpoints []api.Endpoint) map[string]attr.Value {
	switches := map[string]attr.Value{}
	for _, endpoint := range endpoints {
		protocol, _ := endpoint.Protocol.Get()
		if enabled, ok := endpoint.Enabled.Get(); ok && (enabled || switches[protocol] == nil) {
			switches[protocol] = types.BoolValue(enabled)
		}
	}
	return switches
}

// showSwitches shows endpoints_enabled, for the protocols that prior has, if the API returned one of their switches or
// endpoints tell one. A refresh goes by what has appeared or disappeared there. After an update, whose plan leaves
// endpoints open, a protocol was switched on if it is listed, and off if it is not. The opposite tells nothing: some APIs
// list what is off.
func showSwitches(shown lifecycle.Returned, service *api.Service, prior lifecycle.Attributes) {
	endpoints, _ := service.Endpoints.Get()
	returned, switches := returnedSwitches(endpoints), lifecycle.Elements(prior["endpoints_enabled"])
	if switches == nil {
		switches = returned
	}
	listed := map[string]bool{}
	for _, endpoint := range endpoints {
		protocol, _ := endpoint.Protocol.Get()
		listed[protocol] = true
	}
	isUpdate := prior["endpoints"].IsUnknown()
	areReturned := service.Endpoints.IsKnown()
	areKnown := areReturned || service.IPAccessList.IsKnown() // a read that shows the lists, and no endpoints, has none
	before, areShown := lifecycle.Elements(prior["endpoints"]), false
	for protocol, known := range switches {
		isOn, wasListed := types.BoolValue(listed[protocol]), before[protocol] != nil
		switch {
		case returned[protocol] != nil:
			switches[protocol] = returned[protocol]
		case isUpdate && areKnown && known.Equal(isOn):
		case areReturned && before != nil && listed[protocol] != wasListed:
			switches[protocol] = isOn
		default:
			continue
		}
		areShown = true
	}
	if areShown {
		shown["endpoints_enabled"] = types.MapValueMust(types.BoolType, switches)
	}
}
