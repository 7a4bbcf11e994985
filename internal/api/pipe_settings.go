package api

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
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
// along, as a read right before shows them; after a failure, they are read again. If the API
// refuses them, a second PUT leaves out what it may not know, and the pipe is read again. If that does
// not show a setting that was left out as it was, the error is an [UnshownError].
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, change, configured Settings) (*Pipe, error) {
	if change == (Settings{}) {
		return c.Pipe(ctx, serviceID, pipeID)
	}
	cached, budget := c.pipes.at(serviceID, pipeID), c.transport.NewRetryBudget()
	u := settingsUpdate{planned: change.values(), configured: configured.values()}
	put := pipeUpdate("update pipe settings", http.MethodPut, serviceID, pipeID, "settings")
	put.ID = "" // the result is not the pipe
	var before Pipe
	var body map[string]any
	read := pipeRequest("get pipe", http.MethodGet, serviceID, pipeID)
	put.MakeBody = func(ctx context.Context, _ *transport.Error) (_ []byte, err error) {
		if before, err = cached.readToWrite(ctx, c, read, budget, Pipe{}); err != nil {
			return nil, err
		}
		body = u.settingsToSend(before)
		return json.Marshal(body)
	}
	return cached.write(ctx, put.Operation, func(Pipe) (*Pipe, error) {
		resp, err := c.doOrLeaveOut(ctx, put, budget, func() bool { return u.leaveOut(before, body) })
		if err != nil {
			return nil, err
		}
		if u.leavesOut {
			after, failed := fetch[Pipe](ctx, c, read, budget)
			if lost := lostSettings(&before, body, after); lost != nil {
				return nil, &UnshownError{Lost: lost}
			}
			if failed == nil {
				return after, nil
			}
		}
		settings, err := afterUpdate(before.Settings.value, resp)
		if err != nil {
			return nil, err
		}
		before.Settings = ValueOf(*settings)
		return &before, nil
	})
}

// lostSettings names the settings of before that a PUT of body left out and that after, nil for unknown,
// does not show as they were.
func lostSettings(before *Pipe, body map[string]any, after *Pipe) (lost []string) {
	shown := after.returnedSettings()
	for name, value := range before.returnedSettings() {
		if body[name] == nil && !bytes.Equal(shown[name], value) {
			lost = append(lost, name)
		}
	}
	slices.Sort(lost)
	return lost
}

// returnedSettings returns all settings that have a value, also undocumented ones.
func (p *Pipe) returnedSettings() Object {
	if p == nil {
		return nil
	}
	var returned struct{ Settings Object }
	_ = json.Unmarshal(p.Returned, &returned) // what is no object has none
	maps.DeleteFunc(returned.Settings, func(_ string, value json.RawMessage) bool { return isNull(value) })
	return returned.Settings
}

// A settingsUpdate is an update under way.
type settingsUpdate struct {
	planned, configured map[string]any
	leavesOut           bool // PUTs leave out what is dispensable
}

// leaveOut makes later PUTs leave out what is dispensable, and reports whether that makes a
// difference.
func (u *settingsUpdate) leaveOut(pipe Pipe, refused map[string]any) bool {
	u.leavesOut = true
	return len(u.settingsToSend(pipe)) < len(refused)
}

// settingsToSend returns the settings of a PUT. A documented one has its planned value, else
// the one that the API shows, else the configured one; without any within its bounds it is left
// out. What is undocumented, or mistyped and not configured, is sent as the API returned it.
// Nulls are left out: their effect is not documented.
func (u *settingsUpdate) settingsToSend(pipe Pipe) map[string]any {
	body := map[string]any{}
	for name, value := range pipe.returnedSettings() {
		body[name] = value
	}
	for name, shown := range pipe.Settings.value.values() {
		switch {
		case u.planned[name] != nil:
			body[name] = u.planned[name]
		case canBeSent(name, shown):
			body[name] = shown
		case canBeSent(name, u.configured[name]):
			body[name] = u.configured[name]
		case shown != nil:
			delete(body, name)
		}
	}
	if u.leavesOut {
		maps.DeleteFunc(body, func(name string, _ any) bool { return u.isDispensable(name, pipe.Source.value) })
	}
	return body
}

// isDispensable reports whether a PUT can do without a setting: it is not managed, and it is
// undocumented or applies to other kinds of source than the pipe's. A source of an undocumented
// kind counts as another kind.
func (u *settingsUpdate) isDispensable(name string, source Source) bool {
	if u.planned[name] != nil || u.configured[name] != nil {
		return false
	}
	_, isDocumented := Settings{}.values()[name]
	kinds := SettingSources(name)
	return !isDocumented || len(kinds) > 0 && (len(source) == 0 || !source.Uses(kinds))
}
