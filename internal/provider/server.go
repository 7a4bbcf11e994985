package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// server is the framework's server without actions and state stores. If the log is off, a call's context has
// no loggers: the framework keeps the context of every call, and builds records before it checks the level.
type server struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	provider *dbplatform
	logs     bool // the log is on
}

// NewServer returns the constructor of the provider's server.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return newServer(&dbplatform{version: version}) }
}

func newServer(p *dbplatform) *server {
	framework := providerserver.NewProtocol6(p)()
	return &server{framework, framework.(tfprotov6.ListResourceServer), p, LogIsOn()}
}

// Terraform calls the following for each resource or data source.

func (s *server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return quietly(ctx, s.logs, req, s.ProviderServer.ValidateResourceConfig)
}

func (s *server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return quietly(ctx, s.logs, req, s.ProviderServer.UpgradeResourceState)
}

func (s *server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return quietly(ctx, s.logs, req, s.ProviderServer.UpgradeResourceIdentity)
}

func (s *server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return quietly(ctx, s.logs, req, s.ProviderServer.ReadResource)
}

func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return quietly(ctx, s.logs, req, s.ProviderServer.PlanResourceChange)
}

func (s *server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return quietly(ctx, s.logs, req, s.ProviderServer.ApplyResourceChange)
}

func (s *server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return quietly(ctx, s.logs, req, s.ProviderServer.ValidateDataResourceConfig)
}

func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return quietly(ctx, s.logs, req, s.ProviderServer.ReadDataSource)
}

// quietly calls with a context that ends with ctx and has none of its values, unless the
// log is on.
func quietly[Request, Response any](ctx context.Context, logs bool, req Request, call func(context.Context, Request) (Response, error)) (Response, error) {
	if logs {
		return call(ctx, req)
	}
	silent, cancel := context.WithCancel(context.Background())
	defer cancel()
	if ctx.Err() != nil { // AfterFunc takes its time
		cancel()
	}
	defer context.AfterFunc(ctx, cancel)()
	return call(silent, req)
}
