package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// Warnings about values come with the plan that adds or changes the value, and
// with nothing else.
func TestPlanWarnings(t *testing.T) {
	t.Parallel()
	for kind, on := range map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			c := env.Core(t, nil)
			end := ": " + map[string]string{"service": "service", "api_key": "API key"}[kind] + " …1111"
			expect := func(when string, config acctest.Configs, want ...string) {
				t.Helper()
				if _, err := c.PlanAll(config); err != nil {
					t.Errorf("%s: %v", when, err)
				}
				c.Warnings = slices.DeleteFunc(c.Warnings, func(text string) bool { return strings.HasPrefix(text, "Adopting ") })
				slices.Sort(c.Warnings)
				if !slices.EqualFunc(c.Warnings, want, strings.HasPrefix) {
					t.Errorf("%s: %q", when, c.Warnings)
				}
			}
			harmless := map[string]any{"name": "One", "ip_access_list": map[string]any{"10.1.0.0/16": ""}}
			doubtful := map[string]any{"name": "One", "ip_access_list": map[string]any{"10.1.0.0/16": "", "0.0.0.0/0": "", "10.2.0.5/16": "", "office.example": ""}}
			again, more := maps.Clone(doubtful), maps.Clone(doubtful)
			again["ip_access_list"] = map[string]any{"10.1.0.0/16": "new", "0.0.0.0/0": "new", "10.2.0.0/16": "", "office.example": "new"}
			more["ip_access_list"] = map[string]any{"10.1.0.0/16": "", "0.0.0.0/0": "", "10.2.0.5/16": "", "office.example": "", "::/0": ""}
			warnings := []string{"Not an IP address" + end + ", entry 4:", "Open to everyone" + end + ", entry 1:", "Range is wider than its address" + end + ", entry 3:"}
			if kind == "api_key" {
				harmless["expire_at"] = "2035-01-01T00:00:00Z"
				doubtful["expire_at"], again["expire_at"], more["expire_at"] = "2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00", "2020-01-01T00:00:00Z"
				warnings = slices.Insert(warnings, 0, "Expiry in the past: ")
			}

			packed, err := tfprotov6.NewDynamicValue(c.Type(kind), c.Config(kind, on(doubtful)[kind]))
			if err != nil {
				t.Fatal(err)
			}
			validated, err := c.Server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "dbplatform_" + kind, Config: &packed})
			if err != nil || len(validated.Diagnostics) > 0 {
				t.Errorf("validation: %v %v", validated.Diagnostics, err)
			}
			expect("an adoption", on(doubtful), warnings...)
			c.Must(on(harmless))
			expect("a change", on(doubtful), warnings...)
			c.Must(on(doubtful))
			expect("the next plan", on(doubtful))
			expect("other descriptions and notations", on(again))
			expect("one entry more", on(more), "Open to everyone"+end+", entry 4:")
			expect("a destroy", acctest.Configs{kind: nil}, map[string][]string{
				"service": {"Removed from state only; the object was not deleted: ID " + mockapi.ServiceID}, "api_key": {"API keys stay usable"},
			}[kind]...)
			empty := on(map[string]any{"name": "One", "ip_access_list": map[string]any{}})
			expect("a list that becomes empty", empty, "Access list becomes empty: ")
			c.ForgetAll()
			expect("an adoption that empties the list", empty, "Access list becomes empty: ")
			expect("an adoption of what is so already", on(doubtful))
			c.Must(empty)
			expect("an empty list that stays", empty)
		})
	}
}

// Warnings show what the API has, not what is configured: that may be sensitive.
func TestWarningsShowNoConfiguredValues(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	if _, err := c.PlanAll(acctest.Configs{
		"pipe_settings": onPipe(mockapi.KafkaPipeID, map[string]any{"db_max_threads": 47, "db_parallel_view_processing": true}),
		"service":       onService(map[string]any{"name": "hunter4711", "ip_access_list": map[string]any{"10.47.11.5/16": "hunter4711", "hunter.4711": ""}})["service"],
		"api_key":       onKey(map[string]any{"expire_at": "2004-07-11T04:07:11Z", "roles": []any{"query_endpoints"}})["api_key"],
	}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(c.Warnings, "\n")
	acctest.Contains(t, text,
		"Adopting pipe settings …1111: db_max_threads (was 8), db_parallel_view_processing (was false)",
		`name (was "Orders")`, "1 added", "Range is wider than its address: service …1111", "Not an IP address: service …1111",
		"Expiry in the past", `expire_at (was "2031-01-01T00:00:00Z")`)
	acctest.Lacks(t, text, "47", "true", "10.47", "hunter", "2004", "query_endpoints")
}
