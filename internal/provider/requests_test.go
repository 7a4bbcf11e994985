package provider

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// TestRequests holds how many requests and connections tens of pipes cost, each
// of which has a scaling and settings and is looked up as well.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		protocol    string
		connections int // of one walk: Terraform does ten things at a time
	}{
		{"HTTP/1.1", 10},
		{"HTTP/2", 1},
	} {
		t.Run(test.protocol, func(t *testing.T) {
			t.Parallel()
			const n = 30
			env, variables := newCountingEnv(t, test.protocol == "HTTP/2")
			env.AddPipes(n)
			tf := env.CLI(t, manyPipes(n))
			tf.Setenv(variables...)
			env.Latency(5 * time.Millisecond) // so that every connection that may be opened is

			connections := 0
			for _, step := range []struct {
				args            []string
				requests, walks int // an apply plans first, in a process of its own
			}{
				{[]string{"apply", "-auto-approve"}, 5 * n, 2}, // a read to plan; a read, a PATCH, a read and a PUT to apply
				{[]string{"plan", "-detailed-exitcode"}, n, 1},
				{[]string{"apply", "-auto-approve", "-var", "changed=1"}, n + 2, 2},
				{[]string{"destroy", "-auto-approve"}, n, 1}, // it asks when it plans, and never after
			} {
				tf.Must(step.args...)
				requests, opened := len(env.Requests()), env.Connections()-connections
				if requests == 0 || requests > step.requests {
					t.Errorf("%v took %d requests, not %d", step.args, requests, step.requests)
				}
				if most := step.walks * test.connections; opened == 0 || opened > most {
					t.Errorf("%v opened %d connections, not %d", step.args, opened, most)
				}
				env.ResetRequests()
				connections += opened
			}
		})
	}
}

// newCountingEnv is an environment that counts connections, and what an environment
// needs for the CLI to trust it.
func newCountingEnv(t *testing.T, http2 bool) (*acctest.Env, []string) {
	t.Helper()
	api := mockapi.New()
	server := httptest.NewUnstartedServer(api)
	server.Config.ConnState = api.ConnState
	t.Cleanup(server.Close)
	if !http2 {
		server.Start()
		return underTest.EnvOf(api, server.URL), nil
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("Go asks this system whom to trust, and not the environment")
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	authority := filepath.Join(t.TempDir(), "api.pem")
	block := pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	if err := os.WriteFile(authority, pem.EncodeToMemory(&block), 0o600); err != nil {
		t.Fatal(err)
	}
	return underTest.EnvOf(api, server.URL), []string{"SSL_CERT_FILE=" + authority}
}

// manyPipes is the configuration of the pipes that the API has been given n of.
func manyPipes(n int) string {
	ids := `format("55555555-5555-4555-8555-%012d", count.index + 1)`
	block := func(kind string, more string) string {
		return fmt.Sprintf(`
%s "all" {
  count      = %d
  service_id = %q
  pipe_id    = %s
  %s
}
`, kind, n, mockapi.ServiceID, ids, more)
	}
	return `
variable "changed" {
  default = 0
}
` + block(`resource "dbplatform_pipe_scaling"`, "replicas = count.index < var.changed ? 4 : 3") +
		block(`resource "dbplatform_pipe_settings"`, "db_max_threads = 5") +
		block(`data "dbplatform_pipe"`, "")
}
