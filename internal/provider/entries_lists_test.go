package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A list that is configured as a whole, beside blocks for its entries, is refused in the plan, in whatever
// order they are planned.
func TestListBesideEntries(t *testing.T) {
	t.Parallel()
	const endpoint = "vpce-4e5f6a7b"
	says := []string{"List beside single entries: service …1111", "its entry ", "first remove the attribute ", "removed blocks with destroy = false"}
	for name, test := range map[string]struct {
		list, entry bool     // they have the entry after the plan
		unmanaged   bool     // the list is not configured any more
		says        []string // BLOCK and LIST are the entry as one of the two writes it
	}{
		"both have it":                    {list: true, entry: true, says: says},
		"the list lacks it":               {entry: true, says: says},
		"the block goes":                  {list: true, says: says},
		"both remove it":                  {says: says},
		"the list is not managed":         {entry: true, unmanaged: true},
		"the list is not, the block goes": {unmanaged: true},
	} {
		for _, of := range []struct {
			kind, list                string
			imported, inBlock, inList string // its id
			config                    acctest.Configs
			with, without             any
		}{
			{
				entryKind, "ip_access_list", "2001:db8::1/128", "2001:db8:0::1", "2001:DB8::1", onEntry("2001:db8:0::1", nil),
				map[string]any{"10.0.0.0/8": "private network", "192.0.2.7": "office", "2001:DB8::1": ""},
				map[string]any{"10.0.0.0/8": "private network", "192.0.2.7": "office"},
			},
			{
				endpointKind, "private_endpoint_ids", endpoint, endpoint, endpoint, onEndpoint(endpoint),
				[]any{"vpce-0a1b2c3d", endpoint},
				[]any{"vpce-0a1b2c3d"},
			},
		} {
			for _, listFirst := range []bool{true, false} {
				env := newEnv(t)
				c := env.Core(t, nil)
				c.Must(acctest.Configs{"service": {"service_id": mockapi.ServiceID, of.list: of.with}})
				if err := c.Import(of.kind, mockapi.ServiceID+"/"+of.imported); err != nil {
					t.Fatal(err)
				}
				c.Walk()
				service := map[string]any{"service_id": mockapi.ServiceID}
				if service[of.list] = of.with; !test.list {
					service[of.list] = of.without
				}
				if test.unmanaged {
					delete(service, of.list)
				}
				entry := tftypes.NewValue(c.Type(of.kind), nil)
				if test.entry {
					entry = c.Config(of.kind, of.config[of.kind])
				}
				plan := []func() error{
					func() error { _, err := c.Plan("service", c.Config("service", service)); return err },
					func() error { _, err := c.Plan(of.kind, entry); return err },
				}
				if !listFirst {
					slices.Reverse(plan)
				}
				first, second := plan[0](), plan[1]()
				if first != nil || (second != nil) != (test.says != nil) {
					t.Errorf("%s, %s, the list first: %t: %v, %v", name, of.kind, listFirst, first, second)
				}
				for _, said := range test.says {
					acctest.Contains(t, fmt.Sprint(second), strings.NewReplacer("BLOCK", of.inBlock, "LIST", of.inList).Replace(said))
				}
				if again := plan[1](); (again != nil) != (second != nil) { // Terraform may plan a block again
					t.Errorf("%s, %s: planned again: %v", name, of.kind, again)
				}
			}
		}
	}
}

// A whole list that is adopted without an entry that a block adds in the same apply is refused, too.
func TestAdoptedListBesideANewEntry(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	_, err := c.Run(acctest.Configs{
		"service": {"service_id": mockapi.ServiceID, "ip_access_list": map[string]any{"10.0.0.0/8": "private network", "192.0.2.7": "office"}},
		entryKind: onEntry("203.0.113.9", "mine")[entryKind],
	})
	acctest.Contains(t, fmt.Sprint(err), "List beside single entries: service …1111", "203.0.113.9")
}

// A list that the plan did not know is in the way of a block's destroy, too: nothing is removed.
func TestEntryOfALateListIsNotRemoved(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	list := onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "private network", "192.0.2.7": "office"}})
	c.Must(list)
	if err := c.Import(entryKind, mockapi.ServiceID+"/192.0.2.7"); err != nil {
		t.Fatal(err)
	}
	c.Walk()
	mustPlan(t, c, list) // again, in the apply
	acctest.Contains(t, fmt.Sprint(c.Destroy(entryKind, acctest.Plan{})), "List beside single entries: service …1111", "192.0.2.7")
	env.ExpectOnlyReads(t)
	c.ExpectNoChanges(list)
}
