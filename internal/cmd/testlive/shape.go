package main

import (
	"strings"
	"text/scanner"
)

// A shape is the documented form of a value: of an object, or of each object of a
// list, its members.
type shape struct {
	kind    rune // a text, or one of the marks below
	members map[string]*shape
}

// The marks of what is no text.
const (
	isNumber = '#'
	isTime   = '@' // one that the server makes
	isList   = '+' // of texts
	isFlag   = '?'
	isObject = '{'
)

// What the documentation says of each object, with the marks behind the names.
var shapes = map[string]*shape{
	"service": parseShape(`id name dbVersion endpoints{protocol host port# username}
		minTotalMemoryGb# maxTotalMemoryGb# minReplicaMemoryGb# maxReplicaMemoryGb# numReplicas# idleScaling? idleTimeoutMinutes#
		ipAccessList{source description} createdAt@ encryptionKey encryptionAssumedRoleIdentifier iamRole
		privateEndpointIds+ availablePrivateEndpointIds+ dataWarehouseId isPrimary? isReadonly? byocId
		hasTransparentDataEncryption? transparentDataEncryptionKeyId encryptionRoleId`),
	"key": parseShape(`id name roles+ keySuffix createdAt@ expireAt usedAt@ ipAccessList{source description}`),
	"backup": parseShape(`id serviceId startedAt@ finishedAt@ sizeInBytes# durationInSeconds# backupName
		bucket{bucketPath iamRoleArn iamRoleSessionName}`),
	"pipe": parseShape(`id serviceId name state
		scaling{replicas# concurrency# replicaCpuMillicores# replicaMemoryGb#}
		source{
			kafka{brokers topics consumerGroup iamRole offset{timestamp} schemaRegistry{url caCertificate} caCertificate reversePrivateEndpointIds+}
			objectStorage{url delimiter compression isContinuous? queueUrl iamRole connectionString path azureContainerName}
			kinesis{streamName region useEnhancedFanOut? timestamp# iamRole}
			postgres{host port# database
				settings{syncIntervalSeconds# pullBatchSize# publicationName replicationSlotName allowNullableColumns?
					initialLoadParallelism# snapshotNumRowsPerPartition# snapshotNumberOfParallelTables# enableFailoverSlots?}
				tableMappings{sourceSchemaName sourceTable targetTable excludedColumns+ useCustomSortingKey? sortingKeys+}}}
		destination{database table managedTable?
			tableDefinition{engine{versionColumnId columnIds+} sortingKey+ partitionBy primaryKey}
			columns{name type}}
		fieldMappings{sourceField destinationField}
		settings{streaming_max_insert_wait_ms# object_storage_concurrency# object_storage_polling_interval_ms#
			object_storage_max_insert_bytes# object_storage_max_file_count# db_max_threads# db_max_insert_threads#
			db_min_insert_block_size_bytes# db_max_download_threads# db_parallel_distributed_insert_select#
			object_storage_use_cluster_function? db_parallel_view_processing?}
		createdAt@ updatedAt@`),
}

// undocumented are members that APIs of this kind are known to return; they have
// rows of their own.
var undocumented = []string{"service.releaseChannel", "service.endpoints.enabled", "key.state", "backup.status", "backup.type"}

func parseShape(text string) *shape {
	var s scanner.Scanner
	s.Init(strings.NewReader(text))
	return &shape{kind: isObject, members: parseMembers(&s)}
}

func parseMembers(s *scanner.Scanner) map[string]*shape {
	members := map[string]*shape{}
	var latest *shape
	for token := s.Scan(); token != scanner.EOF && token != '}'; token = s.Scan() {
		if token == scanner.Ident {
			latest = &shape{}
			members[s.TokenText()] = latest
			continue
		}
		if latest.kind = token; token == isObject {
			latest.members = parseMembers(s)
		}
	}
	return members
}
