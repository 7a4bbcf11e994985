package api

import (
	"context"
	"encoding/json"
)

// Settings are the tunables of a pipe (specification, "Pipe settings"). Each
// bounded member has its bound in a variable of the same name with the prefix
// Limit. Members that the specification does not know are kept as they came,
// so that a write of all settings does not lose them.
type Settings struct {
	StreamingMaxInsertWaitMS          Value[int64] `json:"streaming_max_insert_wait_ms,omitzero"`
	ObjectStorageConcurrency          Value[int64] `json:"object_storage_concurrency,omitzero"`
	ObjectStoragePollingIntervalMS    Value[int64] `json:"object_storage_polling_interval_ms,omitzero"`
	ObjectStorageMaxInsertBytes       Value[int64] `json:"object_storage_max_insert_bytes,omitzero"`
	ObjectStorageMaxFileCount         Value[int64] `json:"object_storage_max_file_count,omitzero"`
	DBMaxThreads                      Value[int64] `json:"db_max_threads,omitzero"`
	DBMaxInsertThreads                Value[int64] `json:"db_max_insert_threads,omitzero"`
	DBMinInsertBlockSizeBytes         Value[int64] `json:"db_min_insert_block_size_bytes,omitzero"`
	DBMaxDownloadThreads              Value[int64] `json:"db_max_download_threads,omitzero"`
	DBParallelDistributedInsertSelect Value[int64] `json:"db_parallel_distributed_insert_select,omitzero"`
	ObjectStorageUseClusterFunction   Value[bool]  `json:"object_storage_use_cluster_function,omitzero"`
	DBParallelViewProcessing          Value[bool]  `json:"db_parallel_view_processing,omitzero"`

	unknown map[string]json.RawMessage
}

// UpdatePipeSettings writes the members of want that have a value
// (specification, "Update pipe settings") and returns the newest pipe with its
// merged settings.
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, want Settings) (*Pipe, error) {
	return nil, errUnwritten
}
