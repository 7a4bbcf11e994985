package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

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
	acctest.Lacks(t, out, "replica_cpu_millicores 250", "Adopting API key", "deleted")
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
func TestReplacementLetsGo(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, keyConfig(mockapi.OtherAPIKeyID, `on_destroy = "disable"`))
	tf.Apply()
	tf.Configure(keyConfig("99999999-9999-4999-8999-999999999999", ""))
	out, _ := tf.Run("plan")
	acctest.Contains(t, out, "Unable to adopt API key", "404")

	tf.Configure(keyConfig(mockapi.APIKeyID, `name = "Mine"
  ip_access_list = {}`))
	out = tf.Must("plan", "-out=plan")
	acctest.Contains(t, out, "must be replaced", `Warning: Adopting API key …1111: ip_access_list (2 removed), name (was "Deployment")`,
		"Warning: Access list becomes empty", "Warning: API keys are disabled, not deleted", mockapi.OtherAPIKeyID)
	out = tf.Must("apply", "plan")
	acctest.Contains(t, out, "Warning: API keys are disabled, not deleted", "was disabled", mockapi.OtherAPIKeyID)
	if state := env.Object(mockapi.Key, mockapi.OtherAPIKeyID)["state"]; state != "disabled" {
		t.Errorf("the key is %v", state)
	}
}

// A key that is destroyed and created in one run is enabled again if the API
// shows that it was enabled before, or if the configuration says so.
func TestKeyThatComesBack(t *testing.T) {
	t.Parallel()
	key := func(name, body string) string {
		return strings.Replace(keyConfig(mockapi.APIKeyID, "on_destroy = \"disable\"\n  "+body), `"this"`, `"`+name+`"`, 1)
	}
	for name, body := range map[string]string{
		"state left out": "",
		"state set":      `state = "enabled"`,
		"created first":  "lifecycle {\n    create_before_destroy = true\n  }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t, mockapi.WithVariants(mockapi.Variants{EchoWriteOnly: name != "state set"}))
			tf := env.CLI(t, key("old", body))
			tf.Apply()
			tf.Apply("-replace=dbplatform_api_key.old")
			if state := env.Object(mockapi.Key, mockapi.APIKeyID)["state"]; state != "enabled" {
				t.Errorf("after a replacement the key is %v", state)
			}
			tf.Configure(key("new", body)) // without a moved block
			tf.Apply()
			if state := env.Object(mockapi.Key, mockapi.APIKeyID)["state"]; state != "enabled" {
				t.Errorf("after another name the key is %v", state)
			}
			tf.ExpectNoChanges()
			tf.Must("destroy", "-auto-approve")
			if state := env.Object(mockapi.Key, mockapi.APIKeyID)["state"]; state != "disabled" {
				t.Errorf("after destroy the key is %v", state)
			}
		})
	}
}

// Ids in capitals name the same object.
func TestIDInCapitals(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.CLI(t, "")
	id := env.AddKey(mockapi.Object{"id": "abcdefab-cdef-4abc-8def-abcdefabcdef", "name": "Hex", "roles": []any{"admin"}, "state": "enabled"})
	tf := env.CLI(t, keyConfig(id, `on_destroy = "disable"`))
	tf.Apply()
	tf.Configure(keyConfig(strings.ToUpper(id), `on_destroy = "disable"`))
	tf.ExpectNoChanges()
}

// Protocols come and go one by one.
func TestEndpointSwitches(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, "")
	for _, step := range []struct{ switches, sent string }{
		{"{ mysql = true }", `{"endpoints":[{"protocol":"mysql","enabled":true}]}`},
		{"{ mysql = true, https = true }", `{"endpoints":[{"protocol":"https","enabled":true}]}`},
		{"{ https = false }", `{"endpoints":[{"protocol":"https","enabled":false}]}`},
		{"{ https = false, mysql = false }", `{"endpoints":[{"protocol":"mysql","enabled":false}]}`},
	} {
		tf.Configure(serviceConfig(mockapi.ServiceID, "endpoints_enabled = "+step.switches))
		env.ResetRequests()
		tf.Apply()
		if err := env.Sends("updateService", step.sent)(nil); err != nil {
			t.Errorf("%s: %v", step.switches, err)
		}
		tf.ExpectNoChanges()
	}
}

// Numbers that no float64 is exactly, and those that Terraform computes.
func TestNumbersOfManyDigits(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"0.7", "2.2", "1 - 0.3", "7 / 10", "0.5000000000000001"} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			tf := env.CLI(t, scalingConfig(mockapi.KafkaPipeID, "replica_memory_gb = "+number)+`
data "dbplatform_pipe" "this" {
  service_id = dbplatform_pipe_scaling.this.service_id
  pipe_id    = dbplatform_pipe_scaling.this.pipe_id
}
output "it" { value = [dbplatform_pipe_scaling.this.replica_memory_gb * 10, data.dbplatform_pipe.this.scaling.replica_memory_gb * 10] }
`)
			tf.Apply()
			tf.ExpectNoChanges()
			tf.Must("state", "rm", "dbplatform_pipe_scaling.this")
			tf.Must("import", "dbplatform_pipe_scaling.this", mockapi.ServiceID+"/"+mockapi.KafkaPipeID)
			out := tf.Must("plan")
			acctest.Lacks(t, out, "will be updated")
		})
	}
}

