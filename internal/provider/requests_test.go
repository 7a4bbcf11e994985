package provider

import (
	"fmt"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Pipes, each with a scaling and settings and looked up as well, cost a known number
// of requests and connections.
func TestRequests(t *testing.T) {
	t.Parallel()
	const n = 15
	env := newEnv(t)
	env.AddPipes(n)
	tf := env.CLI(t, manyPipes(n))
	env.Latency(5 * time.Millisecond) // so that every connection that may be opened is

	connections := 0
	for _, step := range []struct {
		args            []string
		requests, walks int // an apply plans first, in a process of its own
	}{
		{[]string{"apply", "-auto-approve"}, 5 * n, 2}, // a read to plan; a read, a PATCH, a read and a PUT to apply
		{[]string{"plan", "-detailed-exitcode"}, n, 1},
		{[]string{"apply", "-auto-approve", "-var", "changed=1"}, n + 2, 2},
		{[]string{"destroy", "-auto-approve"}, n, 1}, // reads only in the plan
	} {
		tf.Must(step.args...)
		if requests := len(env.Requests()); requests == 0 || requests > step.requests {
			t.Errorf("%v took %d requests, not %d", step.args, requests, step.requests)
		}
		// Terraform does ten things at a time. A few more connections are dialed while
		// another becomes free; without a pool, an apply would take one for each request.
		if opened := env.Connections() - connections; opened == 0 || opened > 15*step.walks {
			t.Errorf("%v opened %d connections, more than %d", step.args, opened, 15*step.walks)
		}
		connections = env.Connections()
		env.ResetRequests()
	}
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
