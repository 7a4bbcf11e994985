package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// pipeScaling is the scaling of a pipe (operation scalePipe).
func pipeScaling() lifecycle.Definition {
	return lifecycle.Definition{
		Kind:       lifecycle.Kind{TypeName: "pipe_scaling", Noun: scalingPart.noun, IDs: idsOfPipe},
		Schema:     pipeScalingSchema(),
		Fetch:      readScaling,
		Write:      writeScaling,
		Advise:     scalingPart.advise,
		Importable: scalingPart.importable,
	}
}

var scalingPart = pipePart{"pipe scaling", func(attribute string) []string {
	return map[string][]string{
		"replicas":               {api.Kafka},
		"concurrency":            {api.ObjectStorage},
		"replica_cpu_millicores": {api.Kafka, api.Kinesis},
		"replica_memory_gb":      {api.Kafka, api.Kinesis},
	}[attribute]
}}

func pipeScalingSchema() schema.Schema {
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

func readScaling(ctx context.Context, client *api.Client, prior lifecycle.Attributes) (lifecycle.Returned, error) {
	pipe, err := readPipe(ctx, client, prior)
	if err != nil {
		return nil, err
	}
	return showScaling(pipe), nil
}

// writeScaling sends CPU and memory together, if both are configured: platforms derive one from the other.
func writeScaling(ctx context.Context, client *api.Client, change lifecycle.Change) (lifecycle.Returned, error) {
	serviceID, pipeID := lifecycle.Text(change.Planned["service_id"]), lifecycle.Text(change.Planned["pipe_id"])
	scaling, configured := lifecycle.ObjectOf[api.Scaling](change.Sent()), lifecycle.ObjectOf[api.Scaling](change.Configured())
	if scaling.ReplicaCPUMillicores.IsKnown() || scaling.ReplicaMemoryGB.IsKnown() {
		scaling.ReplicaCPUMillicores, scaling.ReplicaMemoryGB = configured.ReplicaCPUMillicores, configured.ReplicaMemoryGB
	}
	pipe, err := client.ScalePipe(ctx, serviceID, pipeID, scaling)
	if err != nil {
		return nil, err
	}
	return showScaling(pipe), nil
}

func showScaling(pipe *api.Pipe) lifecycle.Returned {
	shown, _ := pipe.Scaling.Get()
	return lifecycle.ReturnedOf(shown)
}
