package provider

import (
	"context"
	"errors"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// A serviceEntry is one entry of a service's list that is a resource of its own. It is
// read from the service and written by updateService.
type serviceEntry[E any] struct {
	// find returns the entry in the service's list, or why there is none.
	find func(service *api.Service, ids lifecycle.Attributes) (*E, error)
	// list returns all entries by their own id, or why there are none.
	list func(service *api.Service) (map[string]*E, error)
}

func (e serviceEntry[E]) Read(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (*E, error) {
	service, err := client.Service(ctx, lifecycle.Text(ids["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.find(service, ids)
}

func (e serviceEntry[E]) List(ctx context.Context, client *api.Client, owner lifecycle.Attributes) (map[string]*E, error) {
	service, err := client.Service(ctx, lifecycle.Text(owner["service_id"]))
	if err != nil {
		return nil, err
	}
	return e.list(service)
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
