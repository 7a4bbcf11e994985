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
	list, err := c.backups.at(serviceID).read(ctx, c, r)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(*list), func(backup Object) bool { return backup == nil }), nil
}
