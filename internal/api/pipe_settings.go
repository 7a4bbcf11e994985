package api

import (
	"encoding/json"
	"maps"
)

// Settings are the tunables of a pipe. Their bounds are in SettingLimits.
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
}

// OutOfBounds returns the settings outside their bounds. A PUT leaves them out
// unless it changes them, because the API would refuse the whole body.
func (s Settings) OutOfBounds() map[string]int64 {
	outside := map[string]int64{}
	members := s.members()
	for name, limit := range SettingLimits {
		var n int64
		if json.Unmarshal(members[name], &n) == nil && !limit.Contains(n) {
			outside[name] = n
		}
	}
	return outside
}

// members returns the settings that have a value. Numbers, booleans and JSON that
// the API has sent can always be written.
func (s Settings) members() Object {
	data, _ := json.Marshal(s)
	return membersWithValue(data)
}

// membersWithValue returns the members of an object that are not null.
func membersWithValue(data []byte) Object {
	members := Object{}
	_ = json.Unmarshal(data, &members) // what is no object has none
	maps.DeleteFunc(members, func(_ string, value json.RawMessage) bool { return isNull(value) })
	return members
}
