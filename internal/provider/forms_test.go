package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A platform that stores another form than was sent: each of four applies says what the API
// returns and advises to write that, and no list ends empty.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants  mockapi.Variants
		attribute string
		one, two  any // two is added to one, or replaces it
		says      string
	}{
		"unspecified": {mockapi.Variants{StoredAddresses: mockapi.Unspecified}, "ip_access_list", map[string]any{"192.0.2.1": ""}, map[string]any{"192.0.2.1": "", "0.0.0.0": "all"}, "returns 0.0.0.0/0 instead of 0.0.0.0"},
		"alone":       {mockapi.Variants{StoredAddresses: mockapi.Unspecified}, "ip_access_list", map[string]any{"192.0.2.1": ""}, map[string]any{"::": ""}, "returns ::/0 instead of ::"},
		"merged":      {mockapi.Variants{StoredAddresses: mockapi.Merged}, "ip_access_list", map[string]any{"192.0.2.1": ""}, map[string]any{"10.0.0.0/9": "", "10.128.0.0/9": ""}, "returns 10.0.0.0/8 instead of 10.0.0.0/9, 10.128.0.0/9"},
		"trimmed":     {mockapi.Variants{StoredText: mockapi.Trimmed}, "ip_access_list", map[string]any{"192.0.2.1": "old"}, map[string]any{"192.0.2.1": "new\n"}, `returns "new" instead of "new\n" for 192.0.2.1`},
		"escaped":     {mockapi.Variants{StoredText: mockapi.Escaped}, "ip_access_list", map[string]any{"192.0.2.1": "old"}, map[string]any{"192.0.2.1": "a & b"}, `returns "a &amp; b" instead of "a & b" for 192.0.2.1`},
		"a name":      {mockapi.Variants{StoredText: mockapi.Trimmed}, "name", "Old", "New\n", `returns "New" instead of "New\n"`},
		"small ids":   {mockapi.Variants{SmallIDs: true}, "private_endpoint_ids", []any{"vpce-1"}, []any{"vpce-1", "VPCE-NEW"}, "returns vpce-new instead of VPCE-NEW"}, // the second plan fails
		"opens":       {mockapi.Variants{OpenEmptyList: true}, "ip_access_list", map[string]any{"192.0.2.1": ""}, map[string]any{}, "0.0.0.0/0"},                        // instead of the empty list, or besides it
		"opens late":  {mockapi.Variants{OpenEmptyList: true, StaleKeys: 2 * time.Second, StaleServices: 2 * time.Second}, "ip_access_list", map[string]any{"192.0.2.1": ""}, map[string]any{}, "0.0.0.0/0"},
	} {
		for kind, on := range map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey} {
			if name == "small ids" && kind == "api_key" {
				continue
			}
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				underTest.InVirtualTime(t, func(t *testing.T) {
					env := underTest.NewVirtualEnv(nil)
					emptyLists(env)
					c := env.Core(t, nil)
					c.Must(on(map[string]any{test.attribute: test.one}))
					env.SetVariants(test.variants)
					for i := range 4 {
						_, err := c.Run(on(map[string]any{test.attribute: test.two}))
						text := fmt.Sprint(err, c.Warnings)
						if strings.Contains(text, "update_timeout") {
							t.Errorf("%d: %s", i, text)
						}
						acctest.Contains(t, text, test.says, "rite it as the API returns it")
						object := env.Object(mockapi.Service, mockapi.ServiceID)
						if kind == "api_key" {
							object = env.Object(mockapi.Key, mockapi.APIKeyID)
						}
						if list, ok := object[camel(test.attribute)].([]any); ok && len(list) == 0 {
							t.Errorf("%d: the list is empty", i)
						}
					}
				})
			})
		}
	}
}

// What a user of Terraform sees of it: the first apply and the next ones say the same.
func TestOtherFormInTerraform(t *testing.T) {
	t.Parallel()
	env := newEnv(t, mockapi.WithVariants(mockapi.Variants{StoredAddresses: mockapi.Unspecified}))
	tf := env.CLI(t, sharedService(`"198.51.100.64/26" = "runners"`))
	tf.Apply()
	tf.Configure(sharedService(`"0.0.0.0" = "all"`))
	for range 3 {
		out, code := tf.Run("apply", "-auto-approve")
		if code != 1 {
			t.Fatalf("the apply ended with %d:\n%s", code, out)
		}
		acctest.Contains(t, out, "The API accepted the change to ip_access_list but returns 0.0.0.0/0 instead of 0.0.0.0 after", "If that means the same, write it as the API returns it.")
		acctest.Lacks(t, out, "apply again", "update_timeout")
	}
	tf.Configure(sharedService(`"0.0.0.0/0" = "all"`))
	tf.Apply()
	tf.ExpectNoChanges()
}
