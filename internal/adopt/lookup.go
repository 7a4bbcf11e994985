package adopt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// A Lookup is a data source: it shows an object with given ids, and manages
// nothing.
type Lookup struct {
	TypeName string   // without the provider's prefix
	Noun     string   // in messages, before the id
	IDs      []string // the attributes that identify the object
	Schema   schema.Schema
	// Read returns the object with these ids. Attributes that it leaves out are
	// null, except the ids.
	Read func(ctx context.Context, client *api.Client, ids Attributes) (Attributes, error)

	// ValidateConfig checks the ids against each other; nil for no check.
	ValidateConfig func(config Attributes) diag.Diagnostics
	// See Metadata.ReadByUpdate.
	ReadByUpdate bool
}

// LookupOf returns the data source that shows what a definition's resource
// shows. descriptions replace those that come from the resource's attributes.
func LookupOf[O any](definition Definition[O], description string, descriptions map[string]string) Lookup {
	kind := newKind(definition)
	lookup := Lookup{
		TypeName:     kind.metadata.TypeName,
		Noun:         kind.metadata.Noun,
		IDs:          kind.metadata.IDs,
		Schema:       lookupSchema(kind.metadata, kind.schema, description, descriptions),
		ReadByUpdate: kind.metadata.ReadByUpdate,
		Read: func(ctx context.Context, client *api.Client, ids Attributes) (Attributes, error) {
			object, err := definition.Read(ctx, client, ids)
			if err != nil {
				return nil, err
			}
			shown := kind.show(ctx, object, nil)
			maps.DeleteFunc(shown, func(name string, value attr.Value) bool {
				return value.IsUnknown() || kind.metadata.isID(name)
			})
			return shown, nil
		},
	}
	if validator, ok := definition.(ConfigValidator); ok {
		lookup.ValidateConfig = validator.ValidateConfig
	}
	return lookup
}

// DataSource implements the framework's data source for a [Lookup].
type DataSource struct {
	Lookup
	objectType objectType

	*ProviderData
}

var _ interface {
	datasource.DataSourceWithConfigure
	datasource.DataSourceWithValidateConfig
} = (*DataSource)(nil)

// NewDataSource returns the constructor of a data source.
func NewDataSource(lookup Lookup) func() datasource.DataSource {
	typ := objectType{lookup.Schema.Type().(types.ObjectType)}
	return func() datasource.DataSource { return &DataSource{lookup, typ, &ProviderData{}} }
}

// Metadata implements [datasource.DataSource].
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.TypeName
}

// Schema implements [datasource.DataSource].
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.Lookup.Schema
}

// Configure implements [datasource.DataSourceWithConfigure].
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*ProviderData); ok {
		d.ProviderData = data
	}
}

// ValidateConfig implements [datasource.DataSourceWithValidateConfig].
func (d *DataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	config, err := d.objectType.decode(ctx, req.Config.Raw)
	if err == nil && d.Lookup.ValidateConfig != nil { // otherwise the framework reports it
		resp.Diagnostics.Append(d.Lookup.ValidateConfig(config)...)
	}
}

// Read looks up the object. What the API does not return is null.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	ids := d.objectType.attributes(ctx, req.Config.Raw)
	if d.Client == nil {
		resp.Diagnostics.Append(notConfigured)
		return
	}
	shown, err := d.Lookup.Read(ctx, d.Client.AsReturned(), ids)
	if err != nil {
		resp.Diagnostics.Append(d.failure(ids, err))
		return
	}
	for name, typ := range d.objectType.AttrTypes {
		switch {
		case slices.Contains(d.IDs, name):
			shown[name] = ids[name] // Terraform requires it as it is in the configuration
		case shown[name] == nil:
			shown[name] = nullOf(ctx, typ)
		}
	}
	resp.State.Raw = d.objectType.raw(ctx, shown)
}

// failure is the error of a look-up. It is at the id of an object that does not
// exist. If the object is read by an update, a refusal needs an explanation:
// nobody expects to need write access to read.
func (d *DataSource) failure(ids Attributes, err error) diag.Diagnostic {
	object := Metadata{Noun: d.Noun, IDs: d.IDs}
	failed, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return diag.NewErrorDiagnostic("Unable to read "+d.Noun, object.name(ids)+": "+err.Error())
	}
	remedy, isCommon := d.Remedy(failed, true)
	const why = "The API has no documented way to read this kind of object, so the provider sends an update without changes (PATCH with {})."
	const get = "If your API has GET for it, set read_method = \"GET\" in the provider block."
	switch readByUpdate := d.ReadByUpdate && d.Client.ReadsByUpdate(); {
	case d.isGone(err):
		explained := d.explain("read", object, ids, failed, whichID(d.IDs, failed)+d.noGet(d.ReadByUpdate), false)
		return diag.WithPath(path.Root(object.lastID()), explained)
	case readByUpdate && failed.Status == http.StatusForbidden:
		remedy = fmt.Sprintf("The key needs a role that may update this %s; a read-only key is not enough. %s %s", d.Noun, why, get)
	case readByUpdate && errors.Is(err, api.ErrHidden):
		remedy = fmt.Sprintf("%s The API refused that, so the %s could not be looked up. %s Otherwise pass the values you need as variables.", why, d.Noun, get)
	case failed.NoSuchPath:
		remedy += d.noGet(d.ReadByUpdate)
	case d.ReadByUpdate && failed.Status == http.StatusMethodNotAllowed:
		remedy = otherReadMethod
	}
	return d.explain("read", object, ids, failed, remedy, isCommon)
}
