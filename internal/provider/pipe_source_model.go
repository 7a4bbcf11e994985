package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

type sourceModel struct {
	Kafka         *kafkaModel         `tfsdk:"kafka"`
	ObjectStorage *objectStorageModel `tfsdk:"object_storage"`
	Kinesis       *kinesisModel       `tfsdk:"kinesis"`
	Postgres      *postgresModel      `tfsdk:"postgres"`
}

type kafkaModel struct {
	Brokers                   types.String         `tfsdk:"brokers"`
	Topics                    types.String         `tfsdk:"topics"`
	ConsumerGroup             types.String         `tfsdk:"consumer_group"`
	IAMRole                   types.String         `tfsdk:"iam_role"`
	Offset                    *kafkaOffsetModel    `tfsdk:"offset"`
	SchemaRegistry            *schemaRegistryModel `tfsdk:"schema_registry"`
	CACertificate             types.String         `tfsdk:"ca_certificate"`
	ReversePrivateEndpointIDs []types.String       `tfsdk:"reverse_private_endpoint_ids"`
}

type kafkaOffsetModel struct {
	Timestamp types.String `tfsdk:"timestamp"`
}

type schemaRegistryModel struct {
	URL           types.String `tfsdk:"url"`
	CACertificate types.String `tfsdk:"ca_certificate"`
}

type objectStorageModel struct {
	URL                types.String `tfsdk:"url"`
	Delimiter          types.String `tfsdk:"delimiter"`
	Compression        types.String `tfsdk:"compression"`
	IsContinuous       types.Bool   `tfsdk:"is_continuous"`
	QueueURL           types.String `tfsdk:"queue_url"`
	IAMRole            types.String `tfsdk:"iam_role"`
	ConnectionString   types.String `tfsdk:"connection_string"`
	Path               types.String `tfsdk:"path"`
	AzureContainerName types.String `tfsdk:"azure_container_name"`
}

type kinesisModel struct {
	StreamName        types.String `tfsdk:"stream_name"`
	Region            types.String `tfsdk:"region"`
	UseEnhancedFanOut types.Bool   `tfsdk:"use_enhanced_fan_out"`
	Timestamp         types.Int64  `tfsdk:"timestamp"`
	IAMRole           types.String `tfsdk:"iam_role"`
}

type postgresModel struct {
	Host          types.String           `tfsdk:"host"`
	Port          types.Int64            `tfsdk:"port"`
	Database      types.String           `tfsdk:"database"`
	Settings      *postgresSettingsModel `tfsdk:"settings"`
	TableMappings []tableMappingModel    `tfsdk:"table_mappings"`
}

type postgresSettingsModel struct {
	SyncIntervalSeconds            types.Int64  `tfsdk:"sync_interval_seconds"`
	PullBatchSize                  types.Int64  `tfsdk:"pull_batch_size"`
	PublicationName                types.String `tfsdk:"publication_name"`
	ReplicationSlotName            types.String `tfsdk:"replication_slot_name"`
	AllowNullableColumns           types.Bool   `tfsdk:"allow_nullable_columns"`
	InitialLoadParallelism         types.Int64  `tfsdk:"initial_load_parallelism"`
	SnapshotNumRowsPerPartition    types.Int64  `tfsdk:"snapshot_num_rows_per_partition"`
	SnapshotNumberOfParallelTables types.Int64  `tfsdk:"snapshot_number_of_parallel_tables"`
	EnableFailoverSlots            types.Bool   `tfsdk:"enable_failover_slots"`
}

type tableMappingModel struct {
	SourceSchemaName    types.String   `tfsdk:"source_schema_name"`
	SourceTable         types.String   `tfsdk:"source_table"`
	TargetTable         types.String   `tfsdk:"target_table"`
	ExcludedColumns     []types.String `tfsdk:"excluded_columns"`
	UseCustomSortingKey types.Bool     `tfsdk:"use_custom_sorting_key"`
	SortingKeys         []types.String `tfsdk:"sorting_keys"`
}

