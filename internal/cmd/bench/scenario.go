package main

import (
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A scenario is what worlds of one size are taken through, side by side.
type scenario struct {
	name   string
	n      int // pipes, or entries of a list
	worlds []world
	steps  []step
	// together has the worlds run at the same time. Right where they wait for
	// most of it.
	together bool
	// lives is how many lives each world has in a repetition.
	lives int
	// most is how many repetitions are enough; 0 for as many as are asked for.
	most int
}

// A world is one configuration, and what its provider meets. Each life of it has
// a folder and an API of its own.
type world struct {
	name      string // in tables
	condition string // what its provider meets, where worlds differ in that
	provider  string // of its configuration; empty where it needs none
	config    string
	data      string // data.json, beside the configuration

	latency time.Duration
	limit   limit
}

// limit is a rate limit of the API; its zero is none.
type limit struct {
	requests int
	per      time.Duration
	style    mockapi.RateLimitStyle
}

// A step is one command of Terraform, with what it says when all is well.
type step struct {
	name    string
	args    []string
	limited bool // under the world's rate limit
	aside   bool // needed, not measured
}

// The commands. That a plan has nothing to do is verified with its exit code.
var (
	apply    = step{name: "apply", args: []string{"apply", "-auto-approve", "-input=false", parallelism}}
	plan     = step{name: "plan", args: []string{"plan", "-detailed-exitcode", "-input=false", parallelism}}
	destroy  = step{name: "destroy", args: []string{"destroy", "-auto-approve", "-input=false", parallelism}}
	validate = step{name: "validate", args: []string{"validate"}}
)

const parallelism = "-parallelism=10"

// pipes takes n pipes, with a scaling and settings for each, through a life;
// beside them two resources each of those that cost least.
func pipes(n int, latencies []time.Duration) scenario {
	ids := pipeIDs(n)
	s := scenario{
		name: "pipes", n: n, lives: 1,
		worlds: []world{
			{name: "terraform_data", config: pipesIn(builtin), data: ids},
			{name: "empty", provider: "empty", config: pipesIn(emptyProvider), data: ids},
		},
		steps: []step{apply, plan, destroy},
	}
	for _, latency := range latencies {
		w := world{name: "dbplatform", provider: "dbplatform", config: pipesIn(dbplatform), data: ids, latency: latency}
		if latency > 0 {
			w.condition = latency.String()
		}
		s.worlds = append(s.worlds, w)
	}
	return s
}
