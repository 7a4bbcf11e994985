package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A settler is a value that can be said in more than one way: an instant at
// another offset, an address with or without its full-length prefix. Settle
// answers the value as prior would have said it, so that a mere difference of
// notation is none.
type settler interface {
	attr.Value
	settle(prior attr.Value) attr.Value
}

// settle keeps the prior value of every attribute for which remote says the
// same in another way.
func settle(prior, remote attributes) attributes {
	settled := make(attributes, len(remote))
	for name, value := range remote {
		settled[name] = settledTo(prior[name], value)
	}
	return settled
}

func settledTo(prior, remote attr.Value) attr.Value {
	if prior == nil || prior.IsNull() || prior.IsUnknown() || remote.IsNull() || remote.IsUnknown() {
		return remote
	}
	switch said := remote.(type) {
	case settler:
		return said.settle(prior)
	case types.Float64:
		// Terraform computes with more digits than the API's numbers have.
		if before, ok := prior.(types.Float64); ok && before.ValueFloat64() == said.ValueFloat64() {
			return before
		}
	}
	return remote
}

// equivalent tells whether remote says what prior says.
func equivalent(prior, remote attr.Value) bool {
	return settledTo(prior, remote).Equal(prior)
}

// difference names the attributes that want sets and known does not have:
// what has to be written, and nothing else.
func difference(want, known attributes) []string {
	var names []string
	for _, name := range sortedNames(want) {
		if !want[name].IsNull() && !equivalent(want[name], known[name]) {
			names = append(names, name)
		}
	}
	return names
}
