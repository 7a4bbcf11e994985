package main

import (
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values []float64
		want   spread
	}{
		"nothing": {nil, spread{}},
		"one":     {[]float64{3}, spread{3, 3, 3}},
		"odd":     {[]float64{9, 1, 2}, spread{Median: 2, Min: 1, Max: 9}},
		"even":    {[]float64{9, 1, 2, 4}, spread{Median: 3, Min: 1, Max: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := append([]float64{}, test.values...)
			if got := newSpread(test.values); got != test.want {
				t.Errorf("%v spread to %+v, not %+v", values, got, test.want)
			}
			for i := range values {
				if values[i] != test.values[i] {
					t.Errorf("the values were changed: %v", test.values)
				}
			}
		})
	}
}

func TestMeasurement(t *testing.T) {
	t.Parallel()
	timed := []sample{
		{wall: 3 * time.Second, requests: 5, refused: 1, connections: 2, failed: true},
		{wall: 1 * time.Second, requests: 7, apiCPU: time.Second},
		{wall: 2 * time.Second, requests: 6},
	}
	metered := []sample{{wall: time.Hour, usage: usage{cpu: 4 * time.Second, memory: 100}}}
	m := newMeasurement(subject{World: "w"}, timed, metered)
	if m.Times != 3 || m.Failures != 1 || m.World != "w" {
		t.Errorf("%d times, %d failures in %q", m.Times, m.Failures, m.World)
	}
	for name, got := range map[string][2]spread{
		"wall":        {m.Wall, {2, 1, 3}},
		"requests":    {m.Requests, {6, 5, 7}},
		"refused":     {m.Refused, {0, 0, 1}},
		"connections": {m.Connections, {0, 0, 2}},
		"API CPU":     {m.APICPU, {0, 0, 1}},
		"CPU":         {*m.CPU, {4, 4, 4}},
		"memory":      {*m.Memory, {100, 100, 100}},
	} {
		if got[0] != got[1] {
			t.Errorf("%s is %+v, not %+v", name, got[0], got[1])
		}
	}
	if m := newMeasurement(subject{}, timed, nil); m.CPU != nil || m.Memory != nil {
		t.Error("what was not metered has CPU or memory")
	}
}
