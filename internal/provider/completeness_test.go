package provider

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Every member that openapi.yaml documents has an attribute. TestAttributesAreComplete is
// about the other way round.
func TestAttributesAreMembers(t *testing.T) {
	t.Parallel()
	documented := func(operation string) map[string]*openapi3.Schema {
		_, result := mockapi.Schemas(operation)
		return mockapi.Members(result)
	}
	for kind, members := range map[string]map[string]*openapi3.Schema{
		"service": documented("updateService"), "pipe_scaling": mockapi.Members(documented("getPipe")["scaling"]),
		"pipe_settings": documented("updatePipeSettings"), "api_key": documented("updateKey"),
	} {
		attributes := underTest.Schemas(t).ResourceSchemas["dbplatform_"+kind].Block.Attributes
		for member := range members {
			name := lifecycle.AttributeName(member)
			if name != "id" && !slices.ContainsFunc(attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == name }) {
				t.Errorf("%s has no attribute %q for the member %s of openapi.yaml", kind, name, member)
			}
		}
	}
}

// The data sources pipe and backups show every member that the API returns, and
// have no attribute that it never returns. source_type is null unless the pipe has
// exactly one source.
func TestLookUpsAreComplete(t *testing.T) {
	t.Parallel()
	var backups struct{ Result []any }
	env := underTest.NewEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
		if c.Operation != "listBackups" {
			return false
		}
		recorded := c.Record()
		if err := json.Unmarshal(recorded.Body.Bytes(), &backups); err != nil {
			t.Error(err)
		}
		acctest.Respond(w, recorded, recorded.Body.Bytes())
		return true
	})
	c := env.Core(t, nil)
	shown := map[string]bool{}
	for id, sourceType := range map[string]any{
		mockapi.KafkaPipeID: "kafka", mockapi.ObjectStoragePipeID: "object_storage", mockapi.KinesisPipeID: "kinesis", mockapi.PostgresPipeID: "postgres",
		env.AddPipe(mockapi.ServiceID, mockapi.Object{"source": mockapi.Object{"kafka": nil}}):                                           nil,
		env.AddPipe(mockapi.ServiceID, mockapi.Object{"source": mockapi.Object{"kafka": mockapi.Object{}, "kinesis": mockapi.Object{}}}): nil,
	} {
		found, err := c.LookUp("pipe", map[string]string{"service_id": mockapi.ServiceID, "pipe_id": id})
		if err != nil {
			t.Fatal(err)
		}
		pipe := acctest.Plain(found).(map[string]any)
		expectShown(t, shown, "pipe", env.Object(mockapi.Pipe, id), pipe)
		if pipe["source_type"] != sourceType {
			t.Errorf("the source of %s is %v, not %v", id, pipe["source_type"], sourceType)
		}
	}
	found, err := c.LookUp("backups", map[string]string{"service_id": mockapi.ServiceID})
	if err != nil {
		t.Fatal(err)
	}
	list := acctest.Plain(found).(map[string]any)["backups"]
	expectShown(t, shown, "backups", backups.Result, list)
	for _, place := range slices.Sorted(maps.Keys(shown)) {
		if !shown[place] && !strings.HasSuffix(place, ".pipe_id") && !strings.HasSuffix(place, ".source_type") {
			t.Errorf("the attribute %s is never shown: is it a member of the API?", place)
		}
	}
}

