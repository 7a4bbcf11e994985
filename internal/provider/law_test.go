// The words of law_*_test.go: a run is one lawTest, with a mock API under random
// variants, some blocks, and a few applies. A block is a resource block, with its
// configuration and its state; its kind says what it can set. A walk is one start of
// the provider, in which Terraform plans or applies all blocks. A change is what a
// plan does with one object. The requests are events: those since the walk began are
// its history, and each change has its own. A fault happens to one request. Drift is
// what somebody else changes. A law is a check of each write, or of what a change
// leaves behind. Unknown is what no response shows, so that nothing can be expected.

package provider

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

var (
	lawSeed = flag.Uint64("law-seed", 1, "seed of TestLaw: go test ./internal/provider -run TestLaw -args -law-seed=N")
	lawRuns = flag.Int("law-runs", 80, "number of runs of TestLaw")
)

// TestLaw checks in random runs that an apply does what its plan shows. The laws
// are in law_rules_test.go. Once all faults are over, one apply leads to the
// configured values and an empty plan. -run TestLaw/N$ repeats a single run.
func TestLaw(t *testing.T) {
	t.Parallel()
	for i := range *lawRuns {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			underTest.InVirtualTime(t, func(t *testing.T) {
				l := newLawTest(t, i)
				l.run()
				if t.Failed() {
					t.Logf("seed %d, API variants %v:\n%s", *lawSeed, l.names, strings.Join(l.log, "\n"))
				}
			})
		})
	}
}

// A lawTest is one run: a few applies of all blocks, with faults, and a last one
// without.
type lawTest struct {
	t        *testing.T
	env      *acctest.Env
	core     *acctest.Core
	random   *rand.Rand
	names    []string // of the variants
	variants mockapi.Variants
	log      []string
	blocks   []*lawBlock

	history []*lawEvent               // of this walk
	change  *lawChange                // that is being applied
	faults  map[int]string            // of this apply, by the number of the request
	stopped bool                      // Terraform was interrupted
	shown   map[string]map[string]any // services, as the newest responses showed them, by path
	drifted map[string]bool           // "id attribute entry": removed elsewhere since the last refresh
	unknown map[string]bool           // "id attribute": which value the API has cannot be known
}

// A lawBlock is a resource block; core has its state.
type lawBlock struct {
	lawKind
	core             *acctest.Core
	config, previous map[string]any // nil: not in the configuration
	ignored          []string       // by lifecycle.ignore_changes
}

func newLawTest(t *testing.T, i int) *lawTest {
	t.Helper()
	l := &lawTest{t: t, random: rand.New(rand.NewPCG(*lawSeed, uint64(i))), shown: map[string]map[string]any{}, drifted: map[string]bool{}, unknown: map[string]bool{}}
	switch i % 6 {
	case 0: // the plain API
	case 3: // and one that takes all three PATCHes for a new description
		l.names = []string{"add_existing=ignore", "remove_by=source"}
	default:
		l.names = randomVariants(l.random)
	}
	showsLate := slices.Contains(l.names, "stale_services=200ms")
	l.names = slices.DeleteFunc(l.names, func(name string) bool {
		return name == "refuse_foreign_settings" || name == "refuse_extra_setting" || // they refuse what is configured here
			name == "endpoints_always_listed" && showsLate // an endpoint that is listed late looks as if it had been enabled
	})
	l.variants = parseVariants(t, l.names)
	if l.hidesObjects() { // a conflict about a list that is not shown is an error on purpose
		l.variants.AddExisting, l.variants.Missing = mockapi.Upsert, mockapi.AsStored
	}
	l.env = underTest.NewVirtualEnv(l.hook, mockapi.WithVariants(l.variants))
	l.env.AddKey(mockapi.Object{"id": letteredKeyID, "name": "Lettered", "state": "enabled", "roles": []any{"developer"}})
	l.core = l.env.Core(t, map[string]any{"max_retries": 1})
	for _, k := range lawKinds {
		l.blocks = append(l.blocks, &lawBlock{lawKind: k, core: l.core})
	}
	return l
}

// hidesObjects reports whether no read shows a service or a key whole.
func (l *lawTest) hidesObjects() bool {
	return l.variants.RefuseEmptyPatch != 0 || l.variants.SparsePatchResponse
}

func (l *lawTest) errorf(format string, args ...any) {
	l.note("    FAILURE: "+format, args...)
	l.t.Errorf(format, args...)
}

// note adds a line to what a failed run prints.
func (l *lawTest) note(format string, args ...any) {
	l.log = append(l.log, fmt.Sprintf(format, args...))
}

