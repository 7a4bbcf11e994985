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

// from is what a pipe says of the settings that m names.
func (m pipeSettingsModel) from(pipe *api.Pipe) pipeSettingsModel {
	settings, _ := pipe.Settings.Get()
	m.StreamingMaxInsertWaitMS = int64From(stated(settings.StreamingMaxInsertWaitMS))
	m.ObjectStorageConcurrency = int64From(stated(settings.ObjectStorageConcurrency))
	m.ObjectStoragePollingIntervalMS = int64From(stated(settings.ObjectStoragePollingIntervalMS))
	m.ObjectStorageMaxInsertBytes = int64From(stated(settings.ObjectStorageMaxInsertBytes))
	m.ObjectStorageMaxFileCount = int64From(stated(settings.ObjectStorageMaxFileCount))
	m.DBMaxThreads = int64From(stated(settings.DBMaxThreads))
	m.DBMaxInsertThreads = int64From(stated(settings.DBMaxInsertThreads))
	m.DBMinInsertBlockSizeBytes = int64From(stated(settings.DBMinInsertBlockSizeBytes))
	m.DBMaxDownloadThreads = int64From(stated(settings.DBMaxDownloadThreads))
	m.DBParallelDistributedInsertSelect = int64From(stated(settings.DBParallelDistributedInsertSelect))
	m.ObjectStorageUseClusterFunction = boolFrom(stated(settings.ObjectStorageUseClusterFunction))
	m.DBParallelViewProcessing = boolFrom(stated(settings.DBParallelViewProcessing))
	return m
}

// settings are what m sets, as the API takes them.
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
