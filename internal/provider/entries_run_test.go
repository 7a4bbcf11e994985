package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A scenarioRun is a scenario under way.
type scenarioRun struct {
	entryScenario
	t       *testing.T
	env     *acctest.Env
	cores   []*acctest.Core
	deposed []*acctest.Core  // what replacements with create_before_destroy have left
	restore []func()         // what they have deposed without a creation, as Terraform does
	queues  [][]func() error // what is left to do for each block
	errs    []error
	applies bool // requests count
	number  int  // of the next request
	stopped bool
	cancel  context.CancelFunc // of the calls of an apply
}

// check runs a scenario, unless one with the same calls was seen. It returns how it ended,
// and how many requests the apply sent.
func (s entryScenario) check(t *testing.T, seen map[string]bool) (outcome string, requests int) {
	t.Helper()
	r := &scenarioRun{entryScenario: s, t: t}
	r.env = underTest.NewVirtualEnv(r.hook)
	r.begin()
	before := r.list()
	for _, err := range r.plan() {
		if err == nil {
			continue
		}
		if !isRefusal(err) {
			t.Error(err)
		}
		r.env.ExpectOnlyReads(t)
		return "refused in the plan", 0
	}
	r.skipIdleSteps()
	key := fmt.Sprint(r.entryScenario)
	if seen[key] {
		return "repeated", 0
	}
	seen[key] = true
	r.apply()
	requests = r.number
	r.leavesOthers(before)
	if len(r.errs) > 0 || r.stopped {
		r.agrees(before)
		outcome = "failed in the apply"
	} else {
		r.isReached()
		outcome = "applied"
	}
	if r.converge() && !t.Failed() && (s.api == "shown" || s.fault == "") {
		r.isReached()
	}
	return outcome, requests
}

// skipIdleSteps leaves out the steps of blocks that have nothing left to do.
func (r *scenarioRun) skipIdleSteps() {
	done := make([]int, len(r.blocks))
	r.steps = slices.DeleteFunc(slices.Clone(r.steps), func(i int) bool {
		done[i]++
		return done[i] > len(r.queues[i])
	})
}

// begin gives the blocks their states.
func (r *scenarioRun) begin() {
	r.cores = siblings(r.t, r.env, len(r.blocks))
	r.setList("abc")
	for i, b := range r.blocks {
		if b.has != "" {
			r.importEntry(i, b.has)
		}
	}
	r.setList(r.entryScenario.list)
	if r.api == "hidden" {
		r.env.SetVariants(mockapi.Variants{RefuseEmptyPatch: 405})
	}
}

func (r *scenarioRun) setList(names string) {
	entries := []string{"10.0.0.0/8 theirs"}
	for _, name := range []byte(names) {
		entries = append(entries, scenarioEntries[name])
	}
	setEntries(r.env, entries...)
}

func (r *scenarioRun) importEntry(block int, name string) {
	source, _, _ := strings.Cut(scenarioEntries[name[0]], " ")
	if err := r.cores[block].Import(entryKind, mockapi.ServiceID+"/"+source); err != nil {
		r.t.Error(err)
	}
}

// list is the list that the API has: descriptions by source.
func (r *scenarioRun) list() map[string]string {
	return entriesOf(r.env.Object(mockapi.Service, mockapi.ServiceID)["ipAccessList"])
}

// hook plays the fault, and leaves the list out of responses.
func (r *scenarioRun) hook(w http.ResponseWriter, c acctest.Call) bool {
	if r.applies {
		r.number++
		if r.number-1 == r.at {
			switch r.fault {
			case "503":
				c.Fail(w, http.StatusServiceUnavailable)
				return true
			case "403":
				c.Fail(w, http.StatusForbidden)
				return true
			case "lost":
				c.Record()
				panic(http.ErrAbortHandler)
			case "stop":
				r.stopped = true
				r.cancel()
			}
		}
	}
	return false
}

func (r *scenarioRun) config(block int) map[string]any {
	wants := r.blocks[block].wants
	if wants == "" {
		return nil
	}
	source, description, _ := strings.Cut(scenarioEntries[wants[0]], " ")
	return onEntry(source, description)[entryKind]
}

