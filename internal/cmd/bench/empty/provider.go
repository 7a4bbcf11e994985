package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// empty is the provider, and needs no configuration.
type empty struct{}

func newProvider() provider.Provider { return empty{} }

func (empty) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "empty"
}

func (empty) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (empty) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (empty) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (empty) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return thing{} }}
}

// thing is the one resource. What is planned is its state.
type thing struct{}

// thingSchema is built once, so that the framework's work alone is measured.
var thingSchema = schema.Schema{
	Attributes: map[string]schema.Attribute{
		"service_id": schema.StringAttribute{Required: true},
		"pipe_id":    schema.StringAttribute{Required: true},
		"replicas":   schema.Int64Attribute{Optional: true},
	},
}

func (thing) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_thing"
}

func (thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = thingSchema
}

func (thing) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Read has nothing to ask: the framework answers with the state as it was.
func (thing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (thing) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete has nothing to do: the framework takes the state away.
func (thing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
