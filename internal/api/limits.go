package api

import "cmp"

// A Range is an inclusive bound on an input.
type Range[T cmp.Ordered] struct{ Min, Max T }

// Contains reports whether v lies within the bound.
func (r Range[T]) Contains(v T) bool { return r.Min <= v && v <= r.Max }

// Bounds of scalePipe.
var (
	LimitReplicas             = Range[int64]{Min: 1, Max: 10}
	LimitConcurrency          = Range[int64]{Min: 0, Max: 34}
	LimitReplicaCPUMillicores = Range[int64]{Min: 125, Max: 2000}
	LimitReplicaMemoryGB      = Range[float64]{Min: 0.5, Max: 8}
)

// SettingLimits are the bounds of updatePipeSettings, in the unit at the end of
// the name: milliseconds, bytes, otherwise a count.
var SettingLimits = map[string]Range[int64]{
	"streaming_max_insert_wait_ms":          {Min: 500, Max: 60_000},
	"object_storage_concurrency":            {Min: 1, Max: 35},
	"object_storage_polling_interval_ms":    {Min: 100, Max: 3_600_000},
	"object_storage_max_insert_bytes":       {Min: 10_485_760, Max: 53_687_091_200},
	"object_storage_max_file_count":         {Min: 1, Max: 10_000},
	"db_max_threads":                        {Min: 0, Max: 64},
	"db_max_insert_threads":                 {Min: 0, Max: 16},
	"db_min_insert_block_size_bytes":        {Min: 0, Max: 10_737_418_240},
	"db_max_download_threads":               {Min: 0, Max: 32},
	"db_parallel_distributed_insert_select": {Min: 0, Max: 2},
}

// ServiceNameMaxLength is in characters, which are alphanumeric or white space.
const ServiceNameMaxLength = 50

// Values of enumerated inputs of updateService and updateKey.
var (
	ReleaseChannels = []string{"slow", "default", "fast"}
	KeyStates       = []string{"enabled", "disabled"}
	KeyRoles        = []string{"admin", "developer", "query_endpoints"}
)
