package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const settingsAddress = "dbplatform_pipe_settings.this"

func settingsConfig(pipe, body string) string {
	return fmt.Sprintf(`
resource "dbplatform_pipe_settings" "this" {
  service_id = %q
  pipe_id    = %q
  %s
}
`, mockapi.ServiceID, pipe, body)
}

func TestPipeSettings(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	pipe := mockapi.ObjectStoragePipeID
	whole := func(changes map[string]any) string { // a PUT of all that the pipe has, with changes on top
		settings := env.Object(mockapi.Pipe, pipe)["settings"].(mockapi.Object)
		maps.Copy(settings, changes)
		body, _ := json.Marshal(settings)
		return string(body)
	}
	step := func(action plancheck.ResourceActionType, pipe, body string, sent ...string) resource.TestStep {
		return planned(env, settingsAddress, action, settingsConfig(pipe, body), "updatePipeSettings", sent...)
	}
	const minimal, fuller = "object_storage_concurrency = 12", "object_storage_concurrency = 12\n  db_max_threads = 0\n  db_parallel_view_processing = true"
	full := map[string]any{"object_storage_concurrency": 12, "db_max_threads": 0, "db_parallel_view_processing": true}
	other := maps.Clone(full)
	other["db_max_download_threads"] = 31
	env.Run(t,
		showing(step(plancheck.ResourceActionCreate, pipe, minimal, whole(map[string]any{"object_storage_concurrency": 12})), settingsAddress, map[string]knownvalue.Check{
			"object_storage_concurrency": knownvalue.Int64Exact(12),
		}),
		imported(settingsAddress, mockapi.ServiceID+"/"+pipe, "pipe_id", "streaming_max_insert_wait_ms"), // does not apply to object storage
		step(plancheck.ResourceActionUpdate, pipe, fuller, whole(full)),
		drifted(env, showing(step(plancheck.ResourceActionUpdate, pipe, fuller, whole(other)), settingsAddress, map[string]knownvalue.Check{
			"db_max_download_threads": knownvalue.Int64Exact(31),
		}), func() {
			env.Change(mockapi.Pipe, pipe, func(pipe mockapi.Object) {
				settings := pipe["settings"].(mockapi.Object)
				settings["db_max_threads"], settings["db_max_download_threads"] = 64, 31
			})
		}),
		resource.TestStep{Config: settingsConfig(mockapi.KafkaPipeID, "streaming_max_insert_wait_ms = 60000")}, // another pipe
	)
	env.ExpectNoDeletes(t)
}

// A setting that is not configured and whose value no PUT may send is left out
// of the body. The plan warns of it, because an API that replaces the settings
// resets it.
func TestPipeSettingsOutOfBoundsAreNamed(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	outOfBounds := func() {
		env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
			pipe["settings"] = mockapi.Object{"object_storage_concurrency": 50, "db_max_threads": 3, "db_max_insert_threads": nil}
		})
	}
	c := env.Core(t, nil)
	for wait, settings := range map[int]map[string]any{
		500: {"streaming_max_insert_wait_ms": 500}, // adopts or changes
		600: {"streaming_max_insert_wait_ms": 600},
	} {
		outOfBounds()
		env.ResetRequests()
		config := acctest.Configs{"pipe_settings": onPipe(mockapi.KafkaPipeID, settings)}
		if _, err := c.PlanAll(config); err != nil {
			t.Fatal(err)
		}
		found := fmt.Sprint(warned(c, "Setting outside its valid range"))
		acctest.Contains(t, found, "object_storage_concurrency", "50")
		acctest.Lacks(t, found, "db_max_threads")
		c.Must(config)
		env.ExpectWrites(t, "updatePipeSettings", fmt.Sprintf(`{"db_max_threads":3,"streaming_max_insert_wait_ms":%d}`, wait))
		c.ExpectNoChanges(config)
	}

	outOfBounds()
	config := acctest.Configs{"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"streaming_max_insert_wait_ms": 700, "object_storage_concurrency": 5})}
	if _, err := c.PlanAll(config); err != nil || len(warned(c, "Setting outside its valid range")) > 0 {
		t.Errorf("a setting that is sent is warned of: %q (%v)", c.Warnings, err)
	}
}
