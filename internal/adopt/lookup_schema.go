package adopt

import (
	"fmt"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// lookupSchema derives the schema of a data source from that of its resource:
// the ids, and as computed everything that the API can return.
func lookupSchema(metadata Metadata, resource schema.Schema, description string) datasource.Schema {
	attributes := map[string]datasource.Attribute{}
	for name, attribute := range resource.Attributes {
		text := firstSentence(attribute.GetMarkdownDescription())
		if attribute.IsOptional() && !attribute.IsComputed() {
			text += " Null if the API does not return it."
		}
		attributes[name] = lookupAttribute(attribute, text, metadata.isID(name))
	}
	return datasource.Schema{MarkdownDescription: description, Attributes: attributes}
}

// LookupAttributes derives the computed attributes of a data source from those
// of a resource, except the ids.
func LookupAttributes[O any](definition Definition[O]) map[string]datasource.Attribute {
	metadata := definition.Metadata()
	attributes := lookupSchema(metadata, definition.Schema(), "").Attributes
	for _, id := range metadata.IDs {
		delete(attributes, id)
	}
	return attributes
}

// firstSentence is what a description says of the value itself. What follows
// is about setting it.
func firstSentence(description string) string {
	sentence, _, more := strings.Cut(description, ". ")
	if more {
		sentence += "."
	}
	return sentence
}

// lookupAttribute is the computed form of a resource's attribute, or the
// required form of an id.
func lookupAttribute(attribute schema.Attribute, description string, isID bool) datasource.Attribute {
	switch a := attribute.(type) {
	case schema.StringAttribute:
		derived := datasource.StringAttribute{
			MarkdownDescription: description, CustomType: a.CustomType, Computed: !isID, Required: isID, Sensitive: a.Sensitive,
		}
		if isID {
			derived.Validators = a.Validators
		}
		return derived
	case schema.BoolAttribute:
		return datasource.BoolAttribute{MarkdownDescription: description, CustomType: a.CustomType, Computed: true, Sensitive: a.Sensitive}
	case schema.Int64Attribute:
		return datasource.Int64Attribute{MarkdownDescription: description, CustomType: a.CustomType, Computed: true, Sensitive: a.Sensitive}
	case schema.Float64Attribute:
		return datasource.Float64Attribute{MarkdownDescription: description, CustomType: a.CustomType, Computed: true, Sensitive: a.Sensitive}
	case schema.SetAttribute:
		return datasource.SetAttribute{MarkdownDescription: description, CustomType: a.CustomType, ElementType: a.ElementType, Computed: true, Sensitive: a.Sensitive}
	case schema.MapAttribute:
		return datasource.MapAttribute{MarkdownDescription: description, CustomType: a.CustomType, ElementType: a.ElementType, Computed: true, Sensitive: a.Sensitive}
	case schema.MapNestedAttribute:
		nested := map[string]datasource.Attribute{}
		for name, member := range a.NestedObject.Attributes {
			nested[name] = lookupAttribute(member, member.GetMarkdownDescription(), false)
		}
		return datasource.MapNestedAttribute{
			MarkdownDescription: description, CustomType: a.CustomType, Computed: true, Sensitive: a.Sensitive,
			NestedObject: datasource.NestedAttributeObject{Attributes: nested},
		}
	}
	panic(fmt.Sprintf("no data source attribute for %T", attribute)) // found by any test that builds the provider
}
