package lifecycle

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// A Lookup is a data source: it shows an object with given ids, and manages nothing.
type Lookup struct {
	Object Kind                  // only what is about reading is used
	Schema resourceschema.Schema // as of a resource: see lookupSchema
	// Fetch returns all attributes but the ids. What is unknown becomes null.
	Fetch func(ctx context.Context, client *api.Client, ids Attributes) (Attributes, error)
	// Advise warns about what Fetch has returned; may be nil.
	Advise func(ctx context.Context, client *api.Client, ids Attributes) diag.Diagnostics
}

// LookupOf returns the data source that shows what a definition's resource shows.
func LookupOf(definition Definition, description string) Lookup {
	resource := newResourceType(definition)
	definition.Schema.MarkdownDescription = description
	return Lookup{
		Object: definition.Kind,
		Schema: definition.Schema,
		Fetch: func(ctx context.Context, client *api.Client, ids Attributes) (Attributes, error) {
			returned, err := definition.Fetch(ctx, client, ids)
			if err != nil {
				return nil, err
			}
			return resource.show(returned, ids), nil
		},
	}
}

// A dataSource implements the framework's data source for a [Lookup].
type dataSource struct {
	Lookup
	objectType
	schema schema.Schema

	*ProviderData
}

var _ datasource.DataSourceWithConfigure = (*dataSource)(nil)

// NewDataSource returns the constructor of a data source.
func NewDataSource(lookup Lookup) func() datasource.DataSource {
	lookedUp := lookupSchema(lookup.Object, lookup.Schema)
	typ := objectType{lookedUp.Type().(types.ObjectType)}
	return func() datasource.DataSource { return &dataSource{lookup, typ, lookedUp, &ProviderData{}} }
}

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.Object.TypeName
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.schema
}

func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*ProviderData); ok {
		d.ProviderData = data
	}
}

// Read looks up the object. What the API does not return is null.
func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	config := d.attributes(req.Config.Raw) // the ids; the rest is null
	if d.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	shown, err := d.Fetch(ctx, d.Client, config)
	if err != nil {
		resp.Diagnostics.Append(d.failure(lookingUp, false, d.Object, config, err))
		return
	}
	if d.Advise != nil {
		resp.Diagnostics.Append(d.Advise(ctx, d.Client, config)...)
	}
	for _, id := range d.Object.IDs {
		shown[id] = config[id] // Terraform requires it as it is in the configuration
	}
	resp.State.Raw = d.raw(fill(shown, config))
}

// lookupSchema derives the schema of a data source from one of a resource:
// the ids, and as computed everything that the API can return.
func lookupSchema(kind Kind, resource resourceschema.Schema) schema.Schema {
	attributes := map[string]schema.Attribute{}
	for name, attribute := range resource.Attributes {
		text := valueText(attribute)
		if attribute.IsOptional() && !attribute.IsComputed() {
			text += " Null if the API does not return it."
		}
		attributes[name] = lookupAttribute(attribute, text, kind.isID(name))
	}
	return schema.Schema{MarkdownDescription: resource.MarkdownDescription, Attributes: attributes}
}

// valueText is what a resource's attribute says of its value. The rest of its Markdown
// description, if it has a plain one too, is about setting it.
func valueText(attribute resourceschema.Attribute) string {
	return cmp.Or(attribute.GetDescription(), attribute.GetMarkdownDescription())
}

// lookupAttribute is the computed form of a resource's attribute, required for an id.
func lookupAttribute(attribute resourceschema.Attribute, description string, isID bool) schema.Attribute {
	switch a := attribute.(type) {
	case resourceschema.StringAttribute:
		return schema.StringAttribute{
			MarkdownDescription: description, CustomType: a.CustomType, Computed: !isID, Required: isID, Sensitive: a.Sensitive,
			Validators: a.Validators, // of an id; nothing else is configured
		}
	case resourceschema.BoolAttribute:
		return schema.BoolAttribute{MarkdownDescription: description, CustomType: a.CustomType, Computed: true, Sensitive: a.Sensitive}
	case resourceschema.Int64Attribute:
		return schema.Int64Attribute{MarkdownDescription: description, CustomType: a.CustomType, Computed: true, Sensitive: a.Sensitive}
	case resourceschema.Float64Attribute:
		return schema.Float64Attribute{MarkdownDescription: description, CustomType: a.CustomType, Computed: true, Sensitive: a.Sensitive}
	case resourceschema.SetAttribute:
		return schema.SetAttribute{MarkdownDescription: description, CustomType: a.CustomType, ElementType: a.ElementType, Computed: true, Sensitive: a.Sensitive}
	case resourceschema.MapAttribute:
		return schema.MapAttribute{MarkdownDescription: description, CustomType: a.CustomType, ElementType: a.ElementType, Computed: true, Sensitive: a.Sensitive}
	case resourceschema.ListAttribute:
		return schema.ListAttribute{MarkdownDescription: description, CustomType: a.CustomType, ElementType: a.ElementType, Computed: true, Sensitive: a.Sensitive}
	case resourceschema.SingleNestedAttribute:
		return schema.SingleNestedAttribute{MarkdownDescription: description, Computed: true, Attributes: lookupMembers(a.Attributes)}
	case resourceschema.ListNestedAttribute:
		members := schema.NestedAttributeObject{Attributes: lookupMembers(a.NestedObject.Attributes)}
		return schema.ListNestedAttribute{MarkdownDescription: description, Computed: true, NestedObject: members}
	case resourceschema.MapNestedAttribute:
		members := schema.NestedAttributeObject{Attributes: lookupMembers(a.NestedObject.Attributes)}
		return schema.MapNestedAttribute{MarkdownDescription: description, Computed: true, NestedObject: members}
	}
	panic(fmt.Sprintf("no data source attribute for %T", attribute)) // found by any test that builds the provider
}

func lookupMembers(members map[string]resourceschema.Attribute) map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for name, member := range members {
		attributes[name] = lookupAttribute(member, valueText(member), false)
	}
	return attributes
}
