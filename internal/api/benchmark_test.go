package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A pipe with every member except the other sources.
const benchmarkPipe = `{
  "id": "33333333-3333-4333-8333-333333333333",
  "serviceId": "22222222-2222-4222-8222-222222222222",
  "name": "Order events",
  "state": "Running",
  "scaling": {"replicas": 2, "concurrency": 4, "replicaCpuMillicores": 250, "replicaMemoryGb": 1.5},
  "source": {
    "kafka": {
      "brokers": "broker-1.example:9092,broker-2.example:9092",
      "topics": "orders",
      "consumerGroup": "orders-pipe",
      "iamRole": "arn:aws:iam::111122223333:role/kafka",
      "offset": {"timestamp": "2025-05-01T00:00"},
      "schemaRegistry": {"url": "https://registry.example", "caCertificate": "-----BEGIN CERTIFICATE-----"},
      "caCertificate": "-----BEGIN CERTIFICATE-----",
      "reversePrivateEndpointIds": ["rpe-1", "rpe-2"]
    }
  },
  "destination": {
    "database": "default",
    "table": "events",
    "managedTable": true,
    "tableDefinition": {
      "engine": {"versionColumnId": "version", "columnIds": ["amount", "tax"]},
      "sortingKey": ["customer", "created"],
      "partitionBy": "toYYYYMM(created)",
      "primaryKey": "customer"
    },
    "columns": [{"name": "customer", "type": "String"}, {"name": "created", "type": "DateTime"}]
  },
  "fieldMappings": [
    {"sourceField": "customer_id", "destinationField": "customer"},
    {"sourceField": "created_at", "destinationField": "created"}
  ],
  "settings": {
    "streaming_max_insert_wait_ms": 5000,
    "object_storage_concurrency": 3,
    "object_storage_polling_interval_ms": 30000,
    "object_storage_max_insert_bytes": 10737418240,
    "object_storage_max_file_count": 100,
    "db_max_threads": 8,
    "db_max_insert_threads": 2,
    "db_min_insert_block_size_bytes": 1073741824,
    "db_max_download_threads": 4,
    "db_parallel_distributed_insert_select": 2,
    "object_storage_use_cluster_function": true,
    "db_parallel_view_processing": false
  },
  "createdAt": "2025-05-01T08:00:00Z",
  "updatedAt": "2025-05-02T09:30:00Z"
}`

// BenchmarkDecodePipe is what each read of a pipe costs after the network.
func BenchmarkDecodePipe(b *testing.B) {
	response := transport.Response{Result: []byte(benchmarkPipe)}
	b.SetBytes(int64(len(benchmarkPipe)))
	b.ReportAllocs()
	for b.Loop() {
		var pipe Pipe
		if err := response.Decode(&pipe); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSettingsBody is what each write of settings costs before the network.
func BenchmarkSettingsBody(b *testing.B) {
	var pipe Pipe
	if err := json.Unmarshal([]byte(benchmarkPipe), &pipe); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		body, err := newSettingsBody(Settings{DBMaxThreads: ValueOf[int64](5)}, Settings{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := body.over(pipe.Settings); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAccessChange is the difference of two access lists that share nine
// entries in ten.
func BenchmarkAccessChange(b *testing.B) {
	for _, n := range []int{10, 1000, 5000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			current, target := benchmarkEntries(0, n), benchmarkEntries(n/10, n)
			b.ReportAllocs()
			for b.Loop() {
				change := differenceOf(wholeList(target...), current, addressOf, identityOf).change(addChanged)
				if len(change.Add) != n/10 || len(change.Remove) != n/10 {
					b.Fatalf("%d to add, %d to remove", len(change.Add), len(change.Remove))
				}
			}
		})
	}
}

// benchmarkEntries are n entries, each a range of its own, from the first on.
func benchmarkEntries(first, n int) []AccessEntry {
	entries := make([]AccessEntry, n)
	for i := range entries {
		at := first + i
		entries[i] = AccessEntry{
			Source:      fmt.Sprintf("10.%d.%d.0/24", at/256, at%256),
			Description: ValueOf(fmt.Sprintf("office %d", at)),
		}
	}
	return entries
}
