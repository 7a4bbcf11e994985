package provider

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// These tests are about values that openapi.yaml neither promises nor rules
// out, and that public clients of similar APIs report.

// A pipe may have no settings operation. The error does not point at the ids.
func TestSettingsThatAPipeDoesNotHave(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed} {
		c := newEnv(t, mockapi.WithVariants(mockapi.Variants{PostgresSettings: status})).Core(t, nil)
		config := acctest.Configs{"pipe_settings": onPipe(mockapi.PostgresPipeID, map[string]any{"db_max_threads": 16, "object_storage_max_file_count": 50})}
		c.MustPlan(config)
		acctest.Contains(t, fmt.Sprint(warned(c, "Attribute does not apply to the source of the pipe")),
			"reads from Postgres; object_storage_max_file_count applies only to object storage sources")
		_, err := c.Run(config)
		acctest.Contains(t, fmt.Sprint(err), fmt.Sprintf("HTTP %d", status), "does not offer this operation for objects of its kind")
		acctest.Lacks(t, fmt.Sprint(err), "Check the id", "base_url")
	}
}
