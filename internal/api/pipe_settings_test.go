package api

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

func threads() Settings { return Settings{DBMaxThreads: ValueOf(int64(8))} }

// TestSettingsPut compares what is sent with what the pipe has. If something is left
// out, the pipe is read again.
func TestSettingsPut(t *testing.T) {
	t.Parallel()
	configured := threads()
	configured.DBMaxInsertThreads, configured.DBMaxDownloadThreads = ValueOf(int64(3)), ValueOf(int64(4))
	configured.DBParallelViewProcessing, configured.DBParallelDistributedInsertSelect = ValueOf(true), NullOf[int64]()
	for _, test := range []struct {
		name, remote, body string
		configured         Settings
		leavesOut          bool
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
				"db_max_threads":65,"db_max_insert_threads":17,"db_min_insert_block_size_bytes":10737418241,"db_max_download_threads":-1,
				"db_parallel_distributed_insert_select":3}}`,
			body: `{"db_max_threads":8}`, leavesOut: true,
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
			body:   `{"db_max_download_threads":5,"db_max_threads":8}`, leavesOut: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, script := scripted(t, ok(test.remote), ok(`{}`), ok(test.remote))
			if _, _, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), test.configured); err != nil {
				t.Fatal(err)
			}
			readPipe(t, c) // is cached
			want := []request{getPipe(), putSettings(test.body)}
			if test.leavesOut {
				want = append(want, getPipe())
			}
			script.expect(want...)
		})
	}
}

// TestRefusedSettings: what is not managed, and undocumented or not known to be used
// by the source, is left out of a second PUT, whatever the refusal says. The last
// failure is the error. If it leaves open what the API did, it names what was left out.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	const settings = `"settings":{"streaming_max_insert_wait_ms":500,"object_storage_concurrency":2,"object_storage_new":1,"db_max_threads":2,"db_max_insert_threads":6,"new_one":"x"}`
	const threads8, stream, files = `{"db_max_insert_threads":6,"db_max_threads":8`, `,"streaming_max_insert_wait_ms":500`, `,"object_storage_concurrency":2`
	const all = threads8 + `,"new_one":"x"` + files + `,"object_storage_new":1` + stream + `}`
	refused := response{400, `{"error":"db_max_insert_threads is too large"}`}
	for _, test := range []struct {
		name, source string
		managed      Settings
		refusals     []response
		then         string // the second PUT
		named        string // in the error
	}{
		{name: "kafka", source: `{"kafka":{}}`, refusals: []response{refused}, then: threads8 + stream + `}`},
		{name: "kinesis, unprocessable", source: `{"kinesis":{}}`, refusals: []response{{422, ""}}, then: threads8 + stream + `}`},
		{name: "object storage", source: `{"objectStorage":{}}`, refusals: []response{refused}, then: threads8 + files + `}`},
		{name: "postgres", source: `{"postgres":{}}`, refusals: []response{refused}, then: threads8 + `}`},
		{name: "undocumented source", source: `{"kafka":null,"pubsub":{}}`, refusals: []response{refused}, then: threads8 + `}`},
		{name: "managed", source: `{"kafka":{}}`, managed: Settings{ObjectStorageConcurrency: ValueOf(int64(2))}, refusals: []response{refused}, then: threads8 + files + stream + `}`},
		{name: "managed, of an undocumented source", source: `{}`, managed: Settings{StreamingMaxInsertWaitMS: ValueOf(int64(500))}, refusals: []response{refused}, then: threads8 + stream + `}`},
		{name: "forbidden", source: `{"kafka":{}}`, refusals: []response{{403, `{"error":"new_one"}`}}},
		{
			name: "of unknown outcome", source: `{"kafka":{}}`, refusals: []response{refused, {500, ""}}, then: threads8 + stream + `}`,
			named: "may have reset what the request left out: new_one, object_storage_concurrency, object_storage_new (",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pipe := ok(`{"source":` + test.source + `,` + settings + `}`)
			c, script := scripted(t, slices.Concat([]response{pipe}, test.refusals, []response{ok(`{}`), pipe})...)
			_, left, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), test.managed)
			want := []request{getPipe(), putSettings(all)}
			if test.then != "" {
				want = append(want, putSettings(test.then))
			}
			last := test.refusals[len(test.refusals)-1]
			if fails := len(test.refusals) == len(want)-1; fails != (err != nil) || fails && (asError(t, err).Status != last.status || transport.IsOutcomeUnknown(err) != (test.named != "")) {
				t.Errorf("error %v", err)
			}
			if err == nil {
				want = append(want, getPipe()) // to see what was left out
			} else if text := err.Error(); !strings.Contains(text, test.named) || test.named == "" && strings.Contains(text, "left out") {
				t.Errorf("error %q", text)
			}
			if diff := cmp.Diff(LeftOut{}, left); diff != "" {
				t.Errorf("changed: %s", diff)
			}
			script.expect(want...)
		})
	}
}

// The first PUT may have been applied, if only its retry was refused.
func TestSecondPut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pipe := ok(`{"source":{"kafka":{}},"settings":{"new_one":1}}`)
		for _, first := range []response{{503, ""}, {400, ""}} {
			for _, last := range []response{{403, ""}, ok(`{}`)} {
				script := &script{t: t, responses: []response{pipe, first, {400, ""}, last, pipe}}
				if first.status == 400 {
					script.responses = []response{pipe, first, last, pipe}
				}
				_, _, err := newClient(t, script.respond, retries(1)).UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), Settings{})
				if failed := last.status == 403; failed != (err != nil) || transport.IsOutcomeUnknown(err) != (failed && first.status == 503) {
					t.Errorf("%d, then %d: %v", first.status, last.status, err)
				}
			}
		}
	})
}

// TestLeftOutSettings: what an update left out and then has another value, or
// none, is returned; all of it, with the error, if the pipe cannot be read.
func TestLeftOutSettings(t *testing.T) {
	t.Parallel()
	const before = `"object_storage_concurrency":2,"object_storage_max_file_count":100,"new_one":"x","newer":[1],"gone":true,"none":null,"db_max_insert_threads":99`
	const after = `"object_storage_concurrency":2.0,"object_storage_max_file_count":1,"new_one":"x","newer":[2],"db_max_insert_threads":2`
	read := func(settings string) response { return ok(`{"source":{"kafka":{}},"settings":{` + settings + `}}`) }
	for _, test := range []struct {
		check response
		want  []LeftOutSetting
	}{
		{read(after), []LeftOutSetting{{"db_max_insert_threads", "99", "2"}, {"gone", "true", ""}, {"newer", "[1]", "[2]"}, {"object_storage_max_file_count", "100", "1"}}},
		{response{503, ""}, []LeftOutSetting{
			{"db_max_insert_threads", "99", ""},
			{"gone", "true", ""},
			{"new_one", `"x"`, ""},
			{"newer", "[1]", ""},
			{"object_storage_concurrency", "2", ""},
			{"object_storage_max_file_count", "100", ""},
		}},
	} {
		c, _ := scripted(t, read(before), response{400, ""}, ok(`{}`), test.check)
		_, left, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), Settings{})
		if diff := cmp.Diff(test.want, left.Settings); diff != "" || err != nil || (left.Err != nil) != (test.check.status != 200) {
			t.Errorf("%v, %v (-want +got):\n%s", err, left.Err, diff)
		}
	}
}
