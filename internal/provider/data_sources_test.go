package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// expectLookUp looks an object up and compares it with JSON.
func expectLookUp(t *testing.T, env *acctest.Env, kind string, ids map[string]string, want string) {
	t.Helper()
	found, err := env.Core(t, nil).LookUp(kind, ids)
	if err != nil {
		t.Fatal(err)
	}
	var wanted any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, acctest.Plain(found)); diff != "" {
		t.Errorf("the look-up (-want +got):\n%s", diff)
	}
}

func lookUpPipe(id string) string {
	return fmt.Sprintf("data \"dbplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", mockapi.ServiceID, id)
}

// Every field of a pipe, as literals.
func TestPipeLookUp(t *testing.T) {
	t.Parallel()
	const empty = `"kafka":null,"object_storage":null,"kinesis":null,"postgres":null`
	sources := map[string]struct{ name, member, source string }{
		mockapi.KafkaPipeID: {"Order events", "kafka", `{
			"brokers":"broker-1.example:9092,broker-2.example:9092","topics":"orders","consumer_group":"orders-pipe",
			"iam_role":"arn:aws:iam::111122223333:role/kafka","offset":{"timestamp":"2025-05-01T00:00"},
			"schema_registry":{"url":"https://registry.example","ca_certificate":"-----BEGIN CERTIFICATE-----\nregistry\n-----END CERTIFICATE-----\n"},
			"ca_certificate":"-----BEGIN CERTIFICATE-----\nbrokers\n-----END CERTIFICATE-----\n",
			"reverse_private_endpoint_ids":["rpe-1","rpe-2"]}`},
		mockapi.ObjectStoragePipeID: {"Order archive", "object_storage", `{
			"url":"https://storage.example/orders/*.csv","delimiter":",","compression":"auto","is_continuous":true,
			"queue_url":"https://queue.example/orders","iam_role":"arn:aws:iam::111122223333:role/storage",
			"connection_string":"AccountName=orders;AccountKey=not-a-real-key","path":"orders/*.csv","azure_container_name":"orders"}`},
		mockapi.KinesisPipeID: {"Clicks", "kinesis", `{
			"stream_name":"clicks","region":"eu-central-1","use_enhanced_fan_out":true,"timestamp":1746057600,
			"iam_role":"arn:aws:iam::111122223333:role/kinesis"}`},
		mockapi.PostgresPipeID: {"Customers", "postgres", `{
			"host":"postgres.example","port":5432,"database":"shop",
			"settings":{"sync_interval_seconds":60,"pull_batch_size":100000,"publication_name":"shop_publication",
				"replication_slot_name":"shop_slot","allow_nullable_columns":true,"initial_load_parallelism":4,
				"snapshot_num_rows_per_partition":100000,"snapshot_number_of_parallel_tables":2,"enable_failover_slots":true},
			"table_mappings":[{"source_schema_name":"public","source_table":"customers","target_table":"customers",
				"excluded_columns":["password_hash"],"use_custom_sorting_key":true,"sorting_keys":["country","id"]}]}`},
	}
	for id, want := range sources {
		t.Run(want.member, func(t *testing.T) {
			t.Parallel()
			source := strings.Replace(empty, fmt.Sprintf("%q:null", want.member), fmt.Sprintf("%q:%s", want.member, want.source), 1)
			expectLookUp(t, newEnv(t), "pipe", map[string]string{"service_id": mockapi.ServiceID, "pipe_id": id}, fmt.Sprintf(`{
				"service_id":%q,"pipe_id":%q,"name":%q,"state":"Running","created_at":"2025-05-01T08:00:00Z","updated_at":"2025-05-02T09:30:00Z",
				"scaling":{"replicas":2,"concurrency":4,"replica_cpu_millicores":250,"replica_memory_gb":1.5},
				"source":{%s},"source_type":%q,
				"destination":{"database":"default","table":"events","managed_table":true,
					"table_definition":{"engine":{"version_column_id":"version","column_ids":["amount","tax"]},
						"sorting_key":["customer","created"],"partition_by":"toYYYYMM(created)","primary_key":"customer"},
					"columns":[{"name":"customer","type":"String"},{"name":"created","type":"DateTime"}]},
				"field_mappings":[{"source_field":"customer_id","destination_field":"customer"},{"source_field":"created_at","destination_field":"created"}],
				"settings":{"streaming_max_insert_wait_ms":5000,"object_storage_concurrency":3,"object_storage_polling_interval_ms":30000,
					"object_storage_max_insert_bytes":10737418240,"object_storage_max_file_count":100,"db_max_threads":8,
					"db_max_insert_threads":2,"db_min_insert_block_size_bytes":1073741824,"db_max_download_threads":4,
					"db_parallel_distributed_insert_select":2,"object_storage_use_cluster_function":true,"db_parallel_view_processing":false}
			}`, mockapi.ServiceID, id, want.name, source, want.member))
		})
	}
}

