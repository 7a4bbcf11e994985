package api

import "strings"

// Source is where a pipe reads. One of its members is to be expected; which ones
// a pipe has is not documented.
type Source struct {
	Kafka         Value[KafkaSource]         `json:"kafka,omitzero"`
	ObjectStorage Value[ObjectStorageSource] `json:"objectStorage,omitzero"`
	Kinesis       Value[KinesisSource]       `json:"kinesis,omitzero"`
	Postgres      Value[PostgresSource]      `json:"postgres,omitzero"`
}

// UsesSetting reports whether a pipe with this source can use a setting, going
// by the setting's prefix. A source of unknown kind may use every setting.
func (s Source) UsesSetting(name string) bool {
	_, objectStorage := s.ObjectStorage.Get()
	_, kafka := s.Kafka.Get()
	_, kinesis := s.Kinesis.Get()
	_, postgres := s.Postgres.Get()
	switch {
	case !objectStorage && !kafka && !kinesis && !postgres:
		return true
	case strings.HasPrefix(name, "object_storage_"):
		return objectStorage
	case strings.HasPrefix(name, "streaming_"):
		return kafka || kinesis
	}
	return true
}

// KafkaSource is the member `source.kafka`.
type KafkaSource struct {
	Brokers                   Value[string]         `json:"brokers,omitzero"`
	Topics                    Value[string]         `json:"topics,omitzero"`
	ConsumerGroup             Value[string]         `json:"consumerGroup,omitzero"`
	IAMRole                   Value[string]         `json:"iamRole,omitzero"`
	Offset                    Value[KafkaOffset]    `json:"offset,omitzero"`
	SchemaRegistry            Value[SchemaRegistry] `json:"schemaRegistry,omitzero"`
	CACertificate             Value[string]         `json:"caCertificate,omitzero"`
	ReversePrivateEndpointIDs Value[[]string]       `json:"reversePrivateEndpointIds,omitzero"`
}

// KafkaOffset is the member `source.kafka.offset`. The format of its timestamp
// is not documented.
type KafkaOffset struct {
	Timestamp Value[string] `json:"timestamp,omitzero"`
}

// SchemaRegistry is the member `source.kafka.schemaRegistry`.
type SchemaRegistry struct {
	URL           Value[string] `json:"url,omitzero"`
	CACertificate Value[string] `json:"caCertificate,omitzero"`
}

// ObjectStorageSource is the member `source.objectStorage`. ConnectionString is a secret.
type ObjectStorageSource struct {
	URL                Value[string] `json:"url,omitzero"`
	Delimiter          Value[string] `json:"delimiter,omitzero"`
	Compression        Value[string] `json:"compression,omitzero"`
	IsContinuous       Value[bool]   `json:"isContinuous,omitzero"`
	QueueURL           Value[string] `json:"queueUrl,omitzero"`
	IAMRole            Value[string] `json:"iamRole,omitzero"`
	ConnectionString   Value[string] `json:"connectionString,omitzero"`
	Path               Value[string] `json:"path,omitzero"`
	AzureContainerName Value[string] `json:"azureContainerName,omitzero"`
}

// KinesisSource is the member `source.kinesis`.
// The unit of Timestamp is not documented.
type KinesisSource struct {
	StreamName        Value[string] `json:"streamName,omitzero"`
	Region            Value[string] `json:"region,omitzero"`
	UseEnhancedFanOut Value[bool]   `json:"useEnhancedFanOut,omitzero"`
	Timestamp         Value[int64]  `json:"timestamp,omitzero"`
	IAMRole           Value[string] `json:"iamRole,omitzero"`
}

// PostgresSource is the member `source.postgres`.
type PostgresSource struct {
	Host          Value[string]           `json:"host,omitzero"`
	Port          Value[int64]            `json:"port,omitzero"`
	Database      Value[string]           `json:"database,omitzero"`
	Settings      Value[PostgresSettings] `json:"settings,omitzero"`
	TableMappings Value[[]TableMapping]   `json:"tableMappings,omitzero"`
}

// PostgresSettings is the member `source.postgres.settings`.
type PostgresSettings struct {
	SyncIntervalSeconds            Value[int64]  `json:"syncIntervalSeconds,omitzero"`
	PullBatchSize                  Value[int64]  `json:"pullBatchSize,omitzero"`
	PublicationName                Value[string] `json:"publicationName,omitzero"`
	ReplicationSlotName            Value[string] `json:"replicationSlotName,omitzero"`
	AllowNullableColumns           Value[bool]   `json:"allowNullableColumns,omitzero"`
	InitialLoadParallelism         Value[int64]  `json:"initialLoadParallelism,omitzero"`
	SnapshotNumRowsPerPartition    Value[int64]  `json:"snapshotNumRowsPerPartition,omitzero"`
	SnapshotNumberOfParallelTables Value[int64]  `json:"snapshotNumberOfParallelTables,omitzero"`
	EnableFailoverSlots            Value[bool]   `json:"enableFailoverSlots,omitzero"`
}

// TableMapping is an element of `source.postgres.tableMappings`.
type TableMapping struct {
	SourceSchemaName    Value[string]   `json:"sourceSchemaName,omitzero"`
	SourceTable         Value[string]   `json:"sourceTable,omitzero"`
	TargetTable         Value[string]   `json:"targetTable,omitzero"`
	ExcludedColumns     Value[[]string] `json:"excludedColumns,omitzero"`
	UseCustomSortingKey Value[bool]     `json:"useCustomSortingKey,omitzero"`
	SortingKeys         Value[[]string] `json:"sortingKeys,omitzero"`
}
