package lifecycle

import (
	"context"
	"fmt"
	"maps"

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

// attributes converts a plan, a state or a validated configuration.
func (t objectType) attributes(ctx context.Context, raw tftypes.Value) Attributes {
	return valueOf(ctx, t.ObjectType, raw).(types.Object).Attributes()
}

// raw converts attributes to a plan or a state.
func (t objectType) raw(ctx context.Context, a Attributes) tftypes.Value {
	raw, _ := types.ObjectValueMust(t.AttrTypes, a).ToTerraformValue(ctx) // an object of valid values always converts
	return raw
}

func nullOf(ctx context.Context, typ attr.Type) attr.Value {
	return valueOf(ctx, typ, tftypes.NewValue(typ.TerraformType(ctx), nil))
}

// valueOf converts a value that the type can hold.
func valueOf(ctx context.Context, typ attr.Type, raw tftypes.Value) attr.Value {
	value, err := typ.ValueFromTerraform(ctx, raw)
	if err != nil {
		panic(fmt.Sprintf("no %s from %s", typ, raw.Type())) // without the value, which may be sensitive
	}
	return value
}

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

// Text returns the text of a string, "" if it is null or unknown. It panics if there is no
// value at all, as for a misspelled name.
func Text(value attr.Value) string {
	mustExist(value)
	if s, ok := value.(interface{ ValueString() string }); ok {
		return s.ValueString()
	}
	return ""
}

// Elements returns the elements of a map by key and those of a set by their
// text; nil for any other value, and for one that is null or unknown. It panics like [Text].
func Elements(value attr.Value) map[string]attr.Value {
	mustExist(value)
	if !hasValue(value) {
		return nil
	}
	switch v := value.(type) {
	case interface{ Elements() map[string]attr.Value }:
		return v.Elements()
	case types.Set:
		byText := make(map[string]attr.Value, len(v.Elements()))
		for _, element := range v.Elements() {
			byText[Text(element)] = element
		}
		return byText
	}
	return nil
}

func mustExist(value attr.Value) {
	if value == nil {
		panic("no such attribute")
	}
}
