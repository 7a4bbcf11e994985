package adopt

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A Notation is a value with more than one notation, such as an instant at
// another offset or an address with or without its full-length prefix.
type Notation interface {
	attr.Value

	// SemanticEqual reports whether both values mean the same. Neither is null
	// or unknown.
	SemanticEqual(other attr.Value) bool

	// KeepNotation returns the value as prior writes it, if it means the same
	// or is what an API makes of prior, for instance with fewer fractional
	// digits.
	KeepNotation(prior attr.Value) attr.Value
}

// A List is a collection that changes entry by entry.
type List interface {
	// HasChange reports whether the list contains the change from base to
	// planned. Entries that the change does not touch do not matter.
	HasChange(base, planned attr.Value) bool
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
	case types.Float64:
		// Terraform computes with more digits than a float64 has.
		b, ok := b.(types.Float64)
		return ok && a.ValueFloat64() == b.ValueFloat64()
	}
	return false
}

func hasValue(value attr.Value) bool { return value != nil && !value.IsNull() && !value.IsUnknown() }

// keepNotation returns remote with every value as prior writes it, where both
// mean the same.
func keepNotation(prior, remote Attributes) Attributes {
	kept := make(Attributes, len(remote))
	for name, value := range remote {
		kept[name] = keepValueNotation(prior[name], value)
	}
	return kept
}

func keepValueNotation(prior, remote attr.Value) attr.Value {
	if !hasValue(prior) || !hasValue(remote) {
		return remote
	}
	if value, ok := remote.(Notation); ok {
		return value.KeepNotation(prior)
	}
	if semanticEqual(prior, remote) {
		return prior
	}
	return remote
}

// fill replaces every unknown value of plan with that of values.
func fill(plan, values Attributes) Attributes {
	filled := maps.Clone(plan)
	for name, value := range plan {
		if value.IsUnknown() {
			filled[name] = values[name]
		}
	}
	return filled
}

// difference names the attributes to send: their planned value differs from
// base, which is the prior state or, for a creation, what the API returned, and
// remote does not have that change yet. It never looks at the configuration:
// during an apply that still holds the values that ignore_changes ignores.
func difference(planned, base, remote Attributes) []string {
	var names []string
	for _, name := range sortedNames(planned) {
		if isPlannedChange(planned[name], base[name]) && !hasChange(planned[name], base[name], remote[name]) {
			names = append(names, name)
		}
	}
	return names
}

// isPlannedChange reports whether a plan gives an attribute a new value. Null
// is none: an attribute that leaves the configuration is not reset.
func isPlannedChange(planned, base attr.Value) bool {
	return hasValue(planned) && !semanticEqual(base, planned)
}

// hasChange reports whether remote has what the plan makes of base.
func hasChange(planned, base, remote attr.Value) bool {
	if semanticEqual(planned, remote) {
		return true
	}
	if !hasValue(remote) || !hasValue(base) {
		return false
	}
	switch remote := remote.(type) {
	case List:
		return remote.HasChange(base, planned)
	case types.Map:
		return hasEntries(Elements(planned), Elements(base), remote.Elements())
	case types.Set:
		before, after, now := Elements(base), Elements(planned), Elements(remote)
		return hasEntries(after, before, now) && lacksRemoved(after, before, now)
	}
	return false
}

// hasEntries reports whether now has every entry that is new or different in
// after.
func hasEntries(after, before, now map[string]attr.Value) bool {
	for key, value := range after {
		if old, ok := before[key]; ok && old.Equal(value) {
			continue
		}
		if current, ok := now[key]; !ok || !current.Equal(value) {
			return false
		}
	}
	return true
}

// lacksRemoved reports whether now has none of the entries that after lacks.
func lacksRemoved(after, before, now map[string]attr.Value) bool {
	for key := range before {
		_, kept := after[key]
		if _, there := now[key]; there && !kept {
			return false
		}
	}
	return true
}

// confirm checks a response against what was sent: every attribute must come
// back as planned. One that the API does not return counts as confirmed.
func confirm(sent []string, planned, base, response Attributes, hints map[string]string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, name := range sent {
		got := response[name]
		if got.IsUnknown() || hasChange(planned[name], base[name], keepValueNotation(planned[name], got)) {
			continue
		}
		hint := hints[name]
		if hint == "" {
			hint = "Something else may be changing the object at the same time, or the platform does not allow this value here."
		}
		diags.AddAttributeError(path.Root(name), "Change not confirmed by the API",
			fmt.Sprintf("The API accepted the change of %s but still returns %s. %s Run terraform plan to see the current value.",
				name, describe(got), hint))
	}
	return diags
}
