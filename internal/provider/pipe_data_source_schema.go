package provider

import "github.com/hashicorp/terraform-plugin-framework/datasource/schema"

type attributeMap = map[string]schema.Attribute

func scalingAttributes() attributeMap {
	return attributeMap{
		"replicas":               readInt64(pipeDescriptions["replicas"]),
		"concurrency":            readInt64(pipeDescriptions["concurrency"]),
		"replica_cpu_millicores": readInt64(pipeDescriptions["replica_cpu_millicores"]),
		"replica_memory_gb":      readFloat64(pipeDescriptions["replica_memory_gb"]),
	}
}

func sourceAttributes() attributeMap {
	return attributeMap{
		"kafka": readObject("A Kafka source.", attributeMap{
			"brokers":        readString("The brokers' addresses."),
			"topics":         readString("The topics that are read."),
			"consumer_group": readString("The consumer group that the pipe reads as."),
			"iam_role":       readString("The cloud role that the pipe assumes."),
			"offset": readObject("Where reading begins.", attributeMap{
				"timestamp": readString("The time from which messages are read. Its format is not documented."),
			}),
			"schema_registry": readObject("The schema registry.", attributeMap{
				"url":            readString("Its address."),
				"ca_certificate": readString("The certificate of the authority that signed its own."),
			}),
			"ca_certificate":               readString("The certificate of the authority that signed the brokers' own."),
			"reverse_private_endpoint_ids": readStrings("The ids of the reverse private endpoints through which the brokers are reached."),
		}),
		"object_storage": readObject("An object-storage source.", attributeMap{
			"url":           readString("The location of the files; it may contain wildcard patterns."),
			"delimiter":     readString("What separates the fields of a line."),
			"compression":   readString("How the files are compressed, such as `auto`."),
			"is_continuous": readBool("Whether ingestion goes on as files are added."),
			"queue_url":     readString("The address of the queue that announces new files."),
			"iam_role":      readString("The cloud role that the pipe assumes."),
			"connection_string": schema.StringAttribute{
				MarkdownDescription: "The connection string of the storage account.",
				Computed:            true,
				Sensitive:           true,
			},
			"path":                 readString("The path or pattern inside the container."),
			"azure_container_name": readString("The name of the container."),
		}),
		"kinesis": readObject("A Kinesis source.", attributeMap{
			"stream_name":          readString("The name of the stream."),
			"region":               readString("The region of the stream."),
			"use_enhanced_fan_out": readBool("Whether the pipe reads with enhanced fan-out."),
			"timestamp":            readInt64("The time from which records are read. Its unit is not documented."),
			"iam_role":             readString("The cloud role that the pipe assumes."),
		}),
		"postgres": readObject("A Postgres source.", attributeMap{
			"host":           readString("The host name."),
			"port":           readInt64("The TCP port."),
			"database":       readString("The name of the database."),
			"settings":       readObject("How the database is replicated.", postgresSettingsAttributes()),
			"table_mappings": readObjects("Which table of the source goes into which table of the destination.", tableMappingAttributes()),
		}),
	}
}

func postgresSettingsAttributes() attributeMap {
	return attributeMap{
		"sync_interval_seconds":              readInt64("How often changes are taken over, in seconds."),
		"pull_batch_size":                    readInt64("The size of one batch of changes. Its unit is not documented."),
		"publication_name":                   readString("The name of the publication that is subscribed to."),
		"replication_slot_name":              readString("The name of the replication slot."),
		"allow_nullable_columns":             readBool("Whether columns of the destination may be nullable."),
		"initial_load_parallelism":           readInt64("The parallelism of the initial load."),
		"snapshot_num_rows_per_partition":    readInt64("How many rows one partition of the snapshot holds."),
		"snapshot_number_of_parallel_tables": readInt64("How many tables the snapshot takes at the same time."),
		"enable_failover_slots":              readBool("Whether failover slots are enabled for the replication."),
	}
}

func tableMappingAttributes() attributeMap {
	return attributeMap{
		"source_schema_name":     readString("The schema of the table in the source."),
		"source_table":           readString("The table in the source."),
		"target_table":           readString("The table in the destination."),
		"excluded_columns":       readStrings("The columns that are left out."),
		"use_custom_sorting_key": readBool("Whether `sorting_keys` sort the destination."),
		"sorting_keys":           readStrings("The columns that sort the destination."),
	}
}

func destinationAttributes() attributeMap {
	return attributeMap{
		"database":      readString("The destination database."),
		"table":         readString("The destination table."),
		"managed_table": readBool("Whether the platform manages the table."),
		"table_definition": readObject("How the table is defined.", attributeMap{
			"engine": readObject("The engine of the table.", attributeMap{
				"version_column_id": readString("The id of the column that holds a row's version."),
				"column_ids":        readStrings("The ids of the columns that the engine works on."),
			}),
			"sorting_key":  readStrings("The columns that sort the table."),
			"partition_by": readString("The expression that partitions the table."),
			"primary_key":  readString("The primary key of the table."),
		}),
		"columns": readObjects("The columns of the table.", attributeMap{
			"name": readString("The name of the column."),
			"type": readString("The type of the column."),
		}),
	}
}

func fieldMappingAttributes() attributeMap {
	return attributeMap{
		"source_field":      readString("The field of the source."),
		"destination_field": readString("The field of the destination."),
	}
}

func settingsAttributes() attributeMap {
	return attributeMap{
		"streaming_max_insert_wait_ms":          readInt64(pipeDescriptions["streaming_max_insert_wait_ms"]),
		"object_storage_concurrency":            readInt64(pipeDescriptions["object_storage_concurrency"]),
		"object_storage_polling_interval_ms":    readInt64(pipeDescriptions["object_storage_polling_interval_ms"]),
		"object_storage_max_insert_bytes":       readInt64(pipeDescriptions["object_storage_max_insert_bytes"]),
		"object_storage_max_file_count":         readInt64(pipeDescriptions["object_storage_max_file_count"]),
		"db_max_threads":                        readInt64(pipeDescriptions["db_max_threads"]),
		"db_max_insert_threads":                 readInt64(pipeDescriptions["db_max_insert_threads"]),
		"db_min_insert_block_size_bytes":        readInt64(pipeDescriptions["db_min_insert_block_size_bytes"]),
		"db_max_download_threads":               readInt64(pipeDescriptions["db_max_download_threads"]),
		"db_parallel_distributed_insert_select": readInt64(pipeDescriptions["db_parallel_distributed_insert_select"]),
		"object_storage_use_cluster_function":   readBool(pipeDescriptions["object_storage_use_cluster_function"]),
		"db_parallel_view_processing":           readBool(pipeDescriptions["db_parallel_view_processing"]),
	}
}
