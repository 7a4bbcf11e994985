package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

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
		c.MustPlan(config)
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

// After a refusal, a setting that the source does not use is left out. If the API
// then changes it, a warning has both values.
func TestSettingChangedByTheAPI(t *testing.T) {
	t.Parallel()
	for now, warnings := range map[int]int{3: 0, 1: 1} {
		var env *acctest.Env
		env = newHookedEnv(t, func(w http.ResponseWriter, c acctest.Call) bool {
			if c.Operation == "updatePipeSettings" {
				c.Pass(w)
				env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
					pipe["settings"].(mockapi.Object)["object_storage_concurrency"] = now
				})
			}
			return c.Operation == "updatePipeSettings"
		}, mockapi.WithVariants(mockapi.Variants{RefuseForeignSettings: true, SettingsPut: mockapi.Merge}))
		c := env.Core(t, nil)
		config := acctest.Configs{"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"db_max_threads": 9})}
		c.Must(config)
		found := warned(c, "Setting changed by the API: object_storage_concurrency")
		if len(found) != warnings || warnings > 0 && !strings.Contains(found[0], "because the API had refused the settings. It was 3 before and is 1 now.") {
			t.Errorf("%d: %q", now, c.Warnings)
		}
	}
}

// A PUT repeats what is configured and not returned: without it, the API may reset
// that setting.
func TestPipeSettingThatIsNotReturned(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	config := func(wait int) acctest.Configs {
		return acctest.Configs{"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"streaming_max_insert_wait_ms": wait, "db_max_threads": 5})}
	}
	c.Must(config(500))
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["settings"] = nil })
	env.ResetRequests()
	c.Must(config(600))
	env.ExpectWrites(t, "updatePipeSettings", `{"db_max_threads":5,"streaming_max_insert_wait_ms":600}`)
}
