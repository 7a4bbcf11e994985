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

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

var idsOfPipe = []string{"service_id", "pipe_id"}

func readPipe(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (*api.Pipe, error) {
	return client.Pipe(ctx, lifecycle.Text(ids["service_id"]), lifecycle.Text(ids["pipe_id"]))
}

// A pipePart is a part of a pipe that is a resource of its own.
type pipePart struct {
	noun    string
	sources func(attribute string) []string // the kinds of source that an attribute applies to; nil for all
}

// advise warns of configured attributes that do not apply to the pipe's source.
func (p pipePart) advise(ctx context.Context, client *api.Client, change lifecycle.Change) (diags diag.Diagnostics) {
	if change.IsEmpty() {
		return nil
	}
	pipe, err := readPipe(ctx, client, change.Prior)
	if err != nil {
		return nil // reported by the read
	}
	source, _ := pipe.Source.Get()
	for _, name := range slices.Sorted(maps.Keys(change.Config)) {
		if kinds := p.sources(name); !change.Config[name].IsNull() && !source.Uses(kinds) {
			diags.AddAttributeWarning(path.Root(name), name+" does not apply: "+change.ShortName(), fmt.Sprintf(
				"Pipe %s reads from %s; %s applies only to %s sources. The API may ignore or refuse it.",
				lifecycle.Text(change.Prior["pipe_id"]), namesOf(source), name, namesOf(kinds)))
		}
	}
	return diags
}

// importable leaves out of an imported state what does not apply to the pipe's source. It
// warns if only the ids are left.
func (p pipePart) importable(ctx context.Context, client *api.Client, state lifecycle.Attributes) diag.Diagnostics {
	pipe, err := readPipe(ctx, client, state)
	if err != nil {
		return nil // reported by the read
	}
	source, _ := pipe.Source.Get()
	maps.DeleteFunc(state, func(name string, _ attr.Value) bool { return !source.Uses(p.sources(name)) })
	if len(state) > len(idsOfPipe) {
		return nil
	}
	id := lifecycle.Text(state["pipe_id"])
	return diag.Diagnostics{diag.NewWarningDiagnostic("Nothing to manage: "+p.noun+" "+lifecycle.ShortID(id), fmt.Sprintf(
		"Pipe %s reads from %s; no attribute of the resource applies to that. Remove the resource and its import block.", id, namesOf(source)))}
}

// sourceNames are the kinds of source as messages name them.
var sourceNames = map[string]string{
	api.Kafka:         "Kafka",
	api.ObjectStorage: "object storage",
	api.Kinesis:       "Kinesis",
	api.Postgres:      "Postgres",
}

func namesOf(kinds []string) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = sourceNames[kind]
	}
	return strings.Join(names, " and ")
}
