package adopt

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// importable removes from an imported state what no configuration could set,
// such as a scaling of 0 that means "default". Terraform generates configuration
// from the imported state, and that has to be valid. The next refresh shows the
// real values again.
func (r *Resource[M]) importable(ctx context.Context, state Attributes) Attributes {
	state = state.pick(ctx, func(name string) bool {
		attribute, value := r.schema.Attributes[name], state[name]
		return !attribute.IsOptional() || value.IsNull() || !isInvalid(ctx, attribute, name, value)
	})
	if importer, ok := r.definition.(Importer); ok {
		state = importer.Importable(ctx, r.Client, state)
	}
	return state
}

// isInvalid reports whether the validators of an attribute refuse a value.
func isInvalid(ctx context.Context, attribute schema.Attribute, name string, value attr.Value) bool {
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
