package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

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

// putsWhole checks that the settings were PUT once: all that the pipe had
// before, with these on top.
func putsWhole(env *acctest.Env, pipe string, changes map[string]any) (before func(), check resource.TestCheckFunc) {
	var want map[string]any
	before = func() {
		env.ResetRequests()
		want = env.Object(mockapi.Pipe, pipe)["settings"].(mockapi.Object)
		maps.Copy(want, changes)
	}
	check = func(s *terraform.State) error {
		body, err := json.Marshal(want)
		if err != nil {
			return err
		}
		return env.Sends("updatePipeSettings", string(body))(s)
	}
	return before, check
}

func TestPipeSettings(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	pipe := mockapi.ObjectStoragePipeID

	adopting, adopted := putsWhole(env, pipe, map[string]any{"object_storage_concurrency": 12})
	whole := map[string]any{"object_storage_concurrency": 12, "db_max_threads": 0, "db_parallel_view_processing": true}
	changing, changed := putsWhole(env, pipe, whole)

	minimal := settingsConfig(pipe, "object_storage_concurrency = 12")
	fuller := settingsConfig(pipe, `object_storage_concurrency  = 12
  db_max_threads              = 0
  db_parallel_view_processing = true`)

	env.Run(t,
		resource.TestStep{
			PreConfig: adopting,
			Config:    minimal,
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(settingsAddress, plancheck.ResourceActionCreate),
				plancheck.ExpectUnknownValue(settingsAddress, tfjsonpath.New("db_max_threads")),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(settingsAddress, tfjsonpath.New("object_storage_concurrency"), knownvalue.Int64Exact(12)),
			},
			Check: adopted,
		},
		resource.TestStep{
			ResourceName:                         settingsAddress,
			ImportState:                          true,
			ImportStateId:                        mockapi.ServiceID + "/" + pipe,
			ImportStateVerify:                    true,
			ImportStateVerifyIgnore:              []string{"streaming_max_insert_wait_ms"}, // does not apply to object storage
			ImportStateVerifyIdentifierAttribute: "pipe_id",
		},
		resource.TestStep{
			PreConfig: changing,
			Config:    fuller,
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(settingsAddress, plancheck.ResourceActionUpdate),
				acctest.OnlyChanges(settingsAddress, "db_max_threads", "db_parallel_view_processing"),
			),
			Check: changed,
		},
		resource.TestStep{ // drift
			PreConfig: func() {
				env.Change(mockapi.Pipe, pipe, func(pipe mockapi.Object) {
					settings := pipe["settings"].(mockapi.Object)
					settings["db_max_threads"], settings["db_max_download_threads"] = 64, 31
				})
				changing()
			},
			Config: fuller,
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(settingsAddress, plancheck.ResourceActionUpdate),
				acctest.OnlyChanges(settingsAddress, "db_max_threads"),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(settingsAddress, tfjsonpath.New("db_max_download_threads"), knownvalue.Int64Exact(31)),
			},
			Check: changed,
		},
		resource.TestStep{ // another pipe
			Config: settingsConfig(mockapi.KafkaPipeID, "streaming_max_insert_wait_ms = 60000"),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(settingsAddress, plancheck.ResourceActionDestroyBeforeCreate),
			),
		},
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
