package mockapi

import (
	"net/http"
	"strings"
	"testing"
)

// Both sides of every bound of requests, as literals.
func TestBounds(t *testing.T) {
	t.Parallel()
	const scaling, settings = pipePath + "/scaling", pipePath + "/settings"
	for _, test := range []struct {
		method, path, member   string
		below, low, high, over string
	}{
		{"PATCH", scaling, "replicas", "0", "1", "10", "11"},
		{"PATCH", scaling, "concurrency", "-1", "0", "34", "35"},
		{"PATCH", scaling, "replicaCpuMillicores", "124", "125", "2000", "2001"},
		{"PATCH", scaling, "replicaMemoryGb", "0.499999", "0.5", "8", "8.000001"},
		{"PUT", settings, "streaming_max_insert_wait_ms", "499", "500", "60000", "60001"},
		{"PUT", settings, "object_storage_concurrency", "0", "1", "35", "36"},
		{"PUT", settings, "object_storage_polling_interval_ms", "99", "100", "3600000", "3600001"},
		{"PUT", settings, "object_storage_max_insert_bytes", "10485759", "10485760", "53687091200", "53687091201"},
		{"PUT", settings, "object_storage_max_file_count", "0", "1", "10000", "10001"},
		{"PUT", settings, "db_max_threads", "-1", "0", "64", "65"},
		{"PUT", settings, "db_max_insert_threads", "-1", "0", "16", "17"},
		{"PUT", settings, "db_min_insert_block_size_bytes", "-1", "0", "10737418240", "10737418241"},
		{"PUT", settings, "db_max_download_threads", "-1", "0", "32", "33"},
		{"PUT", settings, "db_parallel_distributed_insert_select", "-1", "0", "2", "3"},
	} {
		t.Run(test.member, func(t *testing.T) {
			t.Parallel()
			s := New()
			for _, value := range []string{test.below, test.over, "-9223372036854775808", "9223372036854775807"} {
				if message := refused(t, s, http.StatusBadRequest, test.method, test.path, `{"`+test.member+`":`+value+`}`); !strings.Contains(message, test.member+": number must be at") {
					t.Errorf("%s: %s", value, message)
				}
			}
			for _, value := range []string{test.low, test.high, "null"} {
				response := result[Object](t, s, test.method, test.path, `{"`+test.member+`":`+value+`}`)
				if scaling, ok := response["scaling"].(Object); ok {
					response = scaling
				}
				if value != "null" {
					same(t, test.member, response[test.member], value)
				}
			}
		})
	}
}

func TestBooleanSettings(t *testing.T) {
	t.Parallel()
	s := New()
	for _, member := range []string{"object_storage_use_cluster_function", "db_parallel_view_processing"} {
		for _, value := range []string{"true", "false"} {
			response := result[Object](t, s, "PUT", pipePath+"/settings", `{"`+member+`":`+value+`}`)
			same(t, member, response[member], value)
		}
		result[Object](t, s, "PUT", pipePath+"/settings", `{"`+member+`":null}`)
	}
}

func TestIntegersInOtherNotations(t *testing.T) {
	t.Parallel()
	s := New()
	for _, value := range []string{"5", "5.0", "5e0", "0.5e1", "500E-2"} {
		response := result[Object](t, s, "PATCH", pipePath+"/scaling", `{"replicas":`+value+`}`)
		same(t, value, response["scaling"].(Object)["replicas"], "5")
	}
}

func TestServiceName(t *testing.T) {
	t.Parallel()
	s := New()
	for _, name := range []string{"", "a", "Z", "09", "a b", `a\tb`, `a\nb`, strings.Repeat("x", 50)} {
		same(t, name, result[Object](t, s, "PATCH", servicePath, `{"name":"`+name+`"}`)["name"], `"`+name+`"`)
	}
	refused(t, s, http.StatusBadRequest, "PATCH", servicePath, `{"name":"`+strings.Repeat("x", 51)+`"}`)
	for _, name := range []string{"a.b", "a/b", "é", "日本", "a\\u0000b", "a-"} {
		refused(t, s, http.StatusBadRequest, "PATCH", servicePath, `{"name":"`+name+`"}`)
	}
}

func TestEnums(t *testing.T) {
	t.Parallel()
	s := New()
	for _, channel := range []string{"slow", "default", "fast"} {
		result[Object](t, s, "PATCH", servicePath, `{"releaseChannel":"`+channel+`"}`)
		if got := s.Object(Service, ServiceID)["releaseChannel"]; got != channel {
			t.Errorf("releaseChannel %v, want %s", got, channel)
		}
	}
	for _, state := range []string{"disabled", "enabled"} {
		result[Object](t, s, "PATCH", keyPath, `{"state":"`+state+`"}`)
		if got := s.Object(Key, APIKeyID)["state"]; got != state {
			t.Errorf("state %v, want %s", got, state)
		}
	}
	for _, roles := range []string{`["admin"]`, `["developer"]`, `["query_endpoints"]`, `["query_endpoints","developer","admin"]`} {
		same(t, roles, result[Object](t, s, "PATCH", keyPath, `{"roles":`+roles+`}`)["roles"], roles)
	}
}

func TestExpiryForms(t *testing.T) {
	t.Parallel()
	s := New()
	for _, expiry := range []string{"2030-01-01T00:00:00Z", "2030-01-01T00:00:00.123456789Z", "2030-01-01T00:00:00-07:00", "1999-12-31T23:59:59+14:00"} {
		if got := result[Object](t, s, "PATCH", keyPath, `{"expireAt":"`+expiry+`"}`)["expireAt"]; got != expiry {
			t.Errorf("expireAt %v, want %s", got, expiry)
		}
	}
}
