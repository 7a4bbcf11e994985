package provider

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// The attributes that more than one schema has, or that a schema has many of.

func idAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: description + " Another id means another object: Terraform lets go of this one and adopts that.",
		Required:            true,
		Validators:          []validator.String{uuidForm{}},
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(otherID,
			"Another id means another object.", "Another id means another object.")},
	}
}

// otherID tells whether an id changes to that of another object: UUIDs in
// capitals are the same.
func otherID(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = !strings.EqualFold(req.PlanValue.ValueString(), req.StateValue.ValueString())
}

func boundedInt64(description string, limit api.Range[int64]) schema.Int64Attribute {
	return schema.Int64Attribute{
		MarkdownDescription: fmt.Sprintf("%s From %d to %d.", description, limit.Min, limit.Max),
		CustomType:          wholeNumberType{},
		Optional:            true,
		Computed:            true,
		Validators:          between(limit),
	}
}

func boundedFloat64(description string, limit api.Range[float64]) schema.Float64Attribute {
	return schema.Float64Attribute{
		MarkdownDescription: fmt.Sprintf("%s From %s to %s.", description, decimal(limit.Min), decimal(limit.Max)),
		Optional:            true,
		Computed:            true,
		Validators:          betweenFloats(limit),
	}
}

func managedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: description, Optional: true, Computed: true}
}

func managedString(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Computed: true, Validators: validators}
}

func managedSet(description string, validators ...validator.Set) schema.SetAttribute {
	return schema.SetAttribute{
		MarkdownDescription: description,
		ElementType:         types.StringType,
		Optional:            true,
		Computed:            true,
		Validators:          append(validators, setvalidator.NoNullValues()),
	}
}

func managedAccessList(description string) schema.MapAttribute {
	return schema.MapAttribute{
		MarkdownDescription: description + " A map from an IP address or CIDR prefix to its description (`\"\"` for none). " +
			"It is the whole list: an address that is not in it is removed.",
		CustomType:  newAccessListType(),
		ElementType: types.StringType,
		Optional:    true,
		Computed:    true,
		Validators:  []validator.Map{addresses{}},
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

// notAnswered belongs to what the API takes and is not documented to answer.
const notAnswered = "The API does not answer with it: the value is the one that Terraform applied last."

// decimal writes a number as a person would.
func decimal(f float64) string {
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// choices lists the values of an enum in a description.
func choices(values []string) string {
	return "One of `" + strings.Join(values, "`, `") + "`."
}
