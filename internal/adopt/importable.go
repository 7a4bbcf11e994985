package adopt

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// A Checker is a validator that can be asked what is wrong with a value, nil if
// nothing is.
type Checker interface {
	Check(value attr.Value) error
}

// importable removes from an imported state what no configuration should set or
// could set, such as a scaling of 0 that means "default". Terraform generates
// configuration from the imported state, and that has to be valid. The next
// refresh shows the real values again. A warning names what no configuration
// could set.
func (r *Resource[O]) importable(ctx context.Context, state Attributes) (Attributes, diag.Diagnostics) {
	var diags diag.Diagnostics
	if importer, ok := r.definition.(Importer); ok {
		kept := maps.Clone(state)
		diags = importer.Importable(ctx, r.Client, kept)
		state = state.pick(ctx, func(name string) bool { return kept[name] != nil })
	}
	var invalid []string
	kept := state.pick(ctx, func(name string) bool {
		attribute, value := r.schema.Attributes[name], state[name]
		if !attribute.IsOptional() || value.IsNull() {
			return true
		}
		err := check(attribute, value)
		if err != nil {
			invalid = append(invalid, fmt.Sprintf("%s = %s (%s)", name, describe(value), err))
		}
		return err == nil
	})
	if len(invalid) > 0 {
		slices.Sort(invalid)
		diags.AddWarning("Left out of the import: "+r.metadata.shortName(state), fmt.Sprintf(
			"%s has values that no configuration can set: %s. They are left out of the imported state; what the configuration sets instead is applied.", r.metadata.name(state), strings.Join(invalid, "; ")))
	}
	return kept, diags
}

// check asks the validators of an attribute about a value. The types of attributes
// have only the name of the field in common.
func check(attribute schema.Attribute, value attr.Value) error {
	validators := reflect.ValueOf(attribute).FieldByName("Validators")
	for i := range validators.Len() {
		if checker, ok := reflect.TypeAssert[Checker](validators.Index(i)); ok {
			if err := checker.Check(value); err != nil {
				return err
			}
		}
	}
	return nil
}
