package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Backups returns the backups of a service (listBackups), in the API's order,
// which can be any. Nothing writes backups: all reads in one run are one request.
func (c *Client) Backups(ctx context.Context, serviceID string) ([]Object, error) {
	r := transport.Request{
		Operation: "list backups",
		Method:    http.MethodGet,
		Path:      []string{"services", serviceID, "backups"},
	}
	list, err := c.backups.at(serviceID).read(ctx, r.Operation, c.fresh, func(ctx context.Context) (*[]Object, error) {
		resp, err := c.transport.Do(ctx, r, c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		var backups []Object
		if err := resp.Decode(&backups); err != nil {
			return nil, err
		}
		backups = slices.DeleteFunc(backups, func(backup Object) bool { return backup == nil })
		return &backups, nil
	})
	if err != nil {
		return nil, err
	}
	return *list, nil
}
