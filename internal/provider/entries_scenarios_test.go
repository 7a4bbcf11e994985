package provider

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
)

var (
	allEntries  = flag.Bool("entries.all", false, "run each scenario of TestEntries; many minutes")
	entriesSeed = flag.Uint64("entries.seed", 1, "which scenarios of TestEntries to run")
)

const sampledEntries = 1000

// Entries of the scenarios by name: 2 is a with another description.
var scenarioEntries = map[byte]string{'a': "203.0.113.1/32 a", 'b': "203.0.113.2/32 b", 'c': "203.0.113.3/32 c", 'z': "203.0.113.4/32 z", '2': "203.0.113.1/32 a2"}

// A scenarioBlock is a block: what the state has and the configuration wants, each the
// name of an entry or "", and how Terraform replaces it.
type scenarioBlock struct {
	has, wants string
	how        string // "", "replace", "taint", or "create first"
}

// An entryScenario is a plan and an apply of one or two blocks.
type entryScenario struct {
	list   string // the entries that the API has, besides others
	api    string // "shown" or "hidden"
	blocks []scenarioBlock
	order  []int // in which the blocks are planned
	steps  []int // the block whose turn it is in the apply
	fault  string
	at     int // the request of the apply at which the fault happens
}

// entryScenarios returns all scenarios without faults.
func entryScenarios() (all []entryScenario) {
	var blocks []scenarioBlock
	for _, has := range []string{"", "a", "b"} {
		for _, wants := range []string{"", "a", "2", "b"} {
			if has+wants == "" {
				continue
			}
			blocks = append(blocks, scenarioBlock{has, wants, ""})
			switch {
			case has != "" && wants == has:
				blocks = append(blocks, scenarioBlock{has, wants, "replace"}, scenarioBlock{has, wants, "taint"})
			case has != "" && wants != "" && wants != "2":
				blocks = append(blocks, scenarioBlock{has, wants, "create first"})
			}
		}
	}
	add := func(blocks []scenarioBlock, orders, steps [][]int) {
		for _, list := range []string{"", "a", "b", "ab"} {
			for _, shows := range []string{"shown", "hidden"} {
				for _, order := range orders {
					for _, s := range steps {
						lacks := func(b scenarioBlock) bool { return !strings.Contains(list, b.has) }
						if shows != "shown" && (slices.ContainsFunc(blocks, lacks) || isHiddenReplacement(blocks)) {
							continue // drift that no refresh can see, or what no plan can refuse
						}
						all = append(all, entryScenario{list: list, api: shows, blocks: blocks, order: order, steps: s})
					}
				}
			}
		}
	}
	both := interleavings(3, 3)
	for i, first := range blocks {
		add([]scenarioBlock{first}, [][]int{{0}}, [][]int{{0, 0, 0}})
		for _, second := range blocks[i:] {
			add([]scenarioBlock{first, second}, [][]int{{0, 1}, {1, 0}}, both)
		}
	}
	return all
}

// isHiddenReplacement reports whether one of two blocks of one entry is replaced: Terraform
// does not tell the provider that it removes the entry.
func isHiddenReplacement(blocks []scenarioBlock) bool {
	if len(blocks) == 1 {
		return false
	}
	isReplaced := func(b, other scenarioBlock) bool {
		return (b.how == "replace" || b.how == "taint") && (isSame(b.has, other.has) || isSame(b.has, other.wants))
	}
	return isReplaced(blocks[0], blocks[1]) || isReplaced(blocks[1], blocks[0])
}

// isSame reports whether two names are of one entry.
func isSame(a, b string) bool { return a != "" && b != "" && sourceOf(a) == sourceOf(b) }

// interleavings returns all orders of n steps of block 0 and m of block 1.
func interleavings(n, m int) (all [][]int) {
	if n == 0 && m == 0 {
		return [][]int{{}}
	}
	for block, left := range []int{n, m} {
		if left > 0 {
			rest := interleavings(n-(1-block), m-block)
			for _, steps := range rest {
				all = append(all, append([]int{block}, steps...))
			}
		}
	}
	return all
}

