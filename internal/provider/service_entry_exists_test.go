package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

const (
	existsAlready  = "Entry exists already: access list entry of service …1111"
	removedAndKept = "Entry is removed and kept: access list entry of service …1111"
)

// A plan that would add an entry that exists fails at the entry's id, after one read. It
// names the entry and the ways out.
func TestEntryExists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config acctest.Configs
		says   []string
	}{
		"the same":            {onEntry("192.0.2.7", "office"), []string{existsAlready, "ip_access_list of service " + mockapi.ServiceID + " has the entry 192.0.2.7,", `import it, with the id "` + mockapi.ServiceID + `/192.0.2.7"`}},
		"in another notation": {onEntry("192.0.2.7/32", nil), []string{existsAlready}},
		"described otherwise": {onEntry("192.0.2.7", "mine"), []string{existsAlready, "moved block", "for_each", "terraform untaint", "remove the block in one apply and add it in the next"}},
		"endpoint":            {onEndpoint("vpce-4e5f6a7b"), []string{"Entry exists already: private endpoint of service …1111", `/vpce-4e5f6a7b"`}},
	} {
		env := newEnv(t)
		c := env.Core(t, nil)
		_, err := c.Run(test.config)
		text := fmt.Sprint(err)
		acctest.Contains(t, text, append(test.says, `AttributeName("`)...)
		if sent := env.Requests(); len(sent) != 1 || len(c.Warnings) > 0 {
			t.Errorf("%s: sent %d requests, with %q", name, len(sent), c.Warnings)
		}
	}
}

// An entryBlock is a block of an entry, with a state of its own.
type entryBlock struct {
	has, wants acctest.Configs // in the state, and in the configuration; nil for none
	replaced   bool            // with -replace
	fails      string          // how the error of its plan begins; "" for none
}

// planEntries plans blocks in an order. What they have was imported.
func planEntries(t *testing.T, env *acctest.Env, blocks []entryBlock, order []int, variants mockapi.Variants) (cores []*acctest.Core, plans []acctest.Plan, errs []error) {
	t.Helper()
	cores = siblings(t, env, len(blocks))
	for i, b := range blocks {
		if b.has != nil {
			if err := cores[i].Import(entryKind, fmt.Sprint(mockapi.ServiceID, "/", b.has[entryKind]["source"])); err != nil {
				t.Fatal(err)
			}
		}
	}
	env.SetVariants(variants)
	env.ResetRequests()
	walk(cores)
	for _, i := range order {
		if err := cores[i].Refresh(entryKind); err != nil {
			t.Error(err)
		}
	}
	plans, errs = make([]acctest.Plan, len(blocks)), make([]error, len(blocks))
	for _, i := range order {
		plan := cores[i].Plan
		if blocks[i].replaced {
			plan = cores[i].PlanReplace
		}
		plans[i], errs[i] = plan(entryKind, cores[i].Config(entryKind, blocks[i].wants[entryKind]))
	}
	return cores, plans, errs
}

