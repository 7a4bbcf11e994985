package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// wholeNumberType is the framework's Int64Type with a better error for a fraction,
// which the framework reports as an error in the provider.
type wholeNumberType struct{ basetypes.Int64Type }

func (t wholeNumberType) Equal(o attr.Type) bool {
	switch o.(type) {
	case wholeNumberType, basetypes.Int64Type:
		return true
	}
	return false
}

func (t wholeNumberType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	var number *big.Float
	if in.IsKnown() && !in.IsNull() && in.As(&number) == nil {
		if _, accuracy := number.Int64(); accuracy != big.Exact {
			return notWhole{basetypes.NewInt64Unknown()}, nil
		}
	}
	return t.Int64Type.ValueFromTerraform(ctx, in)
}

// notWhole is a number that no attribute takes. It exists only to fail
// validation.
type notWhole struct{ basetypes.Int64Value }

func (v notWhole) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	resp.Diagnostics.AddAttributeError(req.Path, "Not a whole number",
		fmt.Sprintf("Attribute %s must be an integer of at most 64 bits.", req.Path))
}

// floatType is the framework's Float64Type, except that a number that no float64
// can hold fails validation. The framework would fail to decode it, which is a
// crash of the provider.
type floatType struct{ basetypes.Float64Type }

func (t floatType) Equal(o attr.Type) bool {
	switch o.(type) {
	case floatType, basetypes.Float64Type:
		return true
	}
	return false
}

func (t floatType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.Float64Type.ValueFromTerraform(ctx, in)
	if err != nil && in.Type().Is(tftypes.Number) {
		return notFloat{basetypes.NewFloat64Unknown()}, nil
	}
	return value, err
}

// notFloat is a number that exists only to fail validation.
type notFloat struct{ basetypes.Float64Value }

func (v notFloat) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Value",
		fmt.Sprintf("Attribute %s must be a number that 64 bits can hold.", req.Path))
}
