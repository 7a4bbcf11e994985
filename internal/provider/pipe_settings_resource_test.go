package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
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
	changing, changed := putsWhole(env, pipe, map[string]any{
		"object_storage_concurrency": 12, "db_max_threads": 0, "db_parallel_view_processing": true,
	})
	correcting, corrected := putsWhole(env, pipe, map[string]any{
		"object_storage_concurrency": 12, "db_max_threads": 0, "db_parallel_view_processing": true,
	})

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
		acctest.EmptyPlan(minimal),
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
				correcting()
			},
			Config: fuller,
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(settingsAddress, plancheck.ResourceActionUpdate),
				acctest.OnlyChanges(settingsAddress, "db_max_threads"),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(settingsAddress, tfjsonpath.New("db_max_download_threads"), knownvalue.Int64Exact(31)),
			},
			Check: corrected,
		},
		resource.TestStep{ // another pipe
			Config: settingsConfig(mockapi.KafkaPipeID, "streaming_max_insert_wait_ms = 60000"),
			ConfigPlanChecks: acctest.PreApplyThenEmpty(
				plancheck.ExpectResourceAction(settingsAddress, plancheck.ResourceActionDestroyBeforeCreate),
			),
		},
		acctest.EmptyPlan(settingsConfig(mockapi.KafkaPipeID, "streaming_max_insert_wait_ms = 60000")),
	)
	env.ExpectNoDeletes(t)
}

// A setting that is not configured and whose present value no PUT would be
// allowed to send is left out of the body, not sent and refused.
func TestPipeSettingsOutOfBounds(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	pipe := mockapi.KafkaPipeID
	env.Change(mockapi.Pipe, pipe, func(pipe mockapi.Object) {
		pipe["settings"] = mockapi.Object{"object_storage_concurrency": 0, "db_max_threads": 3, "db_max_insert_threads": nil}
	})

	config := settingsConfig(pipe, "streaming_max_insert_wait_ms = 500")
	env.Run(t,
		resource.TestStep{
			Config: config,
			Check:  env.Sends("updatePipeSettings", `{"db_max_threads":3,"streaming_max_insert_wait_ms":500}`),
		},
		acctest.EmptyPlan(config),
	)
}

// The plan warns of each setting that the PUT has to leave out, because an API
// that replaces the settings resets it.
func TestPipeSettingsOutOfBoundsAreNamed(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		pipe["settings"].(mockapi.Object)["object_storage_concurrency"] = 50
	})
	tf := env.CLI(t, settingsConfig(mockapi.KafkaPipeID, "streaming_max_insert_wait_ms = 500"))
	named := func(warnings []acctest.Diagnostic) (found bool) {
		for _, d := range warnings {
			text := d.Summary + " " + d.Detail
			found = found || strings.Contains(text, "object_storage_concurrency") && strings.Contains(text, "50")
			if strings.Contains(text, "object_storage_max_file_count") {
				t.Errorf("a setting within its bounds is warned of: %s", text)
			}
		}
		return found
	}
	if warnings := tf.Warnings("plan"); !named(warnings) {
		t.Errorf("the plan of an adoption warns of %v", warnings)
	}
	tf.Apply()
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		pipe["settings"].(mockapi.Object)["object_storage_concurrency"] = 50
	})
	tf.Configure(settingsConfig(mockapi.KafkaPipeID, "streaming_max_insert_wait_ms = 600"))
	if warnings := tf.Warnings("plan"); !named(warnings) {
		t.Errorf("the plan of a change warns of %v", warnings)
	}
	tf.Configure(settingsConfig(mockapi.KafkaPipeID, "streaming_max_insert_wait_ms = 600\n  object_storage_concurrency = 5"))
	if warnings := tf.Warnings("plan"); named(warnings) {
		t.Errorf("a setting that is sent is warned of: %v", warnings)
	}
}
