package api

import (
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

// ChangedSettings are settings that have another value since an update that was not to change
// them.
type ChangedSettings struct {
	Changed   []ChangedSetting
	Unchecked []ChangedSetting // may have another: the update left them out, and the read after it failed
	Err       error            // of that read
}

// A ChangedSetting has the values that the API returned, as JSON without secrets: "" for none.
type ChangedSetting struct{ Name, Before, After string }

// UpdatePipeSettings writes the members of change (updatePipeSettings) and returns the pipe with
// its new settings: see overlayResponse. Without anything to change it is a read.
//
// The documentation does not say that the operation keeps other settings, so they are sent
// along, as a read right before shows them; after a failure, they are read again. If the API
// refuses them, a second PUT leaves out what it may not know.
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, change, configured Settings) (*Pipe, ChangedSettings, error) {
	if change == (Settings{}) {
		pipe, err := c.Pipe(ctx, serviceID, pipeID)
		return pipe, ChangedSettings{}, err
	}
	u := &settingsUpdate{
		client:     c,
		cached:     c.pipes.at(serviceID, pipeID),
		budget:     c.transport.NewBudget(),
		read:       pipeRequest("get pipe", http.MethodGet, serviceID, pipeID),
		put:        pipeRequest("update pipe settings", http.MethodPut, serviceID, pipeID, "settings"),
		planned:    change.values(),
		configured: configured.values(),
		leftOut:    Object{},
	}
	u.put.Writes, u.put.MakeBody = true, u.makeBody
	u.put.ID = "" // the result is not the pipe
	pipe, err := u.cached.write(ctx, u.put.Operation, func(Pipe) (*Pipe, error) { return u.run(ctx) })
	return pipe, u.changed, err
}

// A settingsUpdate is an update under way.
type settingsUpdate struct {
	client              *Client
	cached              *cacheEntry[Pipe]
	budget              *transport.Budget
	read, put           transport.Request
	planned, configured map[string]any

	isReduced bool           // PUTs leave out what is dispensable
	before    Pipe           // the last read
	body      map[string]any // of the last PUT
	leftOut   Object         // by any PUT, as the read before it showed it
	changed   ChangedSettings
}

// run sends the PUT, and looks at what else it has changed.
func (u *settingsUpdate) run(ctx context.Context) (*Pipe, error) {
	resp, err := u.send(ctx)
	var settings *Settings
	if err == nil {
		sent, _ := json.Marshal(u.body)
		settings, err = overlayResponse(u.before.Settings.value, sent, resp)
	}
	if transport.IsOutcomeUnknown(err) && len(u.leftOut) > 0 {
		err = advised(err, "the API may have reset what the request left out: "+strings.Join(slices.Sorted(maps.Keys(u.leftOut)), ", "))
	}
	if err != nil {
		return nil, err
	}
	u.changed = u.checkLeftOut(ctx)
	u.changed.Changed = append(u.changed.Changed, u.checkSent(resp)...)
	after := u.before
	after.Settings = ValueOf(*settings)
	return &after, nil
}

// send sends the PUT, and once more without what is dispensable if the API refuses it.
func (u *settingsUpdate) send(ctx context.Context) (transport.Response, error) {
	resp, first := u.client.transport.Do(ctx, u.put, u.budget)
	needed := maps.Clone(u.body)
	maps.DeleteFunc(needed, u.isDispensable)
	u.isReduced = isInvalid(first) && len(needed) < len(u.body)
	if !u.isReduced {
		return resp, first
	}
	resp, err := u.client.transport.Do(ctx, u.put, u.budget)
	if err != nil && transport.IsOutcomeUnknown(first) {
		err = partlyApplied(err)
	}
	return resp, err
}

