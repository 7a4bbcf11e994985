package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// wholeNumberType is the framework's Int64Type with another error for what is no int64:
// the framework's blames the provider, and shows the value, which may be sensitive.
type wholeNumberType struct {
	basetypes.Int64Type
	limit api.Range[int64]
}

func (t wholeNumberType) Equal(o attr.Type) bool {
	_, same := o.(wholeNumberType)
	return same || t.Int64Type.Equal(o) // the type of its values
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

// notWhole stands for a number that is no int64. It exists only to fail validation.
type notWhole struct {
	basetypes.Int64Value
	limit api.Range[int64]
}

func (v notWhole) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid Attribute Value",
		fmt.Sprintf("Attribute %s must be a whole number between %d and %d.", req.Path, v.limit.Min, v.limit.Max))
}