// plan refreshes and plans all blocks, and queues what the apply does for each. It returns
// the errors by block.
func (r *scenarioRun) plan() []error {
	r.env.ResetRequests()
	walk(r.cores)
	for _, i := range r.order {
		if err := r.cores[i].Refresh(entryKind); err != nil {
			r.t.Error(err)
		}
	}
	r.queues = make([][]func() error, len(r.blocks))
	errs := make([]error, len(r.blocks))
	for _, i := range r.order {
		errs[i] = r.planBlock(i)
	}
	return errs
}

// isRefusal reports whether a plan failed because of an entry that exists or is kept.
func isRefusal(err error) bool {
	return strings.HasPrefix(err.Error(), existsAlready) || strings.HasPrefix(err.Error(), removedAndKept)
}

func (r *scenarioRun) planBlock(i int) error {
	c, how := r.cores[i], r.blocks[i].how
	has, config := *c.Instance(entryKind), c.Config(entryKind, r.config(i))
	if has.State.IsNull() && config.IsNull() {
		return nil
	}
	plan := c.Plan
	switch {
	case how == "replace" && !has.State.IsNull():
		plan = c.PlanReplace
	case how == "taint":
		c.ForgetAll()
	}
	p, err := plan(entryKind, config)
	*c.Instance(entryKind) = has
	if err != nil {
		return err
	}
	var again acctest.Plan
	destroy := func() error { return c.Destroy(entryKind, p) }
	replan := func() (err error) {
		again, err = c.Plan(entryKind, config)
		return err
	}
	create := func() error { return c.ApplyPlanned(entryKind, again) }
	switch {
	case p.Planned.IsNull():
		r.queues[i] = []func() error{destroy}
	case has.State.IsNull():
		r.queues[i] = []func() error{replan, create}
	case how == "create first" && p.Replaces:
		r.queues[i] = r.createFirst(c, p, has, replan, create)
	case p.Replaces || how == "taint":
		r.queues[i] = []func() error{destroy, replan, create}
	case !p.Planned.Equal(has.State):
		r.queues[i] = []func() error{replan, create}
	}
	return nil
}

// createFirst is a replacement with create_before_destroy.
func (r *scenarioRun) createFirst(c *acctest.Core, p acctest.Plan, has acctest.Instance, replan, create func() error) []func() error {
	old, isCreated := c.Sibling(), false
	depose := func() error {
		c.ForgetAll()
		r.restore = append(r.restore, func() {
			if !isCreated {
				*c.Instance(entryKind) = has
			}
		})
		return replan()
	}
	created := func() error {
		err := create()
		if isCreated = err == nil; isCreated {
			*old.Instance(entryKind) = has
			r.deposed = append(r.deposed, old)
		}
		return err
	}
	destroy := func() error {
		old.Server = c.Server
		return old.Destroy(entryKind, p)
	}
	return []func() error{depose, created, destroy}
}

// apply does what is queued, in the order of the steps. A block whose step fails ends.
func (r *scenarioRun) apply() {
	walk(r.cores)
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(r.t.Context())
	defer r.cancel()
	for _, c := range append(slices.Clone(r.deposed), r.cores...) {
		c.Context = ctx
		defer func() { c.Context = r.t.Context() }()
	}
	r.applies = true
	for _, i := range r.steps {
		if len(r.queues[i]) == 0 || r.stopped {
			continue
		}
		step := r.queues[i][0]
		r.queues[i] = r.queues[i][1:]
		if err := step(); err != nil {
			r.errs, r.queues[i] = append(r.errs, err), nil
		}
	}
	for _, restore := range r.restore {
		restore()
	}
	r.restore, r.applies = nil, false
}

func (r *scenarioRun) isWanted(source string) bool {
	return slices.ContainsFunc(r.blocks, func(b scenarioBlock) bool { return b.wants != "" && sourceOf(b.wants) == source })
}

func (r *scenarioRun) isHad(source string) bool {
	return slices.ContainsFunc(r.blocks, func(b scenarioBlock) bool { return b.has != "" && sourceOf(b.has) == source })
}

func sourceOf(name string) string {
	source, _, _ := strings.Cut(scenarioEntries[name[0]], " ")
	return api.CanonicalAddress(source)
}

