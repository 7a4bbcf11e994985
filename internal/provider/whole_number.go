package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// wholeNumberType is the framework's Int64Type, but for what it says of a
// number that is none: the framework's own words are for developers. Its
// values are the framework's.
type wholeNumberType struct{ basetypes.Int64Type }

func (t wholeNumberType) Equal(o attr.Type) bool {
	switch o.(type) {
	case wholeNumberType, basetypes.Int64Type:
		return true
	}
	return false
}

func (t wholeNumberType) Validate(_ context.Context, in tftypes.Value, at path.Path) diag.Diagnostics {
	var number *big.Float
	if !in.IsKnown() || in.IsNull() || in.As(&number) != nil {
		return nil
	}
	if _, accuracy := number.Int64(); accuracy != big.Exact {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Not a whole number",
			fmt.Sprintf("Attribute %s value must be an integer of at most 64 bits, got: %s", at, number.Text('g', -1)))}
	}
	return nil
}
