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
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
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
	_ = req.Config.Raw.As(&block) // the framework has checked it
	var config configuration
	known, diags := config.read(block)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !known && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	}
	data := &adopt.ProviderData{FailIfHidden: config.failIfHidden}
	if known {
		data.UpdateTimeout = config.UpdateTimeout
		data.Origin = adopt.Origin{BaseURL: config.Transport.BaseURL.String(), OrganizationID: strings.ToLower(config.Transport.OrganizationID)}
		config.Transport.UserAgent = fmt.Sprintf("terraform-provider-dbplatform/%s Terraform/%s", p.version, req.TerraformVersion)
		if LogsWanted() {
			config.Transport.Logger = slog.New(logHandler{})
		}
		config.Transport.RoundTripper = p.roundTripper
		data.Client = api.New(config.Config)
		p.client.Store(data.Client)
	}
	resp.ResourceData = data
	resp.DataSourceData = data
}

func (p *dbplatform) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		adopt.NewResource(service{}),
		adopt.NewResource(newIPAccessEntry()),
		adopt.NewResource(newPrivateEndpoint()),
		adopt.NewResource(newPipeScaling()),
		adopt.NewResource(newPipeSettings()),
		adopt.NewResource(apiKey{}),
	}
}

func (p *dbplatform) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		adopt.NewDataSource(adopt.LookupOf(service{}, "Looks up a service."+lookedUp)),
		adopt.NewDataSource(adopt.LookupOf(apiKey{}, "Looks up an API key, without its secret."+lookedUp)),
		adopt.NewDataSource(pipeLookup()),
		adopt.NewDataSource(backupsLookup()),
	}
}
