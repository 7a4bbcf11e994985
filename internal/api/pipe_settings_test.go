package api

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// TestSettingsBody holds what is sent against what the pipe has and what is
// wanted.
func TestSettingsBody(t *testing.T) {
	t.Parallel()
	threads := Settings{DBMaxThreads: ValueOf(int64(8))}
	for _, test := range []struct {
		name, known string
		want        Settings
		body        string // "": no request
	}{
		{"nothing known", `{}`, threads, `{"db_max_threads":8}`},
		{"settings null", `{"settings":null}`, threads, `{"db_max_threads":8}`},
		{
			"the pipe's own are sent along", `{"settings":{"db_max_insert_threads":2,"db_parallel_view_processing":false}}`, threads,
			`{"db_max_insert_threads":2,"db_max_threads":8,"db_parallel_view_processing":false}`,
		},
		{"the wanted one wins", `{"settings":{"db_max_threads":2}}`, threads, `{"db_max_threads":8}`},
		{
			"unknown ones are sent to the letter", `{"settings":{"new_one":{"x":[1.50,null]},"new_null":null}}`, threads,
			`{"db_max_threads":8,"new_one":{"x":[1.50,null]}}`,
		},
		{"nulls are left out", `{"settings":{"db_max_insert_threads":null,"db_parallel_view_processing":null}}`, threads, `{"db_max_threads":8}`},
		{
			"wanted nulls are left out", `{"settings":{"db_max_insert_threads":2}}`,
			Settings{DBMaxThreads: ValueOf(int64(8)), DBMaxInsertThreads: NullOf[int64]()},
			`{"db_max_insert_threads":2,"db_max_threads":8}`,
		},
		{"below and above the bounds", `{"settings":{"streaming_max_insert_wait_ms":499,"object_storage_concurrency":36,
			"object_storage_polling_interval_ms":0,"object_storage_max_insert_bytes":10485759,"object_storage_max_file_count":10001,
			"db_max_insert_threads":17,"db_min_insert_block_size_bytes":10737418241,"db_max_download_threads":-1,
			"db_parallel_distributed_insert_select":3}}`, threads, `{"db_max_threads":8}`},
		{
			"on the bounds", `{"settings":{"streaming_max_insert_wait_ms":500,"object_storage_concurrency":35,
			"object_storage_polling_interval_ms":100,"object_storage_max_insert_bytes":53687091200,"object_storage_max_file_count":1,
			"db_max_insert_threads":16,"db_min_insert_block_size_bytes":0,"db_max_download_threads":32,
			"db_parallel_distributed_insert_select":2}}`, threads,
			`{"db_max_download_threads":32,"db_max_insert_threads":16,"db_max_threads":8,"db_min_insert_block_size_bytes":0,` +
				`"db_parallel_distributed_insert_select":2,"object_storage_concurrency":35,"object_storage_max_file_count":1,` +
				`"object_storage_max_insert_bytes":53687091200,"object_storage_polling_interval_ms":100,"streaming_max_insert_wait_ms":500}`,
		},
		{
			"unreadable ones are sent as they came", `{"settings":{"db_max_insert_threads":"500m","db_max_download_threads":"4","db_parallel_view_processing":[1]}}`, threads,
			`{"db_max_download_threads":4,"db_max_insert_threads":"500m","db_max_threads":8,"db_parallel_view_processing":[1]}`,
		},
		{"settings of another type", `{"settings":[1]}`, threads, `{"db_max_threads":8}`},
		{"nothing wanted", `{"settings":{"db_max_threads":2}}`, Settings{}, ""},
		{"only nulls wanted", `{"settings":{"db_max_threads":2}}`, Settings{DBMaxThreads: NullOf[int64]()}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			talk := converse(t, says(ok(test.known)), says(ok(`{}`)))
			c := withoutNetwork(t, talk.answer)
			if _, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, test.want, Settings{}); err != nil {
				t.Fatal(err)
			}
			if test.body == "" {
				talk.expect(getPipe())
				return
			}
			talk.expect(getPipe(), putSettings(test.body))
		})
	}
}

