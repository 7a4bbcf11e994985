package api

// Destination is the table a pipe writes to.
type Destination struct {
	Database        Value[string]          `json:"database,omitzero"`
	Table           Value[string]          `json:"table,omitzero"`
	ManagedTable    Value[bool]            `json:"managedTable,omitzero"`
	TableDefinition Value[TableDefinition] `json:"tableDefinition,omitzero"`
	Columns         Value[[]Column]        `json:"columns,omitzero"`
}

// TableDefinition is the member `destination.tableDefinition`.
type TableDefinition struct {
	Engine      Value[Engine]   `json:"engine,omitzero"`
	SortingKey  Value[[]string] `json:"sortingKey,omitzero"`
	PartitionBy Value[string]   `json:"partitionBy,omitzero"`
	PrimaryKey  Value[string]   `json:"primaryKey,omitzero"`
}

// Engine is the member `destination.tableDefinition.engine`.
type Engine struct {
	VersionColumnID Value[string]   `json:"versionColumnId,omitzero"`
	ColumnIDs       Value[[]string] `json:"columnIds,omitzero"`
}

// Column is an element of `destination.columns`.
type Column struct {
	Name Value[string] `json:"name,omitzero"`
	Type Value[string] `json:"type,omitzero"`
}

// FieldMapping says which field of the source becomes which field of the
// destination.
type FieldMapping struct {
	SourceField      Value[string] `json:"sourceField,omitzero"`
	DestinationField Value[string] `json:"destinationField,omitzero"`
}
