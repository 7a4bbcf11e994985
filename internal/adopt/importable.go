package adopt

import (
	"context"
	"maps"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// A Checker is a validator that can be asked what is wrong with a value, nil if
// nothing is.
type Checker interface {
	Check(value attr.Value) error
}

// importable removes from an imported state what no configuration could set,
// such as a scaling of 0 that means "default". Terraform generates configuration
// from the imported state, and that has to be valid. The next refresh shows the
// real values again.
func (r *Resource) importable(ctx context.Context, state Attributes) Attributes {
	state = state.pick(ctx, func(name string) bool {
		attribute, value := r.schema.Attributes[name], state[name]
		return !attribute.IsOptional() || value.IsNull() || check(attribute, value) == nil
	})
	if importer, ok := r.definition.(Importer); ok {
		kept := importer.Importable(ctx, r.Client, maps.Clone(state))
		state = state.pick(ctx, func(name string) bool { return kept[name] != nil })
	}
	return state
}

// check asks the validators of an attribute about a value. Each type of
// attribute has a list of its own type, under one name.
func check(attribute schema.Attribute, value attr.Value) error {
	validators := reflect.ValueOf(attribute).FieldByName("Validators")
	if !validators.IsValid() {
		return nil
	}
	for i := range validators.Len() {
		if checker, ok := validators.Index(i).Interface().(Checker); ok {
			if err := checker.Check(value); err != nil {
				return err
			}
		}
	}
	return nil
}