// TestEntries: one or two blocks of entries, in every state, in every order of Terraform's
// calls, and with a fault at every request:
//
//   - a plan that fails sends nothing,
//   - after an apply without error, every entry that a block wants is there, and every one
//     that only removed blocks had is gone,
//   - nothing of others is touched,
//   - after an error, state and list agree, or the error says what may differ,
//   - another apply leads there, if Terraform imports what its plan says exists.
func TestEntries(t *testing.T) {
	t.Parallel()
	all, faults := entryScenarios(), []string{"503", "403", "lost", "stop"}
	random := rand.New(rand.NewPCG(*entriesSeed, 0))
	chosen := all
	if !*allEntries {
		chosen = nil
		for range sampledEntries {
			s := all[random.IntN(len(all))]
			s.fault, s.at = append(faults, "")[random.IntN(5)], random.IntN(6)
			chosen = append(chosen, s)
		}
	}
	const size = 500
	for chunk := range slices.Chunk(chosen, size) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			outcomes, seen := map[string]int{}, map[string]bool{}
			underTest.InVirtualTime(t, func(t *testing.T) {
				check := func(s entryScenario) (requests int) {
					outcome, requests := s.check(t, seen)
					outcomes[outcome]++
					if t.Failed() {
						t.Fatalf("%+v", s)
					}
					return requests
				}
				for _, s := range chunk {
					requests := check(s)
					if !*allEntries {
						continue
					}
					for s.at = range requests {
						for _, s.fault = range faults {
							check(s)
						}
					}
				}
			})
			t.Log(len(chunk), "scenarios:", outcomes)
		})
	}
}

// What fails in the plan, in both orders of the blocks, with nothing sent.
func TestEntriesThatClash(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		blocks []scenarioBlock
		fails  []bool // the plan of the block fails, because its entry exists
		api    string
		kept   bool // the plan of the block that comes last fails, because the entry is removed and kept
	}{
		"renamed":                {blocks: []scenarioBlock{{has: "a"}, {wants: "a"}}, fails: []bool{false, true}},
		"a count that shifts":    {blocks: []scenarioBlock{{has: "a", wants: "b"}, {has: "b", wants: "c"}, {has: "c"}}, fails: []bool{true, true, false}},
		"a count that grows":     {blocks: []scenarioBlock{{has: "a", wants: "z"}, {wants: "a"}}, fails: []bool{false, true}},
		"swapped":                {blocks: []scenarioBlock{{has: "a", wants: "b"}, {has: "b", wants: "a"}}, fails: []bool{true, true}},
		"replaced":               {blocks: []scenarioBlock{{has: "a", wants: "a", how: "replace"}}, fails: []bool{true}},
		"replaced, of two":       {blocks: []scenarioBlock{{has: "a", wants: "a", how: "replace"}, {has: "a", wants: "a"}}, fails: []bool{true, false}},
		"renamed by import":      {blocks: []scenarioBlock{{has: "a"}, {has: "a", wants: "a"}}, kept: true},
		"another in its place":   {blocks: []scenarioBlock{{has: "a", wants: "z"}, {has: "a", wants: "a"}}, kept: true},
		"and that one exists":    {blocks: []scenarioBlock{{has: "a", wants: "b"}, {has: "a", wants: "a"}}, fails: []bool{true, false}},
		"described by the other": {blocks: []scenarioBlock{{has: "a"}, {has: "a", wants: "2"}}, kept: true},
		"renamed, hidden":        {blocks: []scenarioBlock{{has: "a"}, {wants: "a"}}, api: "hidden", kept: true},
		"a shift, hidden":        {blocks: []scenarioBlock{{has: "a", wants: "b"}, {has: "b", wants: "z"}}, api: "hidden", kept: true},
		"both removed":           {blocks: []scenarioBlock{{has: "a"}, {has: "a"}}},
		"both kept":              {blocks: []scenarioBlock{{has: "a", wants: "a"}, {has: "a", wants: "a"}}},
	} {
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}} {
			order = slices.DeleteFunc(order, func(i int) bool { return i >= len(test.blocks) })
			underTest.InVirtualTime(t, func(t *testing.T) {
				r := &scenarioRun{entryScenario: entryScenario{list: "abc", api: test.api, blocks: test.blocks, order: order}, t: t}
				r.env = underTest.NewVirtualEnv(r.hook)
				r.begin()
				for i, err := range r.plan() {
					var want []string
					switch isLast := i == order[len(order)-1]; {
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
				r.env.ExpectOnlyReads(t)
			})
		}
	}
}
