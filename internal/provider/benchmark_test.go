package provider

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// benchmarkList is an access list of n ranges; other is another notation of
// each, which is an address where the first is a prefix of full length.
func benchmarkList(n int, other bool) accessList {
	elements := make(map[string]attr.Value, n)
	for i := range n {
		source := fmt.Sprintf("10.0.%d.%d", i/256, i%256)
		if other {
			source += "/32"
		}
		elements[source] = types.StringValue(fmt.Sprintf("office %d", i))
	}
	return accessList{types.MapValueMust(types.StringType, elements)}
}

// benchmarkService is a service's configuration and what its state then is.
func benchmarkService(entries int) (config, state attributes) {
	config, state = attributes{}, attributes{}
	for i := range 24 {
		name := fmt.Sprintf("attribute_%d", i)
		config[name], state[name] = types.StringUnknown(), types.StringValue(name)
	}
	config["name"], state["name"] = types.StringValue("Orders"), types.StringValue("Orders")
	config["ip_access_list"], state["ip_access_list"] = benchmarkList(entries, false), benchmarkList(entries, true)
	return config, state
}

// BenchmarkFill is the filling of a service's plan.
func BenchmarkFill(b *testing.B) {
	config, state := benchmarkService(10)
	b.ReportAllocs()
	for b.Loop() {
		fill(config, state)
	}
}

// What the life of a resource does with answers, by the size of an access list
// that the API puts in another notation.
func BenchmarkAnswer(b *testing.B) {
	for name, work := range map[string]func(config, answer attributes) (ok bool){
		"confirm":    func(config, answer attributes) bool { return !confirm(known(config), answer).HasError() },
		"difference": func(config, answer attributes) bool { return difference(known(config), answer) == nil },
		"settle": func(config, answer attributes) bool {
			return settle(config, answer)["ip_access_list"].Equal(config["ip_access_list"])
		},
	} {
		for _, n := range []int{10, 1000, 5000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				config, answer := benchmarkService(n)
				b.ReportAllocs()
				for b.Loop() {
					if !work(config, answer) {
						b.Fatal("another notation counts as a change")
					}
				}
			})
		}
	}
}

// known is a configuration, in which what is not set is null.
func known(plan attributes) attributes {
	config := attributes{}
	for name, value := range plan {
		if value.IsUnknown() {
			value = types.StringNull()
		}
		config[name] = value
	}
	return config
}

// BenchmarkCalls is what a plan without changes asks of the provider for each
// resource. The pipe is read once and then known, so this is all but the network.
func BenchmarkCalls(b *testing.B) {
	server, state := adoptedScaling(b)
	read := &tfprotov6.ReadResourceRequest{TypeName: "dbplatform_pipe_scaling", CurrentState: state}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if answer, err := server.ReadResource(b.Context(), read); err != nil || len(answer.Diagnostics) > 0 {
				b.Fatal(answer, err)
			}
		}
	})
	answer, err := server.ReadResource(b.Context(), read)
	if err != nil {
		b.Fatal(err)
	}
	plan := &tfprotov6.PlanResourceChangeRequest{
		TypeName: "dbplatform_pipe_scaling", PriorState: answer.NewState, ProposedNewState: answer.NewState, Config: state,
		PriorIdentity: answer.NewIdentity,
	}
	b.Run("plan", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if answer, err := server.PlanResourceChange(b.Context(), plan); err != nil || len(answer.Diagnostics) > 0 {
				b.Fatal(answer, err)
			}
		}
	})
	b.Run("validate", func(b *testing.B) {
		config := &tfprotov6.ValidateResourceConfigRequest{TypeName: "dbplatform_pipe_scaling", Config: state}
		b.ReportAllocs()
		for b.Loop() {
			if answer, err := server.ValidateResourceConfig(b.Context(), config); err != nil || len(answer.Diagnostics) > 0 {
				b.Fatal(answer, err)
			}
		}
	})
}

// adoptedScaling is a configured server, and the configuration of a pipe's
// scaling, which serves as a state that only lacks what is computed.
func adoptedScaling(b *testing.B) (tfprotov6.ProviderServer, *tfprotov6.DynamicValue) {
	b.Helper()
	api := httptest.NewServer(mockapi.New())
	b.Cleanup(api.Close)
	server, err := factories["dbplatform"]()
	if err != nil {
		b.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(b.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		b.Fatal(err)
	}
	settings := dynamic(b, schemas.Provider, map[string]any{
		"base_url": api.URL, "organization_id": mockapi.OrganizationID, "key_id": mockapi.KeyID, "key_secret": mockapi.KeySecret,
	})
	configured, err := server.ConfigureProvider(b.Context(), &tfprotov6.ConfigureProviderRequest{Config: settings})
	if err != nil || len(configured.Diagnostics) > 0 {
		b.Fatal(configured, err)
	}
	return server, dynamic(b, schemas.ResourceSchemas["dbplatform_pipe_scaling"], map[string]any{
		"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID, "replicas": 2,
	})
}

// dynamic is an object of a schema; what is not set is null.
func dynamic(b *testing.B, schema *tfprotov6.Schema, set map[string]any) *tfprotov6.DynamicValue {
	b.Helper()
	shape := schema.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, kind := range shape.AttributeTypes {
		values[name] = tftypes.NewValue(kind, set[name])
	}
	value, err := tfprotov6.NewDynamicValue(shape, tftypes.NewValue(shape, values))
	if err != nil {
		b.Fatal(err)
	}
	return &value
}
