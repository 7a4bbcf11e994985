package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// The kinds of source a pipe can read from.
const (
	sourceKafka         = "kafka"
	sourceObjectStorage = "object_storage"
	sourceKinesis       = "kinesis"
	sourcePostgres      = "postgres"
)

// sourceNames are the kinds of source as messages name them.
var sourceNames = map[string]string{
	sourceKafka:         "Kafka",
	sourceObjectStorage: "object storage",
	sourceKinesis:       "Kinesis",
	sourcePostgres:      "Postgres",
}

// The kinds of source that a scaling attribute or a setting applies to. One that
// is not listed applies to all.
var (
	scalingSources = map[string][]string{
		"replicas":               {sourceKafka},
		"concurrency":            {sourceObjectStorage},
		"replica_cpu_millicores": {sourceKafka, sourceKinesis},
		"replica_memory_gb":      {sourceKafka, sourceKinesis},
	}
	settingSources = map[string][]string{
		"streaming_max_insert_wait_ms":        {sourceKafka, sourceKinesis},
		"object_storage_concurrency":          {sourceObjectStorage},
		"object_storage_polling_interval_ms":  {sourceObjectStorage},
		"object_storage_max_insert_bytes":     {sourceObjectStorage},
		"object_storage_max_file_count":       {sourceObjectStorage},
		"object_storage_use_cluster_function": {sourceObjectStorage},
	}
)

// sourceTypes are the documented kinds of source that a pipe has; usually one.
func sourceTypes(pipe *api.Pipe) []string {
	var names []string
	source, _ := pipe.Source.Get()
	for _, kind := range source {
		names = append(names, adopt.AttributeName(kind))
	}
	return names
}

// unused names the attributes that do not apply to any of the kinds of source.
// Without a known kind, all apply.
func unused(kinds []string, sources map[string][]string) []string {
	if len(kinds) == 0 {
		return nil
	}
	var names []string
	for name, applies := range sources {
		if !slices.ContainsFunc(applies, func(kind string) bool { return slices.Contains(kinds, kind) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// warnOfUnused warns of configured attributes that do not apply to the pipe's
// source.
func warnOfUnused(pipe *api.Pipe, sources map[string][]string, change adopt.Change) diag.Diagnostics {
	var diags diag.Diagnostics
	kinds := sourceTypes(pipe)
	for _, name := range unused(kinds, sources) {
		if value := change.Config[name]; value == nil || value.IsNull() {
			continue
		}
		diags.AddAttributeWarning(path.Root(name), "Attribute does not apply to the source of the pipe", fmt.Sprintf(
			"Pipe %s reads from %s; %s applies only to %s sources. The API may ignore or refuse it.",
			adopt.Text(change.Prior["pipe_id"]), namesOf(kinds), name, namesOf(sources[name])))
	}
	return diags
}

// withoutUnused leaves out of an imported state what does not apply to the
// pipe's source: generated configuration should not set it.
func withoutUnused(ctx context.Context, client *api.Client, sources map[string][]string, state adopt.Attributes) adopt.Attributes {
	pipe, err := client.Pipe(ctx, adopt.Text(state["service_id"]), adopt.Text(state["pipe_id"]))
	if err != nil {
		return state
	}
	for _, name := range unused(sourceTypes(pipe), sources) {
		delete(state, name)
	}
	return state
}

func namesOf(kinds []string) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = sourceNames[kind]
	}
	return strings.Join(names, " and ")
}
