package mockapi

import (
	"net/http"
	"regexp"
	"testing"
	"time"
)

// What an update returns instead of the object. It is carried out, and reads show it. A
// PATCH with {} is a read.
func TestUpdateResponses(t *testing.T) {
	t.Parallel()
	requestID := regexp.MustCompile(`"requestId":"[-0-9a-f]{36}",?`)
	for variant, want := range map[string]struct {
		status int
		body   string
	}{
		"202":          {202, ``},
		"204":          {204, ``},
		"empty_object": {200, `{}`},
		"accepted":     {202, `{"message":"accepted","status":202}`},
		"operation":    {202, `{"result":{"id":"op-7c1f","state":"pending"},"status":202}`},
	} {
		s := New(WithVariants(Variants{"update_response=" + variant, "echo_write_only"}))
		for path, body := range map[string]string{scalingPath: `{"replicas":3}`, settingsPath: `{"db_max_threads":3}`, servicePath: `{"name":"New"}`, keyPath: `{"name":"New"}`} {
			w := send(s, path, body)
			if got := requestID.ReplaceAllString(w.Body.String(), ""); w.Code != want.status || got != want.body {
				t.Errorf("%s: %s returns %d %s", variant, path, w.Code, got)
			}
		}
		pipe := object(t, s, pipePath, "")
		same(t, variant, []any{
			pipe["scaling"].(Object)["replicas"], pipe["settings"].(Object)["db_max_threads"], object(t, s, servicePath, "{}")["name"], object(t, s, keyPath, "{}")["name"],
		}, `[3, 3, "New", "New"]`)
		refused(t, s, http.StatusBadRequest, scalingPath, `{"replicas":11}`)
	}
	// The change may show later.
	now := time.Now()
	s := New(WithVariants(Variants{"update_response=202", "stale_keys=1m"}), WithClock(func() time.Time { return now }))
	send(s, keyPath, `{"name":"New"}`)
	same(t, "at once", object(t, s, keyPath, "{}")["name"], `"Deployment"`)
	now = now.Add(time.Minute)
	same(t, "later", object(t, s, keyPath, "{}")["name"], `"New"`)
}
