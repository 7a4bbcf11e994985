package api

import "cmp"

// A Range is an inclusive bound on an input.
type Range[T cmp.Ordered] struct{ Min, Max T }

// Contains reports whether v lies within the bound.
func (r Range[T]) Contains(v T) bool { return r.Min <= v && v <= r.Max }

// Bounds of the scale-pipe operation (specification, "Limits").
var (
	LimitReplicas             = Range[int64]{Min: 1, Max: 10}
	LimitConcurrency          = Range[int64]{Min: 0, Max: 34}
	LimitReplicaCPUMillicores = Range[int64]{Min: 125, Max: 2000}
	LimitReplicaMemoryGB      = Range[float64]{Min: 0.5, Max: 8}
)

// Bounds of the update-pipe-settings operation (specification, "Limits"), in
// the unit that the name ends in: milliseconds, bytes, otherwise a count.
var (
	LimitStreamingMaxInsertWaitMS          = Range[int64]{Min: 500, Max: 60_000}
	LimitObjectStorageConcurrency          = Range[int64]{Min: 1, Max: 35}
	LimitObjectStoragePollingIntervalMS    = Range[int64]{Min: 100, Max: 3_600_000}
	LimitObjectStorageMaxInsertBytes       = Range[int64]{Min: 10_485_760, Max: 53_687_091_200}
	LimitObjectStorageMaxFileCount         = Range[int64]{Min: 1, Max: 10_000}
	LimitDBMaxThreads                      = Range[int64]{Min: 0, Max: 64}
	LimitDBMaxInsertThreads                = Range[int64]{Min: 0, Max: 16}
	LimitDBMinInsertBlockSizeBytes         = Range[int64]{Min: 0, Max: 10_737_418_240}
	LimitDBMaxDownloadThreads              = Range[int64]{Min: 0, Max: 32}
	LimitDBParallelDistributedInsertSelect = Range[int64]{Min: 0, Max: 2}
)

// ServiceNameMaxLength is the longest service name in characters, which are
// alphanumeric or white space (specification, "Limits").
const ServiceNameMaxLength = 50

// Values of enumerated inputs (specification, "Update service basic details"
// and "Update key").
var (
	ReleaseChannels = []string{"slow", "default", "fast"}
	KeyStates       = []string{"enabled", "disabled"}
	KeyRoles        = []string{"admin", "developer", "query_endpoints"}
)
