package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// server is the framework's server, which Terraform can also stop in the
// instant in which it calls once more: the framework cancels the calls that are
// under way, and would let the one that comes next wait for as long as the API
// asks it to.
type server struct {
	tfprotov6.ProviderServer
	provider *dbplatform
}

// NewServer makes the constructor of the provider's server. The version goes
// into the User-Agent of every request.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		return newServer(&dbplatform{version: version, patience: patience})
	}
}

func newServer(p *dbplatform) *server {
	return &server{ProviderServer: providerserver.NewProtocol6(p)(), provider: p}
}

// StopProvider ends what is under way and what comes later. Under a debugger
// the next run configures the same server anew, which begins with a new client.
func (s *server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	if client := s.provider.client.Load(); client != nil {
		client.Stop()
	}
	return s.ProviderServer.StopProvider(ctx, req)
}
