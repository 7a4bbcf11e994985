package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
