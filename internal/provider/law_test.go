package provider

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

var (
	lawSeed = flag.Uint64("law-seed", 1, "what TestLaw begins from: go test ./internal/provider -run TestLaw -args -law-seed=N")
	lawRuns = flag.Int("law-runs", 80, "how many runs TestLaw has")
)

// TestLaw holds random runs to the law that an apply does what its plan shows:
// each member of a request that writes was a planned change, no entry of a list
// is lost on the way, and once all faults are over, one apply leads to the
// configuration and an empty plan. A failure names its run: -run TestLaw/N$.
func TestLaw(t *testing.T) {
	t.Parallel()
	var runs []int
	for i := range *lawRuns {
		runs = append(runs, i)
	}
	inParallel(runs, func(i int) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			r := newLawRun(t, i)
			defer func() {
				if t.Failed() {
					t.Logf("seed %d, API variants %v:\n%s", *lawSeed, r.variants, strings.Join(r.log, "\n"))
				}
			}()
			r.run()
		})
	})
}

// A lawRun is one env through a few applies. The hook, which has its own
// goroutine, and the run share what is below the mutex.
type lawRun struct {
	t        *testing.T
	w        *env
	c        *core
	random   *rand.Rand
	variants []string
	blind    bool // responses do not show a service or key whole
	echo     bool

	config  map[string]map[string]any
	ignored map[string][]string

	log []string

	mu       sync.Mutex
	intent   *intent         // of the resource that is being applied
	events   map[int]string  // by the number of the request in this apply
	requests int             // in this apply
	stopped  bool            // Terraform was interrupted
	drifted  map[string]bool // entries of lists that drift removed since the last refresh
	settings map[string]any  // of the pipe, as the last read has shown them
	latest   string          // operation of this apply
	lists    map[string]any  // of the service, as responses have shown them
	late     int             // responses that still show them
}

func newLawRun(t *testing.T, i int) *lawRun {
	t.Helper()
	r := &lawRun{
		t: t, random: rand.New(rand.NewPCG(*lawSeed, uint64(i))),
		config: map[string]map[string]any{}, ignored: map[string][]string{}, drifted: map[string]bool{},
	}
	if i%3 > 0 { // a third of the runs have the plain API
		r.variants = slices.DeleteFunc(randomVariants(r.random), func(name string) bool {
			return name == "refuse_foreign_settings" || name == "refuse_extra_setting" // they refuse what is configured here, for ever
		})
	}
	variants, err := mockapi.ParseVariants(r.variants...)
	if err != nil {
		t.Fatal(err)
	}
	r.blind = variants.RefuseEmptyPatch != 0 || variants.SparsePatchResponse
	r.echo = variants.EchoWriteOnly
	if r.blind { // lists converge only where they are shown, and an empty one that is left out is not
		variants.AddExisting = mockapi.Upsert
		if variants.Missing == mockapi.AsAbsent {
			variants.Missing = mockapi.AsStored
		}
	}
	r.w = newHookedEnv(t, r.hook, mockapi.WithVariants(variants))
	r.c = r.w.coreOf(t, map[string]any{"max_retries": 1})
	return r
}

// fail reports a breach of the law.
func (r *lawRun) fail(format string, args ...any) {
	r.note("    BREACH: "+format, args...)
	r.t.Errorf(format, args...)
}

