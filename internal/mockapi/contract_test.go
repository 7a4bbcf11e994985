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
	got := map[string]string{}
	for _, operation := range contract() {
		got[operation.id] = operation.method + " /" + strings.Join(operation.segments, "/")
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
	want["getService"], want["getKey"] = "", "" // see Variants.ReadByGet
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), Operations()); diff != "" {
		t.Errorf("handlers (-contract +handlers):\n%s", diff)
	}
	if scheme := document.Components.SecuritySchemes["key"].Value; scheme.Type != "http" || scheme.Scheme != "basic" {
		t.Errorf("security scheme: %s %s", scheme.Type, scheme.Scheme)
	}
	for _, source := range []string{"{", "openapi: 3.1.0"} {
		if _, err := loadContract([]byte(source)); err == nil {
			t.Errorf("%s: accepted", source)
		}
	}
}

// The members of responses as literals. openapi.yaml describes exactly these,
// and the seed fills all of them.
func TestContractAndSeedHaveTheMembers(t *testing.T) {
	t.Parallel()
	const settings = "streaming_max_insert_wait_ms object_storage_concurrency object_storage_polling_interval_ms object_storage_max_insert_bytes " +
		"object_storage_max_file_count db_max_threads db_max_insert_threads db_min_insert_block_size_bytes db_max_download_threads " +
		"db_parallel_distributed_insert_select object_storage_use_cluster_function db_parallel_view_processing"
	documented := map[string]string{
		"updateService": "id name dbVersion endpoints minTotalMemoryGb maxTotalMemoryGb minReplicaMemoryGb maxReplicaMemoryGb numReplicas idleScaling idleTimeoutMinutes " +
			"ipAccessList createdAt encryptionKey encryptionAssumedRoleIdentifier iamRole privateEndpointIds availablePrivateEndpointIds dataWarehouseId isPrimary isReadonly " +
			"byocId hasTransparentDataEncryption transparentDataEncryptionKeyId encryptionRoleId",
		"updateService.endpoints":                    "protocol host port username",
		"updateService.ipAccessList":                 "source description",
		"updateKey":                                  "id name roles keySuffix createdAt expireAt usedAt ipAccessList",
		"updateKey.ipAccessList":                     "source description",
		"listBackups":                                "id serviceId startedAt finishedAt sizeInBytes durationInSeconds backupName bucket",
		"listBackups.bucket":                         "bucketPath iamRoleArn iamRoleSessionName",
		"updatePipeSettings":                         settings,
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
		"getPipe.settings":                           settings,
	}
	want, described, stored := members{}, members{}, members{}
	for path, names := range documented {
		for name := range strings.FieldsSeq(names) {
			want[path+"."+name] = true
		}
	}
	for _, operation := range contract() {
		if operation.id != "scalePipe" { // responds like getPipe
			described.describe(operation.id, operation.result)
		}
	}
	s := New()
	for _, id := range []string{KafkaPipeID, ObjectStoragePipeID, KinesisPipeID, PostgresPipeID} {
		stored.store("getPipe", s.Object(Pipe, id))
	}
	stored.store("updatePipeSettings", s.Object(Pipe, KafkaPipeID)["settings"])
	stored.store("updateService", s.showService(s.store.must(Service, ServiceID)))
	stored.store("updateKey", s.showKey(s.store.must(Key, APIKeyID)))
	stored.store("listBackups", s.store.backups[ServiceID])
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("openapi.yaml (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("the seed (-want +got):\n%s", diff)
	}
}

// members are paths, such as getPipe.source.kafka.
type members map[string]bool

// describe adds the members of a schema, or of a list's elements.
func (m members) describe(path string, schema *openapi3.Schema) {
	if schema.Items != nil {
		schema = schema.Items.Value
	}
	for name, member := range properties(schema) {
		m[path+"."+name] = true
		m.describe(path+"."+name, member)
	}
}

// store adds the members of an object, or of a list's elements, that have a value.
func (m members) store(path string, value any) {
	switch value := value.(type) {
	case Object:
		for name, member := range value {
			if member != nil {
				m[path+"."+name] = true
				m.store(path+"."+name, member)
			}
		}
	case []any:
		for _, element := range value {
			m.store(path, element)
		}
	}
}
