package api

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

func threads() Settings { return Settings{DBMaxThreads: ValueOf(int64(8))} }

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

// TestRefusedSettings: what is not managed, and undocumented or not known to be used
// by the source, is left out of a second PUT, whatever the refusal says. The last
// failure is the error.
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
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pipe := ok(`{"source":` + test.source + `,` + settings + `}`)
			var responses []response
			for _, r := range append(test.refusals, ok(`{}`)) {
				responses = append(responses, pipe, r)
			}
			c, script := scripted(t, append(responses, pipe)...)
			_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), test.managed)
			want := []request{getPipe(), putSettings(all)}
			if test.then != "" {
				want = append(want, getPipe(), putSettings(test.then))
			}
			last := test.refusals[len(test.refusals)-1]
			if fails := len(test.refusals) == len(want)/2; fails != (err != nil) || fails && (asError(t, err).Status != last.status || transport.IsOutcomeUnknown(err) != (last.status == 500)) {
				t.Errorf("error %v", err)
			}
			if err == nil { // the pipe is read again, and shows all of them
				want = append(want, getPipe())
			}
			script.expect(want...)
		})
	}
}

// TestLostSettings: a second PUT has left out settings that the API does not show since, or that
// cannot be read. The pipe is as the API shows it.
func TestLostSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		after response
		lost  []string
	}{
		"none":            {ok(`{"settings":{"db_max_threads":8,"db_max_insert_threads":7,"new_one":"x","object_storage_concurrency":2}}`), nil},
		"one":             {ok(`{"settings":{"db_max_threads":8,"new_one":null,"object_storage_concurrency":2}}`), []string{"new_one"}},
		"another value":   {ok(`{"settings":{"db_max_threads":8,"new_one":"y","object_storage_concurrency":2}}`), []string{"new_one"}},
		"no read":         {response{404, ""}, []string{"new_one", "object_storage_concurrency"}},
		"nothing is read": {ok(`{"settings":null}`), []string{"new_one", "object_storage_concurrency"}},
	} {
		before := ok(`{"source":{"kafka":{}},"settings":{"db_max_insert_threads":6,"new_one":"x","new_null":null,"object_storage_concurrency":2}}`)
		c, _ := scripted(t, before, response{400, ""}, before, ok(`{}`), test.after)
		pipe, err := set(t.Context(), c)
		accepted, isUnshown := errors.AsType[*UnshownError](err)
		switch {
		case test.lost == nil && (err != nil || pipe.Settings.value.DBMaxInsertThreads.value != 7):
			t.Errorf("%s: %v, pipe %+v", name, err, pipe)
		case test.lost != nil && (!isUnshown || !slices.Equal(accepted.Lost, test.lost)):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoSecondPutWithoutAnythingToLeaveOut(t *testing.T) {
	t.Parallel()
	c, script := scripted(t, ok(`{"settings":{"db_max_insert_threads":4}}`), response{400, ""})
	if _, err := set(t.Context(), c); asError(t, err).Status != 400 {
		t.Error(err)
	}
	script.expect(getPipe(), putSettings(`{"db_max_insert_threads":4,"db_max_threads":8}`))
}

// The first PUT may have been applied, if only its retry was refused.
func TestSecondPut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pipe := ok(`{"source":{"kafka":{}},"settings":{"new_one":1}}`)
		for _, first := range []response{{503, ""}, {400, ""}} {
			for _, last := range []response{{403, ""}, ok(`{}`)} {
				script := &script{t: t, responses: []response{pipe, first, pipe, {400, ""}, pipe, last, pipe}}
				if first.status == 400 {
					script.responses = []response{pipe, first, pipe, last, pipe}
				}
				_, err := newClient(t, script.respond, retries(1)).UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), Settings{})
				if failed := last.status == 403; failed != (err != nil) || transport.IsOutcomeUnknown(err) != (failed && first.status == 503) {
					t.Errorf("%d, then %d: %v", first.status, last.status, err)
				}
			}
		}
		// Both PUTs share one retry, which the first has used.
		script := &script{t: t, responses: []response{pipe, {503, ""}, pipe, {400, ""}, pipe, {503, ""}}}
		_, err := newClient(t, script.respond, retries(1)).UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), Settings{})
		if asError(t, err).Status != 503 {
			t.Error(err)
		}
	})
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
