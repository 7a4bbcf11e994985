package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

type pipeModel struct {
	ServiceID     types.String        `tfsdk:"service_id"`
	PipeID        types.String        `tfsdk:"pipe_id"`
	Name          types.String        `tfsdk:"name"`
	State         types.String        `tfsdk:"state"`
	Scaling       *scalingModel       `tfsdk:"scaling"`
	Source        *sourceModel        `tfsdk:"source"`
	SourceType    types.String        `tfsdk:"source_type"`
	Destination   *destinationModel   `tfsdk:"destination"`
	FieldMappings []fieldMappingModel `tfsdk:"field_mappings"`
	Settings      *settingsModel      `tfsdk:"settings"`
	CreatedAt     types.String        `tfsdk:"created_at"`
	UpdatedAt     types.String        `tfsdk:"updated_at"`
}

type scalingModel struct {
	Replicas             types.Int64   `tfsdk:"replicas"`
	Concurrency          types.Int64   `tfsdk:"concurrency"`
	ReplicaCPUMillicores types.Int64   `tfsdk:"replica_cpu_millicores"`
	ReplicaMemoryGB      types.Float64 `tfsdk:"replica_memory_gb"`
}

type destinationModel struct {
	Database        types.String          `tfsdk:"database"`
	Table           types.String          `tfsdk:"table"`
	ManagedTable    types.Bool            `tfsdk:"managed_table"`
	TableDefinition *tableDefinitionModel `tfsdk:"table_definition"`
	Columns         []columnModel         `tfsdk:"columns"`
}

type tableDefinitionModel struct {
	Engine      *engineModel   `tfsdk:"engine"`
	SortingKey  []types.String `tfsdk:"sorting_key"`
	PartitionBy types.String   `tfsdk:"partition_by"`
	PrimaryKey  types.String   `tfsdk:"primary_key"`
}

type engineModel struct {
	VersionColumnID types.String   `tfsdk:"version_column_id"`
	ColumnIDs       []types.String `tfsdk:"column_ids"`
}

type columnModel struct {
	Name types.String `tfsdk:"name"`
	Type types.String `tfsdk:"type"`
}

type fieldMappingModel struct {
	SourceField      types.String `tfsdk:"source_field"`
	DestinationField types.String `tfsdk:"destination_field"`
}

type settingsModel struct {
	StreamingMaxInsertWaitMS          types.Int64 `tfsdk:"streaming_max_insert_wait_ms"`
	ObjectStorageConcurrency          types.Int64 `tfsdk:"object_storage_concurrency"`
	ObjectStoragePollingIntervalMS    types.Int64 `tfsdk:"object_storage_polling_interval_ms"`
	ObjectStorageMaxInsertBytes       types.Int64 `tfsdk:"object_storage_max_insert_bytes"`
	ObjectStorageMaxFileCount         types.Int64 `tfsdk:"object_storage_max_file_count"`
	DBMaxThreads                      types.Int64 `tfsdk:"db_max_threads"`
	DBMaxInsertThreads                types.Int64 `tfsdk:"db_max_insert_threads"`
	DBMinInsertBlockSizeBytes         types.Int64 `tfsdk:"db_min_insert_block_size_bytes"`
	DBMaxDownloadThreads              types.Int64 `tfsdk:"db_max_download_threads"`
	DBParallelDistributedInsertSelect types.Int64 `tfsdk:"db_parallel_distributed_insert_select"`
	ObjectStorageUseClusterFunction   types.Bool  `tfsdk:"object_storage_use_cluster_function"`
	DBParallelViewProcessing          types.Bool  `tfsdk:"db_parallel_view_processing"`
}

// from is what the API says of the pipe that m names.
func (m pipeModel) from(pipe *api.Pipe) pipeModel {
	return pipeModel{
		ServiceID:     m.ServiceID,
		PipeID:        m.PipeID,
		Name:          optionalString(pipe.Name),
		State:         optionalString(pipe.State),
		Scaling:       optional(pipe.Scaling, scalingFrom),
		Source:        optional(pipe.Source, sourceFrom),
		SourceType:    sourceType(pipe),
		Destination:   optional(pipe.Destination, destinationFrom),
		FieldMappings: optionalList(pipe.FieldMappings, fieldMappingFrom),
		Settings:      optional(pipe.Settings, settingsFrom),
		CreatedAt:     optionalString(pipe.CreatedAt),
		UpdatedAt:     optionalString(pipe.UpdatedAt),
	}
}

func scalingFrom(scaling api.Scaling) scalingModel {
	return scalingModel{
		Replicas:             optionalInt64(scaling.Replicas),
		Concurrency:          optionalInt64(scaling.Concurrency),
		ReplicaCPUMillicores: optionalInt64(scaling.ReplicaCPUMillicores),
		ReplicaMemoryGB:      optionalFloat64(scaling.ReplicaMemoryGB),
	}
}

func destinationFrom(destination api.Destination) destinationModel {
	return destinationModel{
		Database:        optionalString(destination.Database),
		Table:           optionalString(destination.Table),
		ManagedTable:    optionalBool(destination.ManagedTable),
		TableDefinition: optional(destination.TableDefinition, tableDefinitionFrom),
		Columns: optionalList(destination.Columns, func(column api.Column) columnModel {
			return columnModel{Name: optionalString(column.Name), Type: optionalString(column.Type)}
		}),
	}
}

func tableDefinitionFrom(definition api.TableDefinition) tableDefinitionModel {
	return tableDefinitionModel{
		Engine: optional(definition.Engine, func(engine api.Engine) engineModel {
			return engineModel{
				VersionColumnID: optionalString(engine.VersionColumnID),
				ColumnIDs:       optionalStrings(engine.ColumnIDs),
			}
		}),
		SortingKey:  optionalStrings(definition.SortingKey),
		PartitionBy: optionalString(definition.PartitionBy),
		PrimaryKey:  optionalString(definition.PrimaryKey),
	}
}

func fieldMappingFrom(mapping api.FieldMapping) fieldMappingModel {
	return fieldMappingModel{
		SourceField:      optionalString(mapping.SourceField),
		DestinationField: optionalString(mapping.DestinationField),
	}
}

func settingsFrom(settings api.Settings) settingsModel {
	return settingsModel{
		StreamingMaxInsertWaitMS:          optionalInt64(settings.StreamingMaxInsertWaitMS),
		ObjectStorageConcurrency:          optionalInt64(settings.ObjectStorageConcurrency),
		ObjectStoragePollingIntervalMS:    optionalInt64(settings.ObjectStoragePollingIntervalMS),
		ObjectStorageMaxInsertBytes:       optionalInt64(settings.ObjectStorageMaxInsertBytes),
		ObjectStorageMaxFileCount:         optionalInt64(settings.ObjectStorageMaxFileCount),
		DBMaxThreads:                      optionalInt64(settings.DBMaxThreads),
		DBMaxInsertThreads:                optionalInt64(settings.DBMaxInsertThreads),
		DBMinInsertBlockSizeBytes:         optionalInt64(settings.DBMinInsertBlockSizeBytes),
		DBMaxDownloadThreads:              optionalInt64(settings.DBMaxDownloadThreads),
		DBParallelDistributedInsertSelect: optionalInt64(settings.DBParallelDistributedInsertSelect),
		ObjectStorageUseClusterFunction:   optionalBool(settings.ObjectStorageUseClusterFunction),
		DBParallelViewProcessing:          optionalBool(settings.DBParallelViewProcessing),
	}
}