// expectShown compares what the API has with what a data source shows, and
// records which attributes have had a value.
func expectShown(t *testing.T, shown map[string]bool, place string, member, attribute any) {
	t.Helper()
	switch m := member.(type) {
	case []any:
		for i, element := range m {
			expectShown(t, shown, place, element, attribute.([]any)[i])
		}
	case map[string]any:
		a, _ := attribute.(map[string]any)
		for name, value := range a {
			shown[place+"."+name] = shown[place+"."+name] || value != nil
		}
		for name, value := range m {
			inner := place + "." + lifecycle.AttributeName(name)
			if _, ok := a[lifecycle.AttributeName(name)]; !ok && inner != "pipe.id" {
				t.Errorf("%s has no attribute for the member %s", place, name)
				continue
			}
			expectShown(t, shown, inner, value, a[lifecycle.AttributeName(name)])
		}
	default:
		if n, ok := member.(int64); ok {
			member = float64(n)
		}
		if member != attribute && place != "pipe.id" {
			t.Errorf("%s shows %v for %v", place, attribute, member)
		}
	}
}

// changesWith has what the API changes along with an attribute.
var changesWith = map[string][]string{
	"endpoints_enabled": {"endpoints"},
	"transparent_data_encryption_key_id": {
		"encryption_key", "encryption_assumed_role_identifier", "encryption_role_id", "has_transparent_data_encryption",
	},
}

// Every attribute is read from the API and, if it can be set, reaches it; a plan
// that changes it changes nothing else. The test names the attribute and the place of a forgotten line.
func TestAttributesAreComplete(t *testing.T) {
	t.Parallel()
	module := content(t, "examples/modules/service_pipes/main.tf")
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
		"api_key": {mockapi.Key, mockapi.APIKeyID, map[string]any{"key_id": mockapi.APIKeyID}, map[string]any{
			"name": "Changed", "roles": []any{"query_endpoints"}, "expire_at": "2035-01-01T00:00:00Z", "state": "disabled",
			"ip_access_list": map[string]any{"203.0.113.9": "changed"},
		}, []string{"state"}},
		entryKind: {mockapi.Service, mockapi.ServiceID, onEntry("203.0.113.9", nil)[entryKind], map[string]any{"description": "changed"}, nil},
	} {
		for _, attribute := range underTest.Schemas(t).ResourceSchemas["dbplatform_"+kind].Block.Attributes {
			if attribute.Optional && test.values[attribute.Name] == nil && test.ids[attribute.Name] == nil {
				t.Errorf("%s.%s can be set, and this test does not set it", kind, attribute.Name)
			}
			part, isOfPipe := strings.CutPrefix(kind, "pipe_")
			if isOfPipe && attribute.Optional && !strings.Contains(module, " = each.value."+part+"."+attribute.Name+"\n") {
				t.Errorf("examples/modules/service_pipes does not pass on %s of a pipe's %s", attribute.Name, part)
			}
		}
		for name, value := range test.values {
			t.Run(kind+"."+name, func(t *testing.T) {
				t.Parallel()
				env := newEnv(t)
				config := maps.Clone(test.ids)
				config[name] = value
				c := env.Core(t, nil)
				c.Must(acctest.Configs{kind: test.ids})
				before := env.Object(test.object, test.id)
				want := append([]string{name}, changesWith[name]...)
				if changes := c.Changes(kind, config); !slices.Equal(changes, slices.Sorted(slices.Values(want))) {
					t.Errorf("the plan changes %s, not %s", changes, want)
				}
				_, err := c.Run(acctest.Configs{kind: config})
				after := env.Object(test.object, test.id)
				delete(before, "updatedAt")
				delete(after, "updatedAt")
				if cmp.Equal(before, after) {
					t.Fatalf("a new value of %s does not reach the API: does Write of %s pass it on?", name, kind)
				}
				if err != nil {
					t.Fatalf("%s of %s: %v", name, kind, err)
				}
				state := acctest.Plain(c.Instance(kind).State).(map[string]any)
				if diff := cmp.Diff(value, state[name]); diff != "" {
					t.Errorf("the state (-configured +state):\n%s", diff)
				}
				for other, value := range state {
					if value == nil && other != name && !slices.Contains(test.notReturned, other) {
						t.Errorf("%s of %s is not read from the API", other, kind)
					}
				}
				c.ExpectNoChanges(acctest.Configs{kind: config})
			})
		}
	}
}
