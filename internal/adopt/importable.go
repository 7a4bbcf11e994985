package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// configurable leaves out of an imported state what no configuration could
// set: a scaling of 0 that means "default", a name from before the rules.
// Generated configuration is made of the imported state, and has to be valid.
// The next read shows the real value again.
func configurable(ctx context.Context, scheme schema.Schema, state attributes) attributes {
	kept := maps.Clone(state)
	for name, value := range state {
		attribute := scheme.Attributes[name]
		if attribute.IsOptional() && !value.IsNull() && invalid(ctx, attribute, name, value) {
			kept[name] = null(ctx, value.Type(ctx))
		}
	}
	return kept
}

// invalid tells whether the validators of an attribute refuse a value.
func invalid(ctx context.Context, attribute schema.Attribute, name string, value attr.Value) bool {
	var diags diag.Diagnostics
	at := path.Root(name)
	switch a := attribute.(type) {
	case schema.StringAttribute:
		s, _ := value.(interface {
			ToStringValue(context.Context) (types.String, diag.Diagnostics)
		}).ToStringValue(ctx)
		for _, v := range a.Validators {
			var resp validator.StringResponse
			v.ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: s}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case schema.Int64Attribute:
		for _, v := range a.Validators {
			var resp validator.Int64Response
			v.ValidateInt64(ctx, validator.Int64Request{Path: at, ConfigValue: value.(types.Int64)}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case schema.Float64Attribute:
		for _, v := range a.Validators {
			var resp validator.Float64Response
			v.ValidateFloat64(ctx, validator.Float64Request{Path: at, ConfigValue: value.(types.Float64)}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case schema.SetAttribute:
		for _, v := range a.Validators {
			var resp validator.SetResponse
			v.ValidateSet(ctx, validator.SetRequest{Path: at, ConfigValue: value.(types.Set)}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case schema.MapAttribute:
		m, _ := value.(interface {
			ToMapValue(context.Context) (types.Map, diag.Diagnostics)
		}).ToMapValue(ctx)
		for _, v := range a.Validators {
			var resp validator.MapResponse
			v.ValidateMap(ctx, validator.MapRequest{Path: at, ConfigValue: m}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	}
	return diags.HasError()
}
