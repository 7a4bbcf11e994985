package provider

// pipeDescriptions describe scaling attributes and settings of a pipe, for the
// resources and the data source.
var pipeDescriptions = map[string]string{
	"replicas":                              "Number of replicas. Applies to pipes with a Kafka source.",
	"concurrency":                           "Concurrency. Applies to pipes with an object-storage source.",
	"replica_cpu_millicores":                "CPU per replica, in millicores. Applies to streaming pipes.",
	"replica_memory_gb":                     "Memory per replica, in GB. Applies to streaming pipes.",
	"streaming_max_insert_wait_ms":          "Maximum wait before data is inserted into the database, in milliseconds.",
	"object_storage_concurrency":            "Number of concurrent file-processing threads.",
	"object_storage_polling_interval_ms":    "Interval at which continuous ingestion checks the object storage for new data, in milliseconds.",
	"object_storage_max_insert_bytes":       "Number of bytes to process in one insert batch.",
	"object_storage_max_file_count":         "Maximum number of files to process in one insert batch.",
	"db_max_threads":                        "Maximum number of concurrent file-processing threads.",
	"db_max_insert_threads":                 "Maximum number of concurrent insert threads.",
	"db_min_insert_block_size_bytes":        "Minimum size of a data block for insert, in bytes.",
	"db_max_download_threads":               "Maximum number of concurrent download threads.",
	"db_parallel_distributed_insert_select": "Setting for parallel distributed `INSERT … SELECT`.",
	"object_storage_use_cluster_function":   "Whether to use the cluster function for distributed processing.",
	"db_parallel_view_processing":           "Whether to push to attached views concurrently instead of sequentially.",
}
