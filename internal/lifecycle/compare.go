package lifecycle

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
)

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

// A Collection is a list or map whose entries have more than one notation.
type Collection interface {
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
		// Terraform computes with more digits than a float64 has.
		b, ok := b.(interface{ ValueFloat64() float64 })
		return ok && a.ValueFloat64() == b.ValueFloat64()
	}
	return false
}

func hasValue(value attr.Value) bool { return value != nil && !value.IsNull() && !value.IsUnknown() }

// keepNotation returns remote with prior's notation of each value that means the same.
func keepNotation(prior, remote Attributes) Attributes {
	kept := maps.Clone(remote)
	for name, value := range remote {
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

// fill replaces every unknown value of plan with the first known one of the others, in
// their order.
func fill(plan Attributes, others ...Attributes) Attributes {
	filled := maps.Clone(plan)
	for _, values := range others {
		for name, value := range filled {
			if value.IsUnknown() {
				filled[name] = values[name]
			}
		}
	}
	return filled
}

// unshown returns the planned changes that the API does not show yet: they are sent. It
// ignores the configuration, which still holds what ignore_changes ignores.
func (k Kind) unshown(names []string, planned, before, remote Attributes) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return k.isApplied(name, planned, before, remote)
	})
}

// isPlannedChange reports whether a plan gives an attribute a new value. Null
// is none: an attribute that leaves the configuration is not reset.
func isPlannedChange(planned, before attr.Value) bool {
	return hasValue(planned) && !semanticEqual(before, planned)
}

// isApplied reports whether remote shows what a plan changes of an attribute: the planned
// value, or, in a collection, the entries that the plan adds, changes and removes. Of an
// adoption, remote is also before: the plan removes each entry that it lacks.
func (k Kind) isApplied(name string, planned, before, remote Attributes) bool {
	switch {
	case semanticEqual(planned[name], remote[name]):
		return true
	case Entries(planned[name]) == nil || !hasValue(remote[name]):
		return false
	}
	wrong := k.compareEntries(name, planned, before, remote)
	return len(wrong.missing)+len(wrong.different)+len(wrong.leftOver) == 0
}

// A comparison has the names of entries that remote does not have as planned.
type comparison struct {
	missing, different []string // which the plan adds or changes
	leftOver           []string // which the plan removes
	unplanned          []string // which neither the plan nor before has: not wrong
}

// compareEntries compares the entries of a collection. Entries that the plan keeps as they
// were do not count.
func (k Kind) compareEntries(name string, planned, before, remote Attributes) (c comparison) {
	after, old, now := Entries(planned[name]), Entries(before[name]), Entries(remote[name])
	if len(now) == 0 { // it becomes the planned collection, with the entries that the plan keeps
		old = nil
	}
	for _, entry := range entryNames(planned[name]) {
		key := keyOf(planned[name], entry)
		switch value := after[key]; {
		case value.Equal(now[key]) || value.Equal(old[key]):
		case now[key] == nil:
			c.missing = append(c.missing, entry)
		default:
			c.different = append(c.different, entry)
		}
	}
	for _, entry := range entryNames(remote[name]) {
		switch key := keyOf(remote[name], entry); {
		case after[key] != nil || k.managesKeys(name):
		case old[key] != nil:
			c.leftOver = append(c.leftOver, entry)
		default:
			c.unplanned = append(c.unplanned, entry)
		}
	}
	return c
}

// entryNames are the names of a collection's entries, as it writes them.
func entryNames(value attr.Value) []string { return slices.Sorted(maps.Keys(Elements(value))) }

func keyOf(value attr.Value, name string) string {
	if list, ok := value.(Collection); ok {
		return list.Key(name)
	}
	return name
}

// Entries returns the elements of a collection by what identifies them.
func Entries(value attr.Value) map[string]attr.Value {
	if list, ok := value.(Collection); ok {
		return list.Entries()
	}
	return Elements(value)
}
