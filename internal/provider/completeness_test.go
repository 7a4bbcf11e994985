package provider

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Every attribute has a field in the model, is read from the API and, if it can
// be set, reaches it. The test names the attribute and the place of a forgotten
// line.
func TestAttributesAreComplete(t *testing.T) {
	t.Parallel()
	compareWithModel(t, service{})
	compareWithModel(t, pipeScaling{})
	compareWithModel(t, pipeSettings{})
	compareWithModel(t, apiKey{})
	if t.Failed() {
		return
	}
	for kind, test := range map[string]struct {
		object      mockapi.Kind
		id          string
		ids         map[string]any
		values      map[string]any // other than those of the mock API
		notReturned []string
	}{
		"service": {mockapi.Service, mockapi.ServiceID, map[string]any{"service_id": mockapi.ServiceID}, map[string]any{
			"name": "Changed", "ip_access_list": map[string]any{"203.0.113.9": "changed"}, "private_endpoint_ids": []any{"vpce-8c9d0e1f"},
			"transparent_data_encryption_key_id": "tde-key-2", "release_channel": "fast", "endpoints_enabled": map[string]any{"mysql": false},
		}, []string{"release_channel", "endpoints_enabled"}},
		"pipe_scaling": {mockapi.Pipe, mockapi.KafkaPipeID, onPipe(mockapi.KafkaPipeID, nil), map[string]any{
			"replicas": 7.0, "concurrency": 7.0, "replica_cpu_millicores": 700.0, "replica_memory_gb": 7.5,
		}, nil},
		"pipe_settings": {mockapi.Pipe, mockapi.KafkaPipeID, onPipe(mockapi.KafkaPipeID, nil), map[string]any{
			"streaming_max_insert_wait_ms": 700.0, "object_storage_concurrency": 7.0, "object_storage_polling_interval_ms": 700.0,
			"object_storage_max_insert_bytes": 70000000.0, "object_storage_max_file_count": 7.0, "db_max_threads": 7.0,
			"db_max_insert_threads": 7.0, "db_min_insert_block_size_bytes": 7.0, "db_max_download_threads": 7.0,
			"db_parallel_distributed_insert_select": 1.0, "object_storage_use_cluster_function": false, "db_parallel_view_processing": true,
		}, nil},
		"api_key": {mockapi.Key, mockapi.APIKeyID, map[string]any{"key_id": mockapi.APIKeyID, "on_destroy": "keep"}, map[string]any{
			"name": "Changed", "roles": []any{"query_endpoints"}, "expire_at": "2035-01-01T00:00:00Z", "state": "disabled",
			"ip_access_list": map[string]any{"203.0.113.9": "changed"},
		}, []string{"state"}},
	} {
		for _, attribute := range underTest.Schemas(t).ResourceSchemas["dbplatform_"+kind].Block.Attributes {
			if attribute.Optional && test.values[attribute.Name] == nil && test.ids[attribute.Name] == nil {
				t.Errorf("%s.%s can be set, and this test does not set it", kind, attribute.Name)
			}
		}
		for name, value := range test.values {
			t.Run(kind+"."+name, func(t *testing.T) {
				t.Parallel()
				env := newEnv(t)
				before := env.Object(test.object, test.id)
				config := maps.Clone(test.ids)
				config[name] = value
				c := env.Core(t, nil)
				_, err := c.Run(acctest.Configs{kind: config})
				after := env.Object(test.object, test.id)
				delete(before, "updatedAt")
				delete(after, "updatedAt")
				if cmp.Equal(before, after) {
					t.Fatalf("a new value of %s does not reach the API: carry it into the update (%s_model.go)", name, kind)
				}
				if err != nil {
					t.Fatalf("%s: is it read from the API (%s_model.go)? %v", name, kind, err)
				}
				state := acctest.Plain(c.Instance(kind).State).(map[string]any)
				if diff := cmp.Diff(value, state[name]); diff != "" {
					t.Errorf("the state (-configured +state):\n%s", diff)
				}
				for other, value := range state {
					if value == nil && other != name && !slices.Contains(test.notReturned, other) {
						t.Errorf("%s is not read from the API: set it in the model (%s_model.go)", other, kind)
					}
				}
				c.ExpectNoChanges(acctest.Configs{kind: config})
			})
		}
	}
}

// compareWithModel compares the attributes of a schema with the fields of its model.
func compareWithModel[M any](t *testing.T, definition adopt.Definition[M]) {
	t.Helper()
	model, kind := reflect.TypeFor[M](), definition.Metadata().TypeName
	missing := definition.Schema().Attributes
	for field := range model.Fields() {
		name := field.Tag.Get("tfsdk")
		if missing[name] == nil {
			t.Errorf("%s has a field for %q, which the schema of %s lacks", model.Name(), name, kind)
		}
		delete(missing, name)
	}
	for name := range missing {
		t.Errorf("the schema of %s has %q, for which %s has no field (%s_model.go)", kind, name, model.Name(), kind)
	}
}
