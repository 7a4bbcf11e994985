package transport

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestIsNotFound: only the API itself can say that an object is gone.
func TestIsNotFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		response stub
		want     bool
	}{
		{"404 without a body", reply(404, ""), true},
		{"404 with white space", reply(404, " \n"), true},
		{"404 with an envelope", reply(404, `{"status":404,"error":"NOT_FOUND"}`), true},
		{"404 in the envelope", reply(200, `{"status":404,"error":"NOT_FOUND"}`), true},
		{"410", reply(410, `{"error":"GONE"}`), true},
		{"404 with a page", reply(404, "<html><title>404 Not Found</title></html>"), false},
		{"410 with a page", reply(410, "<html></html>"), false},
		{"404 with a text", reply(404, "404 page not found"), false},
		{"404 that breaks off", reply(404, `{"status":404,"err`), false},
		{"403", reply(403, ""), false},
		{"400", reply(400, `{"status":404}`), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []Request{getPipe(pipeID), scalePipe(pipeID)} {
				err := do(t.Context(), withoutNetwork(t, returns(test.response)), r)
				if got := IsNotFound(err); err == nil || got != test.want {
					t.Errorf("%v: %t", err, got)
				}
				e := asError(t, err)
				other := strings.HasPrefix(e.Message, "something other than the API responded: ")
				if want := !test.want && (e.Status == 404 || e.Status == 410); other != want || e.NotFromAPI != want {
					t.Errorf("%+v", e)
				}
			}
		})
	}
	if IsNotFound(nil) || IsNotFound(http.ErrServerClosed) || !IsNotFound(fmt.Errorf("wrapped: %w", &Error{Status: 404})) {
		t.Error("errors of other types")
	}
}

// TestIdleService: a 424 is not retried, and its reason is kept.
func TestIdleService(t *testing.T) {
	t.Parallel()
	const body = `{"status":424,"error":"FAILED_DEPENDENCY: the service is not running. Current state: idle","requestId":"r-1"}`
	err := scale(t.Context(), withoutNetwork(t, converse(t, returns(reply(424, body))).respond))
	want := "scale pipe: FAILED_DEPENDENCY: the service is not running. Current state: idle (HTTP 424 Failed Dependency, request r-1)"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
