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

// The error about roles that do not change says why that may be, and how many are
// wrong, but not which: they may be sensitive.
func TestFrozenRoles(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(mockapi.Variants{FrozenRoles: true}))
		c := env.Core(t, nil)
		_, err := c.Run(onKey(map[string]any{"roles": []any{"query_endpoints"}}))
		acctest.Contains(t, fmt.Sprint(err), "Change not confirmed by the API", "but returns 2 entries (1 missing, 2 left over) after 30s", "raise update_timeout", "custom roles may freeze the roles")
		acctest.Lacks(t, fmt.Sprint(err), "query_endpoints", `"admin"`)
		env.ExpectWrites(t, "updateKey", `{"roles":["query_endpoints"]}`)
	})
}

// Two notations of one address in the API are one entry. If their descriptions
// differ, one of them is removed.
func TestAddressTwiceInTheAPI(t *testing.T) {
	t.Parallel()
	for other, sent := range map[string][]string{
		"office": nil,
		"home":   {`{"ipAccessList":{"add":[{"source":"192.0.2.7","description":"office"}],"remove":[{"source":"192.0.2.7/32","description":"home"}]}}`},
	} {
		env := newEnv(t, mockapi.WithVariants(mockapi.Variants{EntryIdentity: mockapi.Whole}))
		twice := func(service mockapi.Object) {
			service["ipAccessList"] = []any{
				mockapi.Object{"source": "192.0.2.7", "description": "office"}, mockapi.Object{"source": "192.0.2.7/32", "description": other},
			}
		}
		c := env.Core(t, nil)
		config := onService(map[string]any{"ip_access_list": map[string]any{"192.0.2.7": "office"}})
		for _, when := range []string{"an adoption", "drift"} {
			env.Change(mockapi.Service, mockapi.ServiceID, twice)
			env.ResetRequests()
			c.Must(config)
			env.ExpectWrites(t, "updateService", sent...)
			c.ExpectNoChanges(config)
			if t.Failed() {
				t.Fatalf("%s, with %q", when, other)
			}
		}
	}
}
