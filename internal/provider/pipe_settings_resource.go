package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
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
	}
}

func (pipeSettings) schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Adopts an existing ingestion pipe and manages its settings. " +
			"At least one setting has to be set; one that is left out keeps the value that it has.",
		Attributes: map[string]schema.Attribute{
			"service_id": idAttribute("The UUID of the service that owns the pipe."),
			"pipe_id":    idAttribute("The UUID of the pipe."),
			"streaming_max_insert_wait_ms": boundedInt64(
				"The longest wait, in milliseconds, before data is inserted into the database.", api.LimitStreamingMaxInsertWaitMS),
			"object_storage_concurrency": boundedInt64(
				"The number of threads that process files at the same time.", api.LimitObjectStorageConcurrency),
			"object_storage_polling_interval_ms": boundedInt64(
				"The interval, in milliseconds, at which a continuous ingestion looks for new data in the object storage.", api.LimitObjectStoragePollingIntervalMS),
			"object_storage_max_insert_bytes": boundedInt64(
				"How many bytes are processed in one insert batch.", api.LimitObjectStorageMaxInsertBytes),
			"object_storage_max_file_count": boundedInt64(
				"How many files are processed in one insert batch, at the most.", api.LimitObjectStorageMaxFileCount),
			"db_max_threads": boundedInt64(
				"How many threads process files at the same time, at the most.", api.LimitDBMaxThreads),
			"db_max_insert_threads": boundedInt64(
				"How many threads insert at the same time, at the most.", api.LimitDBMaxInsertThreads),
			"db_min_insert_block_size_bytes": boundedInt64(
				"The smallest size, in bytes, of a block of data for an insert.", api.LimitDBMinInsertBlockSizeBytes),
			"db_max_download_threads": boundedInt64(
				"How many threads download at the same time, at the most.", api.LimitDBMaxDownloadThreads),
			"db_parallel_distributed_insert_select": boundedInt64(
				"The engine's setting for parallel distributed `INSERT … SELECT`.", api.LimitDBParallelDistributedInsertSelect),
			"object_storage_use_cluster_function": managedBool(
				"Whether the cluster function is used for distributed processing."),
			"db_parallel_view_processing": managedBool(
				"Whether pushes to attached views run concurrently instead of one after the other."),
		},
	}
}

func (pipeSettings) validate(config attributes) diag.Diagnostics {
	return setsAny(config,
		"streaming_max_insert_wait_ms", "object_storage_concurrency", "object_storage_polling_interval_ms",
		"object_storage_max_insert_bytes", "object_storage_max_file_count", "object_storage_use_cluster_function",
		"db_max_threads", "db_max_insert_threads", "db_min_insert_block_size_bytes", "db_max_download_threads",
		"db_parallel_distributed_insert_select", "db_parallel_view_processing")
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
	pipe, err := client.UpdatePipeSettings(ctx, w.want.ServiceID.ValueString(), w.want.PipeID.ValueString(), w.want.settings())
	if err != nil {
		return w.want, err
	}
	return w.want.from(pipe), nil
}
