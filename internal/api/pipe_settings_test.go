package api

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestSettingsPut compares what is sent with what the pipe has.
func TestSettingsPut(t *testing.T) {
	t.Parallel()
	configured := threads()
	configured.DBMaxInsertThreads, configured.DBMaxDownloadThreads = ValueOf(int64(3)), ValueOf(int64(4))
	configured.DBParallelViewProcessing, configured.DBParallelDistributedInsertSelect = ValueOf(true), NullOf[int64]()
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
			name:   "unreadable ones of another kind of source are left out",
			remote: `{"source":{"kafka":{}},"settings":{"object_storage_concurrency":"auto","streaming_max_insert_wait_ms":"auto"}}`,
			body:   `{"db_max_threads":8,"streaming_max_insert_wait_ms":"auto"}`,
		},
		{
			name: "out of bounds",
			remote: `{"settings":{"streaming_max_insert_wait_ms":499,"object_storage_concurrency":36,
				"object_storage_polling_interval_ms":0,"object_storage_max_insert_bytes":10485759,"object_storage_max_file_count":10001,
				"db_max_threads":65,"db_max_insert_threads":17,"db_min_insert_block_size_bytes":10737418241,"db_max_download_threads":-1,
				"db_parallel_distributed_insert_select":3}}`,
			body: `{"db_max_threads":8}`,
		},
		{
			name: "configured and not shown", configured: configured,
			remote: `{"settings":{"db_max_threads":1,"db_max_insert_threads":9,"db_max_download_threads":null}}`,
			body:   `{"db_max_download_threads":4,"db_max_insert_threads":9,"db_max_threads":8,"db_parallel_view_processing":true}`,
		},
		{
			name: "configured, and shown out of bounds or unreadable", configured: configured,
			remote: `{"settings":{"db_max_insert_threads":17,"db_max_download_threads":"auto","db_parallel_view_processing":"on"}}`,
			body:   `{"db_max_download_threads":4,"db_max_insert_threads":3,"db_max_threads":8,"db_parallel_view_processing":true}`,
		},
		{
			name: "planned out of bounds, by ignore_changes", configured: Settings{DBMaxInsertThreads: ValueOf(int64(17)), DBMaxDownloadThreads: ValueOf(int64(33))},
			remote: `{"settings":{"db_max_insert_threads":17,"db_max_download_threads":5}}`,
			body:   `{"db_max_download_threads":5,"db_max_threads":8}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, script := scripted(t, ok(test.remote), ok(`{"db_max_threads":8}`))
			if _, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), test.configured); err != nil {
				t.Fatal(err)
			}
			readPipe(t, c) // is cached
			script.expect(getPipe(), putSettings(test.body))
		})
	}
}

// TestSettingsOfOtherSources: what the source does not use is left out, unless it is managed. One of an undocumented kind may use
// everything.
func TestSettingsOfOtherSources(t *testing.T) {
	t.Parallel()
	const threads8, stream, files = `{"db_max_threads":8,"new_one":"x"`, `,"streaming_max_insert_wait_ms":500`, `,"object_storage_concurrency":2`
	managed := Settings{ObjectStorageConcurrency: ValueOf(int64(2))}
	for _, test := range []struct {
		source  string
		managed Settings
		want    string
	}{
		{`{"kafka":{}}`, Settings{}, threads8 + stream},
		{`{"objectStorage":{}}`, Settings{}, threads8 + files},
		{`{"postgres":{}}`, Settings{}, threads8},
		{`{"kafka":{}}`, managed, threads8 + files + stream},
		{`{"pubsub":{}}`, Settings{}, threads8 + files + stream},
	} {
		c, script := scripted(t, ok(`{"source":`+test.source+`,"settings":{"streaming_max_insert_wait_ms":500,"object_storage_concurrency":2,"new_one":"x"}}`), response{400, ""})
		if _, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), test.managed); asError(t, err).Status != 400 {
			t.Error(err)
		}
		script.expect(getPipe(), putSettings(test.want+`}`))
	}
}

// TestSettingsAreReadBeforeEachPut: what changes between two attempts stays.
func TestSettingsAreReadBeforeEachPut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pipe := func(settings string) response { return ok(`{"source":{"kafka":{}},"settings":{` + settings + `}}`) }
		for _, status := range []int{409, 423, 503} {
			s := &script{t: t, responses: []response{
				pipe(`"db_max_insert_threads":6`), {status, ""}, pipe(`"db_max_insert_threads":7,"new_one":1`), ok(`{"db_max_threads":8}`),
			}}
			if _, err := set(t.Context(), newClient(t, s.respond, retries(1))); err != nil {
				t.Error(err)
			}
			s.expect(
				getPipe(), putSettings(`{"db_max_insert_threads":6,"db_max_threads":8}`),
				getPipe(), putSettings(`{"db_max_insert_threads":7,"db_max_threads":8,"new_one":1}`))
		}

		// If the read fails, the failure before it is the error.
		s := &script{t: t, responses: []response{pipe(``), {503, ""}, {404, `{"error":"no such pipe"}`}}}
		_, err := set(t.Context(), newClient(t, s.respond, retries(1)))
		if e := asError(t, err); e.Status != 503 || !e.OutcomeUnknown || !strings.Contains(e.Message, "not sent again: get pipe: no such pipe") {
			t.Error(err)
		}
	})
}
