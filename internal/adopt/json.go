package adopt

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// FromObject converts an object that the API returned to attributes of these
// types: an attribute shows the member of the same name. What the API did not
// return is null, and so is what has another type than documented. There are two
// exceptions: a number may be in quotes, and one with a fraction is rounded if
// the attribute is a whole one.
func FromObject(ctx context.Context, attributes map[string]attr.Type, object api.Object) Attributes {
	a := Attributes{}
	for name, typ := range attributes {
		a[name] = nullOf(ctx, typ)
	}
	for _, member := range slices.Sorted(maps.Keys(object)) { // of two members of one name, the same one counts each time
		name, data := AttributeName(member), object[member]
		typ, ok := attributes[name]
		if !ok || string(data) == "null" {
			continue
		}
		value := fromJSON(ctx, typ, data)
		if value == nil {
			logMistyped(ctx, name)
			continue
		}
		a[name] = value
	}
	return a
}

// fromJSON returns nil for data of another type.
func fromJSON(ctx context.Context, typ attr.Type, data json.RawMessage) attr.Value {
	var scalar any
	switch typ := typ.(type) {
	case types.ObjectType:
		var object api.Object
		if json.Unmarshal(data, &object) != nil {
			return nil
		}
		return types.ObjectValueMust(typ.AttrTypes, FromObject(ctx, typ.AttrTypes, object))
	case types.ListType:
		var list api.Value[[]json.RawMessage] // drops nulls
		_ = list.UnmarshalJSON(data)
		elements, ok := list.Get()
		if !ok {
			return nil
		}
		values := make([]attr.Value, len(elements))
		for i, element := range elements {
			if values[i] = fromJSON(ctx, typ.ElemType, element); values[i] == nil {
				return nil
			}
		}
		return types.ListValueMust(typ.ElemType, values)
	case basetypes.StringTypable:
		scalar = decode[string](data)
	case basetypes.BoolTypable:
		scalar = decode[bool](data)
	case basetypes.Float64Typable:
		scalar = decode[float64](data)
	case basetypes.Int64Typable:
		if scalar = decode[int64](data); scalar == nil {
			if f, ok := decode[float64](data).(float64); ok && math.Abs(f) < math.MaxInt64 {
				scalar = int64(math.Round(f))
			}
		}
	}
	if scalar == nil {
		return nil
	}
	return fromMember(ctx, typ, scalar)
}

// decode reads JSON as an [api.Value] does, nil for another type.
func decode[T any](data json.RawMessage) any {
	var value api.Value[T]
	_ = value.UnmarshalJSON(data) // never fails
	return value.Any()
}

func logMistyped(ctx context.Context, attribute string) {
	tflog.Debug(ctx, "the API returned a member in an undocumented form, which counts as not returned", map[string]any{"attribute": attribute})
}
