package provider

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// withoutNull counts a null as absent. For an attribute that can be configured,
// the API says no more with a null than by leaving it out.
func withoutNull[T any](v api.Value[T]) api.Value[T] {
	if v.IsNull() {
		return api.Value[T]{}
	}
	return v
}

// pointer is a pointer to the value, nil if there is none.
func pointer[T any](v api.Value[T]) *T {
	if value, ok := v.Get(); ok {
		return &value
	}
	return nil
}

// From the API: what it did not return is unknown.

func stringFrom(v api.Value[string]) types.String {
	if v.IsAbsent() {
		return types.StringUnknown()
	}
	return types.StringPointerValue(pointer(v))
}

func timestampFrom(v api.Value[string]) timestamp {
	return timestamp{stringFrom(v)}
}

func int64From(v api.Value[int64]) types.Int64 {
	if v.IsAbsent() {
		return types.Int64Unknown()
	}
	return types.Int64PointerValue(pointer(v))
}

func float64From(v api.Value[float64]) types.Float64 {
	if v.IsAbsent() {
		return types.Float64Unknown()
	}
	f, ok := v.Get()
	if !ok {
		return types.Float64Null()
	}
	value, err := types.Float64Type.ValueFromTerraform(context.Background(), tftypes.NewValue(tftypes.Number, terraformNumber(f)))
	if err != nil {
		return types.Float64Value(f)
	}
	return value.(types.Float64)
}

// terraformNumber has as many digits as Terraform reads from text. To Terraform,
// 0.7 is not the float64 nearest to it.
func terraformNumber(f float64) *big.Float {
	const precision = 512
	number, _, err := big.ParseFloat(decimal(f), 10, precision, big.ToNearestEven)
	if err != nil {
		return big.NewFloat(f)
	}
	return number
}

func boolFrom(v api.Value[bool]) types.Bool {
	if v.IsAbsent() {
		return types.BoolUnknown()
	}
	return types.BoolPointerValue(pointer(v))
}

// setFrom converts a list without a meaningful order. Null is an empty list.
func setFrom(v api.Value[[]string]) types.Set {
	if v.IsAbsent() {
		return types.SetUnknown(types.StringType)
	}
	list, _ := v.Get()
	seen := make(map[string]bool, len(list))
	elements := make([]attr.Value, 0, len(list))
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			elements = append(elements, types.StringValue(s))
		}
	}
	return types.SetValueMust(types.StringType, elements)
}

// To the API: what is not set is left out.

func toString(s types.String) api.Value[string] {
	if s.IsNull() || s.IsUnknown() {
		return api.Value[string]{}
	}
	return api.ValueOf(s.ValueString())
}

func toInt64(i types.Int64) api.Value[int64] {
	if i.IsNull() || i.IsUnknown() {
		return api.Value[int64]{}
	}
	return api.ValueOf(i.ValueInt64())
}

func toFloat64(f types.Float64) api.Value[float64] {
	if f.IsNull() || f.IsUnknown() {
		return api.Value[float64]{}
	}
	return api.ValueOf(f.ValueFloat64())
}

func toBool(b types.Bool) api.Value[bool] {
	if b.IsNull() || b.IsUnknown() {
		return api.Value[bool]{}
	}
	return api.ValueOf(b.ValueBool())
}

func toStrings(s types.Set) api.Value[[]string] {
	if s.IsNull() || s.IsUnknown() {
		return api.Value[[]string]{}
	}
	elements := s.Elements()
	list := make([]string, 0, len(elements))
	for _, element := range elements {
		list = append(list, adopt.Text(element))
	}
	return api.ValueOf(list)
}