func TestSettingsAnswers(t *testing.T) {
	t.Parallel()
	const known = `{"name":"orders","settings":{"db_max_threads":2,"db_max_insert_threads":4,"streaming_max_insert_wait_ms":0,"new_one":1}}`
	for _, test := range []struct{ name, answer, want string }{
		{"nothing", `{}`, `{"db_max_threads":8,"db_max_insert_threads":4,"streaming_max_insert_wait_ms":0,"new_one":1}`},
		{"what was sent", `{"db_max_threads":8}`, `{"db_max_threads":8,"db_max_insert_threads":4,"streaming_max_insert_wait_ms":0,"new_one":1}`},
		{
			"something else", `{"db_max_threads":7,"db_max_insert_threads":null,"new_one":2,"newer":3}`,
			`{"db_max_threads":7,"db_max_insert_threads":null,"streaming_max_insert_wait_ms":0,"new_one":2,"newer":3}`,
		},
		{
			"with an id", `{"id":"` + otherID + `"}`,
			`{"db_max_threads":8,"db_max_insert_threads":4,"streaming_max_insert_wait_ms":0,"new_one":1,"id":"` + otherID + `"}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			talk := converse(t, says(ok(known)), says(ok(test.answer)))
			c := withoutNetwork(t, talk.answer)
			got, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, Settings{DBMaxThreads: ValueOf(int64(8))}, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, got, `{"name":"orders","settings":`+test.want+`}`)
			if readPipe(t, c) != got {
				t.Error("the answer does not serve reads")
			}
		})
	}
}

// TestSettingsAreReadRightBefore: what somebody else has changed since the last
// read is not reverted.
func TestSettingsAreReadRightBefore(t *testing.T) {
	t.Parallel()
	talk := converse(t,
		says(ok(`{"settings":{"db_max_threads":2,"db_max_insert_threads":4}}`)),
		says(ok(`{"settings":{"db_max_threads":2,"db_max_insert_threads":5}}`)),
		says(ok(`{}`)),
	)
	c := withoutNetwork(t, talk.answer)
	readPipe(t, c)
	got, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, Settings{DBMaxThreads: ValueOf(int64(8))}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `{"settings":{"db_max_threads":8,"db_max_insert_threads":5}}`)
	talk.expect(getPipe(), getPipe(), putSettings(`{"db_max_insert_threads":5,"db_max_threads":8}`))
}

// TestSettingsJoinNoEarlierRead: it may show the settings as they were.
func TestSettingsJoinNoEarlierRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads, body := 0, ""
		c := withoutNetwork(t, func(r *http.Request) (stub, error) {
			if r.Method == http.MethodPut {
				data, err := io.ReadAll(r.Body)
				body = string(data)
				return ok(`{}`), err
			}
			if reads++; reads == 1 {
				time.Sleep(time.Second)
				return ok(`{"settings":{"db_max_insert_threads":4}}`), nil
			}
			return ok(`{"settings":{"db_max_insert_threads":5}}`), nil
		})
		var early sync.WaitGroup
		early.Go(func() { readPipe(t, c) })
		synctest.Wait()
		_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, Settings{DBMaxThreads: ValueOf(int64(8))}, Settings{})
		early.Wait()
		if err != nil || body != `{"db_max_insert_threads":5,"db_max_threads":8}` {
			t.Errorf("%s, %v", body, err)
		}
		sameJSON(t, readPipe(t, c), `{"settings":{"db_max_threads":8,"db_max_insert_threads":5}}`)
	})
}

func TestConfiguredSettings(t *testing.T) {
	t.Parallel()
	configured := Settings{
		DBMaxThreads: ValueOf(int64(8)), DBMaxInsertThreads: ValueOf(int64(3)),
		DBMaxDownloadThreads: ValueOf(int64(4)), DBParallelViewProcessing: ValueOf(true),
		DBParallelDistributedInsertSelect: NullOf[int64](), ObjectStorageConcurrency: ValueOf(int64(5)),
	}
	talk := converse(t, says(ok(`{"settings":{"db_max_threads":1,"db_max_insert_threads":9,"db_max_download_threads":null,"object_storage_concurrency":99}}`)), says(ok(`{}`)))
	_, err := withoutNetwork(t, talk.answer).UpdatePipeSettings(t.Context(), serviceID, pipeID, Settings{DBMaxThreads: ValueOf(int64(8))}, configured)
	if err != nil {
		t.Fatal(err)
	}
	talk.expect(getPipe(), putSettings(`{"db_max_download_threads":4,"db_max_insert_threads":9,"db_max_threads":8,"db_parallel_view_processing":true}`))
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

// TestRefusedSettings: a second body leaves out what another kind of source has.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	const settings = `"settings":{"streaming_max_insert_wait_ms":500,"object_storage_concurrency":2,"object_storage_new":1,"db_max_threads":2,"new_one":1,"newer":2}`
	const all = `{"db_max_threads":8,"new_one":1,"newer":2,"object_storage_concurrency":2,"object_storage_new":1,"streaming_max_insert_wait_ms":500}`
	threads := Settings{DBMaxThreads: ValueOf(int64(8))}
	configured := Settings{DBMaxThreads: ValueOf(int64(8)), ObjectStorageConcurrency: ValueOf(int64(2))}
	refused := func(text string) stub { return reply(400, `{"error":"`+text+`"}`) }
	for _, test := range []struct {
		name, source string
		configured   Settings
		answers      []stub
		bodies       []string
		says         string // "": no error
	}{
		{
			"kafka", `{"kafka":{}}`, threads,
			[]stub{refused("no"), ok(`{}`)},
			[]string{all, `{"db_max_threads":8,"new_one":1,"newer":2,"streaming_max_insert_wait_ms":500}`},
			"",
		},
		{
			"kinesis, unprocessable", `{"kinesis":{}}`, threads,
			[]stub{reply(422, ""), ok(`{}`)},
			[]string{all, `{"db_max_threads":8,"new_one":1,"newer":2,"streaming_max_insert_wait_ms":500}`},
			"",
		},
		{
			"object storage", `{"objectStorage":{}}`, threads,
			[]stub{refused("no"), ok(`{}`)},
			[]string{all, `{"db_max_threads":8,"new_one":1,"newer":2,"object_storage_concurrency":2,"object_storage_new":1}`},
			"",
		},
		{
			"postgres", `{"postgres":{}}`, threads,
			[]stub{refused("no"), ok(`{}`)},
			[]string{all, `{"db_max_threads":8,"new_one":1,"newer":2}`},
			"",
		},
		{
			"configured all the same", `{"kafka":{}}`, configured,
			[]stub{refused("no"), ok(`{}`)},
			[]string{all, `{"db_max_threads":8,"new_one":1,"newer":2,"object_storage_concurrency":2,"streaming_max_insert_wait_ms":500}`},
			"",
		},
		{
			"an unknown one is named", `{"objectStorage":{},"kafka":{}}`, threads,
			[]stub{refused("unknown setting 'new_one'."), ok(`{}`)},
			[]string{all, `{"db_max_threads":8,"newer":2,"object_storage_concurrency":2,"object_storage_new":1,"streaming_max_insert_wait_ms":500}`},
			"",
		},
		{"a part of a name", `{"objectStorage":{},"kafka":{}}`, threads, []stub{refused("new_ones")}, []string{all}, "new_ones"},
		{"a documented one is named", `{"objectStorage":{},"kafka":{}}`, threads, []stub{refused("db_max_threads")}, []string{all}, "db_max_threads"},
		{"source unknown", `{}`, threads, []stub{refused("no")}, []string{all}, "no"},
		{"another refusal", `{"kafka":{}}`, threads, []stub{reply(403, `{"error":"no"}`)}, []string{all}, "no"},
		{
			"refused twice", `{"postgres":{}}`, threads,
			[]stub{refused("first"), refused("second")},
			[]string{all, `{"db_max_threads":8,"new_one":1,"newer":2}`},
			"first",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			script, requests := []network{says(ok(`{"source":` + test.source + `,` + settings + `}`))}, []sent{getPipe()}
			for i, answer := range test.answers {
				script, requests = append(script, says(answer)), append(requests, putSettings(test.bodies[i]))
			}
			talk := converse(t, script...)
			_, err := withoutNetwork(t, talk.answer).UpdatePipeSettings(t.Context(), serviceID, pipeID, threads, test.configured)
			talk.expect(requests...)
			if test.says == "" && err != nil {
				t.Error(err)
			}
			if test.says != "" && asError(t, err).Message != test.says {
				t.Error(err)
			}
		})
	}
}

func TestSecondPutOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	talk := converse(t, says(ok(`{"source":{"kafka":{}},"settings":{"object_storage_concurrency":2}}`)),
		says(reply(400, `{"error":"first"}`)), says(reply(500, "")), says(ok(`{}`)))
	c := withoutNetwork(t, talk.answer, func(config *transport.Config) { config.MaxRetries = 0 })
	_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, Settings{DBMaxThreads: ValueOf(int64(8))}, Settings{})
	if e := asError(t, err); e.Message != "first" || !e.OutcomeUnknown {
		t.Errorf("%+v", e)
	}
	readPipe(t, c) // asks again
}

func TestSettingsErrors(t *testing.T) {
	t.Parallel()
	change := Settings{DBMaxThreads: ValueOf(int64(8))}
	c := withoutNetwork(t, converse(t, says(reply(404, ""))).answer)
	_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, change, change)
	if e := asError(t, err); e.Operation != "get pipe" || !transport.IsNotFound(err) {
		t.Errorf("%+v", e)
	}
	c = withoutNetwork(t, converse(t, says(ok(`{}`)), says(reply(400, `{"error":"unknown setting"}`))).answer)
	_, err = c.UpdatePipeSettings(t.Context(), serviceID, pipeID, change, change)
	if e := asError(t, err); e.Operation != "update pipe settings" || e.Message != "unknown setting" {
		t.Errorf("%+v", e)
	}
}

func TestSettingsCopiesAreApart(t *testing.T) {
	t.Parallel()
	var first Settings
	if err := json.Unmarshal([]byte(`{"new_one":1}`), &first); err != nil {
		t.Fatal(err)
	}
	second := first
	if err := json.Unmarshal([]byte(`{"new_one":2,"newer":3}`), &second); err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, first); got != `{"new_one":1}` {
		t.Errorf("the first became %s", got)
	}
	if got := asJSON(t, second); got != `{"new_one":2,"newer":3}` {
		t.Errorf("the second is %s", got)
	}
}
