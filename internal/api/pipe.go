package api

import "context"

// A Pipe moves data from a source into a table of a service (specification,
// "Pipe"). Times are as the API writes them: their format is not specified.
type Pipe struct {
	ID            Value[string]         `json:"id,omitzero"`
	ServiceID     Value[string]         `json:"serviceId,omitzero"`
	Name          Value[string]         `json:"name,omitzero"`
	State         Value[string]         `json:"state,omitzero"`
	Scaling       Value[Scaling]        `json:"scaling,omitzero"`
	Source        Value[Source]         `json:"source,omitzero"`
	Destination   Value[Destination]    `json:"destination,omitzero"`
	FieldMappings Value[[]FieldMapping] `json:"fieldMappings,omitzero"`
	Settings      Value[Settings]       `json:"settings,omitzero"`
	CreatedAt     Value[string]         `json:"createdAt,omitzero"`
	UpdatedAt     Value[string]         `json:"updatedAt,omitzero"`
}

// Scaling is how much a pipe may use (specification, "Pipe scaling"): replicas
// for a kafka source, concurrency for an object-storage source, CPU and memory
// per replica for streaming pipes. Its bounds are LimitReplicas and so on.
type Scaling struct {
	Replicas             Value[int64]   `json:"replicas,omitzero"`
	Concurrency          Value[int64]   `json:"concurrency,omitzero"`
	ReplicaCPUMillicores Value[int64]   `json:"replicaCpuMillicores,omitzero"`
	ReplicaMemoryGB      Value[float64] `json:"replicaMemoryGb,omitzero"`
}

// Pipe reads a pipe (specification, "Get pipe"). Concurrent reads of one pipe
// are one request, and its answer serves later reads until the pipe is
// written. The errors are of type *Error.
func (c *Client) Pipe(ctx context.Context, serviceID, pipeID string) (*Pipe, error) {
	return nil, errUnwritten
}

// ScalePipe sends the members of change that are not absent (specification,
// "Scale pipe") and returns the newest pipe: what was known, under what was
// sent, under what the answer says.
func (c *Client) ScalePipe(ctx context.Context, serviceID, pipeID string, change Scaling) (*Pipe, error) {
	return nil, errUnwritten
}
