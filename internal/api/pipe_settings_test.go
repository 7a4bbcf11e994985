package api

import (
	"encoding/json"
	"testing"

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
		{"nothing wanted", `{"settings":{"db_max_threads":2}}`, Settings{}, ""},
		{"only nulls wanted", `{"settings":{"db_max_threads":2}}`, Settings{DBMaxThreads: NullOf[int64]()}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			talk := converse(t, says(ok(test.known)), says(ok(`{}`)))
			c := withoutNetwork(t, talk.answer)
			if _, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, test.want); err != nil {
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
			got, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, Settings{DBMaxThreads: ValueOf(int64(8))})
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

func TestSettingsAfterScalingNeedNoRead(t *testing.T) {
	t.Parallel()
	talk := converse(t,
		says(ok(`{"settings":{"db_max_threads":2,"db_max_insert_threads":4}}`)),
		says(ok(`{"scaling":{"replicas":3}}`)),
		says(ok(`{}`)),
	)
	c := withoutNetwork(t, talk.answer)
	readPipe(t, c)
	if err := scale(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	got, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, Settings{DBMaxThreads: ValueOf(int64(8))})
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, got, `{"scaling":{"replicas":3},"settings":{"db_max_threads":8,"db_max_insert_threads":4}}`)
	talk.expect(getPipe(), scalePipe(`{"replicas":3}`), putSettings(`{"db_max_insert_threads":4,"db_max_threads":8}`))
}

func TestSettingsErrors(t *testing.T) {
	t.Parallel()
	change := Settings{DBMaxThreads: ValueOf(int64(8))}
	c := withoutNetwork(t, converse(t, says(reply(404, ""))).answer)
	_, err := c.UpdatePipeSettings(t.Context(), serviceID, pipeID, change)
	if e := asError(t, err); e.Operation != "get pipe" || !transport.IsNotFound(err) {
		t.Errorf("%+v", e)
	}
	c = withoutNetwork(t, converse(t, says(ok(`{}`)), says(reply(400, `{"error":"unknown setting"}`))).answer)
	_, err = c.UpdatePipeSettings(t.Context(), serviceID, pipeID, change)
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
