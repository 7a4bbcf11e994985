package provider

import (
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// TestStoredForms applies a service four times in a row to an API that stores its values in
// another form. No list is left empty, however often what the API shows is replaced by what
// is configured: the two are one entry for the API.
func TestStoredForms(t *testing.T) {
	t.Parallel()
	list := func(description string, sources ...string) map[string]any {
		entries := map[string]any{}
		for _, source := range sources {
			entries[source] = description
		}
		return map[string]any{"ip_access_list": entries}
	}
	ids := func(ids ...any) map[string]any { return map[string]any{"private_endpoint_ids": ids} }
	for variant, test := range map[string]struct {
		config   map[string]any
		succeeds bool
	}{
		"stored_addresses=unspecified": {list("all", "0.0.0.0", "::"), false},
		"stored_addresses=mapped":      {list("one", "::ffff:198.51.100.1", "::ffff:203.0.113.0/120"), true},
		"stored_addresses=merged":      {list("halves", "198.51.100.0/25", "198.51.100.128/25"), false},
		"small_ids":                    {ids("VPCE-0A1B2C3D", "VPCE-9"), false},
		"stored_text=trimmed":          {list("text\n", "198.51.100.1"), false},
		"stored_text=escaped":          {list("a & b", "198.51.100.1"), false},
		"open_empty_list":              {list("", "198.51.100.1"), true},
	} {
		for _, order := range [][]string{nil, {"remove_before_add"}, {"add_existing=refuse"}, {"entry_identity=whole"}, {"stale_services=200ms"}} {
			t.Run(variant, func(t *testing.T) {
				t.Parallel()
				underTest.InVirtualTime(t, func(t *testing.T) {
					env := underTest.NewVirtualEnv(nil, mockapi.WithVariants(parseVariants(t, append(order, variant))))
					c := env.Core(t, nil)
					if err := c.Import("service", mockapi.ServiceID); err != nil {
						t.Fatal(err)
					}
					config := onService(test.config)
					for range 4 {
						_, err := c.Run(config)
						if (err == nil) != test.succeeds {
							t.Errorf("%v: %v", order, err)
						}
						service := env.Object(mockapi.Service, mockapi.ServiceID)
						for _, name := range []string{"ipAccessList", "privateEndpointIds"} {
							if list, _ := service[name].([]any); len(list) == 0 {
								t.Errorf("%v: %s is empty after: %v", order, name, err)
							}
						}
					}
					if test.succeeds {
						c.ExpectNoChanges(config)
					}
				})
			})
		}
	}
}
