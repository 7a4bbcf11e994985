package main

import (
	"fmt"
	"strings"
)

// A verdict is a goal held against results.
type verdict struct {
	goal
	value    float64
	measured bool
}

// missed is true of what was not measured as well: a check that checks nothing
// must not pass.
func (v verdict) missed() bool { return !v.measured || v.value > v.most }

func (r *results) judge() []verdict {
	var all []verdict
	for _, g := range goals() {
		value, ok := g.figure(r)
		all = append(all, verdict{g, value, ok})
	}
	return all
}

// missed is the number of goals that are not reached.
func (r *results) missed() int {
	n := 0
	for _, v := range r.judge() {
		if v.missed() {
			n++
		}
	}
	return n
}

// verdicts are the goals as a table: those that were measured, or all.
func (r *results) verdicts(all bool) string {
	t := newTable("", "Goal", "Figure", "At most")
	for _, v := range r.judge() {
		if !v.measured && !all {
			continue
		}
		mark, figure := "✓", number(v.value)+v.unit
		if v.missed() {
			mark = "**✗**"
		}
		if !v.measured {
			figure = "not measured"
		}
		t.add(mark, v.what+r.asides(v.goal), figure, number(v.most)+v.unit)
	}
	return t.String()
}

// asides are what stands beside a figure, in brackets.
func (r *results) asides(g goal) string {
	var all []string
	for _, b := range g.beside {
		if value, ok := b.figure(r); ok {
			all = append(all, fmt.Sprintf("%s %s%s", b.name, number(value), g.unit))
		}
	}
	if all == nil {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// number is a figure as tables have it: whole, or with two decimals.
func number(value float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.2f", value), ".00")
}
