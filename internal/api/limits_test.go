package api

import (
	"slices"
	"testing"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string][2]Range[int64]{
		"replicas":                              {LimitReplicas, {1, 10}},
		"concurrency":                           {LimitConcurrency, {0, 34}},
		"replicaCpuMillicores":                  {LimitReplicaCPUMillicores, {125, 2000}},
		"streaming_max_insert_wait_ms":          {SettingLimits["streaming_max_insert_wait_ms"], {500, 60000}},
		"object_storage_concurrency":            {SettingLimits["object_storage_concurrency"], {1, 35}},
		"object_storage_polling_interval_ms":    {SettingLimits["object_storage_polling_interval_ms"], {100, 3600000}},
		"object_storage_max_insert_bytes":       {SettingLimits["object_storage_max_insert_bytes"], {10485760, 53687091200}},
		"object_storage_max_file_count":         {SettingLimits["object_storage_max_file_count"], {1, 10000}},
		"db_max_threads":                        {SettingLimits["db_max_threads"], {0, 64}},
		"db_max_insert_threads":                 {SettingLimits["db_max_insert_threads"], {0, 16}},
		"db_min_insert_block_size_bytes":        {SettingLimits["db_min_insert_block_size_bytes"], {0, 10737418240}},
		"db_max_download_threads":               {SettingLimits["db_max_download_threads"], {0, 32}},
		"db_parallel_distributed_insert_select": {SettingLimits["db_parallel_distributed_insert_select"], {0, 2}},
	} {
		if limit[0] != limit[1] {
			t.Errorf("%s: %v", name, limit[0])
		}
	}
	for n, within := range map[int64]bool{0: false, 1: true, 10: true, 11: false} {
		if LimitReplicas.Contains(n) != within {
			t.Errorf("Contains(%d) = %t", n, !within)
		}
	}
	if LimitReplicaMemoryGB != (Range[float64]{0.5, 8}) || ServiceNameMaxLength != 50 {
		t.Errorf("%v, %d", LimitReplicaMemoryGB, ServiceNameMaxLength)
	}
	if !slices.Equal(ReleaseChannels, []string{"slow", "default", "fast"}) || !slices.Equal(KeyStates, []string{"enabled", "disabled"}) ||
		!slices.Equal(KeyRoles, []string{"admin", "developer", "query_endpoints"}) {
		t.Errorf("%v, %v, %v", ReleaseChannels, KeyStates, KeyRoles)
	}
}
