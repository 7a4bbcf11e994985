package main

import "slices"

// A spread is what several values come to.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// newSpread is the spread of values; all zero where there is none. The median of
// an even number of values is the mean of the two in the middle.
func newSpread(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + median) / 2
	}
	return spread{Median: median, Min: sorted[0], Max: sorted[len(sorted)-1]}
}

// spreadOf is the spread of one thing in samples.
func spreadOf(all []sample, value func(sample) float64) spread {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = value(s)
	}
	return newSpread(values)
}
