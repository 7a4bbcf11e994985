package transport

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// logged runs f with a client that logs at level and returns what it logged.
func logged(t *testing.T, level slog.Level, n network, f func(*Client)) (text string, records []map[string]any) {
	t.Helper()
	var log bytes.Buffer
	f(withoutNetwork(t, n, func(config *Config) {
		config.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: level}))
	}))
	for line := range strings.Lines(log.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return log.String(), records
}

func TestOneRecordPerAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		talk := converse(t, returns(reply(503, `{"error":"later"}`, "X-Request-Id", "r-1")), returns(ok(`{}`)))
		_, records := logged(t, slog.LevelDebug, talk.respond, func(c *Client) {
			if err := scale(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
		var attempts []map[string]any
		for _, record := range records {
			if record["msg"] == "request" {
				attempts = append(attempts, record)
			}
		}
		if len(attempts) != 2 || len(records) != 3 {
			t.Fatalf("records: %v", records)
		}
		path := "/v1/organizations/" + organizationID + "/services/" + serviceID + "/pipes/" + pipeID + "/scaling"
		for i, want := range []map[string]any{
			{"attempt": 1.0, "status": 503.0, "request_id": "r-1"},
			{"attempt": 2.0, "status": 200.0, "request_id": "6f1c0e6e-8a55-4b5c-9d1e-0123456789ab"},
		} {
			want["operation"], want["method"], want["path"], want["level"] = "scale pipe", "PATCH", path, "DEBUG"
			for name, value := range want {
				if attempts[i][name] != value {
					t.Errorf("attempt %d: %s is %v, want %v", i+1, name, attempts[i][name], value)
				}
			}
			if _, timed := attempts[i]["duration"]; !timed {
				t.Errorf("attempt %d has no duration", i+1)
			}
		}
		if reason, _ := records[1]["reason"].(string); !strings.Contains(reason, "later") {
			t.Errorf("the retry gives no reason: %v", records[1])
		}
	})
}

func TestBodiesAreLoggedAtTraceOnly(t *testing.T) {
	t.Parallel()
	for level, want := range map[slog.Level]bool{slog.LevelDebug: false, LevelTrace: true} {
		talk := converse(t, returns(ok(`{"name":"orders"}`)))
		text, _ := logged(t, level, talk.respond, func(c *Client) {
			if err := scale(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
		for _, part := range []string{`orders`, `{\"replicas\":3}`} {
			if strings.Contains(text, part) != want {
				t.Errorf("level %s: %q in %s", level, part, text)
			}
		}
	}
	if LevelTrace >= slog.LevelDebug {
		t.Error("trace is not below debug")
	}
}

// TestSecretsStaySecret: neither a log nor an error holds the credentials, even
// where the API repeats them, or the secret members of a response.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	credentials := base64.StdEncoding.EncodeToString([]byte("key-id:" + keySecret))
	repeating := `"` + keySecret + ` and Basic ` + credentials + `"`
	for name, response := range map[string]func() stub{
		"members": func() stub {
			return ok(`{"encryptionKey":"hidden","source":{"objectStorage":{"connectionString":"hidden"}},
				"a":[{"dbPassword":"hidden","accessToken":{"x":"hidden"},"CLIENT_SECRET":["hidden"]}]}`)
		},
		"error members": func() stub { return reply(400, `{"encryptionKey":"hidden"}`) },
		"error text":    func() stub { return reply(400, `{"error":`+repeating+`}`) },
		"plain error":   func() stub { return reply(401, repeating) },
		"no envelope":   func() stub { return reply(200, `{"token":"hidden"}`) },
		"URLs": func() stub {
			return ok(`{"queueUrl":"https:\/\/u:hidden@q.example/x","brokers":["a","https://b.example/?a=1&sig=hidden&b=2"]}`)
		},
		"URL in an error": func() stub {
			return reply(400, `{"error":"no access to https://u:hidden@q.example/?X-Amz-Signature=hidden"}`)
		},
		"URL in a page":     func() stub { return reply(400, `<title>400</title>no access to https://u:hidden@q.example`) },
		"repeated response": func() stub { return ok(`{"name":` + repeating + `}`) },
		"redirect":          func() stub { return reply(302, "", "Location", "https://u:hidden@other.example/?t=hidden") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []Request{getPipe(pipeID), scalePipe(pipeID)} {
				var err error
				text, _ := logged(t, LevelTrace, func(*http.Request) (stub, error) { return response(), nil },
					func(c *Client) { err = do(t.Context(), c, r) })
				if err != nil {
					text += err.Error()
				}
				for _, secret := range []string{"hidden", keySecret, credentials} {
					if strings.Contains(text, secret) {
						t.Errorf("%s: %q in %s", r.Operation, secret, text)
					}
				}
			}
		})
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
		if got := string(masked([]byte(in))); got != want {
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
		if got := maskURLs(in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
		if again := maskURLs(want); again != want {
			t.Errorf("%s became %s", want, again)
		}
	}
}
