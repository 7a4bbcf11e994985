package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// pipeScaling is the scaling of a pipe (specification, "Scale pipe").
type pipeScaling struct{}

func (pipeScaling) about() about {
	return about{
		typeName: "pipe_scaling",
		noun:     "pipe scaling",
		ids:      []string{"service_id", "pipe_id"},
		setsAny:  true,
	}
}

func (pipeScaling) schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing ingestion pipe and manages its scaling. " +
			"At least one scaling attribute has to be set; one that is left out keeps the value that it has.",
		Attributes: map[string]schema.Attribute{
			"service_id":             idAttribute("The UUID of the service that owns the pipe."),
			"pipe_id":                idAttribute("The UUID of the pipe."),
			"replicas":               boundedInt64(pipeDescriptions["replicas"], api.LimitReplicas),
			"concurrency":            boundedInt64(pipeDescriptions["concurrency"], api.LimitConcurrency),
			"replica_cpu_millicores": boundedInt64(pipeDescriptions["replica_cpu_millicores"], api.LimitReplicaCPUMillicores),
			"replica_memory_gb":      boundedFloat64(pipeDescriptions["replica_memory_gb"], api.LimitReplicaMemoryGB),
		},
	}
}

func (pipeScaling) read(ctx context.Context, client *api.Client, prior pipeScalingModel) (pipeScalingModel, error) {
	pipe, err := client.Pipe(ctx, prior.ServiceID.ValueString(), prior.PipeID.ValueString())
	if err != nil {
		return prior, err
	}
	return prior.from(pipe), nil
}

func (pipeScaling) write(ctx context.Context, client *api.Client, w writing[pipeScalingModel]) (pipeScalingModel, error) {
	pipe, err := client.ScalePipe(ctx, w.change.ServiceID.ValueString(), w.change.PipeID.ValueString(), w.change.scaling())
	if err != nil {
		return w.want, err
	}
	return w.want.from(pipe), nil
}

// advise warns of attributes that the pipe's source does not use.
func (pipeScaling) advise(ctx context.Context, client *api.Client, config, known attributes) diag.Diagnostics {
	pipe, err := client.Pipe(ctx, text(known["service_id"]), text(known["pipe_id"]))
	if err != nil {
		return nil // whoever reads the pipe for its own sake reports that
	}
	source, stated := pipe.Source.Get()
	_, kafka := source.Kafka.Get()
	_, objectStorage := source.ObjectStorage.Get()
	_, kinesis := source.Kinesis.Get()
	_, postgres := source.Postgres.Get()
	if !stated || !kafka && !objectStorage && !kinesis && !postgres {
		return nil
	}

	var diags diag.Diagnostics
	for _, rule := range []struct {
		attribute, source string
		used              bool
	}{
		{"replicas", "a Kafka", kafka},
		{"concurrency", "an object-storage", objectStorage},
		{"replica_cpu_millicores", "a Kafka or Kinesis", kafka || kinesis},
		{"replica_memory_gb", "a Kafka or Kinesis", kafka || kinesis},
	} {
		if !rule.used && !config[rule.attribute].IsNull() {
			diags.AddAttributeWarning(path.Root(rule.attribute),
				fmt.Sprintf("%s does not scale this pipe", rule.attribute),
				fmt.Sprintf("%s scales pipes with %s source, which the pipe %s does not have. The API may ignore or refuse it.",
					rule.attribute, rule.source, text(known["pipe_id"])))
		}
	}
	return diags
}
