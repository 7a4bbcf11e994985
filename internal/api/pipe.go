package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A Pipe moves data from a source into a table of a service.
type Pipe struct {
	Scaling  Value[Scaling]  `json:"scaling,omitzero"`
	Settings Value[Settings] `json:"settings,omitzero"`
	Source   Value[Source]   `json:"source,omitzero"`

	// Returned is the JSON of the API's last response about the pipe.
	Returned json.RawMessage `json:"-"`
}

// UnmarshalJSON lays a pipe over p, its scaling and settings member by member.
func (p *Pipe) UnmarshalJSON(data []byte) error {
	type plain Pipe
	before := *p
	if err := json.Unmarshal(data, (*plain)(p)); err != nil {
		return err
	}
	p.Scaling = patched(before.Scaling, p.Scaling)
	p.Settings = patched(before.Settings, p.Settings)
	p.Returned = bytes.Clone(data)
	return nil
}

// A Source is the kinds of source that a pipe has a member for: usually one.
type Source []string

// The documented kinds of source.
const (
	Kafka         = "kafka"
	ObjectStorage = "objectStorage"
	Kinesis       = "kinesis"
	Postgres      = "postgres"
)

// UnmarshalJSON reads the documented kinds whose member is an object.
func (s *Source) UnmarshalJSON(data []byte) error {
	var members Object
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	*s = slices.DeleteFunc([]string{Kafka, ObjectStorage, Kinesis, Postgres}, func(kind string) bool {
		return !bytes.HasPrefix(members[kind], []byte("{"))
	})
	return nil
}

// Uses reports whether this source uses what applies to these kinds of source (none: to
// all). One of unknown kind may use everything.
func (s Source) Uses(kinds []string) bool {
	isOfKind := func(kind string) bool { return slices.Contains(s, kind) }
	return len(s) == 0 || len(kinds) == 0 || slices.ContainsFunc(kinds, isOfKind)
}

// SettingSources returns the kinds of source that a setting applies to; nil for all.
func SettingSources(setting string) []string {
	switch {
	case strings.HasPrefix(setting, "object_storage_"):
		return []string{ObjectStorage}
	case strings.HasPrefix(setting, "streaming_"):
		return []string{Kafka, Kinesis}
	}
	return nil
}

// Scaling is how much a pipe may use: replicas for a kafka source, concurrency for an
// object-storage source, CPU and memory per replica for streaming pipes.
type Scaling struct {
	Replicas             Value[int64]   `json:"replicas,omitzero"`
	Concurrency          Value[int64]   `json:"concurrency,omitzero"`
	ReplicaCPUMillicores Value[int64]   `json:"replicaCpuMillicores,omitzero"`
	ReplicaMemoryGB      Value[float64] `json:"replicaMemoryGb,omitzero"`
}

// Bounds of scalePipe.
var (
	LimitReplicas             = Range[int64]{Min: 1, Max: 10}
	LimitConcurrency          = Range[int64]{Min: 0, Max: 34}
	LimitReplicaCPUMillicores = Range[int64]{Min: 125, Max: 2000}
	LimitReplicaMemoryGB      = Range[float64]{Min: 0.5, Max: 8}
)

// Pipe reads a pipe (getPipe). Concurrent reads of one pipe are one request. Its response
// serves later reads, except those of a Fresh client.
func (c *Client) Pipe(ctx context.Context, serviceID, pipeID string) (*Pipe, error) {
	return c.pipes.at(serviceID, pipeID).read(ctx, c, pipeRequest("get pipe", http.MethodGet, serviceID, pipeID))
}

func pipeRequest(operation, method, serviceID, pipeID string, part ...string) transport.Request {
	path := append([]string{"services", serviceID, "pipes", pipeID}, part...)
	return transport.Request{Operation: operation, Method: method, Path: path, ID: pipeID}
}

// pipeUpdate is a request that changes a part of a pipe.
func (c *Client) pipeUpdate(operation, method, serviceID, pipeID, part string) transport.Request {
	r := pipeRequest(operation, method, serviceID, pipeID, part)
	r.Writes, r.Lock = true, c.transport.NewLock(strings.ToLower(serviceID))
	return r
}

// ScalePipe sends the members of change that have a value (scalePipe) and returns the new
// pipe: see afterUpdate. Without a member to send it is a read.
func (c *Client) ScalePipe(ctx context.Context, serviceID, pipeID string, change Scaling) (*Pipe, error) {
	if change == (Scaling{}) {
		return c.Pipe(ctx, serviceID, pipeID)
	}
	r := c.pipeUpdate("scale pipe", http.MethodPatch, serviceID, pipeID, "scaling")
	defer r.Lock.Unlock()
	r.Body, _ = json.Marshal(change) // bounds exclude NaN and infinity
	cached := c.pipes.at(serviceID, pipeID)
	return cached.write(ctx, r.Operation, func() (*Pipe, error) {
		resp, err := c.transport.Do(ctx, r, c.transport.NewRetryBudget())
		if err != nil {
			return nil, err
		}
		return afterUpdate(cached.latestOrZero(), resp, Value[string]{})
	})
}
