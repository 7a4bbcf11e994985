package api

import "cmp"

// A Range is an inclusive bound on an input.
type Range[T cmp.Ordered] struct{ Min, Max T }

// Contains reports whether v lies within the bound.
func (r Range[T]) Contains(v T) bool { return r.Min <= v && v <= r.Max }