// What fails in the plan, in both orders of the blocks, with nothing sent.
func TestEntriesThatClash(t *testing.T) {
	t.Parallel()
	a, b, c, z := onEntry("203.0.113.1", "a"), onEntry("203.0.113.2", "b"), onEntry("203.0.113.3", "c"), onEntry("203.0.113.4", nil)
	otherwise := onEntry("203.0.113.1/32", "otherwise")
	hidden := mockapi.Variants{RefuseEmptyPatch: 405}
	for name, test := range map[string]struct {
		blocks   []entryBlock
		variants mockapi.Variants
		kept     bool // the plan of the block that comes last fails, because the entry is removed and kept
	}{
		"renamed":                {blocks: []entryBlock{{has: a}, {wants: a, fails: existsAlready}}},
		"a count that shifts":    {blocks: []entryBlock{{has: a, wants: b, fails: existsAlready}, {has: b, wants: c, fails: existsAlready}, {has: c}}},
		"a count that grows":     {blocks: []entryBlock{{has: a, wants: z}, {wants: a, fails: existsAlready}}},
		"swapped":                {blocks: []entryBlock{{has: a, wants: b, fails: existsAlready}, {has: b, wants: a, fails: existsAlready}}},
		"replaced":               {blocks: []entryBlock{{has: a, wants: a, replaced: true, fails: existsAlready}}},
		"replaced, of two":       {blocks: []entryBlock{{has: a, wants: a, replaced: true, fails: existsAlready}, {has: a, wants: a}}},
		"renamed by import":      {blocks: []entryBlock{{has: a}, {has: a, wants: a}}, kept: true},
		"another in its place":   {blocks: []entryBlock{{has: a, wants: z}, {has: a, wants: a}}, kept: true},
		"and that one exists":    {blocks: []entryBlock{{has: a, wants: b, fails: existsAlready}, {has: a, wants: a}}},
		"described by the other": {blocks: []entryBlock{{has: a}, {has: a, wants: otherwise}}, kept: true},
		"renamed, hidden":        {blocks: []entryBlock{{has: a}, {wants: a}}, variants: hidden, kept: true},
		"a shift, hidden":        {blocks: []entryBlock{{has: a, wants: b}, {has: b, wants: z}}, variants: hidden, kept: true},
		"both removed":           {blocks: []entryBlock{{has: a}, {has: a}}},
		"both kept":              {blocks: []entryBlock{{has: a, wants: a}, {has: a, wants: a}}},
	} {
		for _, reversed := range []bool{false, true} {
			env := newEnv(t)
			setEntries(env, "203.0.113.1 a", "203.0.113.2 b", "203.0.113.3 c")
			order := []int{0, 1, 2}[:len(test.blocks)]
			if reversed {
				slices.Reverse(order)
			}
			_, _, errs := planEntries(t, env, test.blocks, order, test.variants)
			for i, err := range errs {
				want := test.blocks[i].fails
				if test.kept && i == order[len(order)-1] {
					want = removedAndKept
				}
				if name == "renamed by import" && err != nil && i == 1 { // at the id that it keeps
					acctest.Contains(t, fmt.Sprint(err), `AttributeName("source")`)
				}
				if want == removedAndKept {
					acctest.Contains(t, fmt.Sprint(err), "Two blocks have the entry 203.0.113.")
				}
				if text := fmt.Sprint(err); (err != nil) != (want != "") || !strings.HasPrefix(text, want) && err != nil || strings.Count(text, "Entry ") > 1 {
					t.Errorf("%s, %v, block %d: %v", name, order, i, err)
				}
			}
			env.ExpectOnlyReads(t)
		}
	}
}

// What only the apply can know: the entry appeared after the plan, another block has
// added it, or its source was unknown. Nothing is sent for it.
func TestEntryAppears(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	plans := c.MustPlan(onEntry("203.0.113.9", "mine"))
	setEntries(env, "203.0.113.9 theirs")
	err := c.ApplyAll(plans)
	acctest.Contains(t, fmt.Sprint(err), existsAlready, `AttributeName("source")`)
	env.ExpectOnlyReads(t)

	// Two blocks, in both orders of planning and adding.
	for _, interleaved := range []bool{false, true} {
		env = newEnv(t)
		blocks, plans := siblings(t, env, 2), make([]acctest.Plan, 2)
		walk(blocks)
		for i := range blocks {
			plans[i] = mustPlan(t, blocks[i], onEntry("203.0.113.9", "mine"))
		}
		walk(blocks)
		if interleaved { // both are planned again before one is added
			for i := range blocks {
				plans[i] = mustPlan(t, blocks[i], onEntry("203.0.113.9", "mine"))
			}
			err = blocks[0].ApplyPlanned(entryKind, plans[0])
			again := blocks[1].ApplyPlanned(entryKind, plans[1])
			acctest.Contains(t, fmt.Sprint(again), existsAlready)
		} else {
			err = blocks[0].Apply(entryKind, plans[0])
			acctest.Contains(t, fmt.Sprint(blocks[1].Apply(entryKind, plans[1])), existsAlready)
		}
		if err != nil || !blocks[1].Instance(entryKind).State.IsNull() {
			t.Errorf("%v, the second has %s", err, blocks[1].Instance(entryKind).State)
		}
		env.ExpectWrites(t, "updateService", addMine)
	}

	// A source that is unknown in the plan, beside the removal of the same entry, in both
	// orders.
	for _, removalFirst := range []bool{false, true} {
		env = newEnv(t)
		blocks := siblings(t, env, 2)
		blocks[0].Must(onEntry("203.0.113.9", "mine"))
		walk(blocks)
		removal := mustPlan(t, blocks[0], noEntry)
		walk(blocks)
		env.ResetRequests()
		remove := func() {
			if err := blocks[0].Apply(entryKind, removal); err != nil {
				t.Error(err)
			}
		}
		if removalFirst {
			remove()
		}
		creation, err := blocks[1].Plan(entryKind, blocks[1].Config(entryKind, onEntry("203.0.113.9", "mine")[entryKind]))
		if removalFirst {
			if err == nil {
				err = blocks[1].ApplyPlanned(entryKind, creation)
			}
			if err != nil {
				t.Error(err)
			}
			expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office", "203.0.113.9/32 mine")
			continue
		}
		acctest.Contains(t, fmt.Sprint(err), existsAlready)
		remove()
		expectEntries(t, env, "10.0.0.0/8 private network", "192.0.2.7/32 office")
	}
}

