package provider

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// A serviceEntry is one entry of a service's list that is a resource of its own. It is
// read from the service and written by updateService.
type serviceEntry[E any] struct {
	metadata lifecycle.Metadata
	// entries returns the entries with the wanted ids, by id, or ErrUnlisted. Notations of
	// one id are one entry.
	entries func(service *api.Service, isWanted func(id string) bool) (map[string]*E, error)
}

func (e serviceEntry[E]) Metadata() lifecycle.Metadata { return e.metadata }

func (e serviceEntry[E]) Read(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (*E, error) {
	service, err := client.Service(ctx, lifecycle.Text(ids["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.find(service, ids)
}

func (e serviceEntry[E]) find(service *api.Service, ids lifecycle.Attributes) (*E, error) {
	ownID, canonical := e.metadata.IDs[1], e.metadata.EntryOf.Canonical
	wanted := canonical(lifecycle.Text(ids[ownID]))
	entries, err := e.entries(service, func(id string) bool { return canonical(id) == wanted })
	if err == nil && len(entries) == 0 {
		err = lifecycle.ErrAbsent
	}
	if err != nil {
		return nil, err
	}
	return slices.Collect(maps.Values(entries))[0], nil
}

func (e serviceEntry[E]) List(ctx context.Context, client *api.Client, owner lifecycle.Attributes) (map[string]*E, error) {
	service, err := client.Service(ctx, lifecycle.Text(owner["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.entries(service, func(string) bool { return true })
}

// write returns the entry after an update, the zero E if the list is not returned.
func (e serviceEntry[E]) write(ctx context.Context, client *api.Client, ids lifecycle.Attributes, update api.ServiceUpdate) (*E, error) {
	service, err := client.UpdateService(ctx, lifecycle.Text(ids["service_id"]), update)
	if err != nil {
		return nil, err
	}
	entry, err := e.find(service, ids)
	if errors.Is(err, lifecycle.ErrUnlisted) {
		return new(E), nil
	}
	return entry, err
}
