package main

import (
	"runtime"
	"time"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// scenarios are those that the options ask for.
func (o *options) scenarios() ([]scenario, error) {
	all := []scenario{start()}
	for _, n := range o.n {
		all = append(all, pipes(n, o.latencies))
	}
	for _, n := range o.local {
		all = append(all, locally(n))
	}
	for _, n := range o.entries {
		all = append(all, accessList(n))
	}
	all = append(all, requests(o.counted), limits(o.limited, o.limit, o.limitApply))

	var chosen []scenario
	for _, s := range all {
		if s, ok := s.only(o.only); ok {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, errNothing
	}
	return chosen, nil
}

// start is one resource alone, validated: what it takes to start a provider.
func start() scenario {
	return scenario{
		name: "start", n: 1, lives: 4, meter: true, // cheap, and noisy
		worlds: []world{
			{name: "terraform_data", config: builtin.pipes(1)},
			{name: "empty", provider: "empty", config: empty.pipes(1)},
			{name: "dbplatform", provider: "dbplatform", config: dbplatform.pipes(1)},
		},
		steps: []step{validate},
	}
}

// pipes is the life of a scaling and of settings for each of n pipes; beside it,
// that of as many resources of those that cost least.
func pipes(n int, latencies []time.Duration) scenario {
	s := scenario{
		name: "pipes", n: n, lives: 1, meter: true,
		worlds: []world{
			{name: "terraform_data", config: builtin.pipes(n)},
			{name: "empty", provider: "empty", config: empty.pipes(n)},
		},
		steps: []step{apply, plan, destroy},
	}
	if n >= large {
		s.most = few
	}
	for _, latency := range latencies {
		w := world{name: "dbplatform", provider: "dbplatform", config: dbplatform.pipes(n), latency: latency}
		if latency > 0 {
			w.condition = latency.String()
		}
		s.worlds = append(s.worlds, w)
	}
	return s
}

// locally is the life of n pipes whose state is a local file.
func locally(n int) scenario {
	s := pipes(n, []time.Duration{0})
	s.name = "local"
	for i := range s.worlds {
		s.worlds[i].localState = true
	}
	return s
}

// accessList is the life of a service with an access list of n entries; beside
// it, that of the same map in one terraform_data.
func accessList(n int) scenario {
	return scenario{
		name: "list", n: n, lives: 1, meter: true,
		worlds: []world{
			{name: "terraform_data", config: listInData, data: addresses(n)},
			{name: "dbplatform", provider: "dbplatform", config: listInService, data: addresses(n)},
		},
		steps: []step{apply, plan, destroy},
	}
}

// requests counts requests and connections: of n pipes that have a scaling and
// settings, and are looked up as well.
func requests(n int) scenario {
	// Answers take a while, so that all connections that may be opened are.
	w := world{name: "dbplatform", condition: "HTTP/1.1", provider: "dbplatform", config: lookedUp(n), latency: 20 * time.Millisecond}
	s := scenario{
		name: "requests", n: n, lives: 1, most: 1,
		worlds: []world{w},
		steps:  []step{apply, plan, change, destroy},
	}
	// Elsewhere Go asks the system whom to trust, and not the environment.
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		w.condition, w.http2 = "HTTP/2", true
		s.worlds = append(s.worlds, w)
	}
	return s
}

// limits is the life of n pipes with an API that limits the rate of requests, in
// each way of saying when to come back.
func limits(n int, l limit, alsoApply bool) scenario {
	s := scenario{name: "limit", n: n, lives: 1, most: few, together: true}
	for _, way := range []struct {
		condition string
		style     mockapi.RateLimitStyle
	}{
		{"Retry-After", mockapi.RetryAfterSeconds},
		{"X-RateLimit-Reset", mockapi.RateLimitReset},
		{"no header", mockapi.RateLimitSilent},
	} {
		l.style = way.style
		s.worlds = append(s.worlds, world{
			name: "dbplatform", condition: way.condition, provider: "dbplatform", config: dbplatform.pipes(n), limit: l,
		})
	}
	first, second := apply, plan
	first.aside, first.limited = !alsoApply, alsoApply
	second.limited = true
	s.steps = []step{first, second}
	return s
}
