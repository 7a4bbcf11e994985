package main

import (
	"fmt"
	"slices"
	"time"
)

// The sizes that goals speak of.
const (
	small   = 100  // pipes
	large   = 1000 // pipes
	longest = 5000 // entries of an access list
	counted = 100  // pipes whose requests are counted
	limited = 40   // pipes under theLimit
)

// theLimit is as low as is known of an API of this kind.
var theLimit = limit{requests: 10, per: 10 * time.Second}

// A goal is a figure that must not be exceeded.
type goal struct {
	what   string
	figure figure
	most   float64
	unit   string   // of both
	beside []beside // what to judge the figure by
}

// beside is a figure that has no goal of its own.
type beside struct {
	name   string
	figure figure
}

func goals() []goal {
	return slices.Concat(requestGoals(), timeGoals(), growthGoals(), memoryGoals(), limitGoals())
}

func requestGoals() []goal {
	const walks = 2 // of an apply: it plans and then applies, with a process for each
	of := func(step, condition string) subject {
		return subject{"requests", counted, step, "dbplatform", condition}
	}
	named := func(what string) string { return fmt.Sprintf("Requests of %s, %d pipes", what, counted) }
	return []goal{
		{
			what:   named("a plan without changes of scaling, settings and a look-up each"),
			figure: requestsOf(of("plan", "HTTP/1.1")), most: counted,
		},
		{
			what:   named("an apply of scaling and settings of fresh pipes"),
			figure: requestsOf(of("apply", "HTTP/1.1")), most: 4 * counted,
		},
		{
			what:   named("an apply of one changed attribute"),
			figure: requestsOf(of("change", "HTTP/1.1")), most: counted + 2,
		},
		{what: "Connections of a plan, HTTP/1.1", figure: connectionsOf(of("plan", "HTTP/1.1")), most: parallel},
		{what: "Connections of an apply, HTTP/1.1", figure: connectionsOf(of("apply", "HTTP/1.1")), most: walks * parallel},
		{what: "Connections of a plan, HTTP/2", figure: connectionsOf(of("plan", "HTTP/2")), most: 1},
		{what: "Connections of an apply, HTTP/2", figure: connectionsOf(of("apply", "HTTP/2")), most: walks},
	}
}

func timeGoals() []goal {
	over := func(world, floor, scenario string, n int, step string) figure {
		of := func(world string) figure { return wallOf(subject{Scenario: scenario, N: n, Step: step, World: world}) }
		return ratio(of(world), of(floor))
	}
	against := func(floor, scenario string, n int, step string) figure {
		return over("dbplatform", floor, scenario, n, step)
	}
	return []goal{
		{
			what:   fmt.Sprintf("Plan without changes, N = %d, beside empty", small),
			figure: against("empty", "pipes", small, "plan"), most: 1.7, unit: " ×",
		},
		{
			what:   fmt.Sprintf("Plan without changes, N = %d, beside terraform_data", large),
			figure: against("terraform_data", "pipes", large, "plan"), most: 1.4, unit: " ×",
		},
		{
			what:   fmt.Sprintf("Apply, N = %d, local state, beside terraform_data", small),
			figure: against("terraform_data", "local", small, "apply"), most: 1.8, unit: " ×",
			beside: []beside{
				{"empty", over("empty", "terraform_data", "local", small, "apply")},
				{"with remote state", against("terraform_data", "pipes", small, "apply")},
				{"empty with remote state", over("empty", "terraform_data", "pipes", small, "apply")},
			},
		},
		{
			what:   "Start-up: validate of one resource, beside empty",
			figure: against("empty", "start", 1, "validate"), most: 1.1, unit: " ×",
		},
		{
			what:   fmt.Sprintf("Plan without changes of an access list of %d entries, beside terraform_data", longest),
			figure: against("terraform_data", "list", longest, "plan"), most: 1.6, unit: " ×",
		},
	}
}

// growthGoals say that what a pipe costs does not depend on how many there are.
// Terraform's own part may grow: the floors beside the wall time show by how much,
// and the provider's CPU shows its part.
func growthGoals() []goal {
	growth := func(step, world string, of func(subject) figure) figure {
		each := func(n int) figure {
			return scaled(of(subject{Scenario: "pipes", N: n, Step: step, World: world}), 1/float64(n))
		}
		return ratio(each(large), each(small))
	}
	var all []goal
	for _, step := range []string{"plan", "apply"} {
		add := func(what string, f figure, besides ...beside) {
			what = fmt.Sprintf("Growth from N = %d to %d, %s, %s", small, large, step, what)
			all = append(all, goal{what: what, figure: f, most: 1.15, unit: " ×", beside: besides})
		}
		add("wall time of a pipe", growth(step, "dbplatform", wallOf),
			beside{"empty", growth(step, "empty", wallOf)}, beside{"terraform_data", growth(step, "terraform_data", wallOf)})
		add("provider CPU of a pipe", growth(step, "dbplatform", cpuOf), beside{"empty", growth(step, "empty", cpuOf)})
		add("provider peak memory of a pipe", growth(step, "dbplatform", memoryOf), beside{"empty", growth(step, "empty", memoryOf)})
	}
	return all
}

func memoryGoals() []goal {
	var all []goal
	for _, n := range []int{small, large} {
		for _, step := range []string{"plan", "apply"} {
			of := func(world string) figure {
				return memoryOf(subject{Scenario: "pipes", N: n, Step: step, World: world})
			}
			all = append(all, goal{
				what:   fmt.Sprintf("Provider peak memory, %s, N = %d, beside empty", step, n),
				figure: ratio(of("dbplatform"), of("empty")), most: 1.3, unit: " ×",
			})
		}
	}
	return all
}

func limitGoals() []goal {
	var all []goal
	dictated := theLimit.dictated(limited).Seconds() // a plan needs a request for each pipe
	for _, told := range []struct {
		condition string
		slowest   float64
	}{{"Retry-After", 1.1}, {"X-RateLimit-Reset", 1.1}, {"no header", 1.3}} {
		of := subject{"limit", limited, "plan", "dbplatform", told.condition}
		what := fmt.Sprintf("%d requests in %v allowed, plan of %d pipes, %s: ", theLimit.requests, theLimit.per, limited, told.condition)
		all = append(all,
			goal{what: what + "failures", figure: failuresOf(of)},
			goal{what: what + "wall time, beside what the limit dictates", figure: scaled(wallOf(of), 1/dictated), most: told.slowest, unit: " ×"},
		)
		if told.condition != "no header" { // else a refusal is how one learns of the limit
			all = append(all, goal{what: what + "refused", figure: scaled(ratio(refusedOf(of), requestsOf(of)), 100), most: 10, unit: " %"})
		}
	}
	return all
}
