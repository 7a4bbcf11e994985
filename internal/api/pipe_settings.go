package api

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
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

// bounded yields every member that has a bound, with it.
func (s *Settings) bounded() iter.Seq2[*Value[int64], Range[int64]] {
	return func(yield func(*Value[int64], Range[int64]) bool) {
		_ = yield(&s.StreamingMaxInsertWaitMS, LimitStreamingMaxInsertWaitMS) &&
			yield(&s.ObjectStorageConcurrency, LimitObjectStorageConcurrency) &&
			yield(&s.ObjectStoragePollingIntervalMS, LimitObjectStoragePollingIntervalMS) &&
			yield(&s.ObjectStorageMaxInsertBytes, LimitObjectStorageMaxInsertBytes) &&
			yield(&s.ObjectStorageMaxFileCount, LimitObjectStorageMaxFileCount) &&
			yield(&s.DBMaxThreads, LimitDBMaxThreads) &&
			yield(&s.DBMaxInsertThreads, LimitDBMaxInsertThreads) &&
			yield(&s.DBMinInsertBlockSizeBytes, LimitDBMinInsertBlockSizeBytes) &&
			yield(&s.DBMaxDownloadThreads, LimitDBMaxDownloadThreads) &&
			yield(&s.DBParallelDistributedInsertSelect, LimitDBParallelDistributedInsertSelect)
	}
}

// plainSettings has the members of Settings without its methods.
type plainSettings Settings

// UnmarshalJSON reads settings over those that s holds, and keeps the members
// it does not know.
func (s *Settings) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*plainSettings)(s)); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return settingNames[name] })
	if len(members) > 0 {
		// Other copies of s share its map.
		unknown := maps.Clone(s.unknown)
		if unknown == nil {
			unknown = members
		} else {
			maps.Copy(unknown, members)
		}
		s.unknown = unknown
	}
	return nil
}

// MarshalJSON writes the settings, unknown members included.
func (s Settings) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(plainSettings(s))
	if err != nil || len(s.unknown) == 0 {
		return data, err
	}
	members := maps.Clone(s.unknown)
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// settingNames are the names of the settings that the specification knows.
var settingNames = func() map[string]bool {
	names := map[string]bool{}
	for field := range reflect.TypeFor[Settings]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			names[name] = true
		}
	}
	return names
}()

// UpdatePipeSettings writes the members of want that have a value
// (specification, "Update pipe settings") and returns the newest pipe with its
// merged settings: what was known, under what was sent, under what the answer
// says. Whether the operation replaces all settings or merges is not
// specified, so the pipe's own settings are sent along, which is right either
// way. Without anything to send it is a read.
func (c *Client) UpdatePipeSettings(ctx context.Context, serviceID, pipeID string, want, configured Settings) (*Pipe, error) {
	r := transport.Request{
		Operation: "update pipe settings",
		Method:    http.MethodPut,
		Path:      append(pipePath(serviceID, pipeID), "settings"),
		Effect:    transport.Idempotent,
	}
	return c.pipes.at(serviceID, pipeID).write(ctx, r.Operation, func(*Pipe) (*Pipe, error) {
		known, err := c.Pipe(ctx, serviceID, pipeID)
		if err != nil {
			return nil, err
		}
		r.Body, err = settingsBody(known.Settings, want)
		if err != nil {
			return nil, &transport.Error{Operation: r.Operation, Err: err}
		}
		if r.Body == nil {
			return known, nil
		}
		a, err := c.transport.Do(ctx, r, c.transport.NewBudget())
		if err != nil {
			return nil, err
		}
		settings, _ := known.Settings.Get()
		merged, err := layered(&settings, r.Body, a)
		if err != nil {
			return nil, err
		}
		updated := *known
		updated.Settings = ValueOf(*merged)
		return &updated, nil
	})
}

// settingsBody returns the settings to send: those the pipe has, overlaid with
// those wanted; nil where none are wanted. Nulls are left out, since what they
// do is not specified. Of the pipe's own, so is what lies outside its bound: a
// 0 that stands for a default would have the whole refused.
func settingsBody(known Value[Settings], want Settings) ([]byte, error) {
	wanted, err := membersWithValue(want)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	settings, _ := known.Get()
	for member, limit := range settings.bounded() {
		if n, ok := member.Get(); ok && !limit.Contains(n) {
			*member = Value[int64]{}
		}
	}
	members, err := membersWithValue(settings)
	if err != nil {
		return nil, err
	}
	maps.Copy(members, wanted)
	return json.Marshal(members)
}

func membersWithValue(s Settings) (map[string]json.RawMessage, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	err = json.Unmarshal(data, &members)
	maps.DeleteFunc(members, func(_ string, value json.RawMessage) bool { return isNull(value) })
	return members, err
}
