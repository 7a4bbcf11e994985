package api

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

func threads() Settings { return Settings{DBMaxThreads: ValueOf(int64(8))} }

// TestSettingsPut compares what is sent with what the pipe has.
func TestSettingsPut(t *testing.T) {
	t.Parallel()
	configured := threads()
	configured.DBMaxInsertThreads, configured.DBMaxDownloadThreads = ValueOf(int64(3)), ValueOf(int64(4))
	configured.DBParallelViewProcessing, configured.DBParallelDistributedInsertSelect = ValueOf(true), NullOf[int64]()
	configured.ObjectStorageConcurrency = ValueOf(int64(5))
	for _, test := range []struct {
		name, remote, body string
		configured         Settings
	}{
		{name: "settings null", remote: `{"settings":null}`, body: `{"db_max_threads":8}`},
		{
			name:   "the pipe's own are sent along",
			remote: `{"settings":{"db_max_threads":2,"db_max_insert_threads":2,"db_parallel_view_processing":false}}`,
			body:   `{"db_max_insert_threads":2,"db_max_threads":8,"db_parallel_view_processing":false}`,
		},
		{
			name:   "unknown and unreadable ones are sent as they are",
			remote: `{"settings":{"new_one":{"x":[1.50,null]},"new_null":null,"db_max_insert_threads":"500m","db_max_download_threads":"4"}}`,
			body:   `{"db_max_download_threads":4,"db_max_insert_threads":"500m","db_max_threads":8,"new_one":{"x":[1.50,null]}}`,
		},
		{name: "nulls are left out", remote: `{"settings":{"db_max_insert_threads":null,"db_parallel_view_processing":null}}`, body: `{"db_max_threads":8}`},
		{
			name: "out of bounds",
			remote: `{"settings":{"streaming_max_insert_wait_ms":499,"object_storage_concurrency":36,
				"object_storage_polling_interval_ms":0,"object_storage_max_insert_bytes":10485759,"object_storage_max_file_count":10001,
				"db_max_insert_threads":17,"db_min_insert_block_size_bytes":10737418241,"db_max_download_threads":-1,
				"db_parallel_distributed_insert_select":3}}`,
			body: `{"db_max_threads":8}`,
		},
		{
			name: "configured and not shown", configured: configured,
			remote: `{"settings":{"db_max_threads":1,"db_max_insert_threads":9,"db_max_download_threads":null,"object_storage_concurrency":99}}`,
			body:   `{"db_max_download_threads":4,"db_max_insert_threads":9,"db_max_threads":8,"db_parallel_view_processing":true}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, script := scripted(t, ok(test.remote), ok(`{}`))
			if _, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), test.configured); err != nil {
				t.Fatal(err)
			}
			readPipe(t, c) // is cached
			script.expect(getPipe(), putSettings(test.body))
		})
	}
}

func TestOutOfBounds(t *testing.T) {
	t.Parallel()
	settings := Settings{ObjectStorageConcurrency: ValueOf(int64(50)), DBMaxThreads: ValueOf(int64(-1)), DBMaxInsertThreads: ValueOf(int64(16))}
	if diff := cmp.Diff(map[string]int64{"object_storage_concurrency": 50, "db_max_threads": -1}, settings.OutOfBounds()); diff != "" {
		t.Error(diff)
	}
}

// TestRefusedSettings: what is not managed and belongs to another kind of source,
// or is named by a refusal, is left out of the next PUT. The last failure is the
// error.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	const settings = `"settings":{"streaming_max_insert_wait_ms":500,"object_storage_concurrency":2,"object_storage_new":1,"db_max_threads":2,"new_one":"x","newer":2}`
	const objectStorage, stream = `,"object_storage_concurrency":2,"object_storage_new":1`, `,"streaming_max_insert_wait_ms":500`
	const all = `{"db_max_threads":8,"new_one":"x","newer":2` + objectStorage + stream + `}`
	configured := threads()
	configured.ObjectStorageConcurrency = ValueOf(int64(2))
	refused := func(text string) response { return response{400, `{"error":"` + text + `"}`} }
	for _, test := range []struct {
		name, source string
		refusals     []response
		then         []string // the PUTs after the first
	}{
		{"kafka", `{"kafka":{}}`, []response{refused("no")}, []string{`{"db_max_threads":8,"new_one":"x","newer":2` + stream + `}`}},
		{"kinesis, unprocessable", `{"kinesis":{}}`, []response{{422, ""}}, []string{`{"db_max_threads":8,"new_one":"x","newer":2` + stream + `}`}},
		{"object storage", `{"objectStorage":{}}`, []response{refused("no")}, []string{`{"db_max_threads":8,"new_one":"x","newer":2` + objectStorage + `}`}},
		{"postgres", `{"postgres":{}}`, []response{refused("no")}, []string{`{"db_max_threads":8,"new_one":"x","newer":2}`}},
		{"configured", `{"kafka":{}}`, []response{refused("object_storage_concurrency")}, []string{`{"db_max_threads":8,"new_one":"x","newer":2,"object_storage_concurrency":2` + stream + `}`}},
		{
			"named, one after the other", `{}`,
			[]response{refused("unknown setting 'new_one'."), refused("streaming_max_insert_wait_ms: no stream")},
			[]string{`{"db_max_threads":8,"newer":2` + objectStorage + stream + `}`, `{"db_max_threads":8,"newer":2` + objectStorage + `}`},
		},
		{"named again", `{}`, []response{refused("newer"), refused("newer")}, []string{`{"db_max_threads":8,"new_one":"x"` + objectStorage + stream + `}`}},
		{"a part of a name", `{}`, []response{refused("new_ones")}, nil},
		{"a managed one is named", `{}`, []response{refused("db_max_threads")}, nil},
		{"forbidden", `{"kafka":{}}`, []response{{403, `{"error":"newer"}`}}, nil},
		{"of unknown outcome", `{}`, []response{refused("newer"), {500, ""}}, []string{`{"db_max_threads":8,"new_one":"x"` + objectStorage + stream + `}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, script := scripted(t, slices.Concat([]response{ok(`{"source":` + test.source + `,` + settings + `}`)}, test.refusals, []response{ok(`{}`)})...)
			var managed Settings
			if test.name == "configured" {
				managed = configured
			}
			_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), managed)
			if last := test.refusals[len(test.refusals)-1]; len(test.then) == len(test.refusals) && err != nil ||
				len(test.then) < len(test.refusals) && (asError(t, err).Status != last.status || transport.IsOutcomeUnknown(err) != (last.status == 500)) {
				t.Errorf("error %v", err)
			}
			want := []request{getPipe(), putSettings(all)}
			for _, body := range test.then {
				want = append(want, putSettings(body))
			}
			script.expect(want...)
		})
	}
}