func (l *lawTest) run() {
	for range 4 {
		l.configure()
		if l.random.IntN(2) == 0 {
			l.drift()
		}
		faults := map[int]string{}
		for range l.random.IntN(4) {
			faults[l.random.IntN(10)] = lawFaults(l.random).(string)
		}
		if l.hidesObjects() { // an old response would be all that is known
			maps.DeleteFunc(faults, func(_ int, fault string) bool { return fault == "late" })
		}
		_ = l.apply(l.random.IntN(4) > 0, faults) // it may fail
	}

	l.note("all faults are over")
	l.waitForReads()
	if err := l.apply(true, nil); err != nil {
		l.errorf("the last apply: %v", err)
		return
	}
	l.waitForReads()
	for _, c := range l.plan(true) {
		diffs, _ := c.plan.Planned.Diff(l.core.Instance(c.block.name).State)
		l.errorf("the last plan of %s changes %v", c.block.name, diffs)
	}
	for _, b := range l.blocks {
		if b.config != nil {
			l.hasTheConfiguredValues(b)
		}
	}
}

// waitForReads waits until reads show the newest values.
func (l *lawTest) waitForReads() {
	time.Sleep(time.Minute)
	readUntilNew(l.t, l.core, "pipe_scaling", l.variants)
}

// walk begins a walk.
func (l *lawTest) walk() {
	l.core.Walk()
	l.history = nil
}

// apply is one run of Terraform: a walk that plans everything and one that
// applies the plan, each with a provider process of its own.
func (l *lawTest) apply(refresh bool, faults map[int]string) (failed error) {
	l.note("apply (refresh: %v, faults: %v)", refresh, faults)
	changes := l.plan(refresh)
	if faults != nil {
		l.driftAfterPlan(changes)
	}
	l.walk()
	l.faults, l.stopped = faults, false
	l.random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	for _, c := range changes {
		for ; c != nil && !l.stopped; c = c.next {
			if err := l.perform(c); err != nil {
				failed = err
				break
			}
		}
	}
	l.faults = nil
	return failed
}

// plan refreshes and plans all blocks, in any order, and returns the changes.
func (l *lawTest) plan(refresh bool) (changes []*lawChange) {
	l.walk()
	for _, i := range l.random.Perm(len(l.blocks)) {
		b := l.blocks[i]
		if refresh {
			if err := l.core.Refresh(b.name); err != nil {
				l.errorf("refreshing %s: %v", b.name, err)
			}
		}
		if b.state() == nil && b.config == nil {
			continue
		}
		config := b.plannedConfig()
		p, err := l.core.Plan(b.name, l.core.Config(b.name, config))
		if err != nil && (strings.HasPrefix(err.Error(), "Entry exists already") || strings.HasPrefix(err.Error(), "Adoption would remove entries")) {
			p, err = l.planImported(b, config)
			config = b.plannedConfig() // what is ignored is as imported
		}
		if err != nil {
			l.errorf("planning %s: %v", b.name, err)
		} else if p.ApplyConfig = l.core.Config(b.name, b.config); p.Replaces || !p.Planned.Equal(l.core.Instance(b.name).State) {
			changes = append(changes, newLawChange(b, config, p))
		}
	}
	if refresh {
		l.drifted = map[string]bool{}
	}
	return changes
}

// planImported imports an entry that exists, or an object with entries that the
// configuration lacks, in place of what the block has, and plans it.
func (l *lawTest) planImported(b *lawBlock, config map[string]any) (acctest.Plan, error) {
	id := b.idIn(config)
	if b.name == entryKind {
		id = fmt.Sprint(config["service_id"], "/", config["source"])
	}
	l.note("  %s %s is imported", b.name, id)
	if err := l.core.Import(b.name, id); err != nil {
		return acctest.Plan{}, err
	}
	return l.core.Plan(b.name, l.core.Config(b.name, b.plannedConfig()))
}

// perform applies a change.
func (l *lawTest) perform(c *lawChange) error {
	c.before, l.change = l.env.Object(c.block.object, c.id), c
	apply := l.core.Apply
	if c.next != nil {
		apply = l.core.Destroy
	}
	err := apply(c.block.name, c.plan)
	l.change = nil
	l.note("  %s: %v", c.block.name, err)
	l.losesNoEntry(c, err)
	if c.block.name == entryKind {
		l.leavesTheEntry(c, err)
	}
	l.recordUnknown(c, err)
	return err
}

// state is what Terraform has in its state.
func (b *lawBlock) state() map[string]any {
	state, _ := acctest.Plain(b.core.Instance(b.name).State).(map[string]any)
	return state
}

// plannedConfig is the configuration that Terraform plans: what ignore_changes names
// is as the state has it.
func (b *lawBlock) plannedConfig() map[string]any {
	state := b.state()
	if state == nil || b.config == nil || b.idIn(state) != b.idIn(b.config) {
		return b.config
	}
	config := maps.Clone(b.config)
	for _, name := range b.ignored {
		config[name] = state[name]
	}
	return config
}
