package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// Helpers of the data sources, in which absent and null are both null.

func optional[T, M any](v api.Value[T], from func(T) M) *M {
	value, ok := v.Get()
	if !ok {
		return nil
	}
	model := from(value)
	return &model
}

func optionalList[T, M any](v api.Value[[]T], from func(T) M) []M {
	values, ok := v.Get()
	if !ok {
		return nil
	}
	models := make([]M, len(values))
	for i, value := range values {
		models[i] = from(value)
	}
	return models
}

func optionalString(v api.Value[string]) types.String { return types.StringPointerValue(pointer(v)) }
func optionalInt64(v api.Value[int64]) types.Int64    { return types.Int64PointerValue(pointer(v)) }
func optionalBool(v api.Value[bool]) types.Bool       { return types.BoolPointerValue(pointer(v)) }

func optionalStrings(v api.Value[[]string]) []types.String {
	return optionalList(v, types.StringValue)
}

func readString(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Computed: true}
}

func readInt64(description string) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
}

func readBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: description, Computed: true}
}

func readStrings(description string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Computed: true}
}

func readObject(description string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: attributes}
}

func readObjects(description string, attributes map[string]schema.Attribute) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: description,
		Computed:            true,
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}
