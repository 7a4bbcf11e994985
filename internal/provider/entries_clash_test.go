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

// What fails in the plan, in both orders of the blocks, with nothing sent. The entries a, b and c exist;
// 2 is a with another description.
func TestEntriesThatClash(t *testing.T) {
	t.Parallel()
	entries := map[string]string{"a": "203.0.113.1 a", "b": "203.0.113.2 b", "c": "203.0.113.3 c", "z": "203.0.113.4 z", "2": "203.0.113.1 a2"}
	type block struct {
		has, wants string // in the state and in the configuration; "" for nothing
		isReplaced bool
	}
	for name, test := range map[string]struct {
		blocks []block
		fails  []bool // the plan of the block fails, because its entry exists
		hidden bool   // reads do not show the list
		kept   bool   // the plan of the block that comes last fails, because the entry is removed and kept
	}{
		"renamed":                {blocks: []block{{has: "a"}, {wants: "a"}}, fails: []bool{false, true}},
		"a count that shifts":    {blocks: []block{{has: "a", wants: "b"}, {has: "b", wants: "c"}, {has: "c"}}, fails: []bool{true, true, false}},
		"a count that grows":     {blocks: []block{{has: "a", wants: "z"}, {wants: "a"}}, fails: []bool{false, true}},
		"swapped":                {blocks: []block{{has: "a", wants: "b"}, {has: "b", wants: "a"}}, fails: []bool{true, true}},
		"replaced":               {blocks: []block{{has: "a", wants: "a", isReplaced: true}}, fails: []bool{true}},
		"replaced, of two":       {blocks: []block{{has: "a", wants: "a", isReplaced: true}, {has: "a", wants: "a"}}, fails: []bool{true, false}},
		"renamed by import":      {blocks: []block{{has: "a"}, {has: "a", wants: "a"}}, kept: true},
		"another in its place":   {blocks: []block{{has: "a", wants: "z"}, {has: "a", wants: "a"}}, kept: true},
		"and that one exists":    {blocks: []block{{has: "a", wants: "b"}, {has: "a", wants: "a"}}, fails: []bool{true, false}},
		"described by the other": {blocks: []block{{has: "a"}, {has: "a", wants: "2"}}, kept: true},
		"renamed, hidden":        {blocks: []block{{has: "a"}, {wants: "a"}}, hidden: true, kept: true},
		"a shift, hidden":        {blocks: []block{{has: "a", wants: "b"}, {has: "b", wants: "z"}}, hidden: true, kept: true},
		"both removed":           {blocks: []block{{has: "a"}, {has: "a"}}},
		"both kept":              {blocks: []block{{has: "a", wants: "a"}, {has: "a", wants: "a"}}},
	} {
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}} {
			order = slices.DeleteFunc(order, func(i int) bool { return i >= len(test.blocks) })
			underTest.InVirtualTime(t, func(t *testing.T) {
				env := underTest.NewVirtualEnv(nil)
				setEntries(env, entries["a"], entries["b"], entries["c"])
				cores := siblings(t, env, len(test.blocks))
				for i, b := range test.blocks {
					if source, _, _ := strings.Cut(entries[b.has], " "); source != "" {
						if err := cores[i].Import(entryKind, mockapi.ServiceID+"/"+source); err != nil {
							t.Fatal(err)
						}
					}
				}
				if test.hidden {
					env.SetVariants(mockapi.Variants{"refuse_empty_patch=405"})
				}
				env.ResetRequests()
				walk(cores)
				for _, i := range order {
					if err := cores[i].Refresh(entryKind); err != nil {
						t.Error(err)
					}
				}
				for at, i := range order {
					c, config, plan := cores[i], map[string]any(nil), cores[i].Plan
					if source, description, _ := strings.Cut(entries[test.blocks[i].wants], " "); source != "" {
						config = onEntry(source, description)[entryKind]
					}
					if test.blocks[i].isReplaced {
						plan = c.PlanReplace
					}
					_, err := plan(entryKind, c.Config(entryKind, config))
					var want []string
					switch isLast := at == len(order)-1; {
					case i < len(test.fails) && test.fails[i]:
						want = []string{existsAlready}
					case test.kept && isLast:
						want = []string{removedAndKept, "Two blocks have the entry 203.0.113."}
					}
					if (err != nil) != (want != nil) || err != nil && strings.Count(err.Error(), "Entry ") > 1 {
						t.Errorf("%s, %v, block %d: %v", name, order, i, err)
					}
					acctest.Contains(t, fmt.Sprint(err), want...)
				}
				env.ExpectOnlyReads(t)
			})
		}
	}
}

// A list that is configured as a whole, beside blocks for its entries, is refused in the plan, in whatever
// order they are planned.
func TestListBesideEntries(t *testing.T) {
	t.Parallel()
	const endpoint = "vpce-4e5f6a7b"
	says := []string{"List beside single entries: service …1111", "its entry ", "first remove the attribute ", "with removed blocks (destroy = false)"}
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

// A new block for an entry of a list that is configured: the error is about the list, if that is planned first.
func TestNewEntryBesideItsList(t *testing.T) {
	t.Parallel()
	c := newEnv(t).Core(t, nil)
	list := onService(map[string]any{"ip_access_list": map[string]any{"10.0.0.0/8": "private network", "192.0.2.7": "office"}})
	c.Must(list)
	c.Walk()
	planWithoutRefresh(t, c, list)
	_, err := c.Plan(entryKind, c.Config(entryKind, onEntry("192.0.2.7", "office")[entryKind]))
	acctest.Contains(t, fmt.Sprint(err), "List beside single entries")
	c.Walk()
	_, err = c.Plan(entryKind, c.Config(entryKind, onEntry("192.0.2.7", "office")[entryKind]))
	acctest.Contains(t, fmt.Sprint(err), "Entry exists already", "If a block sets ip_access_list as a whole: remove that attribute")
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
	planWithoutRefresh(t, c, list) // again, in the apply
	acctest.Contains(t, fmt.Sprint(c.Destroy(entryKind, acctest.Plan{})), "List beside single entries: service …1111", "192.0.2.7")
	env.ExpectOnlyReads(t)
	c.ExpectNoChanges(list)
}

// A block whose source the plan did not know has the entry after the apply: another block
// does not remove it.
func TestKeptEntryIsNotRemoved(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	blocks := siblings(t, env, 2)
	gone, stays := blocks[0], blocks[1]
	for _, c := range blocks {
		setEntries(env)
		c.Must(onEntry("203.0.113.9", "mine"))
	}
	walk(blocks)
	if err := stays.Destroy(entryKind, acctest.Plan{}); err != nil { // its source may be another one
		t.Error(err)
	}
	again := planWithoutRefresh(t, stays, onEntry("203.0.113.9/32", "mine"))
	if err := stays.ApplyPlanned(entryKind, again); err != nil {
		t.Error(err)
	}
	acctest.Contains(t, fmt.Sprint(gone.Destroy(entryKind, acctest.Plan{})), removedAndKept)
	expectEntries(t, env, "203.0.113.9/32 mine")
	if gone.Instance(entryKind).State.IsNull() {
		t.Error("the entry that stays is not in the state")
	}
}
