package lifecycle

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// same reports whether two values of an attribute mean the same: they may differ in their notation.
func (d *Definition) same(name string, a, b attr.Value) bool {
	switch {
	case a.Equal(b):
		return true
	case !hasValue(a) || !hasValue(b):
		return false
	}
	switch a := a.(type) {
	case types.Float64:
		// Terraform computes with more digits than a float64 has, and some APIs with fewer.
		b, isFloat := b.(types.Float64)
		return isFloat && float32(a.ValueFloat64()) == float32(b.ValueFloat64())
	case types.String:
		return d.canonical(name, a.ValueString()) == d.canonical(name, Text(b))
	case types.Map:
		return maps.EqualFunc(d.Entries(name, a), d.Entries(name, b), attr.Value.Equal)
	}
	return false
}

// canonical is the same for all notations of a text, or of a map's key.
func (d *Definition) canonical(name, text string) string {
	if canonical, ok := d.Canonical[name]; ok {
		return canonical(text)
	}
	return text
}

// Entries returns the elements of a collection by what identifies them; nil like [Elements]. If the keys of a
// map have notations, its values are descriptions: null is an empty one.
func (d *Definition) Entries(name string, value attr.Value) map[string]attr.Value {
	elements := Elements(value)
	if _, ok := d.Canonical[name]; !ok || elements == nil {
		return elements
	}
	entries := make(map[string]attr.Value, len(elements))
	for key, description := range elements {
		if description.IsNull() {
			description = types.StringValue("")
		}
		entries[d.canonical(name, key)] = description
	}
	return entries
}

// keepNotation returns shown with each value, and each key of a map, as prior writes it.
func (d *Definition) keepNotation(prior, shown Attributes) Attributes {
	kept := maps.Clone(shown)
	for name, value := range shown {
		before := prior[name]
		if !hasValue(before) || !hasValue(value) {
			continue
		}
		if d.same(name, before, value) {
			kept[name] = before
		} else if list, isMap := value.(types.Map); isMap {
			kept[name] = d.keepKeys(name, before, list)
		}
	}
	return kept
}

func (d *Definition) keepKeys(name string, before attr.Value, list types.Map) attr.Value {
	old, written := Elements(before), map[string]string{} // by canonical key
	for key := range old {
		written[d.canonical(name, key)] = key
	}
	kept := make(map[string]attr.Value, len(list.Elements()))
	for key, value := range list.Elements() {
		if before, ok := written[d.canonical(name, key)]; ok {
			key = before
			if old[key].IsNull() && Text(value) == "" {
				value = old[key]
			}
		}
		kept[key] = value
	}
	return types.MapValueMust(list.ElementType(context.Background()), kept)
}

// entryNames are the names of a collection's entries, as it writes them.
func entryNames(value attr.Value) []string { return slices.Sorted(maps.Keys(Elements(value))) }
