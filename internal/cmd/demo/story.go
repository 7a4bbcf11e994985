package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A step is a command that a user would run, with checks of its outcome.
type step struct {
	title, text string
	prepare     func(*demo, context.Context) error // optional
	command     []string
	exitCode    int
	sent        map[string]string                  // the expected changes: bodies by operation
	verify      func(d *demo, output string) error // optional
}

// Exit codes of plan -detailed-exitcode.
const (
	noChanges = 0
	changes   = 2
)

var story = []step{
	{
		title: "Install the provider",
		text: "The provider is built, which can take a minute the first time, and installed in a\n" +
			"temporary folder. A mock API runs on this machine, with services, pipes and keys.\n" +
			"The configuration is examples/complete; its data sources are not shown here:",
		prepare: (*demo).install,
		command: []string{"init"},
		verify:  (*demo).sentNothing,
	},
	{
		title:   "Validate the configuration",
		text:    "Ranges, formats and allowed values are checked without a request.",
		command: []string{"validate"},
		verify:  (*demo).sentNothing,
	},
	{
		title: "Plan",
		text: "\"Will be created\" means adopted: the four objects exist already, and the apply\n" +
			"takes them over. The warnings show which of their values it overwrites. A plan only\n" +
			"reads: a pipe by GET, a service and a key by a PATCH with {}.",
		command:  []string{"plan", "-detailed-exitcode", "-out=demo.tfplan"},
		exitCode: changes,
		verify: func(d *demo, output string) error {
			return d.check(strings.Contains(output, "4 to add, 0 to change, 0 to destroy"), "the plan adopts four objects")
		},
	},
	{
		title: "Apply",
		text: "Only what differs is sent. Pipe settings are sent together, because the API may\n" +
			"reset those that a request leaves out.",
		command: []string{"apply", "demo.tfplan"},
		sent: map[string]string{
			"updateService": `{
				"name": "Orders production",
				"releaseChannel": "slow",
				"ipAccessList": {
					"add": [{"source": "192.0.2.16/28", "description": "office"}],
					"remove": [{"source": "192.0.2.7", "description": "office"}]
				}
			}`,
			"scalePipe": `{"replicas": 4, "replicaCpuMillicores": 500, "replicaMemoryGb": 2}`,
			"updatePipeSettings": `{
				"streaming_max_insert_wait_ms": 2000,
				"db_max_insert_threads": 4,
				"db_parallel_view_processing": true,

				"object_storage_concurrency": 3,
				"object_storage_polling_interval_ms": 30000,
				"object_storage_max_insert_bytes": 10737418240,
				"object_storage_max_file_count": 100,
				"db_max_threads": 8,
				"db_min_insert_block_size_bytes": 1073741824,
				"db_max_download_threads": 4,
				"db_parallel_distributed_insert_select": 2,
				"object_storage_use_cluster_function": true
			}`,
			"updateKey": `{
				"state": "enabled",
				"expireAt": "2030-12-31T23:59:59Z",
				"ipAccessList": [{"source": "192.0.2.16/28", "description": "office"}]
			}`,
		},
	},
	{
		title:    "Plan again",
		text:     "There is nothing left to change.",
		command:  []string{"plan", "-detailed-exitcode"},
		exitCode: noChanges,
	},
	{
		title: "Plan after drift",
		text: "Someone scales the pipe to 1 replica and sets its concurrency to 9. The plan corrects\n" +
			"replicas, which the configuration sets, and ignores concurrency, which it leaves out.",
		prepare:  (*demo).drift,
		command:  []string{"plan", "-detailed-exitcode", "-out=demo.tfplan"},
		exitCode: changes,
		verify: func(d *demo, output string) error {
			shown := strings.Contains(output, "= 1 -> 4") && !strings.Contains(output, "concurrency")
			return d.check(shown, "the plan changes replicas back, 1 -> 4, and nothing else")
		},
	},
	{
		title:   "Correct the drift",
		text:    "The apply sends the replicas. The concurrency keeps its new value.",
		command: []string{"apply", "demo.tfplan"},
		sent:    map[string]string{"scalePipe": `{"replicas": 4}`},
		verify: func(d *demo, _ string) error {
			scaling := d.mock.Object(mockapi.Pipe, mockapi.KafkaPipeID)["scaling"].(mockapi.Object)
			return d.check(scaling["concurrency"] == int64(9), "the concurrency is still 9")
		},
	},
	{
		title:   "Import",
		text:    "An import block in a new file, archive.tf, adopts the scaling of another pipe:",
		prepare: (*demo).writeImport,
		command: []string{"apply", "-auto-approve"},
		verify: func(d *demo, output string) error {
			imported := strings.Contains(output, "1 imported, 0 added, 0 changed, 0 destroyed")
			return d.check(imported, "one object was imported, and none was changed")
		},
	},
	{
		title:    "Plan after the import",
		text:     "The imported pipe matches its configuration, too.",
		command:  []string{"plan", "-detailed-exitcode"},
		exitCode: noChanges,
	},
	{
		title:   "Disable the key",
		text:    "A destroy would leave the key usable. A new file, override.tf, sets its state:",
		prepare: (*demo).disableKey,
		command: []string{"apply", "-auto-approve"},
		sent:    map[string]string{"updateKey": `{"state": "disabled"}`},
		verify: func(d *demo, output string) error {
			return d.check(strings.Contains(output, `"enabled" -> "disabled"`), "the plan shows that the key is disabled")
		},
	},
	{
		title: "Destroy",
		text:  "Terraform removes the objects from its state, and the API keeps them as they are.",
		prepare: func(d *demo, _ context.Context) error {
			d.before = d.objects()
			return nil
		},
		command: []string{"destroy", "-auto-approve"},
		verify:  (*demo).keptEverything,
	},
}

