package main

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A step is one thing that a person would do, and what must be true afterwards.
type step struct {
	title string
	text  string
	do    func(*demo, context.Context) error
}

var story = []step{
	{
		"Get ready",
		"The provider is built and put where the CLI installs it from. A mock API\n" +
			"listens on this machine: it holds services, their pipes, and API keys.",
		(*demo).getReady,
	},
	{
		"Check the configuration",
		"It is examples/complete. What the API would refuse is found without asking it.",
		(*demo).validate,
	},
	{
		"Plan",
		"The four objects exist already. The plan says what adopting them overwrites.",
		(*demo).plan,
	},
	{
		"Apply",
		"What differs from the configuration is sent, and nothing else. A pipe's settings\n" +
			"alone go whole, with those it has already: the API may replace them all.",
		(*demo).apply,
	},
	{
		"Plan again",
		"Everything is as it is configured.",
		(*demo).planNothing,
	},
	{
		"Somebody changes the pipe behind Terraform's back",
		"They scale it to 1 replica, and set its concurrency to 9, which the configuration\n" +
			"does not manage. The plan shows the one and says nothing of the other.",
		(*demo).drift,
	},
	{
		"Mend it",
		"The replicas are put right. What is not managed is left alone.",
		(*demo).mend,
	},
	{
		"Import",
		"An import block takes over what is there: the scaling of another pipe.",
		(*demo).importPipe,
	},
	{
		"Plan once more",
		"What was imported is as it is configured, too.",
		(*demo).planNothing,
	},
	{
		"Destroy",
		"Terraform lets go of the objects, and they stay. The key alone is disabled: the\n" +
			"configuration wants that (on_destroy).",
		(*demo).destroy,
	},
}

func (d *demo) getReady(ctx context.Context) error {
	if err := d.cli.installProvider(ctx); err != nil {
		return err
	}
	if err := d.cli.copyExample(ctx); err != nil {
		return err
	}
	if _, err := d.run(ctx, 0, "init"); err != nil {
		return err
	}
	return d.check(len(d.mock.Requests()) == 0, "the API at %s has not been asked anything yet", d.baseURL)
}

func (d *demo) validate(ctx context.Context) error {
	if _, err := d.run(ctx, 0, "validate"); err != nil {
		return err
	}
	return d.check(len(d.mock.Requests()) == 0, "the API was not asked")
}

func (d *demo) plan(ctx context.Context) error {
	output, err := d.run(ctx, 2, "plan", "-detailed-exitcode", "-out=demo.tfplan")
	if err != nil {
		return err
	}
	adopts := strings.Contains(output, "4 to add, 0 to change, 0 to destroy")
	if err := d.check(adopts, "four objects are to be adopted"); err != nil {
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
			"roles": ["query_endpoints"],
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
	return d.check(shown, "the plan wants the replicas back, 1 -> 4, and nothing else")
}

func (d *demo) mend(ctx context.Context) error {
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
	d.print("   ", "A new file, archive.tf, beside the others:")
	d.print("     ", text)

	output, err := d.run(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	imported := strings.Contains(output, "1 imported, 0 added, 0 changed, 0 destroyed")
	if err := d.check(imported, "one object was imported, none was changed"); err != nil {
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
	if err := d.check(kept, "the service and its pipes are still there, unchanged"); err != nil {
		return err
	}
	deleted := slices.ContainsFunc(d.mock.Requests(), func(request mockapi.Request) bool {
		return request.Method == http.MethodDelete
	})
	return d.check(!deleted, "from beginning to end not one DELETE was sent")
}

// objects are the service and the pipes of the configuration, as the API has
// them.
func (d *demo) objects() []mockapi.Object {
	return []mockapi.Object{
		d.mock.Object(mockapi.Service, mockapi.ServiceID),
		d.mock.Object(mockapi.Pipe, mockapi.KafkaPipeID),
		d.mock.Object(mockapi.Pipe, mockapi.ObjectStoragePipeID),
	}
}
