package api

import (
	"context"
	"net/http"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A Backup is a backup of a service.
type Backup struct {
	ID                Value[string] `json:"id,omitzero"`
	ServiceID         Value[string] `json:"serviceId,omitzero"`
	StartedAt         Value[string] `json:"startedAt,omitzero"`
	FinishedAt        Value[string] `json:"finishedAt,omitzero"`
	SizeInBytes       Value[int64]  `json:"sizeInBytes,omitzero"`
	DurationInSeconds Value[int64]  `json:"durationInSeconds,omitzero"`
	BackupName        Value[string] `json:"backupName,omitzero"`
	Bucket            Value[Bucket] `json:"bucket,omitzero"`

	// Status is not documented: "done", "error" and "in_progress" are known.
	Status Value[string] `json:"status,omitzero"`
}

// A Bucket is where a backup is stored.
type Bucket struct {
	BucketPath         Value[string] `json:"bucketPath,omitzero"`
	IAMRoleARN         Value[string] `json:"iamRoleArn,omitzero"`
	IAMRoleSessionName Value[string] `json:"iamRoleSessionName,omitzero"`
}

// Backups returns the backups of a service (listBackups), in the API's order,
// which can be any. Nothing writes backups: all reads in one run are one request.
func (c *Client) Backups(ctx context.Context, serviceID string) ([]Backup, error) {
	r := transport.Request{
		Operation: "list backups",
		Method:    http.MethodGet,
		Path:      []string{"services", serviceID, "backups"},
		List:      true,
	}
	list, err := c.backups.at(serviceID).read(ctx, r.Operation, c.fresh, func(ctx context.Context) (*[]Backup, error) {
		resp, err := c.transport.Do(ctx, r, c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		var backups []*Backup
		if err := resp.Decode(&backups); err != nil {
			return nil, err
		}
		list := []Backup{}
		for _, backup := range backups {
			if backup != nil {
				list = append(list, *backup)
			}
		}
		return &list, nil
	})
	if err != nil {
		return nil, err
	}
	return *list, nil
}
