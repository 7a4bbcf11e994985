package provider

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// attributes are the top-level attributes of a resource by name: a
// configuration, a plan, a state, or what the API answered. In an answer,
// unknown stands for "the answer does not say".
type attributes map[string]attr.Value

// shape is the type of a resource's attributes together.
type shape struct{ types.ObjectType }

// attributes are those of a configuration, a plan or a state, all of which the
// framework has given their type.
func (s shape) attributes(ctx context.Context, raw tftypes.Value) attributes {
	value, err := s.ValueFromTerraform(ctx, raw)
	if err != nil {
		panic(err)
	}
	return value.(types.Object).Attributes()
}

// raw makes a plan or a state of attributes. Each has the type that the schema
// gives it, whether it came from Terraform or through a model.
func (s shape) raw(ctx context.Context, a attributes) tftypes.Value {
	raw, err := types.ObjectValueMust(s.AttrTypes, a).ToTerraformValue(ctx)
	if err != nil {
		panic(err)
	}
	return raw
}

// equal tells whether two sets of attributes say the same in the same way.
func (a attributes) equal(b attributes) bool {
	return maps.EqualFunc(a, b, attr.Value.Equal)
}

func null(ctx context.Context, typ attr.Type) attr.Value {
	value, err := typ.ValueFromTerraform(ctx, tftypes.NewValue(typ.TerraformType(ctx), nil))
	if err != nil {
		panic(err) // every type here can be null
	}
	return value
}

// modelOf gives attributes the form of their kind's model: a struct with one
// field for each attribute, whose value it holds as it is. That makes the
// conversions of the framework, which have to look at every element, unnecessary.
// A value that is none of its attribute's, as a state that was written by hand can
// have, is null.
func modelOf[M any](a attributes) M {
	var model M
	fields := reflect.ValueOf(&model).Elem()
	for i := range fields.NumField() {
		value := reflect.ValueOf(a[attributeOf(fields.Type().Field(i))])
		if value.Type().AssignableTo(fields.Field(i).Type()) {
			fields.Field(i).Set(value)
		}
	}
	return model
}

// fromModel is the way back from a kind's model.
func fromModel[M any](model M) attributes {
	fields := reflect.ValueOf(model)
	a := make(attributes, fields.NumField())
	for i := range fields.NumField() {
		a[attributeOf(fields.Type().Field(i))] = fields.Field(i).Interface().(attr.Value)
	}
	return a
}

// attributeOf is the name of the attribute that a field of a model holds.
func attributeOf(field reflect.StructField) string { return field.Tag.Get("tfsdk") }

// only keeps the named attributes; the others are null.
func (a attributes) only(ctx context.Context, names []string) attributes {
	kept := maps.Clone(a)
	for name, value := range a {
		if !slices.Contains(names, name) {
			kept[name] = null(ctx, value.Type(ctx))
		}
	}
	return kept
}

// whollyKnown tells whether a value is known down to its last element.
func whollyKnown(ctx context.Context, value attr.Value) bool {
	raw, err := value.ToTerraformValue(ctx)
	return err == nil && raw.IsFullyKnown()
}

func sortedNames(a attributes) []string {
	return slices.Sorted(maps.Keys(a))
}
