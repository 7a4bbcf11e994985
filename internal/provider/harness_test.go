package provider

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

func TestMain(m *testing.M) {
	os.Exit(acctest.Main(m))
}

var underTest = acctest.NewProvider(func(network http.RoundTripper) tfprotov6.ProviderServer {
	return newServer(&dbplatform{version: "test", roundTripper: network})
})

func newEnv(t *testing.T, options ...mockapi.Option) *acctest.Env {
	t.Helper()
	return underTest.NewEnv(t, nil, options...)
}

// newEmptyEnv has empty lists, so that any list can be adopted.
func newEmptyEnv(t *testing.T, options ...mockapi.Option) *acctest.Env {
	t.Helper()
	env := newEnv(t, options...)
	emptyLists(env)
	return env
}

func emptyLists(env *acctest.Env) {
	for kind, id := range map[mockapi.Kind]string{mockapi.Service: mockapi.ServiceID, mockapi.Key: mockapi.APIKeyID} {
		env.Change(kind, id, func(object mockapi.Object) {
			object["ipAccessList"] = []any{}
			if kind == mockapi.Service {
				object["privateEndpointIds"] = []any{}
			}
		})
	}
}

// stop interrupts a provider, as Terraform does on Ctrl-C.
func stop(t *testing.T, server tfprotov6.ProviderServer) {
	t.Helper()
	if _, err := server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Error(err)
	}
}

// onPipe is a configuration of a resource of a pipe.
func onPipe(id string, set map[string]any) map[string]any {
	config := map[string]any{"service_id": mockapi.ServiceID, "pipe_id": id}
	maps.Copy(config, set)
	return config
}

// onService is a configuration of the service.
func onService(set map[string]any) acctest.Configs {
	config := map[string]any{"service_id": mockapi.ServiceID}
	maps.Copy(config, set)
	return acctest.Configs{"service": config}
}

// onKey is a configuration of the API key.
func onKey(set map[string]any) acctest.Configs {
	config := map[string]any{"key_id": mockapi.APIKeyID}
	maps.Copy(config, set)
	return acctest.Configs{"api_key": config}
}

// warned returns those of a walk's warnings that begin with a summary.
func warned(c *acctest.Core, summary string) []string {
	return slices.DeleteFunc(slices.Clone(c.Warnings), func(text string) bool { return !strings.HasPrefix(text, summary) })
}

// fault is an error with these headers, as name and value in turn.
func fault(status int, header ...string) mockapi.Fault {
	f := mockapi.Fault{Status: status, Body: acctest.ErrorBody, Header: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		f.Header.Set(header[i], header[i+1])
	}
	return f
}

// oneOrNone is what a table expects to be sent, "" for nothing.
func oneOrNone(body string) []string {
	if body == "" {
		return nil
	}
	return []string{body}
}
