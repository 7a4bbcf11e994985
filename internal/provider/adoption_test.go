package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A plan that adopts says, one warning for each object, what it overwrites;
// a plan that destroys says that nothing is deleted.
func TestAdoptionAndRelease(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replicas = 4\n  replica_cpu_millicores = 250")+
		settingsConfig(mockapi.KafkaPipeID, "db_max_threads = 64\n  streaming_max_insert_wait_ms = 500")+
		serviceConfig(mockapi.ServiceID, `ip_access_list = { "10.0.0.0/8" = "vpc", "192.0.2.7/32" = "office", "2001:db8::/32" = "" }`)+
		keyConfig(mockapi.OtherAPIKeyID, `expire_at = ""`)) // as it is

	out := tf.Must("plan", "-out=plan")
	acctest.Contains(t, out,
		"Warning: Adopting pipe scaling …1111: replicas (was 2)",
		"Warning: Adopting pipe settings …1111: db_max_threads (was",
		"Warning: Adopting service …1111: ip_access_list (1 added, 1 changed)",
		"ID "+mockapi.ServiceID+"/"+mockapi.KafkaPipeID)
	acctest.Lacks(t, out, "replica_cpu_millicores 250", "Adopting API key", "deleted", "Managed twice")
	tf.Must("apply", "plan")

	out = tf.Must("plan", "-detailed-exitcode")
	acctest.Lacks(t, out, "Warning: Adopting")

	env.ResetRequests()
	out = tf.Must("destroy", "-auto-approve")
	if n := strings.Count(acctest.Flat(out), "Warning: Removed from state only; the object was not deleted"); n != 1 {
		t.Errorf("the destroy is announced %d times in:\n%s", n, out)
	}
	acctest.Contains(t, out, "(and 2 more similar warnings elsewhere)", "Warning: API keys stay usable")
	env.ExpectNoDeletes(t)
	for _, operation := range []string{"scalePipe", "updatePipeSettings"} {
		if sent := env.Sent(operation); len(sent) > 0 {
			t.Errorf("destroy sent %s %s", operation, sent)
		}
	}
}

// The plan of a replacement says what happens to the old object and what it
// overwrites of the new one.
func TestReplacement(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, keyConfig(mockapi.OtherAPIKeyID, `on_destroy = "disable"`))
	tf.Apply()
	tf.Configure(keyConfig(notThere, ""))
	out, _ := tf.Run("plan")
	acctest.Contains(t, out, "Unable to adopt API key", "404")

	tf.Configure(keyConfig(mockapi.APIKeyID, `name = "Mine"
  ip_access_list = {}`))
	out = tf.Must("plan", "-out=plan")
	acctest.Contains(t, out, "must be replaced", `Warning: Adopting API key …1111: ip_access_list (removes 198.51.100.0/24, 2001:db8::1), name (was "Deployment")`,
		"Warning: Access list becomes empty", "Warning: API keys are disabled, not deleted", mockapi.OtherAPIKeyID)
	tf.Must("apply", "plan")
	expectKey(t, env, mockapi.OtherAPIKeyID, "disabled")
}

// Numbers that no float64 is exactly, and those that Terraform computes.
func TestNumbersOfManyDigits(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.AddPipes(5)
	tf := env.CLI(t, `
locals {
  memory = [0.7, 2.2, 1 - 0.3, 7 / 10, 0.5000000000000001]
  pipes  = { for i, memory in local.memory : format("55555555-5555-4555-8555-%012d", i + 1) => memory }
}

resource "dbplatform_pipe_scaling" "these" {
  for_each          = local.pipes
  service_id        = "`+mockapi.ServiceID+`"
  pipe_id           = each.key
  replica_memory_gb = each.value
}
`)
	tf.Apply()
	tf.ExpectNoChanges()
}

