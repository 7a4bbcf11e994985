// Package provider is the Terraform provider: the mapping between Terraform's
// configuration and state and the API's objects.
package provider

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

type dbplatform struct {
	version      string
	roundTripper http.RoundTripper          // nil: the network
	client       atomic.Pointer[api.Client] // of the newest configuration
}

func (p *dbplatform) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "dbplatform"
	resp.Version = p.version
}

func (p *dbplatform) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages existing services, ingestion pipes and API keys of a hosted database platform.",
		Attributes:          argumentsSchema(),
	}
}

func (p *dbplatform) Configure(_ context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	block := map[string]tftypes.Value{}
	_ = req.Config.Raw.As(&block) // an object, as the framework has checked
	var config configuration
	known, diags := config.read(block)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !known && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	}
	data := &lifecycle.ProviderData{}
	if known {
		data.UpdateTimeout = config.UpdateTimeout
		data.Origin = lifecycle.Origin{BaseURL: config.Transport.BaseURL.String(), OrganizationID: strings.ToLower(config.Transport.OrganizationID)}
		config.Transport.UserAgent = fmt.Sprintf("terraform-provider-dbplatform/%s Terraform/%s", p.version, req.TerraformVersion)
		if LogIsOn() {
			config.Transport.Logger = slog.New(logHandler{})
		}
		config.Transport.RoundTripper = p.roundTripper
		data.Client = api.New(config.Config)
		p.client.Store(data.Client)
	}
	resp.ResourceData = data
	resp.DataSourceData = data
	resp.ListResourceData = data
}

func (p *dbplatform) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		lifecycle.NewResource(service()),
		lifecycle.NewEntryResource(ipAccessEntry()),
		lifecycle.NewEntryResource(privateEndpoint()),
		lifecycle.NewResource(pipeScaling()),
		lifecycle.NewResource(pipeSettings()),
		lifecycle.NewResource(apiKey()),
	}
}

// lookedUp ends the description of a data source that shows one object.
const lookedUp = " Fails if it does not exist. Attributes that the API does not return are null."

func (p *dbplatform) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		lifecycle.NewDataSource(lifecycle.LookupOf(lookedUpService(), "Looks up a service."+lookedUp)),
		lifecycle.NewDataSource(lifecycle.LookupOf(lookedUpKey(), "Looks up an API key, without its secret."+lookedUp)),
		lifecycle.NewDataSource(pipeLookup()),
		lifecycle.NewDataSource(backupsLookup()),
	}
}

// ListResources are what terraform query can list: the API lists no other objects.
func (p *dbplatform) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		lifecycle.NewListResource(ipAccessEntry()),
		lifecycle.NewListResource(privateEndpoint()),
	}
}
