package provider

import "maps"

// fill takes from known every attribute that plan does not know.
func fill(plan, known attributes) attributes {
	filled := maps.Clone(plan)
	for name, value := range plan {
		if value.IsUnknown() {
			filled[name] = known[name]
		}
	}
	return filled
}
