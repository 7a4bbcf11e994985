package lifecycle

import (
	"cmp"
	"context"

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
	resource := definition.prepared()
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
	lookedUp := lookupSchema(lookup.Schema)
	typ := objectType{lookedUp.Type().(types.ObjectType)}
	return func() datasource.DataSource { return &dataSource{lookup, typ, lookedUp, &ProviderData{}} }
}

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.Object.TypeName
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.schema
}

func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.ProviderData = configured(req.ProviderData, d.ProviderData, &resp.Diagnostics)
}

// Read looks up the object. What the API does not return is null.
func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	config := d.attributes(req.Config.Raw) // the ids; the rest is null
	if d.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	shown, err := d.Fetch(ctx, d.Client.AsReturned(), config)
	if err != nil {
		resp.Diagnostics.Append(d.failure(lookUp, d.Object, config, err)...)
		return
	}
	if d.Advise != nil {
		resp.Diagnostics.Append(d.Advise(ctx, d.Client.AsReturned(), config)...)
	}
	for _, id := range d.Object.IDs {
		shown[id] = config[id] // Terraform requires it as it is in the configuration
	}
	resp.State.Raw = d.raw(fill(shown, config))
}

// lookupSchema derives the schema of a data source from one of a resource: the ids, and as computed
// everything that the API can return.
func lookupSchema(resource resourceschema.Schema) schema.Schema {
	attributes := map[string]schema.Attribute{}
	for name, attribute := range resource.Attributes {
		attributes[name] = attribute // computed, with everything in it
		if id, isID := attribute.(resourceschema.StringAttribute); isID && id.Required {
			id.MarkdownDescription = valueText(id)
			attributes[name] = id
		} else if attribute.IsOptional() {
			attributes[name] = LookedUp{attribute}
		}
	}
	return schema.Schema{MarkdownDescription: resource.MarkdownDescription, Attributes: attributes}
}

// valueText is what a resource's attribute says of its value. The rest of its Markdown
// description, if it has a plain one too, is about setting it.
func valueText(attribute resourceschema.Attribute) string {
	return cmp.Or(attribute.GetDescription(), attribute.GetMarkdownDescription())
}

// A LookedUp attribute is one of a resource that can be configured there.
type LookedUp struct{ resourceschema.Attribute }

// IsOptional is false: nothing but ids is configured.
func (LookedUp) IsOptional() bool { return false }

// IsComputed is true.
func (LookedUp) IsComputed() bool { return true }

// GetMarkdownDescription is about the value alone.
func (a LookedUp) GetMarkdownDescription() string {
	if a.Attribute.IsComputed() {
		return valueText(a.Attribute)
	}
	return valueText(a.Attribute) + " Null if the API does not return it."
}
