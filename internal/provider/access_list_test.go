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
func TestDoubtfulAddressesAreWarnedOf(t *testing.T) {
	t.Parallel()
	for kind, on := range map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			env := newEnv(t)
			for object, id := range map[mockapi.Kind]string{mockapi.Service: mockapi.ServiceID, mockapi.Key: mockapi.APIKeyID} {
				env.Change(object, id, func(o mockapi.Object) { o["ipAccessList"] = []any{mockapi.Object{"source": "10.1.0.0/16"}} })
			}
			c := env.Core(t, nil)
			end := ": " + map[string]string{"service": "service", "api_key": "API key"}[kind] + " …1111"
			expect := func(when string, config acctest.Configs, want ...string) {
				t.Helper()
				c.MustPlan(config)
				c.Warnings = slices.DeleteFunc(c.Warnings, func(text string) bool { return strings.HasPrefix(text, "Adoption of ") })
				slices.Sort(c.Warnings)
				if !slices.EqualFunc(c.Warnings, want, strings.HasPrefix) {
					t.Errorf("%s: %q", when, c.Warnings)
				}
			}
			harmless := map[string]any{"name": "One", "ip_access_list": map[string]any{"10.1.0.0/16": ""}}
			doubtful := map[string]any{"name": "One", "ip_access_list": map[string]any{"10.1.0.0/16": "", "0.0.0.0/0": "", "10.2.0.5/16": "", "lab.example": "", "office.example": ""}}
			again, more := maps.Clone(doubtful), maps.Clone(doubtful)
			again["ip_access_list"] = map[string]any{"10.1.0.0/16": "new", "0.0.0.0/0": "new", "10.2.0.0/16": "", "lab.example": "", "office.example": "new"}
			more["ip_access_list"] = map[string]any{"10.1.0.0/16": "", "0.0.0.0/0": "", "10.2.0.5/16": "", "lab.example": "", "office.example": "", "::/0": ""}
			warnings := []string{"Not an IP address" + end + ": lab.example, office.example: This is neither", "Open to everyone" + end + ": 0.0.0.0/0: ", "Range is wider than its address" + end + ": 10.2.0.5/16: This opens"}
			if kind == "api_key" {
				harmless["expire_at"] = "2035-01-01T00:00:00Z"
				doubtful["expire_at"], again["expire_at"], more["expire_at"] = "2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00", "2020-01-01T00:00:00Z"
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
			replaced := map[string][]string{ // a key's list is sent whole
				"service": {"Address may lose access for a moment" + end + ": 0.0.0.0/0, 10.1.0.0/16, office.example: A new description"},
			}[kind]
			expect("other descriptions and notations", on(again), replaced...)
			expect("one entry more", on(more), "Open to everyone"+end+": ::/0: ")
			expect("a destroy", acctest.Configs{kind: nil}, map[string][]string{
				"service": {"Destroy changes nothing in the API: service " + mockapi.ServiceID}, "api_key": {"API key …1111 may stay usable"},
			}[kind]...)
			empty := on(map[string]any{"name": "One", "ip_access_list": map[string]any{}})
			expect("a list that becomes empty", empty, "Access list becomes empty"+end)
			c.ForgetAll()
			expect("an adoption of what is so already", on(doubtful))
			expect("an adoption with other descriptions", on(again), replaced...)
			c.Must(on(doubtful))
			c.Must(empty)
			expect("an empty list that stays", empty)
		})
	}
}

// What the warnings of a list and of an entry say of an address.
func TestWarningAbout(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]addressWarning{
		"0.0.0.0": everybody, "::": everybody, "::/128": everybody, "0.0.0.0/0": everybody,
		"172.16.0.5/12": wider, "lab.example": noAddress, "0.0.0.1": {}, "::1": {}, "172.16.0.0/12": {},
	} {
		if got := warningAbout(source); got != want {
			t.Errorf("%s: %q", source, got.summary)
		}
	}
}