// The plan warns of a scaling attribute that the pipe's source does not use.
func TestUnusedScaling(t *testing.T) {
	t.Parallel()
	for pipe, test := range map[string]struct {
		set    map[string]any
		unused []string
	}{
		mockapi.KafkaPipeID:         {map[string]any{"replicas": 1, "replica_cpu_millicores": 500, "replica_memory_gb": 2, "concurrency": 2}, []string{"concurrency"}},
		mockapi.ObjectStoragePipeID: {map[string]any{"replicas": 1, "replica_cpu_millicores": 500, "concurrency": 2}, []string{"replicas", "replica_cpu_millicores"}},
		mockapi.KinesisPipeID:       {map[string]any{"replicas": 1, "replica_cpu_millicores": 500, "concurrency": 2}, []string{"replicas", "concurrency"}},
		mockapi.PostgresPipeID:      {map[string]any{"replica_memory_gb": 1}, []string{"replica_memory_gb"}},
	} {
		c := newEnv(t).Core(t, nil)
		if _, err := c.PlanAll(acctest.Configs{"pipe_scaling": onPipe(pipe, test.set)}); err != nil {
			t.Fatal(err)
		}
		found := warned(c, "Attribute does not apply to the source of the pipe")
		if len(found) != len(test.unused) {
			t.Errorf("%s: %q", pipe, found)
		}
		for _, name := range test.unused {
			acctest.Contains(t, fmt.Sprint(found), "Pipe "+pipe+" reads from ", "; "+name+" applies only to ")
		}
	}
}

// What is not known when an adoption is planned is among what it overwrites.
func TestAdoptionOfUnknownValues(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, `
resource "terraform_data" "v" {
  input = { replicas = 7, list = {} }
}
`+scalingConfig(mockapi.KafkaPipeID, "replicas = terraform_data.v.output.replicas\n  replica_memory_gb = 4")+
		keyConfig(mockapi.APIKeyID, "ip_access_list = terraform_data.v.output.list"))
	acctest.Contains(t, tf.Must("plan"),
		"Warning: Adopting pipe scaling …1111: replica_memory_gb (was 1.5), replicas (was 2)",
		"Warning: Adopting API key …1111: ip_access_list (was 2 entries)")
	tf.Apply()
	tf.ExpectNoChanges()
}

// Values that are known only when they are applied may be anywhere.
func TestUnknownValues(t *testing.T) {
	t.Parallel()
	tf := newEnv(t).CLI(t, fmt.Sprintf(`
resource "terraform_data" "v" {
  input = {
    service = %q
    pipe    = %q
    key     = %q
    number  = 3
    text    = "Unknown at first"
    never   = ""
    off     = false
    roles   = ["developer"]
    ids     = ["vpce-8c9d0e1f"]
    list    = { "10.1.0.0/16" = "one" }
  }
}

locals { v = terraform_data.v.output }

resource "dbplatform_pipe_scaling" "this" {
  service_id        = local.v.service
  pipe_id           = local.v.pipe
  replicas          = local.v.number
  replica_memory_gb = local.v.number
}

resource "dbplatform_pipe_settings" "this" {
  service_id                  = dbplatform_pipe_scaling.this.service_id
  pipe_id                     = dbplatform_pipe_scaling.this.pipe_id
  db_max_threads              = local.v.number
  db_parallel_view_processing = local.v.off
}

resource "dbplatform_service" "this" {
  service_id           = local.v.service
  name                 = local.v.text
  ip_access_list       = merge(local.v.list, { "10.2.0.0/16" = local.v.text })
  private_endpoint_ids = local.v.ids
  endpoints_enabled    = { mysql = local.v.off }
}

resource "dbplatform_api_key" "this" {
  key_id         = local.v.key
  roles          = [for role in local.v.roles : role]
  expire_at      = local.v.never
  ip_access_list = { for source, description in local.v.list : source => description }
}
`, mockapi.ServiceID, mockapi.KafkaPipeID, mockapi.APIKeyID))
	tf.Must("validate")
	tf.Must("plan")
	tf.Apply("-target=terraform_data.v")
	tf.Apply()
	tf.ExpectNoChanges()
}
