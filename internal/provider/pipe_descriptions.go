package provider

// pipeDescriptions say what the scaling and the settings of a pipe mean
// (specification, "Pipe scaling" and "Pipe settings"), where they are managed
// and where they are looked up.
var pipeDescriptions = map[string]string{
	"replicas":                              "The number of replicas. Scales pipes with a Kafka source.",
	"concurrency":                           "The concurrency. Scales pipes with an object-storage source.",
	"replica_cpu_millicores":                "The CPU of each replica, in millicores. Scales streaming pipes.",
	"replica_memory_gb":                     "The memory of each replica, in GB. Scales streaming pipes.",
	"streaming_max_insert_wait_ms":          "The longest wait, in milliseconds, before data is inserted into the database.",
	"object_storage_concurrency":            "The number of threads that process files at the same time.",
	"object_storage_polling_interval_ms":    "The interval, in milliseconds, at which a continuous ingestion looks for new data in the object storage.",
	"object_storage_max_insert_bytes":       "How many bytes are processed in one insert batch.",
	"object_storage_max_file_count":         "How many files are processed in one insert batch, at the most.",
	"db_max_threads":                        "How many threads process files at the same time, at the most.",
	"db_max_insert_threads":                 "How many threads insert at the same time, at the most.",
	"db_min_insert_block_size_bytes":        "The smallest size, in bytes, of a block of data for an insert.",
	"db_max_download_threads":               "How many threads download at the same time, at the most.",
	"db_parallel_distributed_insert_select": "The engine's setting for parallel distributed `INSERT … SELECT`.",
	"object_storage_use_cluster_function":   "Whether the cluster function is used for distributed processing.",
	"db_parallel_view_processing":           "Whether pushes to attached views run concurrently instead of one after the other.",
}
