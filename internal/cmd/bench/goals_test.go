package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// Every goal and its bound, as they were agreed on.
var agreed = map[string]float64{
	"Requests of a plan without changes of scaling, settings and a look-up each, 100 pipes": 100,
	"Requests of an apply of scaling and settings of fresh pipes, 100 pipes":                400,
	"Requests of an apply of one changed attribute, 100 pipes":                              102,
	"Connections of a plan, HTTP/1.1":                                                       10,
	"Connections of an apply, HTTP/1.1":                                                     20,
	"Connections of a plan, HTTP/2":                                                         1,
	"Connections of an apply, HTTP/2":                                                       2,

	"Plan without changes, N = 100, beside empty":                                   1.7,
	"Plan without changes, N = 1000, beside terraform_data":                         1.4,
	"Apply, N = 100, local state, beside terraform_data":                            1.8,
	"Start-up: validate of one resource, beside empty":                              1.1,
	"Plan without changes of an access list of 5000 entries, beside terraform_data": 1.6,
	"Growth from N = 100 to 1000, plan, wall time of a pipe":                        1.15,
	"Growth from N = 100 to 1000, plan, provider CPU of a pipe":                     1.15,
	"Growth from N = 100 to 1000, plan, provider peak memory of a pipe":             1.15,
	"Growth from N = 100 to 1000, apply, wall time of a pipe":                       1.15,
	"Growth from N = 100 to 1000, apply, provider CPU of a pipe":                    1.15,
	"Growth from N = 100 to 1000, apply, provider peak memory of a pipe":            1.15,
	"Provider peak memory, plan, N = 100, beside empty":                             1.3,
	"Provider peak memory, apply, N = 100, beside empty":                            1.3,
	"Provider peak memory, plan, N = 1000, beside empty":                            1.3,
	"Provider peak memory, apply, N = 1000, beside empty":                           1.3,

	"10 requests in 10s allowed, plan of 40 pipes, Retry-After: failures":                                        0,
	"10 requests in 10s allowed, plan of 40 pipes, Retry-After: wall time, beside what the limit dictates":       1.1,
	"10 requests in 10s allowed, plan of 40 pipes, Retry-After: refused":                                         10,
	"10 requests in 10s allowed, plan of 40 pipes, X-RateLimit-Reset: failures":                                  0,
	"10 requests in 10s allowed, plan of 40 pipes, X-RateLimit-Reset: wall time, beside what the limit dictates": 1.1,
	"10 requests in 10s allowed, plan of 40 pipes, X-RateLimit-Reset: refused":                                   10,
	"10 requests in 10s allowed, plan of 40 pipes, no header: failures":                                          0,
	"10 requests in 10s allowed, plan of 40 pipes, no header: wall time, beside what the limit dictates":         1.3,
}

func TestGoalsAreThoseAgreedOn(t *testing.T) {
	t.Parallel()
	got := map[string]float64{}
	for _, g := range goals() {
		got[g.what] = g.most
	}
	for _, what := range slices.Sorted(maps.Keys(agreed)) {
		if most, ok := got[what]; !ok || most != agreed[what] {
			t.Errorf("%s: at most %v, not %v", what, most, agreed[what])
		}
	}
	if len(goals()) != len(agreed) {
		t.Errorf("%d goals, not %d", len(goals()), len(agreed))
	}
}

// measuredBy are measurements of all that the goals need, each a value by its
// world, N and step.
func measuredBy(value func(subject) float64) *results {
	r := &results{}
	add := func(of subject) {
		v := value(of)
		same := spread{v, v, v}
		r.Measurements = append(r.Measurements, measurement{
			subject: of, Times: 1, Wall: same, CPU: &same, Memory: &same, Requests: same, Connections: same, Refused: same,
		})
	}
	o := (&options{check: true, counted: counted, limited: limited, limit: theLimit}).complete()
	scenarios, err := o.scenarios()
	if err != nil {
		panic(err)
	}
	for _, s := range scenarios {
		for _, step := range s.steps {
			for _, w := range s.worlds {
				if !step.aside {
					add(s.subject(w, step))
				}
			}
		}
	}
	return r
}

