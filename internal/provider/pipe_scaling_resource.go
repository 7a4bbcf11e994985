package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// pipeScaling is the scaling of a pipe (operation scalePipe).
type pipeScaling struct{ pipePart }

func (pipeScaling) Metadata() adopt.Metadata {
	return adopt.Metadata{
		TypeName:  "pipe_scaling",
		Noun:      "pipe scaling",
		IDs:       []string{"service_id", "pipe_id"},
		Path:      "services/{service_id}/pipes/{pipe_id}",
		Operation: "scaling",
	}
}

func (pipeScaling) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing ingestion pipe and manages its scaling.",
		Attributes: map[string]schema.Attribute{
			"service_id":             idAttribute("UUID of the service that owns the pipe."),
			"pipe_id":                idAttribute("UUID of the pipe."),
			"replicas":               boundedInt64("Number of replicas. Applies to pipes with a Kafka source.", api.LimitReplicas),
			"concurrency":            boundedInt64("Concurrency of the pipe. Applies to pipes with an object-storage source.", api.LimitConcurrency),
			"replica_cpu_millicores": boundedInt64("CPU per replica, in millicores. Applies to pipes with a Kafka or Kinesis source.", api.LimitReplicaCPUMillicores),
			"replica_memory_gb":      boundedFloat64("Memory per replica, in GB. Applies to pipes with a Kafka or Kinesis source.", api.LimitReplicaMemoryGB),
		},
	}
}

func (pipeScaling) Read(ctx context.Context, client *api.Client, ids adopt.Attributes) (*api.Scaling, error) {
	return scalingOf(client.Pipe(ctx, adopt.Text(ids["service_id"]), adopt.Text(ids["pipe_id"])))
}

func (pipeScaling) Write(ctx context.Context, client *api.Client, update adopt.Update[api.Scaling]) (*api.Scaling, error) {
	return scalingOf(client.ScalePipe(ctx, adopt.Text(update.IDs["service_id"]), adopt.Text(update.IDs["pipe_id"]), update.Change))
}

func scalingOf(pipe *api.Pipe, err error) (*api.Scaling, error) {
	if err != nil {
		return nil, err
	}
	scaling, _ := pipe.Scaling.Get()
	return &scaling, nil
}

func (pipeScaling) Advise(ctx context.Context, client *api.Client, change adopt.Change) diag.Diagnostics {
	if change.IsEmpty() {
		return nil
	}
	pipe, err := client.Pipe(ctx, adopt.Text(change.Before["service_id"]), adopt.Text(change.Before["pipe_id"]))
	if err != nil {
		return nil // reported by the read
	}
	return warnOfUnused(pipe, sourcesOfScaling, change)
}

func (pipeScaling) Importable(ctx context.Context, client *api.Client, state adopt.Attributes) diag.Diagnostics {
	return withoutUnused(ctx, client, sourcesOfScaling, state)
}
