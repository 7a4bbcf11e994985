package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A scenario is what worlds of one size are taken through, side by side.
type scenario struct {
	name   string
	n      int // pipes, or entries of an access list
	worlds []world
	steps  []step

	together bool // the worlds wait for most of the time, and can do so at the same time
	lives    int  // of each world in one repetition
	most     int  // repetitions that are enough; 0: as many as are asked for
	meter    bool // CPU and memory tell something
}

// few repetitions are enough of what takes long.
const few = 3

// A world is one configuration, and what its provider meets. Each life of it has
// a folder and an API of its own.
type world struct {
	name      string // in tables
	condition string // in tables, what the provider meets
	provider  string // a key of [providers]; empty where there is none
	config    string
	data      any // data.json, beside the configuration

	latency    time.Duration
	limit      limit
	http2      bool
	localState bool // in a file, and not remote
}

// limit is a rate limit of the API; its zero is none.
type limit struct {
	requests int
	per      time.Duration
	style    mockapi.RateLimitStyle
}

// dictated is the least that so many requests take under a limit. The first
// request opens a window, in which the limit's number of requests pass; the rest
// wait until it ends, and open the next. So there is one wait less than there
// are windows.
func (l limit) dictated(requests int) time.Duration {
	return time.Duration((requests-1)/l.requests) * l.per
}

// A step is one command of Terraform.
type step struct {
	name    string
	args    []string
	lasting bool // what comes after needs it
	aside   bool // it is not measured
	limited bool // it is under the world's rate limit
}

// The steps. That a plan has nothing to do is verified by its exit code.
var (
	validate = step{name: "validate", args: []string{"validate"}}
	apply    = step{name: "apply", args: []string{"apply", "-auto-approve", "-input=false", parallelism}, lasting: true}
	plan     = step{name: "plan", args: []string{"plan", "-detailed-exitcode", "-input=false", parallelism}}
	change   = step{name: "change", args: []string{"apply", "-auto-approve", "-input=false", parallelism, "-var=changed=1"}, lasting: true}
	destroy  = step{name: "destroy", args: []string{"destroy", "-auto-approve", "-input=false", parallelism}}

	stepNames     = []string{"validate", "apply", "plan", "change", "destroy"}
	scenarioNames = []string{"start", "pipes", "local", "list", "requests", "limit"}
)

// The number is also how many connections there may be.
const (
	parallel    = 10
	parallelism = "-parallelism=10"
)

// known is a name of a scenario or a step.
func known(name string) (string, error) {
	if !slices.Contains(scenarioNames, name) && !slices.Contains(stepNames, name) {
		return "", errors.New("there is no scenario or step of that name")
	}
	return name, nil
}

// only leaves of a scenario what names name: nothing where none of its measured
// steps is among them. It keeps what a named step needs.
func (s scenario) only(names []string) (_ scenario, ok bool) {
	named := func(all []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(all, name) })
	}
	if named(scenarioNames) && !slices.Contains(names, s.name) {
		return s, false
	}
	if !named(stepNames) {
		return s, true
	}
	var kept []step
	for _, step := range slices.Backward(s.steps) {
		chosen := slices.Contains(names, step.name) && !step.aside
		if chosen || step.lasting && len(kept) > 0 {
			step.aside = !chosen
			kept = append(kept, step)
		}
	}
	slices.Reverse(kept)
	s.steps = kept
	return s, len(kept) > 0
}

// subject is what is measured by a step in a world.
func (s scenario) subject(w world, of step) subject {
	return subject{Scenario: s.name, N: s.n, Step: of.name, World: w.name, Condition: w.condition}
}

// title is a scenario in a line of progress.
func (s scenario) title() string {
	return strings.TrimSpace(fmt.Sprintf("%s of %d", s.name, s.n))
}
