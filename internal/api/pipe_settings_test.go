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
		{
			name:   "unknown and unreadable ones are sent as they are",
			remote: `{"settings":{"new_one":{"x":[1.50,null]},"new_null":null,"db_max_insert_threads":"500m","db_max_download_threads":"4"}}`,
			body:   `{"db_max_download_threads":4,"db_max_insert_threads":"500m","db_max_threads":8,"new_one":{"x":[1.50,null]}}`,
		},
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
			if _, _, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), test.configured); err != nil {
				t.Fatal(err)
			}
			readPipe(t, c) // is cached
			script.expect(getPipe(), putSettings(test.body))
		})
	}
}

// TestRefusedSettings: what is not managed, and undocumented or not used by the
// source, is left out of a second PUT. For a source of undocumented kind, so is the
// one setting that the refusal names. The last failure is the error.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	const settings = `"settings":{"streaming_max_insert_wait_ms":500,"object_storage_concurrency":2,"object_storage_new":1,"db_max_threads":2,"db_max_insert_threads":6,"new_one":"x"}`
	const threads8, stream, files = `{"db_max_insert_threads":6,"db_max_threads":8`, `,"streaming_max_insert_wait_ms":500`, `,"object_storage_concurrency":2`
	const all = threads8 + `,"new_one":"x"` + files + `,"object_storage_new":1` + stream + `}`
	refused := func(text string) response { return response{400, `{"error":"` + text + `"}`} }
	for _, test := range []struct {
		name, source string
		managed      Settings
		refusals     []response
		then         string // the second PUT
	}{
		{name: "kafka, one is named", source: `{"kafka":{}}`, refusals: []response{refused("db_max_insert_threads is too large")}, then: threads8 + stream + `}`},
		{name: "kinesis, unprocessable", source: `{"kinesis":{}}`, refusals: []response{{422, ""}}, then: threads8 + stream + `}`},
		{name: "object storage", source: `{"objectStorage":{}}`, refusals: []response{refused("no")}, then: threads8 + files + `}`},
		{name: "postgres, all are named", source: `{"postgres":{}}`, refusals: []response{refused("unknown: new_one. Use db_max_insert_threads, streaming_max_insert_wait_ms")}, then: threads8 + `}`},
		{name: "managed", source: `{"kafka":{}}`, managed: Settings{ObjectStorageConcurrency: ValueOf(int64(2))}, refusals: []response{refused("object_storage_concurrency")}, then: threads8 + files + stream + `}`},
		{name: "of another kind, one is named", source: `{"pubsub":{}}`, refusals: []response{refused("no stream: 'streaming_max_insert_wait_ms'.")}, then: threads8 + files + `}`},
		{name: "of another kind, two are named", source: `{"pubsub":{}}`, refusals: []response{refused("streaming_max_insert_wait_ms, object_storage_concurrency")}, then: threads8 + files + stream + `}`},
		{name: "of another kind, one is named, and others exist", source: `{"pubsub":{}}`, refusals: []response{refused("unknown: streaming_max_insert_wait_ms. Use db_max_download_threads")}, then: threads8 + files + stream + `}`},
		{name: "of another kind, a managed one is named", source: `{}`, refusals: []response{refused("db_max_threads")}, then: threads8 + files + stream + `}`},
		{name: "of another kind, a part of a name", source: `{}`, refusals: []response{refused("xobject_storage_concurrency")}, then: threads8 + files + stream + `}`},
		{name: "again", source: `{}`, refusals: []response{refused("object_storage_concurrency"), refused("streaming_max_insert_wait_ms")}, then: threads8 + stream + `}`},
		{name: "forbidden", source: `{"kafka":{}}`, refusals: []response{{403, `{"error":"new_one"}`}}},
		{name: "of unknown outcome", source: `{"kafka":{}}`, refusals: []response{refused("new_one"), {500, ""}}, then: threads8 + stream + `}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pipe := ok(`{"source":` + test.source + `,` + settings + `}`)
			c, script := scripted(t, slices.Concat([]response{pipe}, test.refusals, []response{ok(`{}`), pipe})...)
			_, changed, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), test.managed)
			want := []request{getPipe(), putSettings(all)}
			if test.then != "" {
				want = append(want, putSettings(test.then))
			}
			last := test.refusals[len(test.refusals)-1]
			if fails := len(test.refusals) == len(want)-1; fails != (err != nil) || fails && (asError(t, err).Status != last.status || transport.IsOutcomeUnknown(err) != (last.status == 500)) {
				t.Errorf("error %v", err)
			}
			if err == nil {
				want = append(want, getPipe()) // to see what was left out
			}
			if len(changed) > 0 {
				t.Errorf("changed: %v", changed)
			}
			script.expect(want...)
		})
	}
}

// TestChangedSettings: what a second attempt left out and then has another value, or
// none, is returned.
func TestChangedSettings(t *testing.T) {
	t.Parallel()
	read := func(settings string) response { return ok(`{"source":{"kafka":{}},"settings":{` + settings + `}}`) }
	c, _ := scripted(t,
		read(`"db_max_threads":2,"object_storage_concurrency":2,"object_storage_max_file_count":100,"new_one":"x","newer":[1],"gone":true`),
		response{400, ""}, ok(`{}`),
		read(`"db_max_threads":8,"object_storage_concurrency":2.0,"object_storage_max_file_count":1,"new_one":"x","newer":[2]`))
	_, changed, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), Settings{})
	want := []ChangedSetting{{"gone", "true", "not returned"}, {"newer", "[1]", "[2]"}, {"object_storage_max_file_count", "100", "1"}}
	if diff := cmp.Diff(want, changed); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
