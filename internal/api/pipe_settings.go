package api

import (
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"reflect"
	"strings"
)

// Settings are the tunables of a pipe. Their bounds are in SettingLimits.
// Undocumented members are kept as they came, so that a PUT of all settings does
// not lose them.
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

	undocumented Object // members, as the API returned them
}

// OutOfBounds yields the name and value of each setting outside its bound. A PUT
// leaves them out unless it changes them, because the API would refuse the whole
// body.
func (s Settings) OutOfBounds() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for field, value := range reflect.ValueOf(s).Fields() {
			if !field.IsExported() {
				continue
			}
			name := memberName(field)
			limit, isBounded := SettingLimits[name]
			member, _ := reflect.TypeAssert[Value[int64]](value)
			if n, ok := member.Get(); ok && isBounded && !limit.Contains(n) && !yield(name, n) {
				return
			}
		}
	}
}

func memberName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// plainSettings has the members of Settings without its methods.
type plainSettings Settings

// UnmarshalJSON reads settings over those that s holds.
func (s *Settings) UnmarshalJSON(data []byte) error {
	members := Object{}
	if err := errors.Join(json.Unmarshal(data, (*plainSettings)(s)), json.Unmarshal(data, &members)); err != nil {
		return err
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return documentedSettings[name] })
	if len(members) > 0 {
		kept := Object{}
		maps.Copy(kept, s.undocumented) // which other copies of s share
		maps.Copy(kept, members)
		s.undocumented = kept
	}
	return nil
}

// MarshalJSON writes the settings, undocumented members included.
func (s Settings) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(plainSettings(s))
	if err != nil || len(s.undocumented) == 0 {
		return data, err
	}
	members := maps.Clone(s.undocumented)
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// documentedSettings are the names of the members of Settings.
var documentedSettings = func() map[string]bool {
	names := map[string]bool{}
	for field := range reflect.TypeFor[Settings]().Fields() {
		if name := memberName(field); name != "" {
			names[name] = true
		}
	}
	return names
}()
