// Command empty serves a provider that does nothing: one resource with three
// attributes, without HTTP. Its cost is the least a framework provider can have.
package main

import (
	"context"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func main() {
	// As in the real provider: the framework's own log is expensive.
	_ = os.Setenv("TF_LOG_SDK", "off")
	err := providerserver.Serve(context.Background(), func() provider.Provider { return empty{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/dbplatform/empty"})
	if err != nil {
		log.Fatal(err)
	}
}

type empty struct{}

func (empty) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "empty"
}

func (empty) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (empty) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (empty) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (empty) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return thing{} }}
}

type thing struct{}

// thingSchema is built once, so that only the framework's work is measured.
var thingSchema = schema.Schema{
	Attributes: map[string]schema.Attribute{
		"service_id": schema.StringAttribute{Required: true},
		"pipe_id":    schema.StringAttribute{Required: true},
		"replicas":   schema.Int64Attribute{Optional: true},
	},
}

func (thing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "empty_thing"
}

func (thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = thingSchema
}

func (thing) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Read does nothing: the framework returns the prior state.
func (thing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (thing) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete does nothing: the framework removes the state.
func (thing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
