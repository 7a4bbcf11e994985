package api

import (
	"bytes"
	"log/slog"
	"net/http"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// FuzzResponse: whatever the API returns, each operation ends in a value or an
// error that can be shown, also while everything is logged.
func FuzzResponse(f *testing.F) {
	for _, seed := range []struct {
		status int
		header string
		body   string
	}{
		{200, "", enveloped(`{"id":"` + pipeID + `","scaling":{"replicas":3},"settings":{"x":[null]}}`)},
		{200, "", enveloped(`[{"id":null,"bucket":{}},null]`)},
		{200, "", enveloped(`{"ipAccessList":[null,{"source":null}],"endpoints":null,"roles":[1]}`)},
		{200, "", `{"status":1e9,"requestId":{},"result":[[]]}`},
		{200, "", "<html>"},
		{200, "", ""},
		{200, "", `{"result":"`},
		{429, "1e300", `{}`},
		{429, "-1", ``},
		{503, "Fri, 31 Dec 9999 23:59:59 GMT", "\xff"},
		{302, "//\x00", ``},
		{599, "", `{"errors":[[[[[["x"]]]]]]}`},
		{204, "", ""},
		{101, "", ""},
	} {
		f.Add(seed.status, seed.header, seed.body)
	}
	f.Fuzz(func(t *testing.T, status int, header, body string) {
		respond := func(*http.Request) (response, error) {
			return reply(status, body, "Location", header, "X-Request-Id", header), nil
		}
		if status == http.StatusTooManyRequests {
			status = http.StatusInternalServerError // the wait it asks for is tested elsewhere
		}
		for _, operation := range operations() {
			c := newClient(t, respond, func(config *Config) {
				config.Transport.Logger = slog.New(slog.NewJSONHandler(&bytes.Buffer{}, &slog.HandlerOptions{Level: transport.LevelTrace}))
			})
			if _, err := operation.call(t.Context(), c); err != nil && len(err.Error()) > 8000 {
				t.Errorf("%s: an error of %d bytes", operation.name, len(err.Error()))
			}
		}
	})
}
