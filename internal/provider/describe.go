package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// describeLimit is how many characters of a value a message shows.
const describeLimit = 400

// describe is a value in a message.
func describe(value attr.Value) string {
	switch {
	case value == nil || value.IsNull():
		return "not stated"
	case value.IsUnknown():
		return "(known after apply)"
	}
	s := value.String()
	if number, ok := value.(types.Float64); ok {
		s = decimal(number.ValueFloat64())
	}
	if len(s) > describeLimit {
		s = strings.ToValidUTF8(s[:describeLimit], "") + " …"
	}
	return s
}

// describeChange is a change in a summary: "2 → 4" of a number, of switches
// those that change, of another collection how many of its elements come, go
// and change. Of a text it is what is there now: what is configured stands in
// the plan, and may be sensitive, which a provider cannot see.
func describeChange(before, after attr.Value) string {
	from, to := elements(before), elements(after)
	switch after.(type) {
	case types.Map:
		if !after.IsUnknown() {
			return describeSwitches(from, to)
		}
	case accessList, types.Set:
		if !after.IsUnknown() {
			return countChanges(from, to)
		}
	case types.String, timestamp:
		return "(now " + describe(before) + ")"
	default:
		return describe(before) + " → " + describe(after)
	}
	return "→ " + describe(after)
}

func describeSwitches(from, to map[string]attr.Value) string {
	var parts []string
	for _, protocol := range slices.Sorted(maps.Keys(to)) {
		if old := from[protocol]; old == nil || !old.Equal(to[protocol]) {
			parts = append(parts, protocol+" → "+describe(to[protocol]))
		}
	}
	return strings.Join(parts, ", ")
}

func countChanges(from, to map[string]attr.Value) string {
	var added, removed, changed int
	for key, value := range to {
		old, ok := from[key]
		switch {
		case !ok:
			added++
		case !old.Equal(value):
			changed++
		}
	}
	for key := range from {
		if _, ok := to[key]; !ok {
			removed++
		}
	}
	var parts []string
	for _, part := range []struct {
		count int
		word  string
	}{{added, "added"}, {changed, "changed"}, {removed, "removed"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.word))
		}
	}
	return strings.Join(parts, ", ")
}

// elements are those of a collection by their key; nil of anything else.
func elements(value attr.Value) map[string]attr.Value {
	switch v := value.(type) {
	case interface{ Elements() map[string]attr.Value }:
		return v.Elements()
	case types.Set:
		byName := map[string]attr.Value{}
		for _, element := range v.Elements() {
			byName[element.String()] = element
		}
		return byName
	}
	return nil
}
