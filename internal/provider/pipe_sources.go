package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A pipePart is a part of a pipe that is a resource of its own.
type pipePart struct{}

// ValidateConfig refuses the id of the service as that of the pipe.
func (pipePart) ValidateConfig(config adopt.Attributes) diag.Diagnostics {
	if id := adopt.Text(config["pipe_id"]); id == "" || !strings.EqualFold(id, adopt.Text(config["service_id"])) {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("pipe_id"), "The id of a service, not of a pipe",
		"pipe_id is the same as service_id. It must be the UUID of one of the service's pipes.")}
}

// sourceNames are the kinds of source as messages name them.
var sourceNames = map[string]string{
	api.Kafka:         "Kafka",
	api.ObjectStorage: "object storage",
	api.Kinesis:       "Kinesis",
	api.Postgres:      "Postgres",
}

// scalingSources are the kinds of source that a scaling attribute applies to. One
// that is not listed applies to all.
var scalingSources = map[string][]string{
	"replicas":               {api.Kafka},
	"concurrency":            {api.ObjectStorage},
	"replica_cpu_millicores": {api.Kafka, api.Kinesis},
	"replica_memory_gb":      {api.Kafka, api.Kinesis},
}

func sourcesOfScaling(attribute string) []string { return scalingSources[attribute] }

// warnOfUnused warns of configured attributes that do not apply to the pipe's
// source.
func warnOfUnused(pipe *api.Pipe, sources func(attribute string) []string, change adopt.Change) diag.Diagnostics {
	var diags diag.Diagnostics
	kinds, _ := pipe.Source.Get()
	for _, name := range slices.Sorted(maps.Keys(change.Config)) {
		if change.Config[name].IsNull() || kinds.Uses(sources(name)) {
			continue
		}
		diags.AddAttributeWarning(path.Root(name), "Attribute does not apply to the source of the pipe", fmt.Sprintf(
			"Pipe %s reads from %s; %s applies only to %s sources. The API may ignore or refuse it.",
			adopt.Text(change.Before["pipe_id"]), namesOf(kinds), name, namesOf(sources(name))))
	}
	return diags
}

// withoutUnused leaves out of an imported state what does not apply to the
// pipe's source: generated configuration should not set it. It warns if nothing
// but the ids applies.
func withoutUnused(ctx context.Context, client *api.Client, sources func(attribute string) []string, state adopt.Attributes) diag.Diagnostics {
	id := adopt.Text(state["pipe_id"])
	pipe, err := client.Pipe(ctx, adopt.Text(state["service_id"]), id)
	if err != nil {
		return nil // reported by the read
	}
	kinds, _ := pipe.Source.Get()
	maps.DeleteFunc(state, func(name string, _ attr.Value) bool { return !kinds.Uses(sources(name)) })
	if len(state) > 2 { // more than the ids
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Nothing to manage: pipe …"+id[max(0, len(id)-4):], fmt.Sprintf(
		"Pipe %s reads from %s; no attribute of this resource applies to that. Remove the resource and its import block.", id, namesOf(kinds)))}
}

func namesOf(kinds []string) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = sourceNames[kind]
	}
	return strings.Join(names, " and ")
}