// Two notations of one address are one entry where they say the same.
func TestAddressTwiceInTheAPI(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.Change(mockapi.Service, mockapi.ServiceID, func(service mockapi.Object) {
		service["ipAccessList"] = []any{
			mockapi.Object{"source": "192.0.2.7", "description": "office"}, mockapi.Object{"source": "192.0.2.7/32", "description": "office"},
		}
	})
	config := serviceConfig(mockapi.ServiceID, `ip_access_list = { "192.0.2.7" = "office" }`)
	env.Run(t, resource.TestStep{Config: config, Check: env.Sends("updateService")}, acctest.EmptyPlan(config))
}

func TestPlanTimeWarnings(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	for _, test := range []struct {
		pipe, config string
		unused       []string
	}{
		{mockapi.KafkaPipeID, "replicas = 1\n  replica_cpu_millicores = 500\n  replica_memory_gb = 2\n  concurrency = 2", []string{"concurrency"}},
		{mockapi.ObjectStoragePipeID, "replicas = 1\n  replica_cpu_millicores = 500\n  concurrency = 2", []string{"replicas", "replica_cpu_millicores"}},
		{mockapi.KinesisPipeID, "replicas = 1\n  replica_cpu_millicores = 500\n  replica_memory_gb = 2\n  concurrency = 2", []string{"replicas", "concurrency"}},
		{mockapi.PostgresPipeID, "replica_memory_gb = 1", []string{"replica_memory_gb"}},
	} {
		out := acctest.Flat(env.CLI(t, scalingConfig(test.pipe, test.config)).Must("plan"))
		for _, name := range []string{"replicas", "replica_cpu_millicores", "replica_memory_gb", "concurrency"} {
			warning := "; " + name + " applies only to "
			if contains(test.unused, name) && len(test.unused) == 1 {
				acctest.Contains(t, out, "Pipe "+test.pipe+" reads from ", warning)
			} else if !contains(test.unused, name) {
				acctest.Lacks(t, out, warning)
			}
		}
	}

	tf := env.CLI(t, serviceConfig(mockapi.ServiceID, "ip_access_list = {}")+keyConfig(mockapi.APIKeyID, "ip_access_list = {}"))
	acctest.Contains(t, tf.Must("plan"), "Warning: Access list becomes empty", "(and one more similar warning elsewhere)")
	tf.Apply()
	acctest.Lacks(t, tf.Must("plan"), "Access list becomes empty")
}

func contains(list []string, s string) bool {
	return strings.Contains(fmt.Sprintf(" %s ", strings.Join(list, " ")), " "+s+" ")
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

// Values that are known only when they are applied may stand anywhere.
func TestUnknownValues(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	tf := env.CLI(t, fmt.Sprintf(`
resource "terraform_data" "v" {
  input = {
    service  = %q
    pipe     = %q
    key      = %q
    replicas = 3
    threads  = 0
    memory   = 1.5
    name     = "Unknown at first"
    roles    = ["developer"]
    never    = ""
    list     = { "10.1.0.0/16" = "one" }
    ids      = ["vpce-8c9d0e1f"]
    off      = false
    text     = "two"
  }
}

locals { v = terraform_data.v.output }

resource "dbplatform_pipe_scaling" "this" {
  service_id        = local.v.service
  pipe_id           = local.v.pipe
  replicas          = local.v.replicas
  replica_memory_gb = local.v.memory
}

resource "dbplatform_pipe_settings" "this" {
  service_id                  = dbplatform_pipe_scaling.this.service_id
  pipe_id                     = dbplatform_pipe_scaling.this.pipe_id
  db_max_threads              = local.v.threads
  db_parallel_view_processing = local.v.off
}

resource "dbplatform_service" "this" {
  service_id           = local.v.service
  name                 = local.v.name
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

data "dbplatform_pipe" "this" {
  service_id = local.v.service
  pipe_id    = dbplatform_pipe_settings.this.pipe_id
}

output "threads" { value = data.dbplatform_pipe.this.settings.db_max_threads }
`, mockapi.ServiceID, mockapi.KafkaPipeID, mockapi.APIKeyID))

	tf.Must("validate")
	tf.Must("plan")
	tf.Apply("-target=terraform_data.v")
	tf.Apply()
	tf.ExpectNoChanges()
	if got := acctest.Flat(tf.Must("output", "-raw", "threads")); !strings.HasSuffix(got, "0") {
		t.Errorf("the look-up after the write shows %s", got)
	}
	tf.Must("destroy", "-auto-approve")
}
