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
}

// A Bucket is where a backup is stored.
type Bucket struct {
	BucketPath         Value[string] `json:"bucketPath,omitzero"`
	IAMRoleARN         Value[string] `json:"iamRoleArn,omitzero"`
	IAMRoleSessionName Value[string] `json:"iamRoleSessionName,omitzero"`
}

// Backups lists the backups of a service (listBackups), in the API's order, which
// is not documented.
func (c *Client) Backups(ctx context.Context, serviceID string) ([]Backup, error) {
	a, err := c.transport.Do(ctx, transport.Request{
		Operation: "list backups",
		Method:    http.MethodGet,
		Path:      []string{"services", serviceID, "backups"},
		List:      true,
	}, c.transport.NewBudget())
	if err != nil {
		return nil, err
	}
	var backups Value[[]Backup]
	err = a.Decode(&backups)
	list, _ := backups.Get()
	return list, err
}
