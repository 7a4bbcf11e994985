package transport

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// logged sends a request with a client that logs at level, and returns what it
// logged and the request's error.
func logged(t *testing.T, level slog.Level, respond roundTripper, r Request, change ...func(*Config)) (text string, records []map[string]any, err error) {
	t.Helper()
	var log bytes.Buffer
	err = do(t.Context(), clientOf(t, respond, append(change, func(config *Config) {
		config.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: level}))
	})...), r)
	for line := range strings.Lines(log.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return log.String(), records, err
}

// TestRecords: each attempt is a record at DEBUG, and each wait one at INFO.
func TestRecords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, records, _ := logged(t, slog.LevelDebug, inOrder(t,
			returns(200, `{"status":503,"error":"later","requestId":"r-1"}`), returns(429, "", "Retry-After", "7"),
			returns(200, `{"requestId":"r-ok","result":{}}`)), scalePipe(pipeID))
		const (
			path   = "/v1/organizations/" + organizationID + "/services/" + serviceID + "/pipes/" + pipeID + "/scaling"
			failed = "scale pipe: later (HTTP 503 Service Unavailable, request r-1, the API may have applied it)"
		)
		want := []map[string]any{
			{"level": "DEBUG", "msg": "request", "attempt": 1.0, "status": 503.0, "request_id": "r-1", "method": "PATCH", "path": path, "error": failed},
			{"level": "INFO", "msg": "retrying", "reason": failed},
			{"level": "DEBUG", "msg": "request", "attempt": 2.0, "status": 429.0},
			{"level": "INFO", "msg": "waiting for the API's rate limit", "pause": 7e9},
			{"level": "DEBUG", "msg": "request", "attempt": 3.0, "status": 200.0, "request_id": "r-ok", "duration": 0.0},
		}
		if len(records) != len(want) {
			t.Fatalf("records: %v", records)
		}
		for i, record := range records {
			want[i]["operation"] = "scale pipe"
			for name, value := range want[i] {
				if record[name] != value {
					t.Errorf("record %d: %s is %v, want %v", i, name, record[name], value)
				}
			}
		}
		_, records, _ = logged(t, slog.LevelDebug, returns(429, "", "Retry-After", "61"), scalePipe(pipeID))
		if len(records) != 1 {
			t.Errorf("a wait that is too long is logged: %v", records)
		}
	})
}

// TestSentBodies: a PUT repeats settings that are not documented, and may be secret.
func TestSentBodies(t *testing.T) {
	t.Parallel()
	r := scalePipe(pipeID)
	r.Body = []byte(`{"db_login":"hunter2","name":"orders","new_one":1}`)
	text, records, _ := logged(t, LevelTrace, success, r)
	if records[0]["sent"] != `{"db_login":"***","name":"orders","new_one":1}` || strings.Contains(text, "hunter2") {
		t.Error(text)
	}
}

// TestLongBodies: masking a longer body than 1 MiB would hold up the run.
func TestLongBodies(t *testing.T) {
	t.Parallel()
	for size, isLogged := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		body := `{"id":"` + strings.Repeat("x", size-len(`{"id":""}`)) + `"}`
		_, records, _ := logged(t, LevelTrace, returns(422, body), scalePipe(pipeID))
		if got := records[0]["received"]; (got == body) != isLogged || !isLogged && got != "a body of 1048577 bytes" {
			t.Errorf("%d bytes: %.100s", size, got)
		}
	}
}
