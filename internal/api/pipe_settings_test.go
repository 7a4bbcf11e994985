package api

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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
		{name: "no settings", remote: `{}`, body: `{"db_max_threads":8}`},
		{name: "settings null", remote: `{"settings":null}`, body: `{"db_max_threads":8}`},
		{name: "settings of another type", remote: `{"settings":[1]}`, body: `{"db_max_threads":8}`},
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
			name:   "within bounds",
			remote: `{"settings":{"streaming_max_insert_wait_ms":500,"object_storage_max_insert_bytes":53687091200}}`,
			body:   `{"db_max_threads":8,"object_storage_max_insert_bytes":53687091200,"streaming_max_insert_wait_ms":500}`,
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
			script.expect(getPipe(), putSettings(test.body))
		})
	}
}

func TestSettingsResponse(t *testing.T) {
	t.Parallel()
	const remote = `{"name":"orders","settings":{"db_max_threads":2,"db_max_insert_threads":4,"streaming_max_insert_wait_ms":0,"new_one":1}}`
	for _, test := range []struct{ name, response, want string }{
		{"empty", `{}`, `{"db_max_threads":8,"db_max_insert_threads":4,"streaming_max_insert_wait_ms":0,"new_one":1}`},
		{"what was sent", `{"db_max_threads":8}`, `{"db_max_threads":8,"db_max_insert_threads":4,"streaming_max_insert_wait_ms":0,"new_one":1}`},
		{
			"something else", `{"db_max_threads":7,"db_max_insert_threads":null,"new_one":2,"id":"` + otherID + `"}`,
			`{"db_max_threads":7,"db_max_insert_threads":null,"streaming_max_insert_wait_ms":0,"new_one":2,"id":"` + otherID + `"}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, _ := scripted(t, ok(remote), ok(test.response))
			got, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), Settings{})
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, got, `{"name":"orders","settings":`+test.want+`}`)
			if readPipe(t, c) != got {
				t.Error("the result is not cached")
			}
		})
	}
}

// TestSettingsAreReadRightBefore: what somebody else has changed since an earlier
// read, even one that is still under way, is not reverted.
func TestSettingsAreReadRightBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, body := 0, ""
		c := newClient(t, func(r *http.Request) (response, error) {
			if r.Method == http.MethodPut {
				data, err := io.ReadAll(r.Body)
				body = string(data)
				return ok(`{}`), err
			}
			switch reads++; reads {
			case 1:
				return ok(`{"settings":{"db_max_insert_threads":3}}`), nil
			case 2:
				time.Sleep(time.Second)
				return ok(`{"settings":{"db_max_insert_threads":4}}`), nil
			}
			return ok(`{"settings":{"db_max_insert_threads":5}}`), nil
		})
		readPipe(t, c)
		var early sync.WaitGroup
		early.Go(func() { readPipe(t, c.Fresh()) })
		synctest.Wait()
		_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), Settings{})
		early.Wait()
		if err != nil || body != `{"db_max_insert_threads":5,"db_max_threads":8}` {
			t.Errorf("%s, %v", body, err)
		}
		sameJSON(t, readPipe(t, c), `{"settings":{"db_max_threads":8,"db_max_insert_threads":5}}`)
	})
}

func TestOutOfBounds(t *testing.T) {
	t.Parallel()
	var settings Settings
	if err := json.Unmarshal([]byte(`{"object_storage_concurrency":50,"db_max_threads":-1,"db_max_insert_threads":3,"db_max_download_threads":"x"}`), &settings); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int64{"object_storage_concurrency": 50, "db_max_threads": -1}, maps.Collect(settings.OutOfBounds())); diff != "" {
		t.Error(diff)
	}
	for range settings.OutOfBounds() {
		break
	}
	for _, setting := range settings.bounded() {
		if !settingNames[setting.name] {
			t.Errorf("no setting %s", setting.name)
		}
	}
}

// TestRefusedSettings: what is not managed and belongs to another kind of source,
// or is named by a refusal, is left out of the next PUT.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	const settings = `"settings":{"streaming_max_insert_wait_ms":500,"object_storage_concurrency":2,"object_storage_new":1,"db_max_threads":2,"new_one":"x","newer":2}`
	const objectStorage, stream = `,"object_storage_concurrency":2,"object_storage_new":1`, `,"streaming_max_insert_wait_ms":500`
	const all = `{"db_max_threads":8,"new_one":"x","newer":2` + objectStorage + stream + `}`
	configured := threads()
	configured.ObjectStorageConcurrency = ValueOf(int64(2))
	refused := func(text string) response { return reply(400, `{"error":"`+text+`"}`) }
	for _, test := range []struct {
		name, source string
		refusals     []response
		then         []string // the PUTs after the first
	}{
		{"kafka", `{"kafka":{}}`, []response{refused("no")}, []string{`{"db_max_threads":8,"new_one":"x","newer":2` + stream + `}`}},
		{"kinesis, unprocessable", `{"kinesis":{}}`, []response{reply(422, "")}, []string{`{"db_max_threads":8,"new_one":"x","newer":2` + stream + `}`}},
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
		{"forbidden", `{"kafka":{}}`, []response{reply(403, `{"error":"newer"}`)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, script := scripted(t, slices.Concat([]response{ok(`{"source":` + test.source + `,` + settings + `}`)}, test.refusals, []response{ok(`{}`)})...)
			managed := threads()
			if test.name == "configured" {
				managed = configured
			}
			_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), managed)
			if (len(test.then) < len(test.refusals)) != (err != nil) {
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

// TestSettingsErrors: the last refusal is the error, and what the last PUT may have
// changed is read again.
func TestSettingsErrors(t *testing.T) {
	t.Parallel()
	const kafka = `{"source":{"kafka":{}},"settings":{"object_storage_concurrency":2}}`
	first := reply(400, `{"error":"first"}`)
	for want, responses := range map[string][]response{
		"get pipe: gone (HTTP 404 Not Found)":                                                    {reply(404, `{"error":"gone"}`)},
		"update pipe settings: first (HTTP 400 Bad Request)":                                     {ok(`{}`), first},
		"update pipe settings: second (HTTP 400 Bad Request)":                                    {ok(kafka), first, reply(400, `{"error":"second"}`)},
		"update pipe settings: down (HTTP 500 Internal Server Error, it may have been acted on)": {ok(kafka), first, reply(500, "down"), ok(`{}`)},
	} {
		c, _ := scripted(t, responses...)
		_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, threads(), threads())
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if transport.IsOutcomeUnknown(err) {
			readPipe(t, c)
		}
	}
}

func TestSettingsCopiesShareNothing(t *testing.T) {
	t.Parallel()
	var first Settings
	if err := json.Unmarshal([]byte(`{"new_one":1}`), &first); err != nil {
		t.Fatal(err)
	}
	second := first
	if err := json.Unmarshal([]byte(`{"new_one":2,"newer":3}`), &second); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, first, `{"new_one":1}`)
	sameJSON(t, second, `{"new_one":2,"newer":3}`)
}
