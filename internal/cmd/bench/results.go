package main

import (
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// results is the content of results.json.
type results struct {
	Date         string         `json:"date"`
	CLI          string         `json:"cli"`
	System       string         `json:"system"`
	CPUs         int            `json:"cpus"`
	CPU          string         `json:"cpu,omitempty"`
	Go           string         `json:"go"`
	Repetitions  int            `json:"repetitions"`
	Measurements []measurement  `json:"measurements"`
	LimitAllows  int            `json:"limit_requests"`
	LimitWindow  float64        `json:"limit_window_seconds"`
	Limited      []limitedApply `json:"limited_applies"`
}

// sample is what one command cost. CPU and memory are the provider's.
type sample struct {
	Seconds     float64 `json:"seconds"`
	CPU         float64 `json:"cpu_seconds,omitempty"` // of all its processes
	Memory      float64 `json:"memory_mib,omitempty"`  // peak of the largest process
	Requests    float64 `json:"requests,omitempty"`
	Refused     float64 `json:"refused,omitempty"` // of these, with 429
	Connections float64 `json:"connections,omitempty"`
}

// measurement holds the medians of the samples of one command.
type measurement struct {
	N        int    `json:"n"`
	Command  string `json:"command"`
	Provider string `json:"provider"`
	sample
}

// limitedApply is one apply under a rate limit.
type limitedApply struct {
	N         int     `json:"n"`
	Header    string  `json:"header"` // of a 429
	Minimum   float64 `json:"minimum_seconds"`
	MaxFactor float64 `json:"max_factor"`
	sample
}

// factor is the time of the apply over the minimum that the limit dictates; 0 if
// the limit dictates none.
func (l limitedApply) factor() float64 {
	if l.Minimum == 0 {
		return 0
	}
	return l.Seconds / l.Minimum
}

func newResults(cli string, o options) *results {
	return &results{
		Date: time.Now().UTC().Format(time.DateOnly), CLI: cli, Repetitions: o.repetitions,
		System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), CPU: cpuModel(), Go: runtime.Version(),
		LimitAllows: o.limit.requests, LimitWindow: o.limit.window.Seconds(),
	}
}

// cpuModel is empty on other systems than Linux.
func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, model, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return ""
}

// median is the median of each figure on its own.
func median(samples []sample) sample {
	of := func(figure func(sample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = figure(s)
		}
		return medianOf(values)
	}
	return sample{
		Seconds:     of(func(s sample) float64 { return s.Seconds }),
		CPU:         of(func(s sample) float64 { return s.CPU }),
		Memory:      of(func(s sample) float64 { return s.Memory }),
		Requests:    of(func(s sample) float64 { return s.Requests }),
		Refused:     of(func(s sample) float64 { return s.Refused }),
		Connections: of(func(s sample) float64 { return s.Connections }),
	}.rounded()
}

// rounded keeps three decimals: more is noise.
func (s sample) rounded() sample {
	for _, figure := range []*float64{&s.Seconds, &s.CPU, &s.Memory} {
		*figure = math.Round(*figure*1000) / 1000
	}
	return s
}

// medianOf is the upper one of the middle two of an even number of values.
func medianOf(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// find returns the measurement of another provider beside m.
func (r *results) find(n int, command, provider string) (measurement, bool) {
	i := slices.IndexFunc(r.Measurements, func(m measurement) bool {
		return m.N == n && m.Command == command && m.Provider == provider
	})
	if i < 0 {
		return measurement{}, false
	}
	return r.Measurements[i], true
}
