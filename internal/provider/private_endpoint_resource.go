package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

var endpointEntry = serviceEntry{id: "private_endpoint_id", canonical: privateEndpointID, entries: endpointEntries}

// privateEndpoint is one private endpoint of a service.
func privateEndpoint() lifecycle.Definition {
	return lifecycle.Definition{
		Kind: lifecycle.Kind{
			TypeName:         "service_private_endpoint",
			Noun:             "private endpoint",
			IDs:              []string{"service_id", endpointEntry.id},
			NoDocumentedRead: true,
			EntryOf: &lifecycle.EntryOf{
				Owner:     "service",
				Attribute: "private_endpoint_ids",
				List:      endpointEntry.list,
				Remove:    removePrivateEndpoint,
				// A removal warns of nothing: without private endpoints, nobody else is admitted.
			},
		},
		Schema: privateEndpointSchema(),
		Fetch:  endpointEntry.read,
		Write:  writePrivateEndpoint,
		Advise: advisePrivateEndpoint,
	}
}

// privateEndpointID returns an id as it is: it has one notation.
func privateEndpointID(id string) string { return id }

func privateEndpointSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adds a private endpoint to a service. Other private endpoints of the service are left alone.",
		Attributes: map[string]schema.Attribute{
			"service_id": uuidAttribute("UUID of the service."),
			"private_endpoint_id": idAttribute("ID of the private endpoint. The plan warns if the service's `available_private_endpoint_ids` lack it.",
				isTrimmed, privateEndpointID),
		},
	}
}

func endpointEntries(service *api.Service, isWanted func(id string) bool) (map[string]lifecycle.Attributes, error) {
	list, _ := service.PrivateEndpointIDs.Get() // one that is left out is empty
	if service.PrivateEndpointIDs.IsMistyped() {
		return nil, lifecycle.ErrUnlisted
	}
	entries := map[string]lifecycle.Attributes{}
	for _, id := range list {
		if isWanted(id) {
			entries[id] = lifecycle.Attributes{} // it has nothing else
		}
	}
	return entries, nil
}

func writePrivateEndpoint(ctx context.Context, client *api.Client, change lifecycle.Change) (lifecycle.Attributes, error) {
	id := lifecycle.Text(change.Planned["private_endpoint_id"])
	return endpointEntry.write(ctx, client, change.Planned, api.PrivateEndpointUpdate(nil, &id))
}

func removePrivateEndpoint(ctx context.Context, client *api.Client, state lifecycle.Attributes) error {
	id := lifecycle.Text(state["private_endpoint_id"])
	_, err := client.UpdateService(ctx, lifecycle.Text(state["service_id"]), api.PrivateEndpointUpdate(&id, nil))
	return err
}

func advisePrivateEndpoint(ctx context.Context, client *api.Client, change lifecycle.Change) diag.Diagnostics {
	if !change.Creates {
		return nil
	}
	service, err := client.Service(ctx, lifecycle.Text(change.Planned["service_id"]))
	if err != nil {
		return nil // reported by the read
	}
	available, isShown := service.AvailablePrivateEndpointIDs.Get()
	if !isShown {
		return nil
	}
	id := change.Planned[endpointEntry.id]
	return warnOfEndpoints(endpointEntry.id, change, map[string]attr.Value{lifecycle.Text(id): id}, available)
}

// warnOfEndpoints warns of added private endpoints that are not available.
func warnOfEndpoints(attribute string, change lifecycle.Change, added map[string]attr.Value, available []string) diag.Diagnostics {
	unavailable := slices.DeleteFunc(slices.Sorted(maps.Keys(added)), func(id string) bool {
		return added[id].IsUnknown() || slices.Contains(available, id)
	})
	if len(unavailable) == 0 {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root(attribute), "Private endpoint is not available: "+change.ShortName(), fmt.Sprintf(
		"The plan adds private endpoints that available_private_endpoint_ids of the service does not list: %s. Check their ids: the API may refuse them.", lifecycle.Names(unavailable)))}
}