func (d *demo) install(ctx context.Context) error {
	if err := d.cli.installProvider(ctx); err != nil {
		return err
	}
	configuration, err := d.cli.copyExample(ctx)
	if err != nil {
		return err
	}
	begin, end := strings.Index(configuration, "resource \""), strings.Index(configuration, "\n\ndata \"")
	if begin < 0 || end < begin {
		return errors.New("the resources of examples/complete/main.tf do not come before its data sources")
	}
	d.print("     ", configuration[begin:end])
	return nil
}

func (d *demo) sentNothing(string) error {
	return d.check(len(d.mock.Requests()) == 0, "no request was sent")
}

func (d *demo) drift(context.Context) error {
	d.mock.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		scaling := pipe["scaling"].(mockapi.Object)
		scaling["replicas"] = int64(1)
		scaling["concurrency"] = int64(9)
	})
	return nil
}

func (d *demo) writeImport(context.Context) error {
	text := fmt.Sprintf(`import {
  to = dbplatform_pipe_scaling.archive
  id = "%[1]s/%[2]s"
}

resource "dbplatform_pipe_scaling" "archive" {
  service_id  = "%[1]s"
  pipe_id     = "%[2]s"
  concurrency = 4
}
`, mockapi.ServiceID, mockapi.ObjectStoragePipeID)
	d.print("     ", text)
	return d.cli.write("archive.tf", text)
}

func (d *demo) disableKey(context.Context) error {
	text := "resource \"dbplatform_api_key\" \"dashboards\" {\n  state = \"disabled\"\n}\n"
	d.print("     ", text)
	return d.cli.write("override.tf", text)
}

func (d *demo) keptEverything(string) error {
	if err := d.check(reflect.DeepEqual(d.objects(), d.before), "the service, its pipes and the key still exist, unchanged"); err != nil {
		return err
	}
	deleted := slices.ContainsFunc(d.mock.Requests(), func(request mockapi.Request) bool {
		return request.Method == http.MethodDelete
	})
	return d.check(!deleted, "no step sent a DELETE request")
}

// objects returns the objects of the configuration, as the API has them.
func (d *demo) objects() []mockapi.Object {
	return []mockapi.Object{
		d.mock.Object(mockapi.Service, mockapi.ServiceID),
		d.mock.Object(mockapi.Pipe, mockapi.KafkaPipeID),
		d.mock.Object(mockapi.Pipe, mockapi.ObjectStoragePipeID),
		d.mock.Object(mockapi.Key, mockapi.OtherAPIKeyID),
	}
}
