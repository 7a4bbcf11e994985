package main

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func (d *demo) play() { //nolint:funlen // one story
	version, code := d.execute(d.cli, "version")
	d.must(code == 0, "TERRAFORM does not name a CLI that works: %q", d.cli)
	version, _, _ = strings.Cut(version, "\n")
	d.print("", "The provider at work, with "+version+".\nMost of its output is cut; make demo ARGS=-v shows all.")

	d.step("1. Install the provider", `
		The provider is built, which can take a minute the first time, and installed in a
		temporary folder. A mock API runs on this machine, with services, pipes and keys.
		The configuration is examples/complete; its data sources are not shown here:`)
	output, code := d.execute("sh", "-c", `make install PLUGINS="$TMPDIR/plugins" && cp examples/complete/*.tf "$TMPDIR"`)
	d.must(code == 0, "the provider does not build:\n%s", output)
	resources, _ := d.execute("sed", "/^data /,$d", "examples/complete/main.tf")
	d.print("     ", strings.TrimSpace(resources))
	d.run("init", 0, nil)

	d.step("2. Plan", `
		"Will be created" means adopted: the four objects exist already, and the apply
		takes them over. The warnings show which of their values it overwrites. A plan only
		reads: a pipe by GET, a service and a key by a PATCH with {}.`)
	output = d.run("plan -detailed-exitcode -out=demo.tfplan", 2, nil)
	d.check(strings.Contains(output, "4 to add, 0 to change, 0 to destroy"), "the plan adopts four objects")
	d.check(strings.Count(output, "Warning: Adoption of ") == 4, "it warns of what each adoption overwrites")

	d.step("3. Apply", `
		Only what differs is sent. Pipe settings are sent together, because the API may
		reset those that a request leaves out.`)
	d.run("apply demo.tfplan", 0, map[string]string{
		"updateService": `{
			"name": "Orders production", "releaseChannel": "slow",
			"ipAccessList": {
				"add": [{"source": "192.0.2.16/28", "description": "second office"}]
			}
		}`,
		"scalePipe": `{"replicas": 4, "replicaCpuMillicores": 500, "replicaMemoryGb": 2}`,
		"updatePipeSettings": d.allSettings(mockapi.Object{
			"streaming_max_insert_wait_ms": 2000, "db_max_insert_threads": 4, "db_parallel_view_processing": true,
		}),
		"updateKey": `{
			"state": "enabled", "expireAt": "2030-12-31T23:59:59Z",
			"ipAccessList": [
				{"source": "192.0.2.16/28", "description": "office"},
				{"source": "198.51.100.0/24", "description": "runners"},
				{"source": "2001:db8::1", "description": "bastion"}
			]
		}`,
	})

	d.step("4. Plan again", "There is nothing left to change.")
	d.run("plan -detailed-exitcode", 0, nil)

	d.step("5. Plan after drift", `
		Someone scales the pipe to 1 replica and sets its concurrency to 9. The plan corrects
		replicas, which the configuration sets, and ignores concurrency, which it leaves out.`)
	d.mock.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		scaling := pipe["scaling"].(mockapi.Object)
		scaling["replicas"], scaling["concurrency"] = int64(1), int64(9)
	})
	output = d.run("plan -detailed-exitcode -out=demo.tfplan", 2, nil)
	d.check(strings.Contains(output, "= 1 -> 4") && !strings.Contains(output, "concurrency"), "the plan changes replicas back, 1 -> 4, and nothing else")

	d.step("6. Correct the drift", "The apply sends the replicas. The concurrency keeps its new value.")
	d.run("apply demo.tfplan", 0, map[string]string{"scalePipe": `{"replicas": 4}`})
	pipe := d.mock.Object(mockapi.Pipe, mockapi.KafkaPipeID)
	d.check(pipe["scaling"].(mockapi.Object)["concurrency"] == int64(9), "the concurrency is still 9")

	d.step("7. Import", "An import block in a new file, archive.tf, adopts the scaling of another pipe:")
	d.write("archive.tf", `import {
  to = dbplatform_pipe_scaling.archive
  id = "11111111-1111-4111-8111-111111111111/22222222-2222-4222-8222-222222222222"
}

resource "dbplatform_pipe_scaling" "archive" {
  service_id  = "11111111-1111-4111-8111-111111111111"
  pipe_id     = "22222222-2222-4222-8222-222222222222"
  concurrency = 4
}
`)
	output = d.run("apply -auto-approve", 0, nil)
	d.check(strings.Contains(output, "1 imported, 0 added, 0 changed, 0 destroyed"), "one object was imported, and none was changed")

	d.step("8. Disable the key", "A destroy would leave the key usable. A new file, override.tf, sets its state:")
	d.write("override.tf", "resource \"dbplatform_api_key\" \"dashboards\" {\n  state = \"disabled\"\n}\n")
	output = d.run("apply -auto-approve", 0, map[string]string{"updateKey": `{"state": "disabled"}`})
	d.check(strings.Contains(output, `"enabled" -> "disabled"`), "the plan shows that the key is disabled")

	d.step("9. Destroy", "Terraform removes the objects from its state, and the API keeps them as they are.")
	output = d.run("destroy -auto-approve", 0, nil)
	d.check(strings.Contains(output, "Warning: Destroy changes nothing in the API"), "a warning says so")
	d.check(d.mock.Object(mockapi.Key, mockapi.OtherAPIKeyID)["state"] == "disabled", "the key still exists, and is disabled")

	d.print("", "\nAll checks (✓) hold. The updates are marked with →.\nTo try it yourself, run the same mock API: make mock")
}

// allSettings is an update of all settings that a Kafka pipe uses, with changes on top.
func (d *demo) allSettings(changes mockapi.Object) string {
	settings := d.mock.Object(mockapi.Pipe, mockapi.KafkaPipeID)["settings"].(mockapi.Object)
	maps.DeleteFunc(settings, func(name string, _ any) bool { return strings.HasPrefix(name, "object_storage_") })
	maps.Copy(settings, changes)
	body, _ := json.Marshal(settings)
	return string(body)
}
