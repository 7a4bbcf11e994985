// Command empty serves a provider that does nothing, with resources that have the
// attributes of the real provider's two pipe resources. What it costs is what these
// attributes cost Terraform and the plugin framework.
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
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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
	return []func() resource.Resource{
		func() resource.Resource { return thing{"pipe_scaling"} },
		func() resource.Resource { return thing{"pipe_settings"} },
	}
}

var (
	id      = schema.StringAttribute{Required: true}
	integer = schema.Int64Attribute{Optional: true, Computed: true}
	decimal = schema.Float64Attribute{Optional: true, Computed: true}
	boolean = schema.BoolAttribute{Optional: true, Computed: true}
)

// schemas are built once, so that only the framework's work is measured.
var schemas = map[string]schema.Schema{
	"pipe_scaling": {Attributes: map[string]schema.Attribute{
		"service_id":             id,
		"pipe_id":                id,
		"replicas":               integer,
		"concurrency":            integer,
		"replica_cpu_millicores": integer,
		"replica_memory_gb":      decimal,
	}},
	"pipe_settings": {Attributes: map[string]schema.Attribute{
		"service_id":                            id,
		"pipe_id":                               id,
		"streaming_max_insert_wait_ms":          integer,
		"object_storage_concurrency":            integer,
		"object_storage_polling_interval_ms":    integer,
		"object_storage_max_insert_bytes":       integer,
		"object_storage_max_file_count":         integer,
		"db_max_threads":                        integer,
		"db_max_insert_threads":                 integer,
		"db_min_insert_block_size_bytes":        integer,
		"db_max_download_threads":               integer,
		"db_parallel_distributed_insert_select": integer,
		"object_storage_use_cluster_function":   boolean,
		"db_parallel_view_processing":           boolean,
	}},
}

// thing is a resource, by its key in schemas.
type thing struct{ name string }

func (t thing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "empty_" + t.name
}

func (t thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schemas[t.name]
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