func judged(t *testing.T, r *results, what string) verdict {
	t.Helper()
	for _, v := range r.judge() {
		if v.what == what {
			return v
		}
	}
	t.Fatalf("there is no goal %q", what)
	return verdict{}
}

// What make bench-check measures is all that the goals need.
func TestCheckMeasuresEveryGoal(t *testing.T) {
	t.Parallel()
	r := measuredBy(func(subject) float64 { return 1 })
	for _, v := range r.judge() {
		if !v.measured && !strings.Contains(v.what, "HTTP/2") { // not everywhere
			t.Errorf("%s is not measured", v.what)
		}
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	r := measuredBy(func(s subject) float64 {
		each := map[string]float64{"terraform_data": 2, "empty": 3, "dbplatform": 6}[s.World]
		if s.Scenario == "limit" {
			return 36
		}
		if s.N == large {
			return each * 15 // of ten times the pipes
		}
		return each
	})
	for what, want := range map[string]float64{
		"Plan without changes, N = 100, beside empty":                                                        2,
		"Plan without changes, N = 1000, beside terraform_data":                                              3,
		"Apply, N = 100, local state, beside terraform_data":                                                 3,
		"Start-up: validate of one resource, beside empty":                                                   2,
		"Plan without changes of an access list of 5000 entries, beside terraform_data":                      3,
		"Growth from N = 100 to 1000, plan, wall time of a pipe":                                             1.5,
		"Growth from N = 100 to 1000, plan, provider CPU of a pipe":                                          1.5,
		"Growth from N = 100 to 1000, apply, provider peak memory of a pipe":                                 1.5,
		"Provider peak memory, plan, N = 1000, beside empty":                                                 2,
		"Connections of a plan, HTTP/1.1":                                                                    6,
		"10 requests in 10s allowed, plan of 40 pipes, no header: wall time, beside what the limit dictates": 1.2,
		"10 requests in 10s allowed, plan of 40 pipes, Retry-After: refused":                                 100,
	} {
		if v := judged(t, r, what); !v.measured || !near(v.value, want) {
			t.Errorf("%s: %v (measured: %v), not %v", what, v.value, v.measured, want)
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func TestMissed(t *testing.T) {
	t.Parallel()
	const what = "Connections of a plan, HTTP/1.1"
	for connections, missed := range map[float64]bool{9: false, 10: false, 10.01: true, 11: true} {
		r := measuredBy(func(subject) float64 { return connections })
		if v := judged(t, r, what); v.missed() != missed {
			t.Errorf("%v connections are missed: %v", connections, v.missed())
		}
	}
	nothing := &results{}
	if v := judged(t, nothing, what); !v.missed() {
		t.Error("what was not measured is not missed")
	}
	if n := nothing.missed(); n != len(agreed) {
		t.Errorf("without results %d goals are missed, not %d", n, len(agreed))
	}
	if got := nothing.verdicts(false); got != "" {
		t.Errorf("without results there are verdicts:\n%s", got)
	}
	if got := nothing.verdicts(true); strings.Count(got, "not measured") != len(agreed) {
		t.Errorf("a check of no results says:\n%s", got)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	r := measuredBy(func(s subject) float64 {
		return map[string]float64{"terraform_data": 1, "empty": 1, "dbplatform": 1.75}[s.World]
	})
	table := r.verdicts(false)
	for _, want := range []string{
		"| **✗** | Plan without changes, N = 100, beside empty ",
		"| 1.75 × | 1.70 × ",
		"| ✓     | Apply, N = 100, local state, beside terraform_data (empty 1 ×, with remote state 1.75 ×, empty with remote state 1 ×) ",
		"| Growth from N = 100 to 1000, plan, wall time of a pipe (empty 0.10 ×, terraform_data 0.10 ×) ",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is not in\n%s", want, table)
		}
	}
}

func TestDictated(t *testing.T) {
	t.Parallel()
	l := limit{requests: 10, per: 10 * time.Second}
	for requests, want := range map[int]time.Duration{
		1: 0, 10: 0, 11: 10 * time.Second, 40: 30 * time.Second, 41: 40 * time.Second, 160: 150 * time.Second,
	} {
		if got := l.dictated(requests); got != want {
			t.Errorf("%d requests take %v, not %v", requests, got, want)
		}
	}
}
