package provider

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// Attributes that occur in several schemas, or often in one. description is about the value,
// and is all that a data source shows; more is about setting it.

func joined(description, more string) string { return strings.TrimSpace(description + " " + more) }

// idAttribute is an id of an object. canonical returns the same for all notations of an id.
func idAttribute(description string, check validator.String, canonical func(string) string) schema.StringAttribute {
	otherID := func(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
		resp.RequiresReplace = canonical(req.PlanValue.ValueString()) != canonical(req.StateValue.ValueString())
	}
	const text = "Changing this forces replacement."
	return schema.StringAttribute{
		Description:         description,
		MarkdownDescription: joined(description, text),
		Required:            true,
		Validators:          []validator.String{check},
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplaceIf(otherID, text, text)},
	}
}

// uuidAttribute is an id whose case does not matter.
func uuidAttribute(description string) schema.StringAttribute {
	return idAttribute(description, isUUID, strings.ToLower)
}

func boundedInt64(description string, limit api.Range[int64]) schema.Int64Attribute {
	return schema.Int64Attribute{
		Description:         description,
		MarkdownDescription: fmt.Sprintf("%s Valid range: %d to %d.", description, limit.Min, limit.Max),
		CustomType:          wholeNumberType{},
		Optional:            true,
		Computed:            true,
		Validators:          []validator.Int64{between(limit)},
	}
}

func boundedFloat64(description string, limit api.Range[float64]) schema.Float64Attribute {
	return schema.Float64Attribute{
		Description:         description,
		MarkdownDescription: fmt.Sprintf("%s Valid range: %v to %v.", description, limit.Min, limit.Max),
		CustomType:          floatType{},
		Optional:            true,
		Computed:            true,
		Validators:          []validator.Float64{between(limit)},
	}
}

func managedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: description, Optional: true, Computed: true}
}

func managedString(description, more string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Description:         description,
		MarkdownDescription: joined(description, more),
		Optional:            true,
		Computed:            true,
		Validators:          validators,
	}
}

// configuredString is an attribute that the API's documentation does not list in
// responses: it is shown only if it is configured.
func configuredString(description, more string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Description:         description,
		MarkdownDescription: joined(description, more) + " If the API does not return this value, Terraform shows the last value it applied and does not detect drift.",
		Optional:            true,
		Validators:          validators,
	}
}

func managedSet(description, more string, validators ...validator.Set) schema.SetAttribute {
	return schema.SetAttribute{
		Description:         description,
		MarkdownDescription: joined(description, more),
		ElementType:         types.StringType,
		Optional:            true,
		Computed:            true,
		Validators:          append(validators, setvalidator.NoNullValues()),
	}
}

// managedAccessList is a map from address to description. purpose follows "that may".
func managedAccessList(purpose string) schema.MapAttribute {
	description := "IP addresses and CIDR prefixes that may " + purpose + ", each with a description (`\"\"` for none)."
	return schema.MapAttribute{
		Description:         description,
		MarkdownDescription: joined(description, "Authoritative: entries that are not listed are removed."),
		CustomType:          newAccessListType(),
		ElementType:         types.StringType,
		Optional:            true,
		Computed:            true,
		Validators:          []validator.Map{areSources},
	}
}

func computedString(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

func computedTimestamp(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, CustomType: timestampType{}, Computed: true}
}

func computedInt64(description string) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

func computedFloat64(description string) schema.Float64Attribute {
	return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
}

func computedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
}

// choices lists the values of an enum.
func choices(values []string) string {
	return "Valid values: `" + strings.Join(values, "`, `") + "`."
}

// wholeNumberType is Int64Type, and floatType Float64Type, but a number that the type cannot
// hold becomes one out of any range: the framework's error blames the provider.
type (
	wholeNumberType struct{ basetypes.Int64Type }
	wholeNumber     struct{ basetypes.Int64Value }

	floatType struct{ basetypes.Float64Type }
	float     struct{ basetypes.Float64Value }
)

// numberIn is the number in a value, nil if there is none.
func numberIn(in tftypes.Value) (number *big.Float) {
	if in.IsKnown() {
		_ = in.As(&number)
	}
	return number
}

func (t wholeNumberType) Equal(o attr.Type) bool { return t == o }

func (t wholeNumberType) ValueType(context.Context) attr.Value { return wholeNumber{} }

func (t wholeNumberType) ValueFromInt64(_ context.Context, in basetypes.Int64Value) (basetypes.Int64Valuable, diag.Diagnostics) {
	return wholeNumber{in}, nil
}

func (t wholeNumberType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if number := numberIn(in); number != nil {
		if _, accuracy := number.Int64(); accuracy != big.Exact {
			in = tftypes.NewValue(tftypes.Number, int64(math.MinInt64))
		}
	}
	value, err := t.Int64Type.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return wholeNumber{value.(basetypes.Int64Value)}, nil
}

// Validate replaces that of Int64Type, which refuses such a number.
func (t wholeNumberType) Validate(context.Context, tftypes.Value, path.Path) diag.Diagnostics {
	return nil
}

func (v wholeNumber) Type(context.Context) attr.Type { return wholeNumberType{} }

func (v wholeNumber) Equal(o attr.Value) bool { return v == o }

func (t floatType) Equal(o attr.Type) bool { return t == o }

func (t floatType) ValueType(context.Context) attr.Value { return float{} }

func (t floatType) ValueFromFloat64(_ context.Context, in basetypes.Float64Value) (basetypes.Float64Valuable, diag.Diagnostics) {
	return float{in}, nil
}

func (t floatType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if number := numberIn(in); number != nil {
		if f, accuracy := number.Float64(); math.IsInf(f, 0) || f == 0 && accuracy != big.Exact {
			in = tftypes.NewValue(tftypes.Number, -math.MaxFloat64)
		}
	}
	value, err := t.Float64Type.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return float{value.(basetypes.Float64Value)}, nil
}

// Validate replaces that of Float64Type.
func (t floatType) Validate(context.Context, tftypes.Value, path.Path) diag.Diagnostics { return nil }

func (v float) Type(context.Context) attr.Type { return floatType{} }

func (v float) Equal(o attr.Value) bool {
	other, ok := o.(float)
	return ok && v.Float64Value.Equal(other.Float64Value)
}

// Float64SemanticEquals replaces that of Float64Value, which expects its own type.
func (v float) Float64SemanticEquals(ctx context.Context, o basetypes.Float64Valuable) (bool, diag.Diagnostics) {
	return v.Float64Value.Float64SemanticEquals(ctx, o.(float).Float64Value)
}
