package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
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

// from is the pipe that the API returned.
func (m pipeModel) from(pipe *api.Pipe) pipeModel {
	return pipeModel{
		ServiceID:     m.ServiceID,
		PipeID:        m.PipeID,
		Name:          optionalString(pipe.Name),
		State:         optionalString(pipe.State),
		Scaling:       optional(pipe.Scaling, lookedUp(scalingFrom)),
		Source:        optional(pipe.Source, sourceFrom),
		SourceType:    sourceType(pipe),
		Destination:   optional(pipe.Destination, destinationFrom),
		FieldMappings: optionalList(pipe.FieldMappings, fieldMappingFrom),
		Settings:      optional(pipe.Settings, lookedUp(settingsFrom)),
		CreatedAt:     optionalString(pipe.CreatedAt),
		UpdatedAt:     optionalString(pipe.UpdatedAt),
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

// lookedUp makes null of what from leaves unknown, because the API did not
// return it.
func lookedUp[T, M any](from func(T) M) func(T) M {
	return func(value T) M { return adopt.WithoutUnknown(context.Background(), from(value)) }
}
