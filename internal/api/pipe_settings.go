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

// LeftOut are settings that an update left out and that have another value since then; all
// that it left out, if the read after it failed (Err).
type LeftOut struct {
	Settings []LeftOutSetting
	Err      error
}

// A LeftOutSetting has the values that the API returned, as JSON: "" for none.
type LeftOutSetting struct{ Name, Before, After string }

// UpdatePipeSettings writes the members of change (updatePipeSettings) and returns
// the newest pipe with its merged settings: as it was read, under what was sent,
// under what the response shows. Without anything to change it is a read.
//
// That the operation merges is not documented, so the pipe's own settings are
// sent along, as a read right before the PUT shows them ([settingsToSend]). If the API
// refuses them, a second attempt leaves out what it may not know ([isDispensable]).
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, change, configured Settings) (*Pipe, LeftOut, error) {
	var left LeftOut
	if change == (Settings{}) {
		pipe, err := c.Pipe(ctx, serviceID, pipeID)
		return pipe, left, err
	}
	cached, read := c.pipes.at(serviceID, pipeID), pipeRequest("get pipe", http.MethodGet, serviceID, pipeID)
	put := pipeRequest("update pipe settings", http.MethodPut, serviceID, pipeID, "settings")
	put.Effect, put.ID = transport.Idempotent, "" // the result is not the pipe
	pipe, err := cached.write(ctx, put.Operation, func(Pipe) (*Pipe, error) {
		before, err := fetch[Pipe](ctx, c, read, c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		cached.set(before)
		settings, leftOut, err := c.putSettings(ctx, put, before, change.values(), configured.values())
		if err != nil {
			if transport.IsOutcomeUnknown(err) && len(leftOut) > 0 {
				err = advised(err, "the API may have reset what the request left out: "+strings.Join(slices.Sorted(maps.Keys(leftOut)), ", "))
			}
			return nil, err
		}
		if len(leftOut) > 0 {
			left = c.check(ctx, read, leftOut)
		}
		updated := *before
		updated.Settings = ValueOf(*settings)
		return &updated, nil
	})
	return pipe, left, err
}

// putSettings sends a PUT and, if the API refuses it, a second one without what is
// dispensable. leftOut are the settings that the last one left out.
func (c *Client) putSettings(ctx context.Context, r transport.Request, before *Pipe, planned, configured map[string]any) (after *Settings, leftOut Object, err error) {
	body, budget := settingsToSend(before, planned, configured), c.transport.NewBudget()
	put := func() (transport.Response, error) {
		r.Body, _ = json.Marshal(body) // settings can always be written
		return c.transport.Do(ctx, r, budget)
	}
	resp, err := put()
	if all := len(body); isInvalid(err) {
		maps.DeleteFunc(body, func(name string, _ any) bool {
			return planned[name] == nil && configured[name] == nil && isDispensable(name, before.Source.value)
		})
		if first := err; len(body) < all {
			if resp, err = put(); err != nil && transport.IsOutcomeUnknown(first) {
				err = partlyApplied(err)
			}
		}
	}
	if err == nil {
		after, err = overlayResponse(before.Settings.value, r.Body, resp)
	}
	leftOut = returnedSettings(before)
	maps.DeleteFunc(leftOut, func(name string, _ json.RawMessage) bool { return body[name] != nil })
	return after, leftOut, err
}

// settingsToSend returns the body of a PUT: what is planned; else the value that the
// API shows; else the configured one. What is undocumented or mistyped, and not
// configured, is sent as the API returned it. Nulls are left out, since their effect
// is not documented, and so is what no PUT can send.
func settingsToSend(remote *Pipe, planned, configured map[string]any) map[string]any {
	body := map[string]any{}
	for name, value := range returnedSettings(remote) {
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

// returnedSettings returns a pipe's settings that have a value, as the API wrote them.
func returnedSettings(pipe *Pipe) Object {
	var returned struct{ Settings Object }
	_ = json.Unmarshal(pipe.Returned, &returned) // what is no object has none
	maps.DeleteFunc(returned.Settings, func(_ string, value json.RawMessage) bool { return isNull(value) })
	return returned.Settings
}

// check reads a pipe again, for what has happened to the settings that were left out.
func (c *Client) check(ctx context.Context, read transport.Request, before Object) LeftOut {
	var left LeftOut
	pipe, err := fetch[Pipe](ctx, c, read, c.transport.NewBudget())
	if left.Err = err; err != nil {
		pipe = &Pipe{}
	}
	after := returnedSettings(pipe)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		var was, is any
		_, _ = json.Unmarshal(before[name], &was), json.Unmarshal(after[name], &is)
		if !reflect.DeepEqual(was, is) {
			left.Settings = append(left.Settings, LeftOutSetting{name, string(before[name]), string(after[name])})
		}
	}
	return left
}
