package provider

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A platform that stores another form than was sent: each of four applies says what the API
// returns and advises to write that. No list ends empty, in whichever order the API takes
// additions and removals.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	type (
		list     = map[string]any
		variants = mockapi.Variants
	)
	const entries, endpoints = "ip_access_list", "private_endpoint_ids"
	for name, test := range map[string]struct {
		variants  variants
		attribute string
		one, two  any // two is added to one, or replaces it
		says      string
	}{
		"unspecified": {variants{StoredAddresses: mockapi.Unspecified}, entries, list{"192.0.2.1": ""}, list{"192.0.2.1": "", "0.0.0.0": "all"}, "returns 0.0.0.0/0 instead of 0.0.0.0"},
		"alone":       {variants{StoredAddresses: mockapi.Unspecified}, entries, list{"192.0.2.1": ""}, list{"::": ""}, "returns ::/0 instead of ::"},
		"mapped":      {variants{StoredAddresses: mockapi.Mapped}, entries, list{"192.0.2.1": ""}, list{"::ffff:198.51.100.1": "", "::ffff:203.0.113.0/120": ""}, ""}, // it is known to be the same
		"merged":      {variants{StoredAddresses: mockapi.Merged}, entries, list{"192.0.2.1": ""}, list{"10.0.0.0/9": "", "10.128.0.0/9": ""}, "returns 10.0.0.0/8 instead of 10.0.0.0/9, 10.128.0.0/9"},
		"trimmed":     {variants{StoredText: mockapi.Trimmed}, entries, list{"192.0.2.1": "old"}, list{"192.0.2.1": "new\n"}, `returns "new" instead of "new\n" for 192.0.2.1`},
		"escaped":     {variants{StoredText: mockapi.Escaped}, entries, list{"192.0.2.1": "old"}, list{"192.0.2.1": "a & b"}, `returns "a &amp; b" instead of "a & b" for 192.0.2.1`},
		"a name":      {variants{StoredText: mockapi.Trimmed}, "name", "Old", "New\n", `returns "New" instead of "New\n"`},
		"small ids":   {variants{SmallIDs: true}, endpoints, []any{"vpce-1"}, []any{"vpce-1", "VPCE-NEW"}, "returns vpce-new instead of VPCE-NEW"}, // the second plan fails
		"opens":       {variants{OpenEmptyList: true}, entries, list{"192.0.2.1": ""}, list{}, "0.0.0.0/0"},                                        // instead of the empty list, or besides it
		"opens late":  {variants{OpenEmptyList: true, StaleKeys: 2 * time.Second, StaleServices: 2 * time.Second}, entries, list{"192.0.2.1": ""}, list{}, "0.0.0.0/0"},
	} {
		for order, set := range map[string]func(*variants){
			"":              func(*variants) {},
			"removes first": func(v *variants) { v.RemoveBeforeAdd = true },
			"adds once":     func(v *variants) { v.AddExisting = mockapi.Refuse },
			"by the whole":  func(v *variants) { v.EntryIdentity = mockapi.Whole },
			"late":          func(v *variants) { v.StaleServices = 200 * time.Millisecond },
		} {
			for kind, on := range map[string]func(map[string]any) acctest.Configs{"service": onService, "api_key": onKey} {
				if kind == "api_key" && (name == "small ids" || order != "") {
					continue
				}
				t.Run(name+" "+kind+" "+order, func(t *testing.T) {
					t.Parallel()
					underTest.InVirtualTime(t, func(t *testing.T) {
						env := underTest.NewVirtualEnv(nil)
						emptyLists(env)
						c := env.Core(t, nil)
						c.Must(on(map[string]any{test.attribute: test.one}))
						behavior := test.variants
						set(&behavior)
						env.SetVariants(behavior)
						for i := range 4 {
							_, err := c.Run(on(map[string]any{test.attribute: test.two}))
							text := fmt.Sprint(err, c.Warnings)
							if test.says == "" && err != nil {
								t.Errorf("%d: %v", i, err)
							}
							if test.says != "" && order == "" {
								acctest.Contains(t, text, test.says, "rite it as the API returns it")
							}
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
		acctest.Lacks(t, out, "apply again")
	}
	tf.Configure(sharedService(`"0.0.0.0/0" = "all"`))
	tf.Apply()
	tf.ExpectNoChanges()
}

// A single entry that the platform stores in another form: the error says which, and how to
// import it. The entry of another block, added at the same time, is none.
func TestEntryInAnotherForm(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		var env *acctest.Env
		env = underTest.NewVirtualEnv(func(_ http.ResponseWriter, c acctest.Call) bool {
			if c.Writes() {
				setEntries(env, "10.0.0.0/8", "203.0.113.9")
			}
			return false
		}, mockapi.WithVariants(mockapi.Variants{StoredAddresses: mockapi.Unspecified}))
		setEntries(env, "10.0.0.0/8")
		c := env.Core(t, nil)
		if _, err := c.Sibling().Plan(entryKind, c.Config(entryKind, onEntry("203.0.113.9", "")[entryKind])); err != nil {
			t.Error(err)
		}
		p, err := c.Plan(entryKind, c.Config(entryKind, onEntry("::", "")[entryKind]))
		if err == nil {
			err = c.Apply(entryKind, p)
		}
		acctest.Contains(t, fmt.Sprint(err), "but returns ::/0 instead. If that means the same, write it as the API returns it, and import it:", `id = "`+mockapi.ServiceID+`/::/0"`)
		acctest.Lacks(t, fmt.Sprint(err), "update_timeout", "may exist now")
		if err := c.Import(entryKind, mockapi.ServiceID+"/::/0"); err != nil {
			t.Error(err)
		}
		c.ExpectNoChanges(onEntry("::/0", ""))
	})
}
