package provider

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// expectLookUp looks an object up and compares it with JSON.
func expectLookUp(t *testing.T, env *acctest.Env, kind string, ids map[string]string, want string) {
	t.Helper()
	found, err := env.Core(t, nil).LookUp(kind, ids)
	if err != nil {
		t.Fatal(err)
	}
	var wanted any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, acctest.Plain(found)); diff != "" {
		t.Errorf("the look-up (-want +got):\n%s", diff)
	}
}

func lookUpPipe(id string) string {
	return fmt.Sprintf("data \"dbplatform_pipe\" \"this\" {\n  service_id = %q\n  pipe_id    = %q\n}\n", mockapi.ServiceID, id)
}

// source_type is null unless the pipe has exactly one source.
func TestPipeSourceType(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	for id, want := range map[string]any{
		mockapi.KafkaPipeID:         "kafka",
		mockapi.ObjectStoragePipeID: "object_storage",
		env.AddPipe(mockapi.ServiceID, mockapi.Object{"source": mockapi.Object{"kafka": nil}}):                                           nil,
		env.AddPipe(mockapi.ServiceID, mockapi.Object{"source": mockapi.Object{"kafka": mockapi.Object{}, "kinesis": mockapi.Object{}}}): nil,
	} {
		found, err := c.LookUp("pipe", map[string]string{"service_id": mockapi.ServiceID, "pipe_id": id})
		if err != nil {
			t.Fatal(err)
		}
		if got := acctest.Plain(found).(map[string]any)["source_type"]; got != want {
			t.Errorf("%s: %v, not %v", id, got, want)
		}
	}
}

// What a service without backups shows, and a large size. TestLookUpsAreComplete
// has all members.
func TestBackupsLookUp(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	expectLookUp(t, env, "backups", map[string]string{"service_id": mockapi.OtherServiceID},
		fmt.Sprintf(`{"service_id":%q,"latest":null,"backups":[]}`, mockapi.OtherServiceID))

	// A size past 2^53 survives to the last digit, which a float64 would not show.
	tf := env.CLI(t, fmt.Sprintf(`
data "dbplatform_backups" "this" { service_id = %q }
output "size" { value = [for b in data.dbplatform_backups.this.backups : format("%%d", b.size_in_bytes) if b.backup_name == "backup-1"][0] }
`, mockapi.ServiceID))
	tf.Apply()
	if got := tf.Output("size"); got != "9007199254740993" {
		t.Errorf("the size is %v", got)
	}
}