// Somebody adds the same address right before the request. Theirs stays, and the error of
// a description that does not show is at the attribute.
func TestEntryAppearsLate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variants mockapi.Variants
		list     []string
	}{
		"beside it":  {mockapi.Variants{EntryIdentity: mockapi.Whole}, []string{"203.0.113.9/32 mine", "203.0.113.9/32 theirs"}},
		"in its way": {mockapi.Variants{AddExisting: mockapi.Ignore}, []string{"203.0.113.9/32 theirs"}},
	} {
		var env *acctest.Env
		env = underTest.NewEnv(t, func(_ http.ResponseWriter, c acctest.Call) bool {
			if c.Writes() && len(env.Writes("updateService")) == 0 {
				setEntries(env, "203.0.113.9 theirs")
			}
			return false
		}, mockapi.WithVariants(test.variants))
		_, err := env.Core(t, map[string]any{"update_timeout": "1ms"}).Run(onEntry("203.0.113.9", "mine"))
		acctest.Contains(t, fmt.Sprint(name, ": ", err), "Change not confirmed by the API", "The entry may exist now", `AttributeName("description")`)
		env.ExpectWrites(t, "updateService", addMine)
		expectEntries(t, env, test.list...)
	}
}

// A creation whose response is lost is found by a read. If that fails too, the error says
// how to import the entry.
func TestEntryIsLost(t *testing.T) {
	t.Parallel()
	lost := mockapi.Fault{Operation: "updateService", Kind: mockapi.FaultReset, AfterActing: true, Skip: 1, Times: 1}
	env := newEnv(t)
	env.Fail(lost)
	c := env.Core(t, nil)
	c.Must(onEntry("203.0.113.9", "mine"))
	env.ExpectWrites(t, "updateService", addMine)
	c.ExpectNoChanges(onEntry("203.0.113.9", "mine"))

	const form = "The entry may exist now. If the next plan says so, import it: import { to = <address of this resource> id = \"" + mockapi.ServiceID + "/203.0.113.9\" }"
	for name, happens := range map[string]func(){
		"unread": func() {
			env.Fail(lost)
			env.Fail(mockapi.Fault{Operation: "updateService", Kind: mockapi.FaultReset, AfterActing: true, Skip: 1})
		},
		"not shown": func() { env.SetVariants(mockapi.Variants{StaleServices: time.Hour}) },
	} {
		env = newEnv(t)
		c = env.Core(t, map[string]any{"max_retries": 0})
		plans := c.MustPlan(onEntry("203.0.113.9", "mine"))
		happens()
		err := c.ApplyAll(plans)
		acctest.Contains(t, fmt.Sprint(err), form)
		if !c.Instance(entryKind).State.IsNull() || !strings.Contains(listsOf(env), "203.0.113.9") {
			t.Errorf("%s: state %s, list %s", name, c.Instance(entryKind).State, listsOf(env))
		}
	}
}