// source_type is null unless the pipe has exactly one source.
func TestPipeSourceType(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	for id, want := range map[string]any{
		mockapi.KafkaPipeID:         "kafka",
		mockapi.ObjectStoragePipeID: "object_storage",
		env.AddPipe(mockapi.ServiceID, mockapi.Object{"source": mockapi.Object{"kafka": nil}}):                                           nil,
		env.AddPipe(mockapi.ServiceID, mockapi.Object{"source": mockapi.Object{"kafka": mockapi.Object{}, "kinesis": mockapi.Object{}}}): nil,
	} {
		found, err := c.LookUp("pipe", map[string]string{"service_id": mockapi.ServiceID, "pipe_id": id})
		if err != nil {
			t.Fatal(err)
		}
		if got := acctest.Plain(found).(map[string]any)["source_type"]; got != want {
			t.Errorf("%s: %v, not %v", id, got, want)
		}
	}
}

// Whatever the API leaves out of a pipe is null, down to the last member.
func TestPipeLookUpSparse(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	id := env.AddPipe(mockapi.ServiceID, mockapi.Object{
		"name":        nil,
		"source":      mockapi.Object{"kafka": mockapi.Object{"offset": mockapi.Object{}, "reversePrivateEndpointIds": []any{}}, "kinesis": nil},
		"destination": mockapi.Object{"columns": []any{mockapi.Object{}}, "tableDefinition": nil},
	})
	found, err := env.Core(t, nil).LookUp("pipe", map[string]string{"service_id": mockapi.ServiceID, "pipe_id": id})
	if err != nil {
		t.Fatal(err)
	}
	got := acctest.Plain(found).(map[string]any)
	if diff := cmp.Diff(map[string]any{
		"kafka": map[string]any{
			"brokers": nil, "topics": nil, "consumer_group": nil, "iam_role": nil, "offset": map[string]any{"timestamp": nil},
			"schema_registry": nil, "ca_certificate": nil, "reverse_private_endpoint_ids": []any{},
		},
		"object_storage": nil, "kinesis": nil, "postgres": nil,
	}, got["source"]); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{
		"database": nil, "table": nil, "managed_table": nil, "table_definition": nil,
		"columns": []any{map[string]any{"name": nil, "type": nil}},
	}, got["destination"]); diff != "" {
		t.Errorf("destination (-want +got):\n%s", diff)
	}
	if got["name"] != nil || got["field_mappings"] != nil {
		t.Errorf("name %v, field mappings %v", got["name"], got["field_mappings"])
	}
}

func TestBackupsLookUp(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	backup := func(n int, started, finished string, seconds, bytes string) string {
		return fmt.Sprintf(`{"id":"44444444-4444-4444-8444-%012d","service_id":%q,"started_at":%q,"finished_at":%s,
			"size_in_bytes":%s,"duration_in_seconds":%s,"backup_name":"backup-%d",
			"bucket":{"bucket_path":"s3://backups.example/orders/%d","iam_role_arn":"arn:aws:iam::111122223333:role/backups","iam_role_session_name":"backups"}}`,
			n, mockapi.ServiceID, started, finished, bytes, seconds, n, n)
	}
	third := backup(3, "2025-07-03T01:00:00Z", `"2025-07-03T01:25:30Z"`, "1530", "751619276")
	expectLookUp(t, env, "backups", map[string]string{"service_id": mockapi.ServiceID}, fmt.Sprintf(`{"service_id":%q,"latest":%s,"backups":[%s,%s,%s,%s]}`,
		mockapi.ServiceID, third,
		backup(2, "2025-07-02T01:00:00Z", `"2025-07-02T01:20:00Z"`, "1200", "734003200"), third,
		backup(4, "2025-07-04T01:00:00Z", "null", "null", "null"),
		backup(1, "2025-07-01T01:00:00Z", `"2025-07-01T03:46:40Z"`, "10000", "9007199254740993")))
	expectLookUp(t, env, "backups", map[string]string{"service_id": mockapi.OtherServiceID},
		fmt.Sprintf(`{"service_id":%q,"latest":null,"backups":[]}`, mockapi.OtherServiceID))

	// A size past 2^53 survives to the last digit, which a float64 would not show.
	tf := env.CLI(t, fmt.Sprintf(`
data "dbplatform_backups" "this" { service_id = %q }
output "size" { value = [for b in data.dbplatform_backups.this.backups : format("%%d", b.size_in_bytes) if b.backup_name == "backup-1"][0] }
`, mockapi.ServiceID))
	tf.Apply()
	if got := tf.Output("size"); got != "9007199254740993" {
		t.Errorf("the size is %v", got)
	}
}
