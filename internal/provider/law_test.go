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
	"testing/synctest"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

var (
	lawSeed = flag.Uint64("law-seed", 1, "seed of TestLaw: go test ./internal/provider -run TestLaw -args -law-seed=N")
	lawRuns = flag.Int("law-runs", 80, "number of runs of TestLaw")
)

// TestLaw checks in random runs that an apply does what its plan shows: each
// member of a request that writes was a planned change, no list entry is lost,
// and once all faults are over, one apply leads to the configured values and an
// empty plan. -run TestLaw/N$ repeats a single run.
func TestLaw(t *testing.T) {
	t.Parallel()
	underTest.Schemas(t) // cached for all bubbles
	for i := range *lawRuns {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLawTest(t, i)
				l.run()
				if t.Failed() {
					t.Logf("seed %d, API variants %v:\n%s", *lawSeed, l.names, strings.Join(l.log, "\n"))
				}
			})
		})
	}
}

// A lawTest is one run: a few applies of all four kinds, with faults, and a
// last one without.
type lawTest struct {
	t        *testing.T
	env      *acctest.Env
	core     *acctest.Core
	random   *rand.Rand
	names    []string // of the variants
	variants mockapi.Variants
	log      []string

	config   map[string]map[string]any
	previous map[string]map[string]any
	ignored  map[string][]string // by lifecycle.ignore_changes

	unmanaged map[string]bool // "kind.attribute": the last apply left it out

	requests     map[int]string  // faults of this apply, by the number of the request
	sent         int             // requests of this apply
	stopped      bool            // Terraform was interrupted
	drifted      map[string]bool // list entries that drift removed since the last refresh
	unknownLists map[string]bool // lists of the service that nobody knows any more
	update       *lawUpdate      // of the resource that is being applied
	shown        map[string]any  // the service, as the newest response showed it
}

func newLawTest(t *testing.T, i int) *lawTest {
	t.Helper()
	l := &lawTest{
		t: t, random: rand.New(rand.NewPCG(*lawSeed, uint64(i))),
		config: map[string]map[string]any{}, previous: map[string]map[string]any{}, ignored: map[string][]string{},
		drifted: map[string]bool{}, unknownLists: map[string]bool{}, unmanaged: map[string]bool{},
	}
	switch i % 6 {
	case 0: // the plain API
	case 3: // and one under which a new description takes a removal
		l.names = []string{"add_existing=refuse"}
	default:
		l.names = slices.DeleteFunc(randomVariants(l.random), func(name string) bool {
			return name == "refuse_foreign_settings" || name == "refuse_extra_setting" // they refuse what is configured here
		})
	}
	if slices.Contains(l.names, "stale_services=200ms") { // an endpoint that is listed late looks as if it had been enabled
		l.names = slices.DeleteFunc(l.names, func(name string) bool { return name == "endpoints_always_listed" })
	}
	var err error
	if l.variants, err = mockapi.ParseVariants(l.names...); err != nil {
		t.Fatal(err)
	}
	if l.hidesObjects() { // a conflict about a list that is not shown is an error on purpose
		l.variants.AddExisting = mockapi.Upsert
		if l.variants.Missing == mockapi.AsAbsent {
			l.variants.Missing = mockapi.AsStored
		}
	}
	l.env = underTest.NewVirtualEnv(l.hook, mockapi.WithVariants(l.variants))
	l.core = l.env.Core(t, map[string]any{"max_retries": 1})
	return l
}

// hidesObjects reports whether no read shows a service or a key whole.
func (l *lawTest) hidesObjects() bool {
	return l.variants.RefuseEmptyPatch != 0 || l.variants.SparsePatchResponse
}

// isUnconfirmable reports whether no response shows what a write has done.
func (l *lawTest) isUnconfirmable() bool {
	return l.hidesObjects() && (l.variants.StaleServices > 0 || l.variants.StaleKeys > 0)
}

// canDrift reports whether a change of an attribute elsewhere matters: either
// reads show it, or it is not managed, so that setting it again overwrites it.
func (l *lawTest) canDrift(kind, name string) bool {
	if isNotReturned(name) {
		return l.variants.EchoWriteOnly && !l.hidesObjects() || l.unmanaged[kind+"."+name]
	}
	return !l.hidesObjects() || strings.HasPrefix(kind, "pipe_")
}

