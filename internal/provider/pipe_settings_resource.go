package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// pipeSettings are the settings of a pipe (operation updatePipeSettings).
func pipeSettings() lifecycle.Definition {
	return lifecycle.Definition{
		Kind:       lifecycle.Kind{TypeName: "pipe_settings", Noun: settingsPart.noun, IDs: idsOfPipe},
		Schema:     pipeSettingsSchema(),
		Fetch:      readSettings,
		Write:      writeSettings,
		Advise:     adviseSettings,
		Importable: settingsPart.importable,
	}
}

var settingsPart = pipePart{"pipe settings", api.SettingSources}

func pipeSettingsSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing ingestion pipe and manages its settings.",
		Attributes: map[string]schema.Attribute{
			"service_id":                            uuidAttribute("UUID of the service that owns the pipe."),
			"pipe_id":                               uuidAttribute("UUID of the pipe."),
			"streaming_max_insert_wait_ms":          boundedInt64("Maximum wait before data is inserted into the database, in milliseconds.", api.SettingLimits["streaming_max_insert_wait_ms"]),
			"object_storage_concurrency":            boundedInt64("Number of concurrent file-processing threads.", api.SettingLimits["object_storage_concurrency"]),
			"object_storage_polling_interval_ms":    boundedInt64("Interval at which continuous ingestion checks the object storage for new data, in milliseconds.", api.SettingLimits["object_storage_polling_interval_ms"]),
			"object_storage_max_insert_bytes":       boundedInt64("Maximum number of bytes to process in one insert batch.", api.SettingLimits["object_storage_max_insert_bytes"]),
			"object_storage_max_file_count":         boundedInt64("Maximum number of files to process in one insert batch.", api.SettingLimits["object_storage_max_file_count"]),
			"db_max_threads":                        boundedInt64("Maximum number of concurrent file-processing threads.", api.SettingLimits["db_max_threads"]),
			"db_max_insert_threads":                 boundedInt64("Maximum number of concurrent insert threads.", api.SettingLimits["db_max_insert_threads"]),
			"db_min_insert_block_size_bytes":        boundedInt64("Minimum size of a data block for insert, in bytes.", api.SettingLimits["db_min_insert_block_size_bytes"]),
			"db_max_download_threads":               boundedInt64("Maximum number of concurrent download threads.", api.SettingLimits["db_max_download_threads"]),
			"db_parallel_distributed_insert_select": boundedInt64("Mode of parallel distributed `INSERT … SELECT`.", api.SettingLimits["db_parallel_distributed_insert_select"]),
			"object_storage_use_cluster_function":   managedBool("Whether to use the cluster function for distributed processing."),
			"db_parallel_view_processing":           managedBool("Whether to push to attached views concurrently instead of sequentially."),
		},
	}
}

func readSettings(ctx context.Context, client *api.Client, prior lifecycle.Attributes) (lifecycle.Returned, error) {
	pipe, err := readPipe(ctx, client, prior)
	if err != nil {
		return nil, err
	}
	return showSettings(pipe), nil
}

// writeSettings also passes on configured settings that the plan does not change: the PUT
// may reset a setting that is not sent.
func writeSettings(ctx context.Context, client *api.Client, change lifecycle.Change) (lifecycle.Returned, error) {
	serviceID, pipeID := lifecycle.Text(change.Planned["service_id"]), lifecycle.Text(change.Planned["pipe_id"])
	pipe, err := client.UpdatePipeSettings(ctx, serviceID, pipeID,
		lifecycle.ObjectOf[api.Settings](change.Sent()), lifecycle.ObjectOf[api.Settings](change.Configured()))
	if err != nil {
		return nil, err
	}
	return showSettings(pipe), nil
}

func showSettings(pipe *api.Pipe) lifecycle.Returned {
	shown, _ := pipe.Settings.Get()
	return lifecycle.ReturnedOf(shown)
}

// adviseSettings also warns of settings out of bounds that are unmanaged or ignored
// (ignore_changes).
func adviseSettings(ctx context.Context, client *api.Client, change lifecycle.Change) diag.Diagnostics {
	if change.IsEmpty() {
		return nil
	}
	pipe, err := readPipe(ctx, client, change.Prior)
	if err != nil {
		return nil // reported by the read
	}
	diags := settingsPart.advise(ctx, client, change)
	current, _ := pipe.Settings.Get()
	outOfBounds := current.OutOfBounds()
	var leftOut []string
	for _, name := range slices.Sorted(maps.Keys(outOfBounds)) {
		planned := change.Planned[name].(types.Int64)
		if change.Config[name].IsNull() || !planned.IsUnknown() && !api.SettingLimits[name].Contains(planned.ValueInt64()) {
			leftOut = append(leftOut, fmt.Sprintf("%s = %d", name, outOfBounds[name]))
		}
	}
	if len(leftOut) > 0 { // one warning for each pipe: Terraform folds equal ones
		diags.AddWarning("Setting outside its valid range: "+change.ShortName(), fmt.Sprintf(
			"Pipe %s has %s, which the API would refuse. The update leaves these settings out, and an API that replaces all settings may reset them.",
			lifecycle.Text(change.Prior["pipe_id"]), strings.Join(leftOut, ", ")))
	}
	return diags
}
