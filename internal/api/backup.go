package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Backups are those of a service, in the API's order, which can be any.
type Backups struct {
	List    []Object
	HasMore bool // the API says that it has others
}

// UnmarshalJSON reads the list, without nulls.
func (b *Backups) UnmarshalJSON(data []byte) error {
	err := json.Unmarshal(data, &b.List)
	b.List = slices.DeleteFunc(b.List, func(backup Object) bool { return backup == nil })
	return err
}

func (b *Backups) wasRead(resp transport.Response) { b.HasMore = resp.HasMore() }

// Backups returns the backups of a service (listBackups). Nothing writes backups: all reads in
// one run are one request.
func (c *Client) Backups(ctx context.Context, serviceID string) (*Backups, error) {
	r := transport.Request{
		Operation: "list backups",
		Method:    http.MethodGet,
		Path:      []string{"services", serviceID, "backups"},
	}
	return c.backups.at(serviceID).read(ctx, c, r)
}
