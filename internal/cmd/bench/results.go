package main

import (
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"time"
)

// results are the measurements of one run, as results.json has them.
type results struct {
	Taken        time.Time     `json:"taken"`
	Machine      machine       `json:"machine"`
	CLI          string        `json:"cli"` // its version
	Measurements []measurement `json:"measurements"`
}

// machine is what may be said of a machine in public.
type machine struct {
	System string `json:"system"`
	CPU    string `json:"cpu,omitempty"`
	CPUs   int    `json:"cpus"`
	Go     string `json:"go"`
}

// A subject is what is measured: one step in one world of a scenario.
type subject struct {
	Scenario  string `json:"scenario"`
	N         int    `json:"n"`
	Step      string `json:"step"`
	World     string `json:"world"`
	Condition string `json:"condition,omitempty"`
}

// A measurement is what a subject took. CPU and memory are those of the
// provider's processes, and absent where there are none or they were not metered.
type measurement struct {
	subject
	Times       int     `json:"times"`
	Failures    int     `json:"failures,omitempty"`
	Wall        spread  `json:"wall_seconds"`
	CPU         *spread `json:"provider_cpu_seconds,omitempty"`
	Memory      *spread `json:"provider_peak_memory_bytes,omitempty"`
	Requests    spread  `json:"requests"`
	Refused     spread  `json:"refused"`
	Connections spread  `json:"connections"`
	APICPU      spread  `json:"api_cpu_seconds"`
}

// measurements sums up the samples, in the order of the scenarios.
func (b *bench) measurements(scenarios []scenario) []measurement {
	var all []measurement
	for _, s := range scenarios {
		for _, step := range s.steps {
			for _, w := range s.worlds {
				if step.aside {
					continue
				}
				of := s.subject(w, step)
				all = append(all, newMeasurement(of, b.timed[of], b.metered[of]))
			}
		}
	}
	return all
}

func newMeasurement(of subject, timed, metered []sample) measurement {
	m := measurement{
		subject:     of,
		Times:       len(timed),
		Wall:        spreadOf(timed, func(s sample) float64 { return s.wall.Seconds() }),
		Requests:    spreadOf(timed, func(s sample) float64 { return float64(s.requests) }),
		Refused:     spreadOf(timed, func(s sample) float64 { return float64(s.refused) }),
		Connections: spreadOf(timed, func(s sample) float64 { return float64(s.connections) }),
		APICPU:      spreadOf(timed, func(s sample) float64 { return s.apiCPU.Seconds() }),
	}
	for _, s := range timed {
		if s.failed {
			m.Failures++
		}
	}
	if len(metered) > 0 {
		m.CPU = new(spreadOf(metered, func(s sample) float64 { return s.cpu.Seconds() }))
		m.Memory = new(spreadOf(metered, func(s sample) float64 { return float64(s.memory) }))
	}
	return m
}

// find is the measurement of a subject, nil where there is none.
func (r *results) find(of subject) *measurement {
	for i, m := range r.Measurements {
		if m.subject == of {
			return &r.Measurements[i]
		}
	}
	return nil
}

// load reads what publish has written.
func load(path string) (*results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &results{}
	return r, json.Unmarshal(text, r)
}

func thisMachine() machine {
	return machine{
		System: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:    cpuModel("/proc/cpuinfo"),
		CPUs:   runtime.NumCPU(),
		Go:     runtime.Version(),
	}
}

// cpuModel is what Linux says of a processor; empty elsewhere.
func cpuModel(path string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if name, model, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return ""
}