func isNotReturned(name string) bool {
	return name == "state" || name == "release_channel" || name == "endpoints_enabled"
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
	for range 3 {
		l.configure()
		if l.random.IntN(2) == 0 {
			l.drift()
		}
		faults := map[int]string{}
		for range l.random.IntN(4) {
			faults[l.random.IntN(10)] = lawFaults(l.random).(string)
		}
		_ = l.apply(l.random.IntN(4) > 0, faults) // it may fail
	}

	l.note("all faults are over")
	l.waitForReads()
	err := l.apply(true, nil)
	if err != nil && l.isUnconfirmable() { // writing the same again can be confirmed
		l.waitForReads()
		err = l.apply(true, nil)
	}
	if err != nil {
		l.errorf("the last apply: %v", err)
		return
	}
	l.waitForReads()
	l.core.Walk()
	for _, k := range lawKinds {
		if err := l.core.Refresh(k.name); err != nil {
			l.errorf("%v", err)
			return
		}
		state, config := l.core.Instance(k.name).State, l.plannedConfig(k)
		p, err := l.core.Plan(k.name, l.core.Config(k.name, config))
		if err != nil || !p.Planned.Equal(state) {
			diffs, _ := p.Planned.Diff(state)
			l.errorf("the last plan of %s changes %v (%v)", k.name, diffs, err)
		}
		l.checkObject(k, config)
	}
}

// waitForReads waits until reads show the newest values.
func (l *lawTest) waitForReads() {
	time.Sleep(time.Minute)
	for range l.variants.LateReads {
		l.core.Walk()
		if err := l.core.Refresh("pipe_scaling"); err != nil {
			l.errorf("%v", err)
		}
	}
}

// configure chooses the next configuration. It may be the one before the last,
// as after a git revert.
func (l *lawTest) configure() {
	for _, k := range lawKinds {
		l.driftUnmanaged(k)
		before := l.config[k.name]
		if reverted := l.previous[k.name]; reverted != nil && l.random.IntN(3) == 0 {
			l.config[k.name], l.ignored[k.name] = reverted, nil
		} else {
			l.config[k.name], l.ignored[k.name] = k.configuration(l.random, before)
		}
		l.previous[k.name] = before
		for name := range l.config[k.name] {
			l.unmanaged[k.name+"."+name] = false
		}
		l.note("%s: %v ignoring %v", k.name, l.config[k.name], l.ignored[k.name])
	}
}

// plannedConfig is the configuration that Terraform plans: ignore_changes
// replaces values in it.
func (l *lawTest) plannedConfig(k lawKind) map[string]any {
	state := l.core.Instance(k.name).State
	if state.IsNull() {
		return l.config[k.name]
	}
	return ignoring(l.config[k.name], acctest.Plain(state).(map[string]any), l.ignored[k.name])
}

// apply is one run of Terraform: a walk that plans everything and one that
// applies the plan, each with a provider process of its own.
func (l *lawTest) apply(refresh bool, faults map[int]string) (failed error) {
	l.note("apply (refresh: %v, faults: %v)", refresh, faults)
	l.core.Walk()
	plans, updates := map[string]acctest.Plan{}, map[string]*lawUpdate{}
	for _, k := range lawKinds {
		if refresh {
			if err := l.core.Refresh(k.name); err != nil {
				l.errorf("refreshing %s: %v", k.name, err)
				return err
			}
		}
		state, config := l.core.Instance(k.name).State, l.plannedConfig(k)
		p, err := l.core.Plan(k.name, l.core.Config(k.name, config))
		if err != nil {
			l.errorf("planning %s: %v", k.name, err)
			return err
		}
		if p.Planned.Equal(state) {
			l.recordUnmanaged(k)
			continue
		}
		p.ApplyConfig = l.core.Config(k.name, l.config[k.name])
		plans[k.name] = p
		updates[k.name] = newLawUpdate(k, config, acctest.Plain(state), acctest.Plain(p.Planned))
	}
	if refresh {
		l.drifted = map[string]bool{}
	}
	if faults != nil && l.random.IntN(2) == 0 {
		l.drift()
	}

	l.core.Walk()
	l.requests, l.sent, l.stopped = faults, 0, false
	for _, k := range lawKinds {
		if updates[k.name] == nil || l.stopped {
			continue
		}
		l.update = updates[k.name]
		before := l.entriesBefore()
		err := l.core.Apply(k.name, plans[k.name])
		l.note("  %s: %v", k.name, err)
		l.checkKept(before, err)
		l.recordUnknownLists(err)
		if err == nil {
			l.recordUnmanaged(k)
		} else {
			failed = err
		}
		l.update = nil
	}
	l.requests = nil
	return failed
}

// recordUnmanaged notes which attributes an apply that succeeded left out.
func (l *lawTest) recordUnmanaged(k lawKind) {
	for name := range k.attributes {
		l.unmanaged[k.name+"."+name] = l.config[k.name][name] == nil
	}
}

// entriesBefore are the list entries that are both in the API and in the state
// before an update.
func (l *lawTest) entriesBefore() map[string]map[string]string {
	before := map[string]map[string]string{}
	for _, name := range l.update.kind.lists() {
		before[name] = l.entries(name)
		if !l.update.creates {
			prior := entriesOf(l.update.prior[name])
			maps.DeleteFunc(before[name], func(source, _ string) bool { _, had := prior[source]; return !had })
		}
	}
	return before
}
