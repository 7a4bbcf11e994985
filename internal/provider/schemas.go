package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
		Optional:            true,
		Computed:            true,
		Validators:          []validator.Int64{between(limit)},
	}
}

func boundedFloat64(description string, limit api.Range[float64]) schema.Float64Attribute {
	return schema.Float64Attribute{
		Description:         description,
		MarkdownDescription: fmt.Sprintf("%s Valid range: %v to %v.", description, limit.Min, limit.Max),
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
		MarkdownDescription: joined(description, more) + " Drift is detected only if the API returns this value.",
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
		MarkdownDescription: joined(description, "Authoritative: an update removes other entries; an adoption fails if there are any."),
		ElementType:         types.StringType,
		Optional:            true,
		Computed:            true,
		Validators:          []validator.Map{areSources},
	}
}

func computedString(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
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

func computedStrings(description string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
}

type attributeMap = map[string]schema.Attribute

func computedObject(description string, attributes attributeMap) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
}

func computedObjects(description string, attributes attributeMap) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: description, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: attributes},
	}
}

// choices lists the values of an enum.
func choices(values []string) string {
	return "Valid values: `" + strings.Join(values, "`, `") + "`."
}
