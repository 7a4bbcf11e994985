package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// pipeScaling is the scaling of a pipe (operation scalePipe).
type pipeScaling struct{ pipePart[api.Scaling] }

// scalingSources are the kinds of source that a scaling attribute applies to.
var scalingSources = map[string][]string{
	"replicas":               {api.Kafka},
	"concurrency":            {api.ObjectStorage},
	"replica_cpu_millicores": {api.Kafka, api.Kinesis},
	"replica_memory_gb":      {api.Kafka, api.Kinesis},
}

func newPipeScaling() pipeScaling {
	return pipeScaling{pipePart[api.Scaling]{
		name:    "scaling",
		member:  func(pipe *api.Pipe) api.Value[api.Scaling] { return pipe.Scaling },
		sources: func(attribute string) []string { return scalingSources[attribute] },
	}}
}

func (pipeScaling) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing ingestion pipe and manages its scaling.",
		Attributes: map[string]schema.Attribute{
			"service_id":             uuidAttribute("UUID of the service that owns the pipe."),
			"pipe_id":                uuidAttribute("UUID of the pipe."),
			"replicas":               boundedInt64("Number of replicas. Applies to pipes with a Kafka source.", api.LimitReplicas),
			"concurrency":            boundedInt64("Concurrency of the pipe. Applies to pipes with an object-storage source.", api.LimitConcurrency),
			"replica_cpu_millicores": boundedInt64("CPU per replica, in millicores. Applies to pipes with a Kafka or Kinesis source.", api.LimitReplicaCPUMillicores),
			"replica_memory_gb":      boundedFloat64("Memory per replica, in GB. Applies to pipes with a Kafka or Kinesis source.", api.LimitReplicaMemoryGB),
		},
	}
}

func (p pipeScaling) Write(ctx context.Context, client *api.Client, update lifecycle.Update[api.Scaling]) (*api.Scaling, error) {
	return p.partOf(client.ScalePipe(ctx, lifecycle.Text(update.IDs["service_id"]), lifecycle.Text(update.IDs["pipe_id"]), update.Change))
}