// note adds to what a run that fails tells of itself.
func (r *lawRun) note(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

// shows tells whether drift of an attribute can be seen.
func (r *lawRun) shows(kind, name string) bool {
	switch name {
	case "state", "release_channel", "endpoints_enabled":
		return r.echo && !r.blind
	}
	return !r.blind || strings.HasPrefix(kind, "pipe_")
}

func (r *lawRun) drift() {
	k := lawKinds[r.random.IntN(len(lawKinds))]
	before := r.w.Object(k.object, k.id)
	r.note("  drift: %s", k.drift(r.random, r.w, r.shows))
	for _, name := range k.lists() {
		now := entriesOf(r.w.Object(k.object, k.id)[camel(name)])
		for source := range entriesOf(before[camel(name)]) {
			if _, stays := now[source]; !stays {
				r.drifted[name+" "+source] = true
			}
		}
	}
}

func (r *lawRun) run() {
	for range 3 {
		r.begin()
		events := map[int]string{}
		for range r.random.IntN(3) {
			events[r.random.IntN(10)] = choice("drift", "drift", "lost", "cut", "400", "403", "409", "503", "stop", "stop acted on", "late", "late")(r.random).(string)
		}
		_ = r.apply(r.random.IntN(4) > 0, events) // it may fail
	}

	r.note("all faults are over")
	r.outwait()
	if err := r.apply(true, nil); err != nil {
		r.fail("the last apply: %v", err)
		return
	}
	r.outwait()
	r.c.walk()
	for _, k := range lawKinds {
		if err := r.c.refresh(k.name); err != nil {
			r.fail("%v", err)
			return
		}
		state := r.c.instance(k.name).state
		config := r.planned(k)
		p, err := r.c.plan(k.name, r.c.config(k.name, config))
		if err != nil || !p.planned.Equal(state) {
			diffs, _ := p.planned.Diff(state)
			r.fail("the last plan of %s changes %v (%v)", k.name, diffs, err)
		}
		r.has(k, config)
	}
}

// outwait uses up late responses.
func (r *lawRun) outwait() {
	for range 4 {
		r.c.walk()
		if err := r.c.refresh("pipe_scaling"); err != nil {
			r.fail("%v", err)
		}
	}
}

// begin has another configuration, and perhaps drift.
func (r *lawRun) begin() {
	for _, k := range lawKinds {
		r.config[k.name], r.ignored[k.name] = k.configuration(r.random, r.config[k.name])
		r.note("%s: %v ignoring %v", k.name, r.config[k.name], r.ignored[k.name])
	}
	if r.random.IntN(2) == 0 {
		r.drift()
	}
}

// planned is the configuration that Terraform plans.
func (r *lawRun) planned(k lawKind) map[string]any {
	state := r.c.instance(k.name).state
	if state.IsNull() {
		return r.config[k.name]
	}
	return ignoring(r.config[k.name], plain(state).(map[string]any), r.ignored[k.name])
}

// apply is one run of Terraform, whose plan may be a saved one: each walk has a
// provider process of its own.
func (r *lawRun) apply(refresh bool, events map[int]string) (failed error) {
	r.note("apply (refresh: %v, events: %v)", refresh, events)
	r.c.walk()
	plans, intents := map[string]plan{}, map[string]*intent{}
	for _, k := range lawKinds {
		if refresh {
			if err := r.c.refresh(k.name); err != nil {
				r.fail("refreshing %s: %v", k.name, err)
				return err
			}
		}
		state, config := r.c.instance(k.name).state, r.planned(k)
		p, err := r.c.plan(k.name, r.c.config(k.name, config))
		if err != nil {
			r.fail("planning %s: %v", k.name, err)
			return err
		}
		if p.planned.Equal(state) {
			continue
		}
		p.whole = r.c.config(k.name, r.config[k.name])
		plans[k.name] = p
		i := &intent{kind: k, creates: state.IsNull(), config: config, planned: plain(p.planned).(map[string]any)}
		i.prior, _ = plain(state).(map[string]any)
		intents[k.name] = i
	}
	if refresh {
		r.drifted = map[string]bool{}
	}
	if events != nil && r.random.IntN(2) == 0 {
		r.drift()
	}

	r.c.walk()
	r.events, r.requests, r.stopped = events, 0, false
	for _, k := range lawKinds {
		p, ok := plans[k.name]
		if !ok || r.stopped {
			continue
		}
		r.set(intents[k.name])
		before := map[string]map[string]string{}
		for _, name := range k.lists() {
			before[name] = r.entries(name)
			if !r.intent.creates {
				maps.DeleteFunc(before[name], func(source, _ string) bool { _, had := entriesOf(r.intent.prior[name])[source]; return !had })
			}
		}
		err := r.c.apply(k.name, p)
		r.note("  %s: %v", k.name, err)
		r.keeps(before, err)
		r.set(nil)
		if err != nil {
			failed = err
		}
	}
	r.events = nil
	return failed
}

func (r *lawRun) set(i *intent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.intent, r.late, r.latest = i, 0, ""
}

// hook plays the events of an apply, and judges what is written.
func (r *lawRun) hook(w http.ResponseWriter, c call) bool {
	event := r.look(c)
	switch status, _ := strconv.Atoi(event); {
	case status > 0:
		c.fail(w, status)
	case event == "lost":
		recordPass(c)
		c.fail(w, http.StatusBadGateway)
	case event == "cut":
		recordPass(c)
		panic(http.ErrAbortHandler)
	case event == "stop acted on":
		recordPass(c)
		fallthrough
	case event == "stop":
		stop(r.t, r.c.server)
		select {
		case <-c.request.Context().Done():
		case <-time.After(2 * time.Second):
		}
		panic(http.ErrAbortHandler)
	case c.operation == "updateService":
		r.showLate(w, c)
	default:
		return false
	}
	return true
}

// look judges a request and returns what is to happen to it.
func (r *lawRun) look(c call) (event string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.intent != nil {
		event = r.events[r.requests]
		r.requests++
	}
	r.note("    %s %s %s", c.operation, c.body, event)
	switch {
	case event == "drift":
		r.drift()
	case strings.HasPrefix(event, "stop"):
		r.stopped = true
	case event == "late" && c.writes():
		r.late = 3
	}
	if c.writes() {
		r.judge(c)
	}
	if c.operation == "getPipe" {
		r.settings = decoded(r.w.Object(mockapi.Pipe, mockapi.KafkaPipeID)["settings"].(map[string]any))
	}
	r.latest = c.operation
	return event
}

// showLate responds with the service's lists as they were shown before, while
// that is to be.
func (r *lawRun) showLate(w http.ResponseWriter, c call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	recorded := recordPass(c)
	var envelope map[string]any
	_ = json.Unmarshal(recorded.Body.Bytes(), &envelope)
	result, ok := envelope["result"].(map[string]any)
	if !ok || r.late == 0 || r.lists == nil {
		r.lists = result
		copyResponse(w, recorded, recorded.Body.Bytes())
		return
	}
	r.late--
	for _, name := range []string{"ipAccessList", "privateEndpointIds"} {
		if _, shown := result[name]; shown && r.lists[name] != nil {
			result[name] = r.lists[name]
		}
	}
	body, _ := json.Marshal(envelope)
	copyResponse(w, recorded, body)
}

// decoded is an object with numbers as a request's body has them.
func decoded(object map[string]any) (plain map[string]any) {
	body, _ := json.Marshal(object)
	_ = json.Unmarshal(body, &plain)
	return plain
}
