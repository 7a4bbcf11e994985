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
	_, same := o.(wholeNumberType)
	return same || t.Int64Type.Equal(o)
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
