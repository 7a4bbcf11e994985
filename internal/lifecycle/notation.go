package lifecycle

import (
	"cmp"
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
	case types.Map, types.Set:
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

// Entries returns the elements of a collection by what identifies them; nil like [Elements]. If they have notations, the
// values of a map are descriptions: null is an empty one. Those of a set are their keys.
func (d *Definition) Entries(name string, value attr.Value) map[string]attr.Value {
	elements := Elements(value)
	if _, ok := d.Canonical[name]; !ok || elements == nil {
		return elements
	}
	entries := make(map[string]attr.Value, len(elements))
	_, isSet := value.(types.Set)
	for key, value := range elements {
		id := d.canonical(name, key)
		switch {
		case isSet && !value.IsUnknown():
			value = types.StringValue(id)
		case value.IsNull():
			value = types.StringValue("")
		}
		entries[id] = value
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
		list, isMap := value.(types.Map)
		set, isSet := value.(types.Set)
		switch {
		case d.same(name, before, value):
			kept[name] = before
		case isMap:
			kept[name] = d.keepKeys(name, before, list)
		case isSet:
			kept[name] = d.keepElements(name, before, set)
		}
	}
	return kept
}

// written returns how a collection writes its keys, by their canonical text.
func (d *Definition) written(name string, collection attr.Value) map[string]string {
	written := map[string]string{}
	for key := range Elements(collection) {
		written[d.canonical(name, key)] = key
	}
	return written
}

func (d *Definition) keepElements(name string, before attr.Value, set types.Set) attr.Value {
	written, kept := d.written(name, before), []string{}
	for text := range Elements(set) {
		kept = append(kept, cmp.Or(written[d.canonical(name, text)], text))
	}
	return setOf(kept)
}

func (d *Definition) keepKeys(name string, before attr.Value, list types.Map) attr.Value {
	old, written := Elements(before), d.written(name, before)
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
