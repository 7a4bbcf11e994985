package lifecycle

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// A Checker is a validator that says what is wrong with a value, nil if nothing is.
type Checker interface {
	Check(value attr.Value) error
}

// validate runs the validators of an attribute on a value that no configuration has: of an import,
// a query, or the API.
func validate(attribute schema.Attribute, value attr.Value) error {
	switch a := attribute.(type) {
	case schema.StringAttribute:
		return firstError(a.Validators, value)
	case schema.Int64Attribute:
		return firstError(a.Validators, value)
	case schema.Float64Attribute:
		return firstError(a.Validators, value)
	case schema.SetAttribute:
		return firstError(a.Validators, value)
	case schema.MapAttribute:
		return firstError(a.Validators, value)
	}
	return nil
}

func firstError[V any](validators []V, value attr.Value) error {
	for _, v := range validators {
		if checker, ok := any(v).(Checker); ok {
			if err := checker.Check(value); err != nil {
				return err
			}
		}
	}
	return nil
}
