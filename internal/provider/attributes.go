package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// attributes are the top-level attributes of a resource by name: a
// configuration, a plan, a state, or what the API answered. In an answer,
// unknown stands for "the answer does not say".
type attributes map[string]attr.Value

// source is where attributes are read from: a configuration, plan or state.
type source interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

func attributesOf(ctx context.Context, from source) (attributes, diag.Diagnostics) {
	var object types.Object
	diags := from.Get(ctx, &object)
	return object.Attributes(), diags
}

// target is where attributes are written to: a plan or state.
type target interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}

func (a attributes) store(ctx context.Context, to target, shape shape) diag.Diagnostics {
	object, diags := types.ObjectValue(shape, a)
	diags.Append(to.Set(ctx, object)...)
	return diags
}

// shape holds the type of every attribute of a resource.
type shape map[string]attr.Type

func null(ctx context.Context, typ attr.Type) attr.Value {
	value, err := typ.ValueFromTerraform(ctx, tftypes.NewValue(typ.TerraformType(ctx), nil))
	if err != nil {
		panic(err) // every type here can be null
	}
	return value
}

// modelOf gives attributes the shape of their kind's model.
func modelOf[M any](ctx context.Context, shape shape, a attributes) (M, diag.Diagnostics) {
	var model M
	object, diags := types.ObjectValue(shape, a)
	if !diags.HasError() {
		diags.Append(object.As(ctx, &model, basetypes.ObjectAsOptions{})...)
	}
	return model, diags
}

// fromModel is the way back from a kind's model.
func fromModel[M any](ctx context.Context, shape shape, model M) (attributes, diag.Diagnostics) {
	object, diags := types.ObjectValueFrom(ctx, shape, model)
	return object.Attributes(), diags
}

// only keeps the named attributes; the others are null.
func (a attributes) only(ctx context.Context, names []string) attributes {
	kept := maps.Clone(a)
	for name, value := range a {
		if !slices.Contains(names, name) {
			kept[name] = null(ctx, value.Type(ctx))
		}
	}
	return kept
}

// whollyKnown tells whether a value is known down to its last element.
func whollyKnown(ctx context.Context, value attr.Value) bool {
	raw, err := value.ToTerraformValue(ctx)
	return err == nil && raw.IsFullyKnown()
}

func sortedNames(a attributes) []string {
	return slices.Sorted(maps.Keys(a))
}
