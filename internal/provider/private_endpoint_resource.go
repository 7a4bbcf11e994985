package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// privateEndpoint is one private endpoint of a service.
type privateEndpoint struct{ serviceEntry[endpointEntry] }

func newPrivateEndpoint() privateEndpoint {
	return privateEndpoint{serviceEntry[endpointEntry]{
		metadata: lifecycle.Metadata{
			TypeName:     "service_private_endpoint",
			Noun:         "private endpoint",
			IDs:          []string{"service_id", "private_endpoint_id"},
			EntryOf:      &lifecycle.EntryOf{Owner: "service", Attribute: "private_endpoint_ids", Canonical: privateEndpointID},
			ReadByUpdate: true,
		},
		entries: endpointEntries,
	}}
}

// An endpointEntry has nothing to set.
type endpointEntry struct{}

// privateEndpointID returns an id as it is: it has one notation.
func privateEndpointID(id string) string { return id }

func (privateEndpoint) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adds a private endpoint to a service. Other private endpoints of the service are left alone.",
		Attributes: map[string]schema.Attribute{
			"service_id": uuidAttribute("UUID of the service."),
			"private_endpoint_id": idAttribute("ID of the private endpoint. The plan warns if the service's `available_private_endpoint_ids` lack it.",
				isTrimmed, privateEndpointID),
		},
	}
}

func endpointEntries(service *api.Service, isWanted func(id string) bool) (map[string]*endpointEntry, error) {
	if !service.PrivateEndpointIDs.IsKnown() {
		return nil, lifecycle.ErrUnlisted
	}
	list, _ := service.PrivateEndpointIDs.Get()
	entries := map[string]*endpointEntry{}
	for _, id := range list {
		if isWanted(id) {
			entries[id] = &endpointEntry{}
		}
	}
	return entries, nil
}

func (e privateEndpoint) Write(ctx context.Context, client *api.Client, update lifecycle.Update[endpointEntry]) (*endpointEntry, error) {
	id := lifecycle.Text(update.IDs["private_endpoint_id"])
	return e.write(ctx, client, update.IDs, api.PrivateEndpointUpdate(nil, &id))
}

func (e privateEndpoint) Remove(ctx context.Context, client *api.Client, state lifecycle.Attributes) error {
	id := lifecycle.Text(state["private_endpoint_id"])
	_, err := client.UpdateService(ctx, lifecycle.Text(state["service_id"]), api.PrivateEndpointUpdate(&id, nil))
	return err
}

func (privateEndpoint) Advise(ctx context.Context, client *api.Client, change lifecycle.Change) diag.Diagnostics {
	if !change.Creates {
		return nil
	}
	service, err := client.Service(ctx, lifecycle.Text(change.Planned["service_id"]))
	if err != nil {
		return nil // reported by the read
	}
	available, _ := service.AvailablePrivateEndpointIDs.Get()
	return warnOfUnavailable("private_endpoint_id", change, []attr.Value{change.Planned["private_endpoint_id"]}, available)
}

// AdviseRemoval warns of nothing: without private endpoints, nobody else is admitted.
func (privateEndpoint) AdviseRemoval(context.Context, *api.Client, lifecycle.Attributes, func(string) bool) diag.Diagnostics {
	return nil
}
