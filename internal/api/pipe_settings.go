package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strings"
)

// Settings are the tunables of a pipe.
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

// SettingLimits are the bounds of updatePipeSettings, in the unit at the end of
// the name: milliseconds, bytes, otherwise a count.
var SettingLimits = map[string]Range[int64]{
	"streaming_max_insert_wait_ms":          {Min: 500, Max: 60_000},
	"object_storage_concurrency":            {Min: 1, Max: 35},
	"object_storage_polling_interval_ms":    {Min: 100, Max: 3_600_000},
	"object_storage_max_insert_bytes":       {Min: 10_485_760, Max: 53_687_091_200},
	"object_storage_max_file_count":         {Min: 1, Max: 10_000},
	"db_max_threads":                        {Min: 0, Max: 64},
	"db_max_insert_threads":                 {Min: 0, Max: 16},
	"db_min_insert_block_size_bytes":        {Min: 0, Max: 10_737_418_240},
	"db_max_download_threads":               {Min: 0, Max: 32},
	"db_parallel_distributed_insert_select": {Min: 0, Max: 2},
}

// OutOfBounds returns the settings outside their bounds.
func (s Settings) OutOfBounds() map[string]int64 {
	outside := map[string]int64{}
	for name, value := range s.values() {
		if n, isNumber := value.(int64); isNumber && !SettingLimits[name].Contains(n) {
			outside[name] = n
		}
	}
	return outside
}

// values returns all documented settings by name: nil for one without a valid value.
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

// UpdatePipeSettings writes the members of change (updatePipeSettings) and returns the pipe with
// its new settings: see afterUpdate. Without anything to change it is a read.
//
// The documentation does not say that the operation keeps other settings, so they are sent
// along, as a read right before shows them; after a failure, they are read again.
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, change, configured Settings) (*Pipe, error) {
	if change == (Settings{}) {
		return c.Pipe(ctx, serviceID, pipeID)
	}
	cached, budget := c.pipes.at(serviceID, pipeID), c.transport.NewRetryBudget()
	put := c.pipeUpdate("update pipe settings", http.MethodPut, serviceID, pipeID, "settings")
	defer put.Lock.Unlock()
	put.ID = "" // the result is not the pipe
	read := pipeRequest("get pipe", http.MethodGet, serviceID, pipeID)
	put.MakeBody = func(ctx context.Context) ([]byte, error) {
		pipe, err := cached.readToWrite(ctx, c, read, budget)
		if err != nil {
			return nil, err
		}
		return json.Marshal(settingsToSend(pipe, change.values(), configured.values()))
	}
	return cached.write(ctx, put.Operation, func() (*Pipe, error) {
		resp, err := c.transport.Do(ctx, put, budget)
		if err != nil {
			return nil, err
		}
		pipe := cached.latestOrZero()
		settings, err := afterUpdate(pipe.Settings.value, resp, Value[string]{})
		if settings == nil {
			return nil, err
		}
		pipe.Settings = ValueOf(*settings)
		return &pipe, nil
	})
}

// returnedSettings returns all settings that have a value, also undocumented ones.
func (p *Pipe) returnedSettings() Object {
	var returned struct{ Settings Object }
	_ = json.Unmarshal(p.Returned, &returned) // what is no object has none
	maps.DeleteFunc(returned.Settings, func(_ string, value json.RawMessage) bool { return isNull(value) })
	return returned.Settings
}

// settingsToSend returns the settings of a PUT. A documented one has its planned value, else
// the one that the API shows, else the configured one; without any within its bounds it is left
// out, and so is one that is not configured and that the pipe's source does not use: some APIs refuse it.
// What is undocumented, or mistyped and not configured, is sent as the API returned it.
// Nulls are left out: their effect is not documented.
func settingsToSend(pipe Pipe, planned, configured map[string]any) map[string]any {
	body := map[string]any{}
	for name, value := range pipe.returnedSettings() {
		body[name] = value
	}
	for name, shown := range pipe.Settings.value.values() {
		isForeign := configured[name] == nil && !pipe.Source.value.Uses(SettingSources(name))
		switch {
		case planned[name] != nil:
			body[name] = planned[name]
		case canBeSent(name, shown) && !isForeign:
			body[name] = shown
		case canBeSent(name, configured[name]):
			body[name] = configured[name]
		case shown != nil || isForeign:
			delete(body, name)
		}
	}
	return body
}
