package main

// A figure comes from results. It is not there where they lack what it needs.
type figure func(*results) (value float64, ok bool)

// measured is a figure of one measurement; of answers false where that is not
// all there.
func measured(s subject, of func(*measurement) (float64, bool)) figure {
	return func(r *results) (float64, bool) {
		m := r.find(s)
		if m == nil || m.Times == 0 {
			return 0, false
		}
		return of(m)
	}
}

// What takes time or memory counts by its median.

func wallOf(s subject) figure {
	return measured(s, func(m *measurement) (float64, bool) { return m.Wall.Median, true })
}

func cpuOf(s subject) figure {
	return measured(s, func(m *measurement) (float64, bool) { return medianOf(m.CPU) })
}

func memoryOf(s subject) figure {
	return measured(s, func(m *measurement) (float64, bool) { return medianOf(m.Memory) })
}

func medianOf(s *spread) (float64, bool) {
	if s == nil {
		return 0, false
	}
	return s.Median, true
}

// What can be counted must not exceed a goal even once.

func requestsOf(s subject) figure {
	return measured(s, func(m *measurement) (float64, bool) { return m.Requests.Max, true })
}

func refusedOf(s subject) figure {
	return measured(s, func(m *measurement) (float64, bool) { return m.Refused.Max, true })
}

func connectionsOf(s subject) figure {
	return measured(s, func(m *measurement) (float64, bool) { return m.Connections.Max, true })
}

func failuresOf(s subject) figure {
	return measured(s, func(m *measurement) (float64, bool) { return float64(m.Failures), true })
}

// ratio is one figure over another, and not there where the other is 0.
func ratio(a, b figure) figure {
	return func(r *results) (float64, bool) {
		x, okX := a(r)
		y, okY := b(r)
		if !okX || !okY || y == 0 {
			return 0, false
		}
		return x / y, true
	}
}

// scaled is a figure times a factor.
func scaled(a figure, by float64) figure {
	return func(r *results) (float64, bool) {
		x, ok := a(r)
		return x * by, ok
	}
}
