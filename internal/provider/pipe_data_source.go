package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// pipeLookup looks up an ingestion pipe (operation getPipe).
func pipeLookup() lifecycle.Lookup {
	attributes := pipeSchema()
	attributeTypes := attributes.Type().(types.ObjectType).AttrTypes
	return lifecycle.Lookup{
		Object: lifecycle.Kind{TypeName: "pipe", Noun: "pipe", IDs: []string{"service_id", "pipe_id"}},
		Schema: attributes,
		Read: func(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (lifecycle.Attributes, error) {
			pipe, err := readPipe(ctx, client, ids)
			if err != nil {
				return nil, err
			}
			var object api.Object
			_ = json.Unmarshal(pipe.Returned, &object) // a pipe was decoded from it
			shown := lifecycle.FromObject(ctx, attributeTypes, object)
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
			"service_id": lookedUpID("UUID of the service that owns the pipe."),
			"pipe_id":    lookedUpID("UUID of the pipe."),
			"name":       readString("Name of the pipe."),
			"state":      readString("State of the pipe. The values are not documented."),
			"scaling":    readObject("Scaling of the pipe.", lifecycle.LookupAttributes(pipeScaling())),
			"source":     readObject("Source of the data. The attributes for other kinds of source are null.", sourceAttributes()),
			"source_type": readString("Kind of source that the pipe reads from: `kafka`, `object_storage`, `kinesis` or `postgres`. " +
				"Null if the API returns none or several of these."),
			"destination": readObject("Destination of the data.", destinationAttributes()),
			"field_mappings": readObjects("Mapping of source fields to destination fields.", attributeMap{
				"source_field":      readString("Source field."),
				"destination_field": readString("Destination field."),
			}),
			"settings":   readObject("Settings of the pipe.", lifecycle.LookupAttributes(pipeSettings())),
			"created_at": readString("Creation time, in an undocumented format."),
			"updated_at": readString("Time of the last change, in an undocumented format."),
		},
	}
}

func sourceAttributes() attributeMap {
	return attributeMap{
		"kafka": readObject("Kafka source.", attributeMap{
			"brokers":        readString("Addresses of the brokers."),
			"topics":         readString("Topics to read."),
			"consumer_group": readString("Consumer group."),
			"iam_role":       readString("Cloud role that the pipe assumes."),
			"offset": readObject("Offset to start reading from.", attributeMap{
				"timestamp": readString("Time to start reading from, in an undocumented format."),
			}),
			"schema_registry": readObject("Schema registry.", attributeMap{
				"url":            readString("Address of the registry."),
				"ca_certificate": readString("CA certificate of the registry."),
			}),
			"ca_certificate":               readString("CA certificate of the brokers."),
			"reverse_private_endpoint_ids": readStrings("IDs of the reverse private endpoints to the brokers."),
		}),
		"object_storage": readObject("Object-storage source.", attributeMap{
			"url":           readString("Location of the files. May contain wildcard patterns."),
			"delimiter":     readString("Field delimiter."),
			"compression":   readString("Compression of the files, such as `auto`."),
			"is_continuous": readBool("Whether ingestion is continuous."),
			"queue_url":     readString("Address of the notification queue."),
			"iam_role":      readString("Cloud role that the pipe assumes."),
			"connection_string": schema.StringAttribute{
				MarkdownDescription: "Connection string of the storage account.", Computed: true, Sensitive: true,
			},
			"path":                 readString("Path or pattern inside the container."),
			"azure_container_name": readString("Name of the container."),
		}),
		"kinesis": readObject("Kinesis source.", attributeMap{
			"stream_name":          readString("Name of the stream."),
			"region":               readString("Region of the stream."),
			"use_enhanced_fan_out": readBool("Whether enhanced fan-out is used."),
			"timestamp":            readInt64("Time to start reading from, in an undocumented unit. Null if the API returns text that is not a number."),
			"iam_role":             readString("Cloud role that the pipe assumes."),
		}),
		"postgres": readObject("Postgres source.", attributeMap{
			"host":     readString("Host name."),
			"port":     readInt64("TCP port."),
			"database": readString("Name of the database."),
			"settings": readObject("Replication settings.", attributeMap{
				"sync_interval_seconds":              readInt64("Synchronization interval, in seconds."),
				"pull_batch_size":                    readInt64("Batch size of a pull, in an undocumented unit."),
				"publication_name":                   readString("Name of the publication."),
				"replication_slot_name":              readString("Name of the replication slot."),
				"allow_nullable_columns":             readBool("Whether destination columns may be nullable."),
				"initial_load_parallelism":           readInt64("Parallelism of the initial load."),
				"snapshot_num_rows_per_partition":    readInt64("Number of rows per snapshot partition."),
				"snapshot_number_of_parallel_tables": readInt64("Number of tables to snapshot in parallel."),
				"enable_failover_slots":              readBool("Whether failover slots are enabled."),
			}),
			"table_mappings": readObjects("Mapping of source tables to destination tables.", attributeMap{
				"source_schema_name":     readString("Schema of the source table."),
				"source_table":           readString("Source table."),
				"target_table":           readString("Destination table."),
				"excluded_columns":       readStrings("Excluded columns."),
				"use_custom_sorting_key": readBool("Whether to use `sorting_keys`."),
				"sorting_keys":           readStrings("Columns of the custom sorting key."),
			}),
		}),
	}
}

func destinationAttributes() attributeMap {
	return attributeMap{
		"database":      readString("Destination database."),
		"table":         readString("Destination table."),
		"managed_table": readBool("Whether the platform manages the table."),
		"table_definition": readObject("Definition of the table.", attributeMap{
			"engine": readObject("Engine of the table.", attributeMap{
				"version_column_id": readString("ID of the version column."),
				"column_ids":        readStrings("IDs of the columns that the engine uses."),
			}),
			"sorting_key":  readStrings("Sorting key of the table."),
			"partition_by": readString("Partitioning expression of the table."),
			"primary_key":  readString("Primary key of the table."),
		}),
		"columns": readObjects("Columns of the table.", attributeMap{
			"name": readString("Name of the column."),
			"type": readString("Type of the column."),
		}),
	}
}
