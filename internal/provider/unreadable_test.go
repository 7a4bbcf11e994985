package provider

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// What is no object counts as all of its members.
func TestUnreadableMember(t *testing.T) {
	t.Parallel()
	for scaling, want := range map[string][]string{
		`{}`:               nil,
		`null`:             nil,
		`{"scaling":null}`: nil,
		`{"scaling":{"replicas":2,"concurrency":null}}`:                     nil,
		`{"scaling":{"replicaCpuMillicores":"500m","replicaMemoryGb":"2"}}`: {"replica_cpu_millicores"},
		`{"scaling":"small"}`: {"replicas", "concurrency", "replica_cpu_millicores", "replica_memory_gb"},
	} {
		var pipe api.Pipe
		if err := json.Unmarshal([]byte(scaling), &pipe); err != nil {
			t.Fatal(err)
		}
		if got := unreadableMember(pipe.Scaling); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", scaling, got, want)
		}
	}
	settings := api.Value[api.Settings]{}
	if err := json.Unmarshal([]byte(`[]`), &settings); err != nil {
		t.Fatal(err)
	}
	if got := unreadableMember(settings); len(got) != 12 {
		t.Errorf("settings that are a list: %q", got)
	}
}
