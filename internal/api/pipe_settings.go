package api

import (
	"reflect"
	"strings"
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

// OutOfBounds returns the settings outside their bounds.
func (s Settings) OutOfBounds() map[string]int64 {
	outside := map[string]int64{}
	for name, value := range s.values() {
		if n, isNumber := value.(int64); isNumber && !canBeSent(name, n) {
			outside[name] = n
		}
	}
	return outside
}

// values returns every documented setting by name: nil for one that has no value
// of its type.
func (s Settings) values() map[string]any {
	values := map[string]any{}
	for field, value := range reflect.ValueOf(s).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		values[name] = value.Interface().(interface{ Any() any }).Any()
	}
	return values
}

// canBeSent reports whether a setting has a value within its bounds. The API would
// refuse a whole PUT because of any other, such as a 0 that means the default.
func canBeSent(name string, value any) bool {
	n, isNumber := value.(int64)
	return value != nil && (!isNumber || SettingLimits[name].Contains(n))
}
