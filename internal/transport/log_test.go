package transport

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// logged sends a request with a client that logs at level, and returns what it
// logged and the request's error.
func logged(t *testing.T, level slog.Level, respond roundTripper, r Request) (text string, records []map[string]any, err error) {
	t.Helper()
	var log bytes.Buffer
	err = do(t.Context(), clientOf(t, respond, func(config *Config) {
		config.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: level}))
	}), r)
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
			returns(503, `{"error":"later"}`, "X-Request-Id", "r-1"), returns(429, "", "Retry-After", "7"),
			returns(200, `{"requestId":"r-ok","result":{}}`, "RateLimit-Remaining", "0", "RateLimit-Reset", "5")), scalePipe(pipeID))
		const (
			path   = "/v1/organizations/" + organizationID + "/services/" + serviceID + "/pipes/" + pipeID + "/scaling"
			failed = "scale pipe: later (HTTP 503 Service Unavailable, request r-1, it may have been acted on)"
		)
		want := []map[string]any{
			{"level": "DEBUG", "msg": "request", "attempt": 1.0, "status": 503.0, "request_id": "r-1", "method": "PATCH", "path": path, "error": failed},
			{"level": "INFO", "msg": "retrying", "reason": failed},
			{"level": "DEBUG", "msg": "request", "attempt": 2.0, "status": 429.0},
			{"level": "INFO", "msg": "waiting for the API's rate limit", "pause": 7e9},
			{"level": "DEBUG", "msg": "request", "attempt": 3.0, "status": 200.0, "request_id": "r-ok", "duration": 0.0},
			{"level": "INFO", "msg": "waiting for the API's rate limit", "pause": 5e9},
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
	})
}

func TestBodiesAreLoggedOnlyAtTrace(t *testing.T) {
	t.Parallel()
	if LevelTrace >= slog.LevelDebug {
		t.Error("trace is not below debug")
	}
	for level, want := range map[slog.Level]bool{slog.LevelDebug: false, LevelTrace: true} {
		text, _, _ := logged(t, level, returns(200, `{"result":{"name":"orders"}}`), scalePipe(pipeID))
		for _, part := range []string{`orders`, `{\"replicas\":3}`} {
			if strings.Contains(text, part) != want {
				t.Errorf("level %s: %q in %s", level, part, text)
			}
		}
	}
}

// TestSecretsStaySecret: neither a log nor an error holds the credentials, even
// if the API repeats them, or the secret members of a response.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	credentials := base64.StdEncoding.EncodeToString([]byte("key-id:" + keySecret))
	repeating := `"` + keySecret + ` and Basic ` + credentials + `"`
	for name, respond := range map[string]roundTripper{
		"members": returns(200, `{"result":{"encryptionKey":"hidden","source":{"objectStorage":{"connectionString":"hidden"}},
			"a":[{"dbPassword":"hidden","accessToken":{"x":"hidden"},"CLIENT_SECRET":["hidden"]}]}}`),
		"error members":      returns(400, `{"encryptionKey":"hidden"}`),
		"error text":         returns(400, `{"error":`+repeating+`}`),
		"plain error":        returns(401, repeating),
		"cut error":          returns(400, `{"connectionString":"hidden`),
		"no envelope":        returns(200, `{"token":"hidden"}`),
		"URLs":               returns(200, `{"result":{"queueUrl":"https:\/\/u:hidden@q.example/x","brokers":["a","https://b.example/?a=1&sig=hidden&b=2"]}}`),
		"URL in an error":    returns(400, `{"error":"no access to https://u:hidden@q.example/?X-Amz-Signature=hidden"}`),
		"URL in a page":      returns(400, `<title>400</title>no access to https://u:hidden@q.example`),
		"repeated in result": returns(200, `{"result":{"name":`+repeating+`}}`),
		"redirect":           returns(302, "", "Location", "https://u:hidden@other.example/?t=hidden"),
	} {
		for _, r := range []Request{getPipe(pipeID), scalePipe(pipeID)} {
			text, _, err := logged(t, LevelTrace, respond, r)
			if err != nil {
				text += err.Error()
			}
			for _, secret := range []string{"hidden", keySecret, credentials} {
				if strings.Contains(text, secret) {
					t.Errorf("%s, %s: %q in %s", name, r.Operation, secret, text)
				}
			}
		}
	}
}

func TestMasked(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                           ``,
		`not JSON`:                   `(not JSON)`,
		`{"id":9007199254740993}`:    `{"id":9007199254740993}`,
		`{"encryptionKey":null}`:     `{"encryptionKey":null}`,
		`{"encryptionKeyId":"k"}`:    `{"encryptionKeyId":"k"}`,
		`[{"ConnectionString":"k"}]`: `[{"ConnectionString":"***"}]`,
	} {
		if got := masked([]byte(in)); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestMaskURLs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://host.example/path?a=b":                        "https://host.example/path?a=b",
		"see https://u:p@host.example/x.":                      "see https://***@host.example/x.",
		"https://user@host.example":                            "https://***@host.example",
		"postgres://u:p@ss/w#rd@db.example:5432/d":             "postgres://***@db.example:5432/d",
		"https://host.example/@team":                           "https://host.example/@team",
		"mail me@host.example":                                 "mail me@host.example",
		"https://a.example/?sv=1&sig=abc%3D&se=2":              "https://a.example/?sv=1&sig=***&se=2",
		"https://a.example/?X-Amz-Signature=ab&X-Amz-Expires=": "https://a.example/?X-Amz-Signature=***&X-Amz-Expires=",
		"https://a.example/?X-Amz-Credential=a/b&x=1":          "https://a.example/?X-Amz-Credential=***&x=1",
		"https://a.example/?x-goog-signature=ab#top":           "https://a.example/?x-goog-signature=***#top",
		"https://a.example/?access_token=ab":                   "https://a.example/?access_token=***",
		"https://a.example/?design=1&Signature=ab":             "https://a.example/?design=1&Signature=***",
		"AccountName=a;AccountKey=ab==;Endpoint=c":             "AccountName=a;AccountKey=***;Endpoint=c",
	} {
		if got := maskURLs(in); got != want || maskURLs(got) != got {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
