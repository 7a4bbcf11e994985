package mockapi

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

func TestContractHasTheOperations(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(contractSource)
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" {
		t.Errorf("openapi: %s", document.OpenAPI)
	}
	got := map[string]string{}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			got[operation.OperationID] = method + " " + path
		}
	}
	want := map[string]string{
		"getPipe":            "GET /v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}",
		"updateService":      "PATCH /v1/organizations/{organizationId}/services/{serviceId}",
		"scalePipe":          "PATCH /v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}/scaling",
		"updatePipeSettings": "PUT /v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}/settings",
		"updateKey":          "PATCH /v1/organizations/{organizationId}/keys/{keyId}",
		"listBackups":        "GET /v1/organizations/{organizationId}/services/{serviceId}/backups",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(handlers))); diff != "" {
		t.Errorf("handlers (-contract +handlers):\n%s", diff)
	}
	if scheme := document.Components.SecuritySchemes["key"].Value; scheme.Type != "http" || scheme.Scheme != "basic" {
		t.Errorf("security scheme: %s %s", scheme.Type, scheme.Scheme)
	}
}

func TestContractLoadErrors(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"no YAML":     "{",
		"no document": "openapi: 3.1.0",
	} {
		if _, err := loadContract([]byte(source)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestUUIDVersion(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee": true,
		"aaaaaaaa-bbbb-1ccc-8ddd-eeeeeeeeeeee": false,
		"aaaaaaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee": false,
		"aaaaaaaabbbb4ccc8dddeeeeeeeeeeee":     false,
	} {
		if err := checkUUID4(id); (err == nil) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// Every member that a seeded object has is described, with the right type, and
// every member that is described occurs in a seeded object: so neither has a
// member, or lacks one, on its own.
func TestSeedFillsTheContract(t *testing.T) {
	t.Parallel()
	s := New()
	described := map[string]bool{}
	stored := map[string]bool{}
	for _, operation := range contract() {
		describedPaths(described, operation.id, operation.result)
	}
	for _, id := range []string{KafkaPipeID, ObjectStoragePipeID, KinesisPipeID, PostgresPipeID} {
		for _, operation := range []string{"getPipe", "scalePipe"} {
			storedPaths(stored, operation, s.Object(Pipe, id))
		}
	}
	storedPaths(stored, "updatePipeSettings", s.Object(Pipe, KafkaPipeID)["settings"])
	storedPaths(stored, "updateService", s.showService(s.store.must(Service, ServiceID)))
	storedPaths(stored, "updateKey", s.showKey(s.store.must(Key, APIKeyID)))
	storedPaths(stored, "listBackups", s.store.backups[ServiceID])
	if diff := cmp.Diff(described, stored); diff != "" {
		t.Errorf("(-described +stored):\n%s", diff)
	}
}

// describedPaths collects the paths of a schema's members that hold values.
func describedPaths(paths map[string]bool, path string, schema *openapi3.Schema) {
	if schema.Items != nil {
		describedPaths(paths, path+"[]", schema.Items.Value)
		return
	}
	members := properties(schema)
	if len(members) == 0 {
		paths[path] = true
	}
	for name, member := range members {
		describedPaths(paths, path+"."+name, member)
	}
}

func storedPaths(paths map[string]bool, path string, value any) {
	switch value := value.(type) {
	case Object:
		for name, member := range value {
			storedPaths(paths, path+"."+name, member)
		}
	case []any:
		for _, element := range value {
			storedPaths(paths, path+"[]", element)
		}
	case nil:
	default:
		paths[path] = true
	}
}

// The members of responses, listed once more: openapi.yaml and the seed might
// lack the same one.
func TestContractHasTheMembers(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"getPipe":                                    "id serviceId name state scaling source destination fieldMappings settings createdAt updatedAt",
		"getPipe.scaling":                            "replicas concurrency replicaCpuMillicores replicaMemoryGb",
		"getPipe.source":                             "kafka objectStorage kinesis postgres",
		"getPipe.source.kafka":                       "brokers topics consumerGroup iamRole offset schemaRegistry caCertificate reversePrivateEndpointIds",
		"getPipe.source.kafka.offset":                "timestamp",
		"getPipe.source.kafka.schemaRegistry":        "url caCertificate",
		"getPipe.source.objectStorage":               "url delimiter compression isContinuous queueUrl iamRole connectionString path azureContainerName",
		"getPipe.source.kinesis":                     "streamName region useEnhancedFanOut timestamp iamRole",
		"getPipe.source.postgres":                    "host port database settings tableMappings",
		"getPipe.source.postgres.settings":           "syncIntervalSeconds pullBatchSize publicationName replicationSlotName allowNullableColumns initialLoadParallelism snapshotNumRowsPerPartition snapshotNumberOfParallelTables enableFailoverSlots",
		"getPipe.source.postgres.tableMappings":      "sourceSchemaName sourceTable targetTable excludedColumns useCustomSortingKey sortingKeys",
		"getPipe.destination":                        "database table managedTable tableDefinition columns",
		"getPipe.destination.tableDefinition":        "engine sortingKey partitionBy primaryKey",
		"getPipe.destination.tableDefinition.engine": "versionColumnId columnIds",
		"getPipe.destination.columns":                "name type",
		"getPipe.fieldMappings":                      "sourceField destinationField",
		"getPipe.settings":                           settingNames,
		"updatePipeSettings":                         settingNames,
		"updateService": "id name dbVersion endpoints minTotalMemoryGb maxTotalMemoryGb minReplicaMemoryGb maxReplicaMemoryGb numReplicas idleScaling idleTimeoutMinutes " +
			"ipAccessList createdAt encryptionKey encryptionAssumedRoleIdentifier iamRole privateEndpointIds availablePrivateEndpointIds dataWarehouseId isPrimary isReadonly " +
			"byocId hasTransparentDataEncryption transparentDataEncryptionKeyId encryptionRoleId",
		"updateService.endpoints":    "protocol host port username",
		"updateService.ipAccessList": "source description",
		"updateKey":                  "id name roles keySuffix createdAt expireAt usedAt ipAccessList",
		"updateKey.ipAccessList":     "source description",
		"listBackups":                "id serviceId startedAt finishedAt sizeInBytes durationInSeconds backupName bucket",
		"listBackups.bucket":         "bucketPath iamRoleArn iamRoleSessionName",
	} {
		names := strings.Split(path, ".")
		got := slices.Sorted(maps.Keys(properties(at(operationNamed(t, names[0]).result, names[1:]))))
		if diff := cmp.Diff(slices.Sorted(slices.Values(strings.Fields(want))), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

const settingNames = "streaming_max_insert_wait_ms object_storage_concurrency object_storage_polling_interval_ms object_storage_max_insert_bytes object_storage_max_file_count " +
	"db_max_threads db_max_insert_threads db_min_insert_block_size_bytes db_max_download_threads db_parallel_distributed_insert_select " +
	"object_storage_use_cluster_function db_parallel_view_processing"

func operationNamed(t *testing.T, id string) *operation {
	t.Helper()
	operations := contract()
	at := slices.IndexFunc(operations, func(o *operation) bool { return o.id == id })
	if at < 0 {
		t.Fatalf("no operation %s", id)
	}
	return operations[at]
}

// at is the schema of the member at path, or of a list's elements.
func at(schema *openapi3.Schema, path []string) *openapi3.Schema {
	for {
		switch {
		case schema.Items != nil:
			schema = schema.Items.Value
		case len(path) == 0:
			return schema
		default:
			schema, path = properties(schema)[path[0]], path[1:]
		}
	}
}
