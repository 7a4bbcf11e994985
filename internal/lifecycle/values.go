package lifecycle

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// fill replaces every unknown value with the first known one of the others, in their order.
func fill(values Attributes, others ...Attributes) Attributes {
	filled := maps.Clone(values)
	for _, other := range others {
		for name, value := range filled {
			if known, ok := other[name]; ok && value.IsUnknown() {
				filled[name] = known
			}
		}
	}
	return filled
}

// A Notation is a value with more than one notation, such as an instant at
// another offset or an address with or without its full-length prefix.
type Notation interface {
	attr.Value

	// SemanticEqual reports whether both values, which are known, mean the same.
	SemanticEqual(other attr.Value) bool

	// KeepNotation returns the value as prior writes it: prior itself if the API only
	// normalized it, for example by dropping fractional digits.
	KeepNotation(prior attr.Value) attr.Value
}

// A Keyed is a list or map whose entries are identified by something else than their names, which have
// more than one notation.
type Keyed interface {
	// Entries returns the entries by what identifies them.
	Entries() map[string]attr.Value
	// Key is what identifies the entry with this name.
	Key(name string) string
}

// semanticEqual reports whether two values mean the same.
func semanticEqual(a, b attr.Value) bool {
	switch {
	case a.Equal(b):
		return true
	case !hasValue(a) || !hasValue(b):
		return false
	}
	switch a := a.(type) {
	case Notation:
		return a.SemanticEqual(b)
	case interface{ ValueFloat64() float64 }:
		// Terraform computes with more digits than a float64 has, and some APIs with fewer.
		b, ok := b.(interface{ ValueFloat64() float64 })
		return ok && float32(a.ValueFloat64()) == float32(b.ValueFloat64())
	}
	return false
}

func hasValue(value attr.Value) bool { return value != nil && !value.IsNull() && !value.IsUnknown() }

// isPartlyUnknown reports whether an entry is known only after apply: it may be an old one.
func isPartlyUnknown(planned attr.Value) bool {
	set, _ := planned.(types.Set) // or none, which has no elements
	return planned.IsUnknown() || slices.ContainsFunc(set.Elements(), attr.Value.IsUnknown)
}

// keepNotation returns shown with prior's notation of each value that means the same.
func keepNotation(prior, shown Attributes) Attributes {
	kept := maps.Clone(shown)
	for name, value := range shown {
		before := prior[name]
		notation, hasNotations := value.(Notation)
		switch {
		case !hasValue(before) || !hasValue(value):
		case hasNotations:
			kept[name] = notation.KeepNotation(before)
		case semanticEqual(before, value):
			kept[name] = before
		}
	}
	return kept
}

// entryNames are the names of a collection's entries, as it writes them.
func entryNames(value attr.Value) []string { return slices.Sorted(maps.Keys(Elements(value))) }

func keyOf(value attr.Value, name string) string {
	if list, ok := value.(Keyed); ok {
		return list.Key(name)
	}
	return name
}

// Entries returns the elements of a collection by what identifies them; nil like [Elements].
func Entries(value attr.Value) map[string]attr.Value {
	if list, ok := value.(Keyed); ok && hasValue(value) {
		return list.Entries()
	}
	return Elements(value)
}
