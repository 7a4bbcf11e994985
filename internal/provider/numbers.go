package provider

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// The framework reports a number that its type cannot hold as an error in the provider,
// with the value, which may be sensitive. These types report it as any other error.

// wholeNumberType is the framework's Int64Type with a better error for a fraction or a
// number that is too large.
type wholeNumberType struct {
	basetypes.Int64Type
	limit api.Range[int64]
}

func (t wholeNumberType) Equal(o attr.Type) bool {
	_, same := o.(wholeNumberType)
	return same || t.Int64Type.Equal(o)
}

func (t wholeNumberType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	var number *big.Float
	if in.IsKnown() && !in.IsNull() && in.As(&number) == nil {
		if _, accuracy := number.Int64(); accuracy != big.Exact {
			return notWhole{basetypes.NewInt64Unknown(), t.limit}, nil
		}
	}
	return t.Int64Type.ValueFromTerraform(ctx, in)
}

// notWhole is a number that no attribute takes. It exists only to fail
// validation.
type notWhole struct {
	basetypes.Int64Value
	limit api.Range[int64]
}

func (v notWhole) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Value",
		fmt.Sprintf("Attribute %s must be a whole number between %d and %d.", req.Path, v.limit.Min, v.limit.Max))
}

// decimalType is the framework's Float64Type with a better error for a number that is
// too large or too close to 0.
type decimalType struct {
	basetypes.Float64Type
	limit api.Range[float64]
}

func (t decimalType) Equal(o attr.Type) bool {
	_, same := o.(decimalType)
	return same || t.Float64Type.Equal(o)
}

func (t decimalType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if value, err := t.Float64Type.ValueFromTerraform(ctx, in); err == nil {
		return value, nil
	}
	return notDecimal{basetypes.NewFloat64Unknown(), t.limit}, nil
}

// notDecimal is a number that is within no limit. It exists only to fail validation.
type notDecimal struct {
	basetypes.Float64Value
	limit api.Range[float64]
}

func (v notDecimal) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	between(v.limit).validate(req.Path, basetypes.NewFloat64Value(math.Inf(1)), &resp.Diagnostics)
}
