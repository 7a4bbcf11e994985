package provider

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// pipeLookup looks up an ingestion pipe (operation getPipe).
func pipeLookup() lifecycle.Lookup {
	attributes := pipeSchema()
	attributeTypes := attributes.Type().(types.ObjectType).AttrTypes
	return lifecycle.Lookup{
		Object: lifecycle.Kind{TypeName: "pipe", Noun: "pipe", IDs: idsOfPipe},
		Schema: attributes,
		Fetch: func(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (lifecycle.Attributes, error) {
			pipe, err := readPipe(ctx, client, ids)
			if err != nil {
				return nil, err
			}
			var object api.Object
			_ = json.Unmarshal(pipe.Returned, &object) // a pipe was decoded from it
			shown := lifecycle.FromObject(attributeTypes, object)
			if kinds, _ := pipe.Source.Get(); len(kinds) == 1 {
				shown["source_type"] = types.StringValue(lifecycle.AttributeName(kinds[0]))
			}
			return shown, nil
		},
	}
}

func pipeSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Looks up an ingestion pipe." + lookedUp,
		Attributes: attributeMap{
			"service_id": uuidAttribute("UUID of the service that owns the pipe."),
			"pipe_id":    uuidAttribute("UUID of the pipe."),
			"name":       computedString("Name of the pipe."),
			"state":      computedString("State of the pipe. The values are not documented."),
			"scaling":    computedObject("Scaling of the pipe.", withoutIDs(pipeScaling())),
			"source":     computedObject("Source of the data. The attributes for other kinds of source are null.", sourceAttributes()),
			"source_type": computedString("Kind of source that the pipe reads from: `kafka`, `object_storage`, `kinesis` or `postgres`. " +
				"Null if the API returns none or several of these."),
			"destination": computedObject("Destination of the data.", destinationAttributes()),
			"field_mappings": computedObjects("Mapping of source fields to destination fields.", attributeMap{
				"source_field":      computedString("Source field."),
				"destination_field": computedString("Destination field."),
			}),
			"settings":   computedObject("Settings of the pipe.", withoutIDs(pipeSettings())),
			"created_at": computedString("Creation time, in an undocumented format."),
			"updated_at": computedString("Time of the last change, in an undocumented format."),
		},
	}
}

func sourceAttributes() attributeMap {
	return attributeMap{
		"kafka": computedObject("Kafka source.", attributeMap{
			"brokers":        computedString("Addresses of the brokers."),
			"topics":         computedString("Topics to read."),
			"consumer_group": computedString("Consumer group."),
			"iam_role":       computedString("Cloud role that the pipe assumes."),
			"offset": computedObject("Offset to start reading from.", attributeMap{
				"timestamp": computedString("Time to start reading from, in an undocumented format."),
			}),
			"schema_registry": computedObject("Schema registry.", attributeMap{
				"url":            computedString("Address of the registry."),
				"ca_certificate": computedString("CA certificate of the registry."),
			}),
			"ca_certificate":               computedString("CA certificate of the brokers."),
			"reverse_private_endpoint_ids": computedStrings("IDs of the reverse private endpoints to the brokers."),
		}),
		"object_storage": computedObject("Object-storage source.", attributeMap{
			"url":           computedString("Location of the files. May contain wildcard patterns."),
			"delimiter":     computedString("Field delimiter."),
			"compression":   computedString("Compression of the files, such as `auto`."),
			"is_continuous": computedBool("Whether ingestion is continuous."),
			"queue_url":     computedString("Address of the notification queue."),
			"iam_role":      computedString("Cloud role that the pipe assumes."),
			"connection_string": schema.StringAttribute{
				MarkdownDescription: "Connection string of the storage account.", Computed: true, Sensitive: true,
			},
			"path":                 computedString("Path or pattern inside the container."),
			"azure_container_name": computedString("Name of the container."),
		}),
		"kinesis": computedObject("Kinesis source.", attributeMap{
			"stream_name":          computedString("Name of the stream."),
			"region":               computedString("Region of the stream."),
			"use_enhanced_fan_out": computedBool("Whether enhanced fan-out is used."),
			"timestamp":            computedInt64("Time to start reading from, in an undocumented unit. Null if the API returns text that is not a number."),
			"iam_role":             computedString("Cloud role that the pipe assumes."),
		}),
		"postgres": computedObject("Postgres source.", attributeMap{
			"host":     computedString("Host name."),
			"port":     computedInt64("TCP port."),
			"database": computedString("Name of the database."),
			"settings": computedObject("Replication settings.", attributeMap{
				"sync_interval_seconds":              computedInt64("Synchronization interval, in seconds."),
				"pull_batch_size":                    computedInt64("Batch size of a pull, in an undocumented unit."),
				"publication_name":                   computedString("Name of the publication."),
				"replication_slot_name":              computedString("Name of the replication slot."),
				"allow_nullable_columns":             computedBool("Whether destination columns may be nullable."),
				"initial_load_parallelism":           computedInt64("Parallelism of the initial load."),
				"snapshot_num_rows_per_partition":    computedInt64("Number of rows per snapshot partition."),
				"snapshot_number_of_parallel_tables": computedInt64("Number of tables to snapshot in parallel."),
				"enable_failover_slots":              computedBool("Whether failover slots are enabled."),
			}),
			"table_mappings": computedObjects("Mapping of source tables to destination tables.", attributeMap{
				"source_schema_name":     computedString("Schema of the source table."),
				"source_table":           computedString("Source table."),
				"target_table":           computedString("Destination table."),
				"excluded_columns":       computedStrings("Excluded columns."),
				"use_custom_sorting_key": computedBool("Whether to use `sorting_keys`."),
				"sorting_keys":           computedStrings("Columns of the custom sorting key."),
			}),
		}),
	}
}

func destinationAttributes() attributeMap {
	return attributeMap{
		"database":      computedString("Destination database."),
		"table":         computedString("Destination table."),
		"managed_table": computedBool("Whether the platform manages the table."),
		"table_definition": computedObject("Definition of the table.", attributeMap{
			"engine": computedObject("Engine of the table.", attributeMap{
				"version_column_id": computedString("ID of the version column."),
				"column_ids":        computedStrings("IDs of the columns that the engine uses."),
			}),
			"sorting_key":  computedStrings("Sorting key of the table."),
			"partition_by": computedString("Partitioning expression of the table."),
			"primary_key":  computedString("Primary key of the table."),
		}),
		"columns": computedObjects("Columns of the table.", attributeMap{
			"name": computedString("Name of the column."),
			"type": computedString("Type of the column."),
		}),
	}
}

// withoutIDs are the attributes of a part of a pipe.
func withoutIDs(part lifecycle.Definition) attributeMap {
	attributes := attributeMap{}
	for name, attribute := range part.Schema.Attributes {
		if !slices.Contains(part.IDs, name) {
			attributes[name] = lifecycle.LookedUp{Attribute: attribute}
		}
	}
	return attributes
}
