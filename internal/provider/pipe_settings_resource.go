package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// pipeSettings are the settings of a pipe (specification, "Update pipe
// settings").
type pipeSettings struct{}

func (pipeSettings) about() about {
	return about{
		typeName: "pipe_settings",
		noun:     "pipe settings",
		ids:      []string{"service_id", "pipe_id"},
		setsAny:  true,
	}
}

func (pipeSettings) schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing ingestion pipe and manages its settings. " +
			"At least one setting has to be set; one that is left out keeps the value that it has.",
		Attributes: map[string]schema.Attribute{
			"service_id":                            idAttribute("The UUID of the service that owns the pipe."),
			"pipe_id":                               idAttribute("The UUID of the pipe."),
			"streaming_max_insert_wait_ms":          boundedInt64(pipeDescriptions["streaming_max_insert_wait_ms"], api.LimitStreamingMaxInsertWaitMS),
			"object_storage_concurrency":            boundedInt64(pipeDescriptions["object_storage_concurrency"], api.LimitObjectStorageConcurrency),
			"object_storage_polling_interval_ms":    boundedInt64(pipeDescriptions["object_storage_polling_interval_ms"], api.LimitObjectStoragePollingIntervalMS),
			"object_storage_max_insert_bytes":       boundedInt64(pipeDescriptions["object_storage_max_insert_bytes"], api.LimitObjectStorageMaxInsertBytes),
			"object_storage_max_file_count":         boundedInt64(pipeDescriptions["object_storage_max_file_count"], api.LimitObjectStorageMaxFileCount),
			"db_max_threads":                        boundedInt64(pipeDescriptions["db_max_threads"], api.LimitDBMaxThreads),
			"db_max_insert_threads":                 boundedInt64(pipeDescriptions["db_max_insert_threads"], api.LimitDBMaxInsertThreads),
			"db_min_insert_block_size_bytes":        boundedInt64(pipeDescriptions["db_min_insert_block_size_bytes"], api.LimitDBMinInsertBlockSizeBytes),
			"db_max_download_threads":               boundedInt64(pipeDescriptions["db_max_download_threads"], api.LimitDBMaxDownloadThreads),
			"db_parallel_distributed_insert_select": boundedInt64(pipeDescriptions["db_parallel_distributed_insert_select"], api.LimitDBParallelDistributedInsertSelect),
			"object_storage_use_cluster_function":   managedBool(pipeDescriptions["object_storage_use_cluster_function"]),
			"db_parallel_view_processing":           managedBool(pipeDescriptions["db_parallel_view_processing"]),
		},
	}
}

func (pipeSettings) read(ctx context.Context, client *api.Client, prior pipeSettingsModel) (pipeSettingsModel, error) {
	pipe, err := client.Pipe(ctx, prior.ServiceID.ValueString(), prior.PipeID.ValueString())
	if err != nil {
		return prior, err
	}
	return prior.from(pipe), nil
}

// write sends all that the configuration sets, not only what differs: whether
// the PUT replaces the settings is open, and an answer may have left out what
// is set already.
func (pipeSettings) write(ctx context.Context, client *api.Client, w writing[pipeSettingsModel]) (pipeSettingsModel, error) {
	pipe, err := client.UpdatePipeSettings(ctx, w.want.ServiceID.ValueString(), w.want.PipeID.ValueString(), w.change.settings(), w.want.settings())
	if err != nil {
		return w.want, err
	}
	return w.want.from(pipe), nil
}
