package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// A serviceEntry is one entry of a service's list that is a resource of its own. It is
// read from the service and written by updateService.
type serviceEntry struct {
	id string // the attribute that is the entry's own id
	// entries returns the entries by id, or ErrListUnknown.
	entries func(service *api.Service) (map[string]lifecycle.Returned, error)
	// isLeftOut reports whether a read has left the list out, or has shown null: it is empty.
	isLeftOut func(service *api.Service) bool
}

func (e serviceEntry) read(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (lifecycle.Returned, error) {
	service, err := client.Service(ctx, lifecycle.Text(ids["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.find(service, ids)
}

// find returns an entry, with its id as the API writes it.
func (e serviceEntry) find(service *api.Service, ids lifecycle.Attributes) (lifecycle.Returned, error) {
	entries, err := e.entries(service)
	if err != nil {
		return nil, err
	}
	wanted := api.CanonicalAddress(lifecycle.Text(ids[e.id]))
	for id, entry := range entries {
		if api.CanonicalAddress(id) == wanted {
			entry[e.id] = types.StringValue(id)
			return entry, nil
		}
	}
	if e.isLeftOut(service) {
		return nil, lifecycle.ErrLeftOut
	}
	return nil, lifecycle.ErrAbsent
}

func (e serviceEntry) list(ctx context.Context, client *api.Client, owner lifecycle.Attributes) (map[string]lifecycle.Returned, error) {
	service, err := client.Service(ctx, lifecycle.Text(owner["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.entries(service)
}

// write returns the entry after an update, nothing of it if the response shows no entries.
func (e serviceEntry) write(ctx context.Context, client *api.Client, ids lifecycle.Attributes, update api.ServiceUpdate) (lifecycle.Returned, error) {
	service, err := client.UpdateService(ctx, lifecycle.Text(ids["service_id"]), update)
	if err != nil {
		return nil, err
	}
	if entries, _ := e.entries(service); len(entries) == 0 {
		return nil, nil
	}
	return e.find(service, ids)
}
