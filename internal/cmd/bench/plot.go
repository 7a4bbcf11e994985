package main

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"
)

//go:embed plot.svg.tmpl
var plotSource string

var plotTemplate = template.Must(template.New("plot").Parse(plotSource))

// The plot is made of panels, one for each step, side by side. All sizes are in
// pixels.
const (
	panelWidth  = 330.0
	panelHeight = 250.0
	marginLeft  = 60.0 // of each panel, for the labels of its axis
	marginTop   = 90.0
	marginEnd   = 55.0
)

// plotted are the worlds of the plot, and the steps; a world's class is its name.
var (
	plottedWorlds = []string{"dbplatform", "empty", "terraform_data"}
	plottedSteps  = []string{"plan", "apply"}
)

// A panel has wall time over the number of pipes, both on logarithmic axes.
type panel struct {
	Left  float64
	Title string
	X, Y  []tick
	Lines []line
}

// A tick is a grid line and what it stands for.
type tick struct {
	At   float64
	Text string
}

// A line is one world's.
type line struct {
	World  string
	Points []point
}

// A point is a median, and the ends of its spread.
type point struct{ X, Y, Min, Max float64 }

// Path is the line, as a polyline of SVG has it.
func (l line) Path() string {
	path := make([]string, len(l.Points))
	for i, p := range l.Points {
		path[i] = fmt.Sprintf("%.1f,%.1f", p.X, p.Y)
	}
	return strings.Join(path, " ")
}

// plot is wall time over the number of pipes, as SVG.
func (r *results) plot() (string, error) {
	x, y := r.axes()
	panels := make([]panel, len(plottedSteps))
	for i, step := range plottedSteps {
		panels[i] = panel{
			Left:  marginLeft + float64(i)*(panelWidth+marginLeft),
			Title: step,
			X:     x.ticks(), Y: y.ticks(),
			Lines: r.lines(step, x, y),
		}
	}
	var svg strings.Builder
	err := plotTemplate.Execute(&svg, map[string]any{
		"Width":  marginLeft/2 + float64(len(panels))*(panelWidth+marginLeft),
		"Height": marginTop + panelHeight + marginEnd,
		"Top":    marginTop, "PanelWidth": panelWidth, "PanelHeight": panelHeight,
		"Panels": panels, "Legends": legends(),
	})
	return svg.String(), err
}

// A legend says which line is which.
type legend struct {
	X     float64
	World string
}

func legends() []legend {
	all := make([]legend, len(plottedWorlds))
	for i, world := range plottedWorlds {
		const width = 150
		all[i] = legend{float64(width * i), world}
	}
	return all
}

// plotted is whether a measurement is in the plot.
func plotted(m measurement) bool {
	return m.Scenario == "pipes" && m.Condition == "" && slices.Contains(plottedSteps, m.Step)
}

// axes reach around all that is plotted, and so the panels can be compared.
func (r *results) axes() (x, y axis) {
	x, y = newAxis(0, panelWidth), newAxis(panelHeight, 0)
	for _, m := range r.Measurements {
		if plotted(m) {
			x.reach(float64(m.N))
			y.reach(m.Wall.Min)
			y.reach(m.Wall.Max)
		}
	}
	return x, y
}

func (r *results) lines(step string, x, y axis) []line {
	var lines []line
	for _, world := range plottedWorlds {
		l := line{World: world}
		for _, m := range r.Measurements {
			if plotted(m) && m.Step == step && m.World == world {
				l.Points = append(l.Points, point{x.at(float64(m.N)), y.at(m.Wall.Median), y.at(m.Wall.Min), y.at(m.Wall.Max)})
			}
		}
		slices.SortFunc(l.Points, func(a, b point) int { return int(math.Copysign(1, a.X-b.X)) })
		lines = append(lines, l)
	}
	return lines
}

// An axis is logarithmic, between two ends in pixels.
type axis struct{ from, to, low, high float64 }

func newAxis(from, to float64) axis {
	return axis{from: from, to: to, low: math.Inf(1), high: math.Inf(-1)}
}

// reach extends an axis to a value, with some room.
func (a *axis) reach(value float64) {
	a.low, a.high = min(a.low, value/1.25), max(a.high, value*1.25)
}

func (a axis) at(value float64) float64 {
	return a.from + (a.to-a.from)*math.Log(value/a.low)/math.Log(a.high/a.low)
}

// ticks are at 1, 2 and 5 times each power of ten.
func (a axis) ticks() []tick {
	var ticks []tick
	for exponent := -3; exponent <= 6; exponent++ {
		for _, factor := range []float64{1, 2, 5} {
			if value := factor * math.Pow10(exponent); a.low <= value && value <= a.high {
				ticks = append(ticks, tick{a.at(value), fmt.Sprintf("%g", math.Round(value*1e4)/1e4)})
			}
		}
	}
	return ticks
}
