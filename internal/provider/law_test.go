package provider

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

var (
	lawSeed = flag.Uint64("law-seed", 1, "seed of TestLaw: go test ./internal/provider -run TestLaw -args -law-seed=N")
	lawRuns = flag.Int("law-runs", 48, "number of runs of TestLaw")
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
	cancel  context.CancelFunc        // of the calls of an apply
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
	case 3: // and one that takes three PATCHes for a new description
		l.names = []string{"add_existing=ignore", "remove_by=source"}
	default:
		l.names = randomVariants(l.random)
	}
	l.names = slices.DeleteFunc(l.names, func(name string) bool {
		return name == "refuse_foreign_settings" || name == "refuse_extra_setting" // they refuse what is configured here
	})
	l.variants = parseVariants(t, l.names)
	if l.hidesObjects() { // a conflict about a list that is not shown is an error on purpose
		l.variants = withoutQuestions(l.variants, "add_existing", "missing")
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
	return l.variants.Value("refuse_empty_patch") != "" || l.variants.Has("sparse_patch_response")
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
	l.variants = withoutQuestions(l.variants, "lost_read")
	l.env.SetVariants(l.variants)
	if err := l.apply(true, nil); err != nil {
		// An entry that no read shows, and that exists with another description, is one on purpose.
		if !l.hidesObjects() || !strings.Contains(err.Error(), "The API accepted the change to description but returns") {
			l.errorf("the last apply: %v", err)
		}
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
	readUntilNew(l.core, "pipe_scaling", l.variants)
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
	l.core.Context, l.cancel = context.WithCancel(l.t.Context())
	defer func() { l.cancel(); l.core.Context = l.t.Context() }()
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
	l.env.SetVariants(withoutQuestions(l.variants, "lost_read")) // no plan waits for a read that is lost
	defer l.env.SetVariants(l.variants)
	l.walk()
	for _, i := range l.random.Perm(len(l.blocks)) {
		b := l.blocks[i]
		if refresh {
			err := l.core.Refresh(b.name)
			if l.variants.Value("late") != "" && strings.Contains(fmt.Sprint(err), "returns none of the attributes") {
				l.waitForReads()
				l.walk()
				err = l.core.Refresh(b.name)
			}
			if err != nil {
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

// A lawChange is what a plan does with one object: what an apply may send.
type lawChange struct {
	block          *lawBlock
	id             string // of the object
	plan           acctest.Plan
	prior, planned map[string]any // a prior of nil is a creation
	config         map[string]any // as it was planned
	destroys       bool           // sends nothing
	next           *lawChange     // the creation that completes a replacement

	before map[string]any // the object before the change
	events []*lawEvent    // during the change
}

// newLawChange returns a planned change; for a replacement, the destroy and what
// follows it.
func newLawChange(b *lawBlock, config map[string]any, p acctest.Plan) *lawChange {
	prior := b.state()
	c := &lawChange{block: b, plan: p, prior: prior, config: config}
	if c.planned, _ = acctest.Plain(p.Planned).(map[string]any); p.Replaces {
		c.prior = nil
	}
	if c.id = b.idIn(c.planned); c.planned != nil && !p.Replaces {
		return c
	}
	destroy := &lawChange{block: b, id: b.idIn(prior), plan: p, destroys: true}
	if p.Replaces {
		destroy.next = c
	}
	return destroy
}

func (c *lawChange) creates() bool { return c.prior == nil && !c.destroys }

// changes reports whether the plan changes an attribute.
func (c *lawChange) changes(name string) bool {
	if c.prior == nil {
		return c.config[name] != nil
	}
	return !reflect.DeepEqual(c.prior[name], c.planned[name])
}

// changesEntry reports whether the plan changes an entry of a list. A creation
// replaces the list; an update of a list that no plan has shown only adds to it.
func (c *lawChange) changesEntry(name, source string) bool {
	before, had := entriesOf(c.prior[name])[source]
	after, has := entriesOf(c.planned[name])[source]
	return c.prior == nil || had != has || before != after
}

// A lawEvent is a request.
type lawEvent struct {
	acctest.Call
	fault  string
	body   map[string]any
	before map[string]any // the object before it
	status int            // of the response, 0 if it was lost
	shown  map[string]any // by the response
}

// last returns the index of the newest event like this, -1 for none.
func last(events []*lawEvent, like func(*lawEvent) bool) int {
	for i, e := range slices.Backward(events) {
		if like(e) {
			return i
		}
	}
	return -1
}

func (e *lawEvent) isLost() bool { return e.status == 0 || e.status == http.StatusServiceUnavailable }

func (e *lawEvent) isHidden() bool { return !e.Writes() && e.status == http.StatusBadRequest }

func (e *lawEvent) isLate() bool { return e.Writes() && e.fault == "late" }

func (e *lawEvent) hasDrift() bool { return e.fault == "drift" }

func (e *lawEvent) isAbout(id string) bool { return strings.Contains(strings.ToLower(e.Path), id) }

// A lawEntry is an entry of one of the service's lists.
type lawEntry struct{ list, source, description string }

func (e lawEntry) isAt(other lawEntry) bool { return e.list == other.list && e.source == other.source }

// entries are those that a request adds to the lists of the service, or removes.
func (e *lawEvent) entries(verb string) (all []lawEntry) {
	for _, list := range lawLists {
		change, _ := e.body[camel(list)].(map[string]any)
		eachEntry(change[verb], func(source, description string) { all = append(all, lawEntry{list, source, description}) })
	}
	return all
}

// removesKept reports whether a request removes an address that the plan keeps.
func (e *lawEvent) removesKept(c *lawChange) bool {
	return slices.ContainsFunc(e.entries("remove"), func(entry lawEntry) bool { return has(c.planned[entry.list], entry.source) })
}

// isFaultySinceRemoval reports whether something has failed since a request removed an
// address that stays.
func (c *lawChange) isFaultySinceRemoval() bool {
	i := slices.IndexFunc(c.events, func(e *lawEvent) bool { return e.removesKept(c) })
	return i >= 0 && slices.ContainsFunc(c.events[i:], func(e *lawEvent) bool {
		return e.fault != "" && e.fault != "late" && e.fault != "drift"
	})
}

// shownKey is a key as the newest read of this walk has shown it.
func (l *lawTest) shownKey(id string) map[string]any {
	i := last(l.history, func(e *lawEvent) bool { return !e.Writes() && e.isAbout(id) && e.status > 0 })
	if i < 0 {
		return nil
	}
	return l.history[i].shown
}

// isStale reports whether responses to a change may have shown old lists.
func (l *lawTest) isStale(c *lawChange) bool {
	return l.variants.Value("stale_services") != "" || slices.ContainsFunc(c.events, (*lawEvent).isLate)
}

// recordUnknown notes, after a change, what cannot be known of a list of the service
// that no read shows: the change failed, or could only add. An API can also forget an
// unmanaged setting.
func (l *lawTest) recordUnknown(c *lawChange, err error) {
	for _, name := range lawLists {
		onlyAdds := !c.creates() && c.prior[name] == nil
		if c.block.name == "service" && l.hidesObjects() && c.changes(name) && (err != nil || onlyAdds) {
			l.unknown[c.id+" "+name] = true
		}
	}
	if c.block.name == entryKind && l.hidesObjects() && err != nil {
		l.unknown[c.id+" "+c.ownSource()] = true
	}
	isRefused := func(e *lawEvent) bool { return e.status == http.StatusBadRequest }
	if c.block.name == "pipe_settings" && l.variants.Has("settings_put=forget") && slices.ContainsFunc(c.events, isRefused) {
		for name := range c.block.attributes { // the second PUT may have left out what the source does not use
			l.unknown[c.id+" "+name] = l.unknown[c.id+" "+name] || c.config[name] == nil
		}
	}
}

// has reports whether a list in any form has an entry.
func has(list any, source string) bool {
	_, ok := entriesOf(list)[source]
	return ok
}

// entriesOf is a list in any form, as a map from what identifies an entry to its
// description, in NFC. An address that is listed twice has both descriptions.
func entriesOf(list any) map[string]string {
	entries := map[string]string{}
	eachEntry(list, func(source, description string) {
		if other, ok := entries[source]; ok && other != description {
			description = min(other, description) + " | " + max(other, description)
		}
		entries[source] = description
	})
	return entries
}

func eachEntry(list any, visit func(source, description string)) {
	switch list := list.(type) {
	case map[string]any:
		for source, description := range list {
			visit(api.CanonicalAddress(source), description.(string))
		}
	case []any:
		for _, one := range list {
			if entry, ok := one.(map[string]any); ok {
				description, _ := entry["description"].(string)
				visit(api.CanonicalAddress(entry["source"].(string)), norm.NFC.String(description))
			} else {
				visit(one.(string), "")
			}
		}
	}
}