// leavesOthers checks that no entry that the blocks do not name has changed.
func (r *scenarioRun) leavesOthers(before map[string]string) {
	now := r.list()
	for source, description := range before {
		if !r.isWanted(source) && !r.isHad(source) && now[source] != description {
			r.t.Errorf("the entry %s of others is %q", source, now[source])
		}
	}
}

// isReached checks that the list is as configured.
func (r *scenarioRun) isReached() {
	now := r.list()
	for _, b := range r.blocks {
		if b.has != "" && !r.isWanted(sourceOf(b.has)) {
			if _, isThere := now[sourceOf(b.has)]; isThere {
				r.t.Errorf("the removed entry %s is there", b.has)
			}
		}
		if b.wants != "" {
			_, want, _ := strings.Cut(scenarioEntries[b.wants[0]], " ")
			got, isThere := now[sourceOf(b.wants)]
			isContested := slices.ContainsFunc(r.blocks, func(other scenarioBlock) bool {
				return other.wants != b.wants && other.wants != "" && sourceOf(other.wants) == sourceOf(b.wants)
			})
			if !isThere || got != want && !isContested {
				r.t.Errorf("the entry %s is there: %t, as %q", b.wants, isThere, got)
			}
		}
	}
}

// agrees checks that state and list agree, or that an error says what may differ. One of
// two blocks of an entry can keep in its state what the other one has removed.
func (r *scenarioRun) agrees(before map[string]string) {
	text, now := fmt.Sprint(errors.Join(r.errs...)), r.list()
	isTwice := len(r.blocks) == 2 && r.blocks[0].has == r.blocks[1].has
	for source := range map[string]bool{sourceOf("a"): true, sourceOf("b"): true} {
		inState := slices.ContainsFunc(append(r.deposed, r.cores...), func(c *acctest.Core) bool {
			state, _ := acctest.Plain(c.Instance(entryKind).State).(map[string]any)
			return state != nil && api.CanonicalAddress(state["source"].(string)) == source
		})
		_, was := before[source]
		_, is := now[source]
		isAdded, isGone := is && !was && !inState, !is && was && inState && !isTwice
		if isAdded && !strings.Contains(text, "may exist now") || isGone && !strings.Contains(text, "may have applied") {
			r.t.Errorf("the entry %s is there: %t, in a state: %t, the error: %s", source, is, inState, text)
		}
	}
}

// converge plans and applies once more, without faults. What exists is imported. It is
// false if that fails because of two blocks of one entry.
func (r *scenarioRun) converge() bool {
	r.fault, r.errs, r.stopped = "", nil, false
	walk(r.cores)
	for i := range r.blocks {
		if err := r.cores[i].Refresh(entryKind); err != nil {
			r.t.Error(err)
		}
	}
	r.blocks, r.queues = slices.Clone(r.blocks), make([][]func() error, len(r.blocks))
	for i := range r.blocks {
		r.blocks[i].how = ""
		err := r.planBlock(i)
		if err != nil && strings.HasPrefix(err.Error(), existsAlready) && r.cores[i].Instance(entryKind).State.IsNull() {
			r.importEntry(i, r.blocks[i].wants)
			err = r.planBlock(i)
		}
		if err != nil {
			if !isRefusal(err) {
				r.t.Error(err)
			}
			return false
		}
	}
	r.steps = slices.Repeat([]int{0, len(r.blocks) - 1}, 3)
	for _, old := range r.deposed {
		if old.Instance(entryKind).State.IsNull() {
			continue
		}
		r.queues[0] = append(r.queues[0], func() error {
			old.Walk()
			return old.Destroy(entryKind, acctest.Plan{})
		})
		r.steps = append(r.steps, 0)
	}
	r.apply()
	// Two blocks can want one entry, and what a plan does not see, the response to a removal
	// may show.
	mayExist := len(r.blocks) == 2 || r.api != "shown"
	for _, err := range r.errs {
		if !strings.HasPrefix(err.Error(), existsAlready) || !mayExist {
			r.t.Errorf("the last apply: %v", err)
		}
	}
	return len(r.errs) == 0
}
