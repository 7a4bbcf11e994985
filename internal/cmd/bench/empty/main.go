// Command empty serves a provider that does nothing, with resources that have the
// attributes of the real provider's two pipe resources (BENCH_SCHEMA). What it costs is what these
// attributes cost Terraform and the plugin framework.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func main() {
	// As in the real provider: the framework's own log is expensive.
	_ = os.Setenv("TF_LOG_SDK", "off")
	text, err := os.ReadFile(os.Getenv("BENCH_SCHEMA"))
	if err != nil {
		log.Fatal(err)
	}
	var recorded map[string]string
	if err := json.Unmarshal(text, &recorded); err != nil {
		log.Fatal(err)
	}
	served := empty{schemaOf("pipe_scaling", recorded), schemaOf("pipe_settings", recorded)}
	err = providerserver.Serve(context.Background(), func() provider.Provider { return served },
		providerserver.ServeOpts{Address: "registry.terraform.io/dbplatform/empty"})
	if err != nil {
		log.Fatal(err)
	}
}

type empty struct{ scaling, settings schema.Schema }

func (empty) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "empty"
}

func (empty) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (empty) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (empty) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (e empty) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return thing{"pipe_scaling", e.scaling} },
		func() resource.Resource { return thing{"pipe_settings", e.settings} },
	}
}

// schemaOf returns the schema of a resource of the real provider, by what that
// provider's tests record: "Number optional computed", by the path of an attribute.
func schemaOf(name string, recorded map[string]string) schema.Schema {
	attributes := map[string]schema.Attribute{}
	for path, description := range recorded {
		attribute, isOfResource := strings.CutPrefix(path, "resource.dbplatform_"+name+".")
		required, managed := strings.HasSuffix(description, "required"), strings.HasSuffix(description, "optional computed")
		switch typ, _, _ := strings.Cut(description, " "); {
		case !isOfResource:
		case typ == "String":
			attributes[attribute] = schema.StringAttribute{Required: required, Optional: managed, Computed: managed}
		case typ == "Bool":
			attributes[attribute] = schema.BoolAttribute{Required: required, Optional: managed, Computed: managed}
		default:
			attributes[attribute] = schema.NumberAttribute{Required: required, Optional: managed, Computed: managed}
		}
	}
	return schema.Schema{Attributes: attributes}
}

type thing struct {
	name   string
	schema schema.Schema
}

func (t thing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "empty_" + t.name
}

func (t thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = t.schema
}

func (thing) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = known(req.Plan.Raw)
}

// Read does nothing: the framework returns the prior state.
func (thing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (thing) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = known(req.Plan.Raw)
}

// Delete does nothing: the framework removes the state.
func (thing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// known replaces unknown attributes by null, since a state cannot have them.
func known(object tftypes.Value) tftypes.Value {
	var attributes map[string]tftypes.Value
	if err := object.As(&attributes); err != nil {
		log.Fatal(err)
	}
	for name, value := range attributes {
		if !value.IsKnown() {
			attributes[name] = tftypes.NewValue(value.Type(), nil)
		}
	}
	return tftypes.NewValue(object.Type(), attributes)
}
