package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// endpointSwitchesType is a map from a protocol to whether its endpoint is
// enabled. Only the protocols that a configuration lists are compared.
type endpointSwitchesType struct{ basetypes.MapType }

type endpointSwitches struct{ basetypes.MapValue }

var (
	_ basetypes.MapTypable  = endpointSwitchesType{}
	_ basetypes.MapValuable = endpointSwitches{}
	_ settler               = endpointSwitches{}
)

func newEndpointSwitchesType() endpointSwitchesType {
	return endpointSwitchesType{basetypes.MapType{ElemType: types.BoolType}}
}

func (t endpointSwitchesType) Equal(o attr.Type) bool {
	_, ok := o.(endpointSwitchesType)
	return ok
}

func (t endpointSwitchesType) String() string { return "endpoint switches" }

func (t endpointSwitchesType) ValueType(context.Context) attr.Value {
	return endpointSwitches{types.MapNull(types.BoolType)}
}

func (t endpointSwitchesType) ValueFromMap(_ context.Context, in basetypes.MapValue) (basetypes.MapValuable, diag.Diagnostics) {
	return endpointSwitches{in}, nil
}

func (t endpointSwitchesType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.MapType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return endpointSwitches{value.(basetypes.MapValue)}, nil
}

func (v endpointSwitches) Type(context.Context) attr.Type { return newEndpointSwitchesType() }

func (v endpointSwitches) Equal(o attr.Value) bool {
	other, ok := o.(endpointSwitches)
	return ok && v.MapValue.Equal(other.MapValue)
}

// settle answers for the protocols of prior only. One of which nothing is
// said stays as it is.
func (v endpointSwitches) settle(prior attr.Value) attr.Value {
	before, ok := prior.(endpointSwitches)
	if !ok {
		return v
	}
	said, settled := v.Elements(), before.Elements()
	for protocol := range settled {
		if enabled, ok := said[protocol]; ok {
			settled[protocol] = enabled
		}
	}
	return endpointSwitches{types.MapValueMust(types.BoolType, settled)}
}
