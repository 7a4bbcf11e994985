package api

import (
	"slices"
	"testing"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		got      Range[int64]
		min, max int64
	}{
		{"replicas", LimitReplicas, 1, 10},
		{"concurrency", LimitConcurrency, 0, 34},
		{"replicaCpuMillicores", LimitReplicaCPUMillicores, 125, 2000},
		{"streaming_max_insert_wait_ms", LimitStreamingMaxInsertWaitMS, 500, 60000},
		{"object_storage_concurrency", LimitObjectStorageConcurrency, 1, 35},
		{"object_storage_polling_interval_ms", LimitObjectStoragePollingIntervalMS, 100, 3600000},
		{"object_storage_max_insert_bytes", LimitObjectStorageMaxInsertBytes, 10485760, 53687091200},
		{"object_storage_max_file_count", LimitObjectStorageMaxFileCount, 1, 10000},
		{"db_max_threads", LimitDBMaxThreads, 0, 64},
		{"db_max_insert_threads", LimitDBMaxInsertThreads, 0, 16},
		{"db_min_insert_block_size_bytes", LimitDBMinInsertBlockSizeBytes, 0, 10737418240},
		{"db_max_download_threads", LimitDBMaxDownloadThreads, 0, 32},
		{"db_parallel_distributed_insert_select", LimitDBParallelDistributedInsertSelect, 0, 2},
	} {
		for n, within := range map[int64]bool{test.min - 1: false, test.min: true, test.max: true, test.max + 1: false} {
			if test.got.Contains(n) != within {
				t.Errorf("%s: Contains(%d) = %t", test.name, n, !within)
			}
		}
	}
}

func TestOtherLimits(t *testing.T) {
	t.Parallel()
	if LimitReplicaMemoryGB.Min != 0.5 || LimitReplicaMemoryGB.Max != 8 {
		t.Errorf("replicaMemoryGb: %v", LimitReplicaMemoryGB)
	}
	if ServiceNameMaxLength != 50 {
		t.Errorf("service name: %d", ServiceNameMaxLength)
	}
	for _, test := range []struct{ got, want []string }{
		{ReleaseChannels, []string{"slow", "default", "fast"}},
		{KeyStates, []string{"enabled", "disabled"}},
		{KeyRoles, []string{"admin", "developer", "query_endpoints"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%v, want %v", test.got, test.want)
		}
	}
}
