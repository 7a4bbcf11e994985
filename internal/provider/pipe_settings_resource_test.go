package provider

import (
	"fmt"
	"net/http"
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
			pipe["settings"] = mockapi.Object{"object_storage_concurrency": 50, "db_max_threads": 3, "db_max_insert_threads": 17}
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
		found := warned(c, "Setting outside its valid range: pipe settings …1111")
		if len(found) != 1 { // Terraform would fold several
			t.Errorf("%d warnings: %q", len(found), c.Warnings)
		}
		acctest.Contains(t, fmt.Sprint(found), "db_max_insert_threads = 17, object_storage_concurrency = 50")
		acctest.Lacks(t, fmt.Sprint(found), "db_max_threads")
		c.Must(config)
		env.ExpectWrites(t, "updatePipeSettings", fmt.Sprintf(`{"db_max_threads":3,"streaming_max_insert_wait_ms":%d}`, wait))
		env.Change(mockapi.Pipe, mockapi.KafkaPipeID, in("settings", with("object_storage_concurrency", 50)))
		if c.ExpectNoChanges(config); len(c.Warnings) > 0 { // no news
			t.Errorf("the next plan warns %q", c.Warnings)
		}
	}

	outOfBounds()
	config := acctest.Configs{"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"streaming_max_insert_wait_ms": 700, "object_storage_concurrency": 5, "db_max_insert_threads": 5})}
	if _, err := c.PlanAll(config); err != nil || len(warned(c, "Setting outside its valid range")) > 0 {
		t.Errorf("a setting that is sent is warned of: %q (%v)", c.Warnings, err)
	}
}

// A value out of bounds that ignore_changes plans cannot be sent, and the plan warns.
func TestIgnoredSettingOutOfBounds(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{"settings_put=forget"}))
	c := env.Core(t, nil)
	config := func(threads, wait int) acctest.Configs {
		return acctest.Configs{"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"db_max_threads": threads, "streaming_max_insert_wait_ms": wait})}
	}
	c.Must(config(20, 500))
	env.ResetRequests()
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) { pipe["settings"] = mockapi.Object{"db_max_threads": 100} })
	p := c.MustPlan(config(100, 600))["pipe_settings"] // as Terraform changes the configuration
	acctest.Contains(t, fmt.Sprint(warned(c, "Setting outside its valid range")), "has db_max_threads = 100, which")
	p.ApplyConfig = c.Config("pipe_settings", config(20, 600)["pipe_settings"])
	if err := c.ApplyAll(map[string]acctest.Plan{"pipe_settings": p}); err != nil {
		t.Error(err)
	}
	env.ExpectWrites(t, "updatePipeSettings", `{"streaming_max_insert_wait_ms":600}`)
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
	env.Change(mockapi.Pipe, mockapi.KafkaPipeID, func(pipe mockapi.Object) {
		pipe["settings"] = mockapi.Object{"streaming_max_insert_wait_ms": 500}
	})
	env.ResetRequests()
	c.Must(config(600))
	env.ExpectWrites(t, "updatePipeSettings", `{"db_max_threads":5,"streaming_max_insert_wait_ms":600}`)
}

// A pipe may have no settings operation. The error does not point at the ids.
func TestSettingsThatAPipeDoesNotHave(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed} {
		c := newEnv(t, mockapi.WithVariants(mockapi.Variants{fmt.Sprint("postgres_settings=", status)})).Core(t, nil)
		config := acctest.Configs{"pipe_settings": onPipe(mockapi.PostgresPipeID, map[string]any{"db_max_threads": 16, "object_storage_max_file_count": 50})}
		c.MustPlan(config)
		acctest.Contains(t, fmt.Sprint(warned(c, "object_storage_max_file_count does not apply: pipe settings …4444")),
			"reads from Postgres; object_storage_max_file_count applies only to object storage sources")
		_, err := c.Run(config)
		acctest.Contains(t, fmt.Sprint(err), fmt.Sprintf("HTTP %d", status), "may not offer this operation for objects of its kind")
		acctest.Lacks(t, fmt.Sprint(err), "Check the id", "base_url")
	}
}
