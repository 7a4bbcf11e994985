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

// A step is something that a user would do, with checks of its outcome.
type step struct {
	title string
	text  string
	do    func(*demo, context.Context) error
}

var story = []step{
	{
		"Install the provider",
		"The provider is built, which can take a minute the first time, and installed in a\n" +
			"temporary folder. A mock API runs on this machine, with services, pipes and keys.",
		(*demo).install,
	},
	{
		"Validate the configuration",
		"Ranges, formats and allowed values are checked without a request.",
		(*demo).validate,
	},
	{
		"Plan",
		"\"Will be created\" means adopted: the four objects exist already, and the apply\n" +
			"takes them over. The warnings show which of their values it overwrites.",
		(*demo).plan,
	},
	{
		"Apply",
		"Only what differs is sent. Pipe settings are sent together, because the API may\n" +
			"reset those that a request leaves out.",
		(*demo).apply,
	},
	{
		"Plan again",
		"There is nothing left to change.",
		(*demo).planNothing,
	},
	{
		"Plan after drift",
		"Someone scales the pipe to 1 replica and sets its concurrency to 9. The plan corrects\n" +
			"replicas, which the configuration sets, and ignores concurrency, which it leaves out.",
		(*demo).drift,
	},
	{
		"Correct the drift",
		"The apply sends the replicas. The concurrency keeps its new value.",
		(*demo).correct,
	},
	{
		"Import",
		"An import block adopts the scaling of another pipe.",
		(*demo).importPipe,
	},
	{
		"Plan after the import",
		"The imported pipe matches its configuration, too.",
		(*demo).planNothing,
	},
	{
		"Destroy",
		"Terraform removes the objects from its state, and the API keeps them. The key is\n" +
			"disabled, because the configuration sets on_destroy = \"disable\".",
		(*demo).destroy,
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
	d.print("   ", "This configuration is applied, with the data sources of examples/complete/main.tf:")
	d.print("     ", configuration[begin:end])
	if _, err := d.run(ctx, 0, "init"); err != nil {
		return err
	}
	return d.check(len(d.mock.Requests()) == 0, "init sent no request")
}

func (d *demo) validate(ctx context.Context) error {
	if _, err := d.run(ctx, 0, "validate"); err != nil {
		return err
	}
	return d.check(len(d.mock.Requests()) == 0, "validate sent no request")
}

func (d *demo) plan(ctx context.Context) error {
	output, err := d.run(ctx, 2, "plan", "-detailed-exitcode", "-out=demo.tfplan")
	if err != nil {
		return err
	}
	adopts := strings.Contains(output, "4 to add, 0 to change, 0 to destroy")
	if err := d.check(adopts, "the plan adopts four objects"); err != nil {
		return err
	}
	return d.checkSent(nil)
}

func (d *demo) apply(ctx context.Context) error {
	if _, err := d.run(ctx, 0, "apply", "demo.tfplan"); err != nil {
		return err
	}
	return d.checkSent(map[string]string{
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
	})
}

func (d *demo) planNothing(ctx context.Context) error {
	if _, err := d.run(ctx, 0, "plan", "-detailed-exitcode"); err != nil {
		return err
	}
	return d.checkSent(nil)
}

func (d *demo) drift(ctx context.Context) error {
	d.mock.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		scaling := pipe["scaling"].(mockapi.Object)
		scaling["replicas"] = int64(1)
		scaling["concurrency"] = int64(9)
	})
	output, err := d.run(ctx, 2, "plan", "-detailed-exitcode", "-out=demo.tfplan")
	if err != nil {
		return err
	}
	shown := strings.Contains(output, "= 1 -> 4") && !strings.Contains(output, "concurrency")
	return d.check(shown, "the plan changes replicas back, 1 -> 4, and nothing else")
}

func (d *demo) correct(ctx context.Context) error {
	if _, err := d.run(ctx, 0, "apply", "demo.tfplan"); err != nil {
		return err
	}
	if err := d.checkSent(map[string]string{"scalePipe": `{"replicas": 4}`}); err != nil {
		return err
	}
	scaling := d.mock.Object(mockapi.Pipe, mockapi.KafkaPipeID)["scaling"].(mockapi.Object)
	return d.check(scaling["concurrency"] == int64(9), "the concurrency is still 9")
}

func (d *demo) importPipe(ctx context.Context) error {
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
	if err := d.cli.write("archive.tf", text); err != nil {
		return err
	}
	d.print("   ", "It is in a new file, archive.tf:")
	d.print("     ", text)

	output, err := d.run(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	imported := strings.Contains(output, "1 imported, 0 added, 0 changed, 0 destroyed")
	if err := d.check(imported, "one object was imported, and none was changed"); err != nil {
		return err
	}
	return d.checkSent(nil)
}

func (d *demo) destroy(ctx context.Context) error {
	before := d.objects()
	if _, err := d.run(ctx, 0, "destroy", "-auto-approve"); err != nil {
		return err
	}
	if err := d.checkSent(map[string]string{"updateKey": `{"state": "disabled"}`}); err != nil {
		return err
	}
	kept := reflect.DeepEqual(d.objects(), before)
	if err := d.check(kept, "the service and its pipes still exist, unchanged"); err != nil {
		return err
	}
	deleted := slices.ContainsFunc(d.mock.Requests(), func(request mockapi.Request) bool {
		return request.Method == http.MethodDelete
	})
	return d.check(!deleted, "no step sent a DELETE request")
}

// objects returns the service and the pipes of the configuration, as the API has
// them.
func (d *demo) objects() []mockapi.Object {
	return []mockapi.Object{
		d.mock.Object(mockapi.Service, mockapi.ServiceID),
		d.mock.Object(mockapi.Pipe, mockapi.KafkaPipeID),
		d.mock.Object(mockapi.Pipe, mockapi.ObjectStoragePipeID),
	}
}
