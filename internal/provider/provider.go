// Package provider is the Terraform provider: the mapping between Terraform's
// configuration and state and the API's objects.
package provider

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// consistencyTimeout bounds the wait for a write to show in responses.
const consistencyTimeout = 30 * time.Second

type dbplatform struct {
	version            string
	consistencyTimeout time.Duration
	roundTripper       http.RoundTripper          // nil: the network
	client             atomic.Pointer[api.Client] // of the newest configuration
}

func (p *dbplatform) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "dbplatform"
	resp.Version = p.version
}

func (p *dbplatform) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages existing services, ingestion pipes and API keys of a hosted database platform.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				MarkdownDescription: "Address of the API without `/v1`, such as `https://api.example.com`. A path prefix is allowed; `http://` is allowed only for a loopback host. " + orEnv(envBaseURL),
				Optional:            true,
				Validators:          []validator.String{checked{"an https:// address", checkBaseURL}},
			},
			"organization_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the organization that the key belongs to. " + orEnv(envOrganizationID),
				Optional:            true,
				Validators:          []validator.String{checked{"a UUID of 36 characters", checkOrganizationID}},
			},
			"key_id": schema.StringAttribute{
				MarkdownDescription: "ID of the API key that the provider authenticates with: the one that was issued together with the secret. It is not necessarily a UUID, and can differ from the UUID that identifies the key in the API (`key_id` of `dbplatform_api_key`). " + orEnv(envKeyID),
				Optional:            true,
				Validators:          []validator.String{checked{"the id of an API key", checkKeyID}},
			},
			"key_secret": schema.StringAttribute{
				MarkdownDescription: "Secret of the API key that the provider authenticates with. " + orEnv(envKeySecret),
				Optional:            true,
				Sensitive:           true,
				Validators:          []validator.String{checked{"the secret of an API key", checkKeySecret}},
			},
			"request_timeout": schema.StringAttribute{
				MarkdownDescription: "Time limit for one attempt of a request, such as `2m`. Default: `" + defaultRequestTimeout.String() + "`. " + orEnv(envRequestTimeout),
				Optional:            true,
				Validators:          []validator.String{checked{"a positive duration", checkTimeout}},
			},
			"max_retries": schema.Int64Attribute{
				MarkdownDescription: fmt.Sprintf("Maximum number of retries of a failed request. Valid range: 0 to %d. Default: %d. ", mostRetries, defaultMaxRetries) +
					"All attempts together take at most 75 seconds, or 2.5 times `request_timeout` if that is longer. Waiting out a rate limit does not count as a retry. " + orEnv(envMaxRetries),
				CustomType: wholeNumberType{},
				Optional:   true,
				Validators: maxRetries,
			},
			"requests_per_second": schema.Float64Attribute{
				MarkdownDescription: fmt.Sprintf("Maximum number of requests per second. Valid range: %s to %s. Default: no limit. ",
					decimal(rates.Min), decimal(rates.Max)) + orEnv(envRequestsPerSecond),
				CustomType: floatType{},
				Optional:   true,
				Validators: requestsPerSecond,
			},
			"unreadable_objects": schema.StringAttribute{
				MarkdownDescription: "What a refresh does with a service or API key that the API refuses to return: `warn` keeps the state, with one warning; `error` fails. " +
					"By default, it warns if the API cannot return the object (HTTP 400, 405 or 422), and fails if the provider's key lacks permission (403). " + orEnv(envUnreadableObjects),
				Optional:   true,
				Validators: []validator.String{checked{"warn or error", checkUnreadable}},
			},
		},
	}
}

func orEnv(variable string) string {
	return "Environment variable: `" + variable + "`."
}

func (p *dbplatform) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config, unreadable, known, diags := model.config()
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	adopt.BeginRun()
	data := &adopt.ProviderData{
		ConsistencyTimeout: p.consistencyTimeout,
		UnreadableObjects:  unreadable,
		Remedy:             remedy,
	}
	if known {
		data.Origin = adopt.Origin{BaseURL: config.BaseURL.String(), OrganizationID: strings.ToLower(config.OrganizationID)}
		config.UserAgent = fmt.Sprintf("terraform-provider-dbplatform/%s Terraform/%s", p.version, req.TerraformVersion)
		config.Logger = logger()
		config.RoundTripper = p.roundTripper
		data.Client = api.New(api.Config{Transport: config, AlsoHidden: hiddenStatuses(unreadable)})
		p.client.Store(data.Client)
	}
	resp.ResourceData = data
	resp.DataSourceData = data
}

func (p *dbplatform) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		adopt.NewResource(service{}),
		adopt.NewResource(pipeScaling{}),
		adopt.NewResource(pipeSettings{}),
		adopt.NewResource(apiKey{}),
	}
}

func (p *dbplatform) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		adopt.NewDataSource(service{}, serviceLookup),
		adopt.NewDataSource(apiKey{}, apiKeyLookup),
		newPipeDataSource,
		newBackupsDataSource,
	}
}

// checked validates a provider setting, in the block and in the environment.
type checked struct {
	description string
	check       func(string) error
}

func (v checked) Description(context.Context) string { return "must be " + v.description }

func (v checked) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v checked) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	s := req.ConfigValue
	if s.IsNull() || s.IsUnknown() || s.ValueString() == "" {
		return // missing, which only Configure can tell: it knows the environment
	}
	if err := v.check(s.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+req.Path.String(), fmt.Sprintf("The value of %s is wrong: %s.", req.Path, err))
	}
}

// hiddenStatuses are the statuses besides the usual ones with which the API
// refuses to return an object.
func hiddenStatuses(unreadable adopt.UnreadableObjects) []int {
	if unreadable == adopt.UnreadableWarn {
		return []int{http.StatusForbidden, http.StatusInternalServerError, http.StatusNotImplemented}
	}
	return nil
}