// makeBody makes the next PUT from a read right before it.
func (u *settingsUpdate) makeBody(ctx context.Context, _ *transport.Error) (_ []byte, err error) {
	if u.before, err = u.cached.readToWrite(ctx, u.client, u.read, u.budget, Pipe{}); err != nil {
		return nil, err
	}
	u.body = u.settingsToSend()
	if u.isReduced {
		maps.DeleteFunc(u.body, u.isDispensable)
	}
	for name, value := range u.before.returnedSettings() {
		if u.body[name] == nil && u.leftOut[name] == nil {
			u.leftOut[name] = value
		}
	}
	return json.Marshal(u.body)
}

// settingsToSend returns the settings of the next PUT. A documented one has its planned value,
// else the one that the API shows, else the configured one; without any within its bounds it is
// left out. What is undocumented, or mistyped and not configured, is sent as the API returned
// it. Nulls are left out: their effect is not documented.
func (u *settingsUpdate) settingsToSend() map[string]any {
	body := map[string]any{}
	for name, value := range u.before.returnedSettings() {
		body[name] = value
	}
	for name, shown := range u.before.Settings.value.values() {
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
	return body
}

// isDispensable reports whether a PUT can do without a setting: it is not managed, and it is
// undocumented or applies to other kinds of source than the pipe's. A source of an undocumented
// kind counts as another kind.
func (u *settingsUpdate) isDispensable(name string, _ any) bool {
	if u.planned[name] != nil || u.configured[name] != nil {
		return false
	}
	_, isDocumented := Settings{}.values()[name]
	kinds, source := SettingSources(name), u.before.Source.value
	return !isDocumented || len(kinds) > 0 && (len(source) == 0 || !source.Uses(kinds))
}

// checkLeftOut reads the pipe again, and returns the settings that a PUT left out and that
// have another value now.
func (u *settingsUpdate) checkLeftOut(ctx context.Context) ChangedSettings {
	if len(u.leftOut) == 0 {
		return ChangedSettings{}
	}
	pipe, err := fetch[Pipe](ctx, u.client, u.read, u.client.transport.NewBudget())
	if err != nil {
		return ChangedSettings{Unchecked: u.differences(u.leftOut, nil), Err: err}
	}
	return ChangedSettings{Changed: u.differences(u.leftOut, pipe.returnedSettings())}
}

// checkSent returns the settings, except the planned ones, that the response shows with another
// value than was sent. A setting that the response lacks counts too, unless the response is only
// a part of the settings: it lacks a documented one that was sent.
func (u *settingsUpdate) checkSent(resp transport.Response) []ChangedSetting {
	var shown Object
	_ = json.Unmarshal(resp.Result, &shown) // it was decoded before
	isPart := false
	for name := range (Settings{}).values() {
		isPart = isPart || u.body[name] != nil && !shown.has(name)
	}
	sent := Object{}
	for name, value := range u.body {
		if u.planned[name] == nil && u.leftOut[name] == nil && (shown.has(name) || !isPart) {
			sent[name], _ = json.Marshal(value)
		}
	}
	return u.differences(sent, shown)
}

// differences returns the settings that are no longer as they were before.
func (u *settingsUpdate) differences(before, after Object) (changed []ChangedSetting) {
	shown := u.client.transport.Shown
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !isSameJSON(before[name], after[name]) {
			changed = append(changed, ChangedSetting{name, shown(before[name]), shown(after[name])})
		}
	}
	return changed
}

// isSameJSON compares two values. A number in quotes is that number.
func isSameJSON(a, b json.RawMessage) bool {
	var one, other any
	if json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other) {
		return true
	}
	var n, m Value[int64]
	_, _ = n.UnmarshalJSON(a), m.UnmarshalJSON(b)
	return n.state == present && n == m
}

// returnedSettings returns the settings that have a value, as the API wrote the pipe.
func (p *Pipe) returnedSettings() Object {
	var returned struct{ Settings Object }
	_ = json.Unmarshal(p.Returned, &returned) // what is no object has none
	maps.DeleteFunc(returned.Settings, func(name string, _ json.RawMessage) bool { return !returned.Settings.has(name) })
	return returned.Settings
}
