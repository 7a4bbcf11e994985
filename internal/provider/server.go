package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
)

// server is the framework's server, but for two things, and without what this
// provider has none of: actions, list resources, state stores. Terraform can stop it
// in the instant in which it calls once more, where the framework would let that
// call wait for as long as the API asks it to. And where nobody listens to the
// log, nothing is put together for it.
type server struct {
	tfprotov6.ProviderServer
	provider *dbplatform
	logs     bool // somebody listens
}

// NewServer makes the constructor of the provider's server. The version goes
// into the User-Agent of every request.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		return newServer(&dbplatform{version: version, consistencyTimeout: consistencyTimeout})
	}
}

// EndRun removes what the run left behind. To be called before the process ends.
func EndRun() { adopt.EndRun() }

func newServer(p *dbplatform) *server {
	return &server{ProviderServer: providerserver.NewProtocol6(p)(), provider: p, logs: LogsWanted()}
}

// StopProvider ends what is under way and what comes later. Under a debugger
// the next run configures the same server anew, which begins with a new client.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	if client := s.provider.client.Load(); client != nil {
		client.Stop()
	}
	return s.ProviderServer.StopProvider(ctx, req)
}

// What Terraform calls for each resource, the framework calls with a logger.

func (s *server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	ctx, end := s.quiet(ctx)
	defer end()
	return s.ProviderServer.ValidateResourceConfig(ctx, req)
}

func (s *server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	ctx, end := s.quiet(ctx)
	defer end()
	return s.ProviderServer.UpgradeResourceState(ctx, req)
}

func (s *server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	ctx, end := s.quiet(ctx)
	defer end()
	return s.ProviderServer.UpgradeResourceIdentity(ctx, req)
}

func (s *server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	ctx, end := s.quiet(ctx)
	defer end()
	return s.ProviderServer.ReadResource(ctx, req)
}

func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	ctx, end := s.quiet(ctx)
	defer end()
	return s.ProviderServer.PlanResourceChange(ctx, req)
}

func (s *server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	ctx, end := s.quiet(ctx)
	defer end()
	return s.ProviderServer.ApplyResourceChange(ctx, req)
}

func (s *server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	ctx, end := s.quiet(ctx)
	defer end()
	return s.ProviderServer.ValidateDataResourceConfig(ctx, req)
}

func (s *server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	ctx, end := s.quiet(ctx)
	defer end()
	return s.ProviderServer.ReadDataSource(ctx, req)
}

// quiet returns a context that ends with ctx and has nothing else of it, unless
// somebody listens to the log. The framework puts a record together before it
// finds out that its logger is off, and keeps the context of every call for as
// long as it runs, which is a lot where the loggers are in it.
func (s *server) quiet(ctx context.Context) (_ context.Context, end func()) {
	if s.logs {
		return ctx, func() {}
	}
	silent, cancel := context.WithCancel(context.Background())
	detach := context.AfterFunc(ctx, cancel)
	return silent, func() {
		detach()
		cancel()
	}
}
