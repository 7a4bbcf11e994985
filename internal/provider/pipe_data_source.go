package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// pipeDataSource looks up an ingestion pipe (operation getPipe). Its
// schema has a file of its own.
type pipeDataSource struct {
	*adopt.ProviderData
}

var _ interface {
	datasource.DataSourceWithConfigure
	datasource.DataSourceWithValidateConfig
} = (*pipeDataSource)(nil)

func newPipeDataSource() datasource.DataSource { return &pipeDataSource{} }

func (d *pipeDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_pipe"
}

func (d *pipeDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Looks up an ingestion pipe. Values that the API does not return are null.",
		Attributes: attributeMap{
			"service_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the service that owns the pipe.",
				Required:            true,
				Validators:          []validator.String{uuidForm{}},
			},
			"pipe_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the pipe.",
				Required:            true,
				Validators:          []validator.String{uuidForm{}},
			},
			"name":    readString("Name of the pipe."),
			"state":   readString("State of the pipe. The API does not document the possible values."),
			"scaling": readObject("Scaling of the pipe.", adopt.LookupAttributes(pipeScaling{})),
			"source":  readObject("Source of the data. Only the attribute for the pipe's kind of source has a value; the others are null.", sourceAttributes()),
			"source_type": readString("Kind of source that the pipe reads from: `kafka`, `object_storage`, `kinesis` or `postgres`. " +
				"Null if the API returns no source or several."),
			"destination":    readObject("Destination of the data.", destinationAttributes()),
			"field_mappings": readObjects("Mapping of source fields to destination fields.", fieldMappingAttributes()),
			"settings":       readObject("Settings of the pipe.", adopt.LookupAttributes(pipeSettings{})),
			"created_at":     readString("Creation time. The API does not document the format."),
			"updated_at":     readString("Time of the last change. The API does not document the format."),
		},
	}
}

func (d *pipeDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*adopt.ProviderData); ok {
		d.ProviderData = data
	}
}

func (d *pipeDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	service, pipe := configuredIDs(ctx, req.Config, &resp.Diagnostics)
	checkPipeID(service, pipe, &resp.Diagnostics)
}

func (d *pipeDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	service, id := configuredIDs(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !d.Ready(req, resp) {
		return
	}
	pipe, err := d.Client.Pipe(ctx, service.ValueString(), id.ValueString())
	if err != nil {
		resp.Diagnostics.Append(d.LookupFailure("pipe "+service.ValueString()+"/"+id.ValueString(), "pipe_id", err))
		return
	}
	typ := resp.State.Schema.Type().TerraformType(ctx).(tftypes.Object)
	attributes := responseAttributes(typ, pipe)
	// Terraform requires the ids as they are in the configuration.
	attributes["service_id"] = tftypes.NewValue(tftypes.String, service.ValueString())
	attributes["pipe_id"] = tftypes.NewValue(tftypes.String, id.ValueString())
	attributes["source_type"] = tftypes.NewValue(tftypes.String, sourceType(pipe))
	resp.State.Raw = tftypes.NewValue(typ, attributes)
}

func configuredIDs(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) (service, pipe types.String) {
	diags.Append(config.GetAttribute(ctx, path.Root("service_id"), &service)...)
	diags.Append(config.GetAttribute(ctx, path.Root("pipe_id"), &pipe)...)
	return service, pipe
}

// sourceType is the pipe's kind of source, nil unless it has exactly one.
func sourceType(pipe *api.Pipe) *string {
	if kinds := sourceTypes(pipe); len(kinds) == 1 {
		return &kinds[0]
	}
	return nil
}
