package adopt

import (
	"fmt"
	"slices"
	"strings"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// lookupSchema derives the schema of a data source from that of its resource:
// the ids, and as computed everything that the API can return. An attribute
// that only a configuration can set is left out.
func lookupSchema(metadata Metadata, resource schema.Schema, lookup Lookup) datasource.Schema {
	attributes := map[string]datasource.Attribute{}
	for name, attribute := range resource.Attributes {
		isID := slices.Contains(metadata.IDs, name)
		if _, own := metadata.TerraformOnly[name]; own || !isID && !attribute.IsComputed() {
			continue
		}
		description, ok := lookup.Descriptions[name]
		if !ok {
			description = firstSentence(attribute.GetMarkdownDescription())
		}
		if slices.Contains(metadata.NotReturned, name) {
			description += " Null if the API does not return it."
		}
		attributes[name] = lookupAttribute(attribute, description, isID)
	}
	return datasource.Schema{MarkdownDescription: lookup.Description, Attributes: attributes}
}

// LookupAttributes derives the computed attributes of a data source from those
// of a resource, except the ids.
func LookupAttributes[M any](definition Definition[M]) map[string]datasource.Attribute {
	attributes, metadata := map[string]datasource.Attribute{}, definition.Metadata()
	for name, attribute := range definition.Schema().Attributes {
		if metadata.isSent(name) {
			attributes[name] = lookupAttribute(attribute, firstSentence(attribute.GetMarkdownDescription()), false)
		}
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
