package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

type pipeSettingsModel struct {
	ServiceID                         types.String `tfsdk:"service_id"`
	PipeID                            types.String `tfsdk:"pipe_id"`
	StreamingMaxInsertWaitMS          types.Int64  `tfsdk:"streaming_max_insert_wait_ms"`
	ObjectStorageConcurrency          types.Int64  `tfsdk:"object_storage_concurrency"`
	ObjectStoragePollingIntervalMS    types.Int64  `tfsdk:"object_storage_polling_interval_ms"`
	ObjectStorageMaxInsertBytes       types.Int64  `tfsdk:"object_storage_max_insert_bytes"`
	ObjectStorageMaxFileCount         types.Int64  `tfsdk:"object_storage_max_file_count"`
	DBMaxThreads                      types.Int64  `tfsdk:"db_max_threads"`
	DBMaxInsertThreads                types.Int64  `tfsdk:"db_max_insert_threads"`
	DBMinInsertBlockSizeBytes         types.Int64  `tfsdk:"db_min_insert_block_size_bytes"`
	DBMaxDownloadThreads              types.Int64  `tfsdk:"db_max_download_threads"`
	DBParallelDistributedInsertSelect types.Int64  `tfsdk:"db_parallel_distributed_insert_select"`
	ObjectStorageUseClusterFunction   types.Bool   `tfsdk:"object_storage_use_cluster_function"`
	DBParallelViewProcessing          types.Bool   `tfsdk:"db_parallel_view_processing"`
}

// from is the settings of a pipe that the API returned.
func (m pipeSettingsModel) from(pipe *api.Pipe) pipeSettingsModel {
	settings, _ := pipe.Settings.Get()
	return pipeSettingsModel{
		ServiceID:                         m.ServiceID,
		PipeID:                            m.PipeID,
		StreamingMaxInsertWaitMS:          int64From(withoutNull(settings.StreamingMaxInsertWaitMS)),
		ObjectStorageConcurrency:          int64From(withoutNull(settings.ObjectStorageConcurrency)),
		ObjectStoragePollingIntervalMS:    int64From(withoutNull(settings.ObjectStoragePollingIntervalMS)),
		ObjectStorageMaxInsertBytes:       int64From(withoutNull(settings.ObjectStorageMaxInsertBytes)),
		ObjectStorageMaxFileCount:         int64From(withoutNull(settings.ObjectStorageMaxFileCount)),
		DBMaxThreads:                      int64From(withoutNull(settings.DBMaxThreads)),
		DBMaxInsertThreads:                int64From(withoutNull(settings.DBMaxInsertThreads)),
		DBMinInsertBlockSizeBytes:         int64From(withoutNull(settings.DBMinInsertBlockSizeBytes)),
		DBMaxDownloadThreads:              int64From(withoutNull(settings.DBMaxDownloadThreads)),
		DBParallelDistributedInsertSelect: int64From(withoutNull(settings.DBParallelDistributedInsertSelect)),
		ObjectStorageUseClusterFunction:   boolFrom(withoutNull(settings.ObjectStorageUseClusterFunction)),
		DBParallelViewProcessing:          boolFrom(withoutNull(settings.DBParallelViewProcessing)),
	}
}

// settings are what the model sets.
func (m pipeSettingsModel) settings() api.Settings {
	return api.Settings{
		StreamingMaxInsertWaitMS:          toInt64(m.StreamingMaxInsertWaitMS),
		ObjectStorageConcurrency:          toInt64(m.ObjectStorageConcurrency),
		ObjectStoragePollingIntervalMS:    toInt64(m.ObjectStoragePollingIntervalMS),
		ObjectStorageMaxInsertBytes:       toInt64(m.ObjectStorageMaxInsertBytes),
		ObjectStorageMaxFileCount:         toInt64(m.ObjectStorageMaxFileCount),
		DBMaxThreads:                      toInt64(m.DBMaxThreads),
		DBMaxInsertThreads:                toInt64(m.DBMaxInsertThreads),
		DBMinInsertBlockSizeBytes:         toInt64(m.DBMinInsertBlockSizeBytes),
		DBMaxDownloadThreads:              toInt64(m.DBMaxDownloadThreads),
		DBParallelDistributedInsertSelect: toInt64(m.DBParallelDistributedInsertSelect),
		ObjectStorageUseClusterFunction:   toBool(m.ObjectStorageUseClusterFunction),
		DBParallelViewProcessing:          toBool(m.DBParallelViewProcessing),
	}
}