func sourceFrom(source api.Source) sourceModel {
	return sourceModel{
		Kafka:         optional(source.Kafka, kafkaFrom),
		ObjectStorage: optional(source.ObjectStorage, objectStorageFrom),
		Kinesis:       optional(source.Kinesis, kinesisFrom),
		Postgres:      optional(source.Postgres, postgresFrom),
	}
}

func kafkaFrom(kafka api.KafkaSource) kafkaModel {
	return kafkaModel{
		Brokers:       optionalString(kafka.Brokers),
		Topics:        optionalString(kafka.Topics),
		ConsumerGroup: optionalString(kafka.ConsumerGroup),
		IAMRole:       optionalString(kafka.IAMRole),
		Offset: optional(kafka.Offset, func(offset api.KafkaOffset) kafkaOffsetModel {
			return kafkaOffsetModel{Timestamp: optionalString(offset.Timestamp)}
		}),
		SchemaRegistry: optional(kafka.SchemaRegistry, func(registry api.SchemaRegistry) schemaRegistryModel {
			return schemaRegistryModel{URL: optionalString(registry.URL), CACertificate: optionalString(registry.CACertificate)}
		}),
		CACertificate:             optionalString(kafka.CACertificate),
		ReversePrivateEndpointIDs: optionalStrings(kafka.ReversePrivateEndpointIDs),
	}
}

func objectStorageFrom(storage api.ObjectStorageSource) objectStorageModel {
	return objectStorageModel{
		URL:                optionalString(storage.URL),
		Delimiter:          optionalString(storage.Delimiter),
		Compression:        optionalString(storage.Compression),
		IsContinuous:       optionalBool(storage.IsContinuous),
		QueueURL:           optionalString(storage.QueueURL),
		IAMRole:            optionalString(storage.IAMRole),
		ConnectionString:   optionalString(storage.ConnectionString),
		Path:               optionalString(storage.Path),
		AzureContainerName: optionalString(storage.AzureContainerName),
	}
}

func kinesisFrom(kinesis api.KinesisSource) kinesisModel {
	return kinesisModel{
		StreamName:        optionalString(kinesis.StreamName),
		Region:            optionalString(kinesis.Region),
		UseEnhancedFanOut: optionalBool(kinesis.UseEnhancedFanOut),
		Timestamp:         optionalInt64(kinesis.Timestamp),
		IAMRole:           optionalString(kinesis.IAMRole),
	}
}

func postgresFrom(postgres api.PostgresSource) postgresModel {
	return postgresModel{
		Host:          optionalString(postgres.Host),
		Port:          optionalInt64(postgres.Port),
		Database:      optionalString(postgres.Database),
		Settings:      optional(postgres.Settings, postgresSettingsFrom),
		TableMappings: optionalList(postgres.TableMappings, tableMappingFrom),
	}
}

func postgresSettingsFrom(settings api.PostgresSettings) postgresSettingsModel {
	return postgresSettingsModel{
		SyncIntervalSeconds:            optionalInt64(settings.SyncIntervalSeconds),
		PullBatchSize:                  optionalInt64(settings.PullBatchSize),
		PublicationName:                optionalString(settings.PublicationName),
		ReplicationSlotName:            optionalString(settings.ReplicationSlotName),
		AllowNullableColumns:           optionalBool(settings.AllowNullableColumns),
		InitialLoadParallelism:         optionalInt64(settings.InitialLoadParallelism),
		SnapshotNumRowsPerPartition:    optionalInt64(settings.SnapshotNumRowsPerPartition),
		SnapshotNumberOfParallelTables: optionalInt64(settings.SnapshotNumberOfParallelTables),
		EnableFailoverSlots:            optionalBool(settings.EnableFailoverSlots),
	}
}

func tableMappingFrom(mapping api.TableMapping) tableMappingModel {
	return tableMappingModel{
		SourceSchemaName:    optionalString(mapping.SourceSchemaName),
		SourceTable:         optionalString(mapping.SourceTable),
		TargetTable:         optionalString(mapping.TargetTable),
		ExcludedColumns:     optionalStrings(mapping.ExcludedColumns),
		UseCustomSortingKey: optionalBool(mapping.UseCustomSortingKey),
		SortingKeys:         optionalStrings(mapping.SortingKeys),
	}
}
