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

// ChangedSettings are settings that an update was not to change, but that have another
// value since then.
type ChangedSettings struct {
	Changed   []ChangedSetting
	Unchecked []ChangedSetting // may have: the update left them out, and the read after it failed
	Err       error            // of that read
}

// A ChangedSetting has the values that the API returned, as JSON: "" for none.
type ChangedSetting struct{ Name, Before, After string }

// UpdatePipeSettings writes the members of change (updatePipeSettings) and returns
// the newest pipe with its merged settings: as it was read, under what was sent,
// under what the response shows. Without anything to change it is a read.
//
// That the operation merges is not documented, so the pipe's own settings are
// sent along, as a read right before each attempt shows them ([settingsToSend]). If the API
// refuses them, a second PUT leaves out what it may not know ([isDispensable]).
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, change, configured Settings) (*Pipe, ChangedSettings, error) {
	var changed ChangedSettings
	if change == (Settings{}) {
		pipe, err := c.Pipe(ctx, serviceID, pipeID)
		return pipe, changed, err
	}
	cached, read := c.pipes.at(serviceID, pipeID), pipeRequest("get pipe", http.MethodGet, serviceID, pipeID)
	put := pipeRequest("update pipe settings", http.MethodPut, serviceID, pipeID, "settings")
	put.Effect, put.ID = transport.Idempotent, "" // the result is not the pipe
	u := settingsUpdate{planned: change.values(), configured: configured.values(), leftOut: Object{}}
	budget := c.transport.NewBudget()
	put.MakeBody = func(ctx context.Context) ([]byte, error) {
		before, err := cached.readToWrite(ctx, c, read, budget, Pipe{})
		if err != nil {
			return nil, err
		}
		return u.makeBody(before), nil
	}
	pipe, err := cached.write(ctx, put.Operation, func(Pipe) (*Pipe, error) {
		resp, err := c.transport.Do(ctx, put, budget)
		if isInvalid(err) && u.reduce() {
			first := err
			if resp, err = c.transport.Do(ctx, put, budget); err != nil && transport.IsOutcomeUnknown(first) {
				err = partlyApplied(err)
			}
		}
		var after *Settings
		if err == nil {
			after, err = overlayResponse(u.before.Settings.value, u.sent, resp)
		}
		if err != nil {
			if transport.IsOutcomeUnknown(err) && len(u.leftOut) > 0 {
				err = advised(err, "the API may have reset what the request left out: "+strings.Join(slices.Sorted(maps.Keys(u.leftOut)), ", "))
			}
			return nil, err
		}
		if len(u.leftOut) > 0 {
			changed = c.check(ctx, read, u.leftOut)
		}
		changed.Changed = append(changed.Changed, u.changedBy(resp)...)
		updated := u.before
		updated.Settings = ValueOf(*after)
		return &updated, nil
	})
	return pipe, changed, err
}

// A settingsUpdate is an update under way.
type settingsUpdate struct {
	planned, configured map[string]any
	isReduced           bool // leaves out what is dispensable

	before  Pipe           // the last read
	body    map[string]any // the last PUT
	sent    []byte         // its JSON
	leftOut Object         // what any PUT left out, as the read before it showed it
}

// makeBody makes the next PUT from a read right before it.
func (u *settingsUpdate) makeBody(before Pipe) []byte {
	u.before, u.body = before, settingsToSend(&before, u.planned, u.configured)
	if u.isReduced {
		maps.DeleteFunc(u.body, u.isDispensable)
	}
	for name, value := range returnedSettings(before.Returned) {
		if u.body[name] == nil && u.leftOut[name] == nil {
			u.leftOut[name] = value
		}
	}
	u.sent, _ = json.Marshal(u.body) // settings can always be written
	return u.sent
}

// reduce lets the next PUT leave out what is dispensable. It is false if that is nothing.
func (u *settingsUpdate) reduce() bool {
	for name, value := range u.body {
		u.isReduced = u.isReduced || u.isDispensable(name, value)
	}
	return u.isReduced
}

