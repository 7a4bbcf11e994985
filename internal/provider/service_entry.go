package provider

import (
	"context"
	"errors"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// A serviceEntry is one entry of a service's list that is a resource of its own. It is
// read from the service and written by updateService.
type serviceEntry struct {
	id        string // the attribute that is the entry's own id
	canonical func(id string) string
	// entries returns the entries with the wanted ids, by id, or ErrUnlisted. Notations of
	// one id are one entry.
	entries func(service *api.Service, isWanted func(id string) bool) (map[string]lifecycle.Attributes, error)
}

func (e serviceEntry) read(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (lifecycle.Attributes, error) {
	service, err := client.Service(ctx, lifecycle.Text(ids["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.find(service, ids)
}

func (e serviceEntry) find(service *api.Service, ids lifecycle.Attributes) (lifecycle.Attributes, error) {
	wanted := e.canonical(lifecycle.Text(ids[e.id]))
	entries, err := e.entries(service, func(id string) bool { return e.canonical(id) == wanted })
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		return entry, nil
	}
	return nil, lifecycle.ErrAbsent
}

func (e serviceEntry) list(ctx context.Context, client *api.Client, owner lifecycle.Attributes) (map[string]lifecycle.Attributes, error) {
	service, err := client.Service(ctx, lifecycle.Text(owner["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.entries(service, func(string) bool { return true })
}

// write returns the entry after an update, nothing of it if the list cannot be read.
func (e serviceEntry) write(ctx context.Context, client *api.Client, ids lifecycle.Attributes, update api.ServiceUpdate) (lifecycle.Attributes, error) {
	service, err := client.UpdateService(ctx, lifecycle.Text(ids["service_id"]), update)
	if err != nil {
		return nil, err
	}
	entry, err := e.find(service, ids)
	if errors.Is(err, lifecycle.ErrUnlisted) {
		return nil, nil
	}
	return entry, err
}
