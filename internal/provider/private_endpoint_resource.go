package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

var endpointEntry = serviceEntry{
	id: "private_endpoint_id", entries: endpointEntries,
	isLeftOut: func(service *api.Service) bool { return service.PrivateEndpointIDs.IsNull() },
}

// privateEndpoint is one private endpoint of a service.
func privateEndpoint() lifecycle.EntryDefinition {
	return lifecycle.EntryDefinition{
		Definition: lifecycle.Definition{
			Kind:      lifecycle.Kind{TypeName: "service_private_endpoint", Noun: "private endpoint", IDs: []string{"service_id", endpointEntry.id}, Owner: &serviceKind},
			Schema:    privateEndpointSchema(),
			Fetch:     endpointEntry.read,
			Write:     writePrivateEndpoint,
			Canonical: map[string]func(string) string{"private_endpoint_id": api.CanonicalAddress},
		},
		List:    "private_endpoint_ids",
		Entries: endpointEntry.list,
		Remove:  removePrivateEndpoint,
	}
}

func privateEndpointSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adds a private endpoint to a service. Other private endpoints of the service are left alone.",
		Attributes: map[string]schema.Attribute{
			"service_id":          uuidAttribute("UUID of the service."),
			"private_endpoint_id": idAttribute("ID of the private endpoint.", isTrimmed, api.CanonicalAddress),
		},
	}
}

func endpointEntries(service *api.Service) (map[string]lifecycle.Returned, error) {
	list, _ := service.PrivateEndpointIDs.Get() // null is empty
	if !service.PrivateEndpointIDs.IsKnown() {
		return nil, lifecycle.ErrListUnknown
	}
	entries := map[string]lifecycle.Returned{}
	for _, id := range list {
		entries[id] = lifecycle.Returned{} // it has nothing else
	}
	return entries, nil
}

func writePrivateEndpoint(ctx context.Context, client *api.Client, change lifecycle.Change) (lifecycle.Returned, error) {
	id := lifecycle.Text(change.Planned["private_endpoint_id"])
	return endpointEntry.write(ctx, client, change.Planned, api.PrivateEndpointUpdate(nil, &id))
}

func removePrivateEndpoint(ctx context.Context, client *api.Client, state lifecycle.Attributes) (isShown bool, err error) {
	id := lifecycle.Text(state["private_endpoint_id"])
	service, err := client.UpdateService(ctx, lifecycle.Text(state["service_id"]), api.PrivateEndpointUpdate(&id, nil))
	return err == nil && service.PrivateEndpointIDs.IsKnown(), err
}