// isDispensable reports whether a PUT can do without a setting: one that is not managed.
func (u *settingsUpdate) isDispensable(name string, _ any) bool {
	return u.planned[name] == nil && u.configured[name] == nil && isDispensable(name, u.before.Source.value)
}

// changedBy returns the settings, except the planned ones, that a response shows with
// another value than was sent. One that it lacks counts if the read before had it, unless
// the response lacks documented settings, too: it is only a part then.
func (u *settingsUpdate) changedBy(resp transport.Response) (changed []ChangedSetting) {
	var shown Settings
	var response Object
	_, _ = json.Unmarshal(resp.Result, &shown), json.Unmarshal(resp.Result, &response) // it was decoded before
	before, documented := returnedSettings(u.before.Returned), shown.values()
	isPart := false
	for name := range documented {
		isPart = isPart || u.body[name] != nil && !hasMember(response, name)
	}
	for _, name := range slices.Sorted(maps.Keys(u.body)) {
		sent, _ := json.Marshal(u.body[name])
		isSame := isSameJSON(sent, response[name]) || reflect.DeepEqual(u.body[name], documented[name])
		if u.planned[name] != nil || u.leftOut[name] != nil || isSame {
			continue
		}
		if hasMember(response, name) || before[name] != nil && !isPart {
			changed = append(changed, ChangedSetting{name, string(sent), string(response[name])})
		}
	}
	return changed
}

func hasMember(object Object, name string) bool { return object[name] != nil && !isNull(object[name]) }

func isSameJSON(a, b json.RawMessage) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}

// settingsToSend returns the body of a PUT: what is planned; else the value that the
// API shows; else the configured one. What is undocumented or mistyped, and not
// configured, is sent as the API returned it. Nulls are left out, since their effect
// is not documented, and so is what no PUT can send.
func settingsToSend(remote *Pipe, planned, configured map[string]any) map[string]any {
	body := map[string]any{}
	for name, value := range returnedSettings(remote.Returned) {
		body[name] = value
	}
	for name, shown := range remote.Settings.value.values() {
		switch {
		case planned[name] != nil:
			body[name] = planned[name]
		case canBeSent(name, shown):
			body[name] = shown
		case canBeSent(name, configured[name]):
			body[name] = configured[name]
		case shown != nil:
			delete(body, name)
		}
	}
	return body
}

// isDispensable reports whether a PUT that was refused can do without a setting that
// is not managed: one that is undocumented, or that belongs to other kinds of source
// than the pipe's. An undocumented kind is another one.
func isDispensable(name string, source Source) bool {
	_, isDocumented := Settings{}.values()[name]
	kinds := SettingSources(name)
	return !isDocumented || len(kinds) > 0 && (len(source) == 0 || !source.Uses(kinds))
}

// returnedSettings returns the settings that have a value, as the API wrote a pipe.
func returnedSettings(pipe json.RawMessage) Object {
	var returned struct{ Settings Object }
	_ = json.Unmarshal(pipe, &returned) // what is no object has none
	maps.DeleteFunc(returned.Settings, func(_ string, value json.RawMessage) bool { return isNull(value) })
	return returned.Settings
}

// check reads a pipe again, for what has happened to the settings that were left out.
func (c *Client) check(ctx context.Context, read transport.Request, leftOut Object) (changed ChangedSettings) {
	pipe, err := fetch[Pipe](ctx, c, read, c.transport.NewBudget())
	if err != nil {
		changed.Err, pipe = err, &Pipe{}
	}
	after := returnedSettings(pipe.Returned)
	for _, name := range slices.Sorted(maps.Keys(leftOut)) {
		setting := ChangedSetting{name, string(leftOut[name]), string(after[name])}
		switch {
		case err != nil:
			changed.Unchecked = append(changed.Unchecked, setting)
		case !isSameJSON(leftOut[name], after[name]):
			changed.Changed = append(changed.Changed, setting)
		}
	}
	return changed
}
