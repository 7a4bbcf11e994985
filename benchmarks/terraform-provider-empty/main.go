// Command terraform-provider-empty serves a provider that does nothing. Its resources
// have the attributes of the real provider's: what it costs is what these cost
// Terraform and the plugin framework.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	dbplatform "github.com/dbplatform/terraform-provider-dbplatform/internal/provider"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return empty{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/dbplatform/dbplatform"})
	if err != nil {
		log.Fatal(err)
	}
}

type empty struct{}

func (empty) Metadata(context.Context, provider.MetadataRequest, *provider.MetadataResponse)    {}
func (empty) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (empty) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (empty) DataSources(context.Context) []func() datasource.DataSource                        { return nil }

func (empty) Resources(ctx context.Context) (served []func() resource.Resource) {
	all, err := dbplatform.NewServer("")().GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"dbplatform_pipe_scaling", "dbplatform_pipe_settings"} {
		t := thing{name, plain(all.ResourceSchemas[name])}
		served = append(served, func() resource.Resource { return t })
	}
	return served
}

// plain is a schema without validators, plan modifiers and types of its own.
func plain(full *tfprotov6.Schema) schema.Schema {
	attributes := map[string]schema.Attribute{}
	for _, a := range full.Block.Attributes {
		switch {
		case a.Type.Is(tftypes.String):
			attributes[a.Name] = schema.StringAttribute{Required: a.Required, Optional: a.Optional, Computed: a.Computed}
		case a.Type.Is(tftypes.Bool):
			attributes[a.Name] = schema.BoolAttribute{Required: a.Required, Optional: a.Optional, Computed: a.Computed}
		default:
			attributes[a.Name] = schema.NumberAttribute{Required: a.Required, Optional: a.Optional, Computed: a.Computed}
		}
	}
	return schema.Schema{Attributes: attributes}
}

type thing struct {
	name   string
	schema schema.Schema
}

func (t thing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = t.name
}

func (t thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = t.schema
}

// Create replaces unknown attributes by null, since a state cannot have them.
func (thing) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var attributes map[string]tftypes.Value
	if err := req.Plan.Raw.As(&attributes); err != nil {
		log.Fatal(err)
	}
	for name, value := range attributes {
		if !value.IsKnown() {
			attributes[name] = tftypes.NewValue(value.Type(), nil)
		}
	}
	resp.State.Raw = tftypes.NewValue(req.Plan.Raw.Type(), attributes)
}

// Without doing anything, the framework keeps the state after Read, and removes it after Delete.

func (thing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (thing) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (thing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
