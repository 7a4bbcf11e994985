package acctest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A Provider is the provider under test.
type Provider struct {
	newServer func(http.RoundTripper) tfprotov6.ProviderServer
	schemas   func() (*tfprotov6.GetProviderSchemaResponse, error)
}

// NewProvider returns the provider that newServer serves. Without a
// RoundTripper, the server uses the network.
func NewProvider(newServer func(http.RoundTripper) tfprotov6.ProviderServer) *Provider {
	return &Provider{newServer, sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
		return newServer(nil).GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	})}
}

// Schemas returns the provider's schemas, which are computed once.
func (p *Provider) Schemas(tb testing.TB) *tfprotov6.GetProviderSchemaResponse {
	tb.Helper()
	all, err := p.schemas()
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// Config returns a provider block; what is not set is null.
func (p *Provider) Config(tb testing.TB, set map[string]any) *tfprotov6.DynamicValue {
	tb.Helper()
	shape := p.Schemas(tb).Provider.ValueType().(tftypes.Object)
	config := must(tfprotov6.NewDynamicValue(shape, object(shape, set)))
	return &config
}

// InVirtualTime runs a test in a synctest bubble. It may only use
// environments from NewVirtualEnv.
func (p *Provider) InVirtualTime(t *testing.T, run func(t *testing.T)) {
	t.Helper()
	p.Schemas(t) // a bubble must not wait for what another one computes
	synctest.Test(t, run)
}

// An Env is what a test runs against: a mock API of its own.
type Env struct {
	*mockapi.Server
	URL string

	provider *Provider
	network  http.RoundTripper // nil: sockets
}

// NewEnv returns an environment whose mock API listens on a loopback address, behind
// a hook if there is one.
func (p *Provider) NewEnv(tb testing.TB, hook Hook, options ...mockapi.Option) *Env {
	tb.Helper()
	server := mockapi.New(options...)
	listening := httptest.NewUnstartedServer(hook.before(server))
	listening.Config.ConnState = server.ConnState
	listening.Start()
	tb.Cleanup(listening.Close)
	return p.EnvOf(server, listening.URL)
}

// EnvOf returns the environment of a mock API that the test itself serves at
// an address.
func (p *Provider) EnvOf(server *mockapi.Server, url string) *Env {
	return &Env{Server: server, URL: url, provider: p}
}

// shortUpdateTimeout keeps tests short that wait in real time.
const shortUpdateTimeout = "3s"

var virtualEnvs atomic.Int64

// NewVirtualEnv returns an environment without sockets, for tests in virtual
// time: its clock stops while a goroutine waits for a socket.
func (p *Provider) NewVirtualEnv(hook Hook, options ...mockapi.Option) *Env {
	server := mockapi.New(options...)
	// Runs at the same time tell their objects apart by the address.
	url := fmt.Sprintf("https://api-%d.example.com", virtualEnvs.Add(1))
	return &Env{server, url, p, inMemory{hook.before(server)}}
}

// ProviderBlock is the provider block of the environment.
func (e *Env) ProviderBlock() string {
	unreadable := ""
	if e.HidesObjects() {
		unreadable = "  unreadable_objects = \"warn\"\n"
	}
	return fmt.Sprintf(`
provider "dbplatform" {
  base_url        = %q
  organization_id = %q
  key_id          = %q
  key_secret      = %q
  update_timeout  = %q
%s}
`, e.URL, mockapi.OrganizationID, mockapi.KeyID, mockapi.KeySecret, shortUpdateTimeout, unreadable)
}

// Connect returns a new server of the provider that is configured for the
// environment. settings are more arguments of the provider block.
func (e *Env) Connect(tb testing.TB, settings map[string]any) tfprotov6.ProviderServer {
	tb.Helper()
	server := e.provider.newServer(e.network)
	e.Configure(tb, server, settings)
	return server
}

// Configure configures a server of the provider, as Terraform does when a walk
// begins.
func (e *Env) Configure(tb testing.TB, server tfprotov6.ProviderServer, settings map[string]any) {
	tb.Helper()
	all := map[string]any{
		"base_url": e.URL, "organization_id": mockapi.OrganizationID, "key_id": mockapi.KeyID, "key_secret": mockapi.KeySecret,
	}
	if e.network == nil {
		all["update_timeout"] = shortUpdateTimeout
	}
	if e.HidesObjects() {
		all["unreadable_objects"] = "warn"
	}
	maps.Copy(all, settings)
	response := must(server.ConfigureProvider(tb.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.15.0", Config: e.provider.Config(tb, all)}))
	if len(response.Diagnostics) > 0 {
		tb.Fatalf("%+v", response.Diagnostics)
	}
}
