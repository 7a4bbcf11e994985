package mockapi

import "fmt"

func seedPipes() []Object {
	return []Object{
		seedPipe(KafkaPipeID, "Order events", Object{"kafka": seedKafka()}),
		seedPipe(ObjectStoragePipeID, "Order archive", Object{"objectStorage": seedObjectStorage()}),
		seedPipe(KinesisPipeID, "Clicks", Object{"kinesis": seedKinesis()}),
		seedPipe(PostgresPipeID, "Customers", Object{"postgres": seedPostgres()}),
	}
}

// seedPipe is a pipe with every member that does not depend on its source.
func seedPipe(id, name string, source Object) Object {
	return Object{
		"id":     id,
		"name":   name,
		"state":  "Running",
		"source": source,
		"scaling": Object{
			"replicas":             2,
			"concurrency":          4,
			"replicaCpuMillicores": 250,
			"replicaMemoryGb":      1.5,
		},
		"destination": Object{
			"database":     "default",
			"table":        "events",
			"managedTable": true,
			"tableDefinition": Object{
				"engine": Object{
					"versionColumnId": "version",
					"columnIds":       []any{"amount", "tax"},
				},
				"sortingKey":  []any{"customer", "created"},
				"partitionBy": "toYYYYMM(created)",
				"primaryKey":  "customer",
			},
			"columns": []any{
				Object{"name": "customer", "type": "String"},
				Object{"name": "created", "type": "DateTime"},
			},
		},
		"fieldMappings": []any{
			Object{"sourceField": "customer_id", "destinationField": "customer"},
			Object{"sourceField": "created_at", "destinationField": "created"},
		},
		"settings": Object{
			"streaming_max_insert_wait_ms":          5000,
			"object_storage_concurrency":            3,
			"object_storage_polling_interval_ms":    30000,
			"object_storage_max_insert_bytes":       10_737_418_240,
			"object_storage_max_file_count":         100,
			"db_max_threads":                        8,
			"db_max_insert_threads":                 2,
			"db_min_insert_block_size_bytes":        1_073_741_824,
			"db_max_download_threads":               4,
			"db_parallel_distributed_insert_select": 2,
			"object_storage_use_cluster_function":   true,
			"db_parallel_view_processing":           false,
		},
		"createdAt": "2025-05-01T08:00:00Z",
		"updatedAt": "2025-05-02T09:30:00Z",
	}
}

func seedKafka() Object {
	return Object{
		"brokers":       "broker-1.example:9092,broker-2.example:9092",
		"topics":        "orders",
		"consumerGroup": "orders-pipe",
		"iamRole":       "arn:aws:iam::111122223333:role/kafka",
		"offset":        Object{"timestamp": "2025-05-01T00:00"},
		"schemaRegistry": Object{
			"url":           "https://registry.example",
			"caCertificate": "-----BEGIN CERTIFICATE-----\nregistry\n-----END CERTIFICATE-----\n",
		},
		"caCertificate":             "-----BEGIN CERTIFICATE-----\nbrokers\n-----END CERTIFICATE-----\n",
		"reversePrivateEndpointIds": []any{"rpe-1", "rpe-2"},
	}
}

func seedObjectStorage() Object {
	return Object{
		"url":                "https://storage.example/orders/*.csv",
		"delimiter":          ",",
		"compression":        "auto",
		"isContinuous":       true,
		"queueUrl":           "https://queue.example/orders",
		"iamRole":            "arn:aws:iam::111122223333:role/storage",
		"connectionString":   "AccountName=orders;AccountKey=not-a-real-key",
		"path":               "orders/*.csv",
		"azureContainerName": "orders",
	}
}

func seedKinesis() Object {
	return Object{
		"streamName":        "clicks",
		"region":            "eu-central-1",
		"useEnhancedFanOut": true,
		"timestamp":         1_746_057_600,
		"iamRole":           "arn:aws:iam::111122223333:role/kinesis",
	}
}

func seedPostgres() Object {
	return Object{
		"host":     "postgres.example",
		"port":     5432,
		"database": "shop",
		"settings": Object{
			"syncIntervalSeconds":            60,
			"pullBatchSize":                  100_000,
			"publicationName":                "shop_publication",
			"replicationSlotName":            "shop_slot",
			"allowNullableColumns":           true,
			"initialLoadParallelism":         4,
			"snapshotNumRowsPerPartition":    100_000,
			"snapshotNumberOfParallelTables": 2,
			"enableFailoverSlots":            true,
		},
		"tableMappings": []any{
			Object{
				"sourceSchemaName":    "public",
				"sourceTable":         "customers",
				"targetTable":         "customers",
				"excludedColumns":     []any{"password_hash"},
				"useCustomSortingKey": true,
				"sortingKeys":         []any{"country", "id"},
			},
		},
	}
}

// AddPipes adds n pipes with a kafka source to [ServiceID] and returns their
// ids, which are the same for every server: for measuring, and for trying things
// with many.
func (s *Server) AddPipes(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("55555555-5555-4555-8555-%012d", i+1)
		s.AddPipe(ServiceID, seedPipe(ids[i], fmt.Sprintf("Pipe %d", i+1), Object{"kafka": seedKafka()}))
	}
	return ids
}
