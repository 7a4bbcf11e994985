package adopt

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Attributes are the top-level attributes of a resource by name: a
// configuration, a plan, a state, or what the API returned. In a response,
// unknown means that the API did not return the attribute.
type Attributes map[string]attr.Value

// objectType is the type of a resource's attributes together.
type objectType struct{ types.ObjectType }

// attributes converts a configuration, a plan or a state.
func (t objectType) attributes(ctx context.Context, raw tftypes.Value) Attributes {
	value, err := t.ValueFromTerraform(ctx, raw)
	if err != nil {
		panic(err) // the framework has checked the type
	}
	return value.(types.Object).Attributes()
}

// raw converts attributes to a plan or a state.
func (t objectType) raw(ctx context.Context, a Attributes) tftypes.Value {
	raw, err := types.ObjectValueMust(t.AttrTypes, a).ToTerraformValue(ctx)
	if err != nil {
		panic(err)
	}
	return raw
}

// unknown returns a response that shows no attribute.
func (t objectType) unknown(ctx context.Context) Attributes {
	a := Attributes{}
	for name, typ := range t.AttrTypes {
		value, err := typ.ValueFromTerraform(ctx, tftypes.NewValue(typ.TerraformType(ctx), tftypes.UnknownValue))
		if err != nil {
			panic(err) // every type can be unknown
		}
		a[name] = value
	}
	return a
}

// equal reports whether all values are the same, notation included.
func (a Attributes) equal(b Attributes) bool {
	return maps.EqualFunc(a, b, attr.Value.Equal)
}

func nullOf(ctx context.Context, typ attr.Type) attr.Value {
	value, err := typ.ValueFromTerraform(ctx, tftypes.NewValue(typ.TerraformType(ctx), nil))
	if err != nil {
		panic(err) // every type can be null
	}
	return value
}

// modelOf converts attributes to a model: a struct with one field for each
// attribute. It copies the values as they are, which the framework's own
// conversion does element by element. A value of another type, possible only in
// a state edited by hand, becomes null.
func modelOf[M any](a Attributes) (model M) {
	for field, into := range reflect.ValueOf(&model).Elem().Fields() {
		if value := reflect.ValueOf(a[attributeName(field)]); value.IsValid() && value.Type().AssignableTo(field.Type) {
			into.Set(value)
		}
	}
	return model
}

// fromModel converts a model back to attributes.
func fromModel[M any](model M) Attributes {
	a := Attributes{}
	for field, value := range reflect.ValueOf(model).Fields() {
		a[attributeName(field)] = value.Interface().(attr.Value)
	}
	return a
}

func attributeName(field reflect.StructField) string { return field.Tag.Get("tfsdk") }

// pick keeps the attributes for which keep is true; the others become null.
func (a Attributes) pick(ctx context.Context, keep func(name string) bool) Attributes {
	picked := maps.Clone(a)
	for name, value := range a {
		if !keep(name) {
			picked[name] = nullOf(ctx, value.Type(ctx))
		}
	}
	return picked
}

// isFullyKnown reports whether a value is known down to its last element.
func isFullyKnown(ctx context.Context, value attr.Value) bool {
	raw, err := value.ToTerraformValue(ctx)
	return err == nil && raw.IsFullyKnown()
}

func sortedNames(a Attributes) []string {
	return slices.Sorted(maps.Keys(a))
}

// Text returns the text of a string, "" if it is null or unknown.
func Text(value attr.Value) string {
	if s, ok := value.(interface{ ValueString() string }); ok {
		return s.ValueString()
	}
	return ""
}

// Elements returns the elements of a map by key and those of a set by their
// text; nil for any other value.
func Elements(value attr.Value) map[string]attr.Value {
	switch v := value.(type) {
	case interface{ Elements() map[string]attr.Value }:
		return v.Elements()
	case types.Set:
		byText := make(map[string]attr.Value, len(v.Elements()))
		for _, element := range v.Elements() {
			byText[element.String()] = element
		}
		return byText
	}
	return nil
}
