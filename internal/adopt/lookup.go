package adopt

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// Lookup describes the data source of a definition.
type Lookup struct {
	Description string // of the data source, in Markdown
	// Descriptions replace those that come from the resource's attributes.
	Descriptions map[string]string
}

// DataSource implements the framework's data source for a [Definition]: it
// shows what the resource shows, by the same ids, and manages nothing.
type DataSource[M any] struct {
	definition Definition[M]
	metadata   Metadata
	schema     schema.Schema

	*ProviderData
}

var _ datasource.DataSourceWithConfigure = (*DataSource[struct{}])(nil)

// NewDataSource returns the constructor of a definition's data source.
func NewDataSource[M any](definition Definition[M], lookup Lookup) func() datasource.DataSource {
	metadata := definition.Metadata()
	derived := lookupSchema(metadata, definition.Schema(), lookup)
	return func() datasource.DataSource {
		return &DataSource[M]{definition, metadata, derived, nil}
	}
}

// Metadata sets the type's name.
func (d *DataSource[M]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.metadata.TypeName
}

// Schema sets the schema.
func (d *DataSource[M]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.schema
}

// Configure takes the provider's data.
func (d *DataSource[M]) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*ProviderData); ok {
		d.ProviderData = data
	}
}

// Read looks up the object. What the API does not return is null.
func (d *DataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	ids := Attributes{}
	for _, name := range d.metadata.IDs {
		var id types.String
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), &id)...)
		ids[name] = id
	}
	if resp.Diagnostics.HasError() || !d.Ready(req, resp) {
		return
	}
	model, err := d.definition.Read(ctx, d.Client, modelOf[M](ids))
	if err != nil {
		resp.Diagnostics.Append(d.failure(ids, err))
		return
	}
	shown := fromModel(model)
	shown = shown.pick(ctx, func(name string) bool { return !shown[name].IsUnknown() })
	maps.DeleteFunc(shown, func(name string, _ attr.Value) bool { return d.schema.Attributes[name] == nil })
	resp.State.Raw = objectType{d.schema.Type().(types.ObjectType)}.raw(ctx, shown)
}

// failure is the error of a look-up. If the object is read by an update, a
// refusal needs an explanation: nobody expects to need write access to read.
func (d *DataSource[M]) failure(ids Attributes, err error) diag.Diagnostic {
	noun := d.metadata.Noun
	name := noun + " " + d.metadata.id(ids)
	if !d.metadata.ReadByUpdate {
		return d.LookupFailure(name, d.lastID(), err)
	}
	const why = "The API has no operation to read this kind of object. It returns the object in response to an update, so the look-up sends an update without changes (PATCH with {})."
	switch {
	case isForbidden(err):
		return diag.NewErrorDiagnostic("Unable to read "+name, fmt.Sprintf(
			"%s\n\n%s A key that may only read is therefore not enough: it needs a role that may update this %s.", d.Explain(err, true), why, noun))
	case errors.Is(err, api.ErrHidden):
		return diag.NewErrorDiagnostic("Unable to read "+name, fmt.Sprintf(
			"%s\n\n%s This API refuses such an update whatever the key's roles, so the %s cannot be looked up. Pass what you need of it as variables.", d.Explain(err, true), why, noun))
	}
	return d.LookupFailure(name, d.lastID(), err)
}

func (d *DataSource[M]) lastID() string { return d.metadata.IDs[len(d.metadata.IDs)-1] }

// Ready reports whether there is a client to look things up with. If the
// provider's configuration is not known yet, the look-up is deferred if
// Terraform can do that; otherwise it is an error.
func (d *ProviderData) Ready(req datasource.ReadRequest, resp *datasource.ReadResponse) bool {
	if d != nil && d.Client != nil {
		return true
	}
	if req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		return false
	}
	resp.Diagnostics.AddError(NotConfiguredSummary, NotConfiguredDetail)
	return false
}

// LookupFailure is the error of a look-up. It is at the id of an object that
// does not exist.
func (d *ProviderData) LookupFailure(name, id string, err error) diag.Diagnostic {
	summary, detail := "Unable to read "+name, d.Explain(err, true)
	if transport.IsNotFound(err) {
		return diag.NewAttributeErrorDiagnostic(path.Root(id), summary, detail)
	}
	return diag.NewErrorDiagnostic(summary, detail)
}
