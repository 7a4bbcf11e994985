package provider

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// While the provider's configuration is unknown, nothing is read, and nothing applied.
// An import is deferred where Terraform allows it.
func TestUnknownProvider(t *testing.T) {
	t.Parallel()
	shape, block := underTest.Schemas(t).Provider.ValueType().(tftypes.Object), map[string]tftypes.Value{}
	for name, typ := range shape.AttributeTypes {
		block[name] = tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	config, err := tfprotov6.NewDynamicValue(shape, tftypes.NewValue(shape, block))
	if err != nil {
		t.Fatal(err)
	}
	unknown := func(canDefer bool) tfprotov6.ProviderServer {
		server := newServer(&dbplatform{})
		configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			Config: &config, ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: canDefer},
		})
		if err != nil || len(configured.Diagnostics) > 0 { // such as a deferral that is not allowed
			t.Errorf("%v, %v", configured, err)
		}
		return server
	}
	imported, err := unknown(true).ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "dbplatform_api_key", ID: mockapi.APIKeyID})
	if err != nil || imported.Deferred == nil || len(imported.Diagnostics) > 0 {
		t.Errorf("%+v, %v", imported, err)
	}

	env := newEnv(t)
	c := env.Core(t, nil)
	atHome := c.Connect
	for i, config := range []acctest.Configs{firstConfigs(), secondConfigs(), {entryKind: nil}} {
		c.Connect = func() tfprotov6.ProviderServer { return unknown(false) }
		env.ResetRequests()
		plans := c.MustPlan(config)
		if skipped := warned(c, "Refresh skipped: "); len(skipped) != min(i, 1)*len(config) {
			t.Errorf("warnings: %q", c.Warnings)
		}
		if _, err := c.Sibling().Plan(entryKind, c.Config(entryKind, secondConfigs()[entryKind])); config[entryKind] == nil {
			acctest.Contains(t, fmt.Sprint(err), "Entry is removed and kept")
		}
		for kind, p := range plans {
			acctest.Contains(t, fmt.Sprint(c.Apply(kind, p)), "Provider configuration is not known yet")
		}
		acctest.Contains(t, fmt.Sprint(c.Sibling().Import("api_key", mockapi.APIKeyID)), "Provider configuration is not known yet")
		_, err := c.Query(queryOf(entryKind))
		acctest.Contains(t, fmt.Sprint(err), "Provider configuration is not known yet")
		if sent := env.Requests(); len(sent) > 0 {
			t.Errorf("%d requests were sent", len(sent))
		}
		c.Connect = atHome
		if err := c.ApplyAll(plans); err != nil {
			t.Error(err)
		}
		c.ExpectNoChanges(config)
	}
}

// Two notations of an address and an organization are one origin: a state stays valid.
func TestOrigin(t *testing.T) {
	t.Parallel()
	shape, origins := underTest.Schemas(t).Provider.ValueType().(tftypes.Object), map[lifecycle.Origin]bool{}
	for url, organization := range map[string]string{
		"https://api.example/prefix": acctest.OtherOrganization, "HTTPS://API.example:443/prefix/": strings.ToUpper(acctest.OtherOrganization),
	} {
		block := map[string]tftypes.Value{}
		for name, typ := range shape.AttributeTypes {
			block[name] = tftypes.NewValue(typ, nil)
		}
		for name, text := range map[string]string{"base_url": url, "organization_id": organization, "key_id": "a", "key_secret": "b"} {
			block[name] = tftypes.NewValue(tftypes.String, text)
		}
		var configured provider.ConfigureResponse
		new(dbplatform).Configure(t.Context(), provider.ConfigureRequest{Config: tfsdk.Config{Raw: tftypes.NewValue(shape, block)}}, &configured)
		if configured.Diagnostics.HasError() {
			t.Fatal(configured.Diagnostics)
		}
		origins[configured.ResourceData.(*lifecycle.ProviderData).Origin] = true
	}
	if want := (lifecycle.Origin{BaseURL: "https://api.example/prefix", OrganizationID: acctest.OtherOrganization}); len(origins) != 1 || !origins[want] {
		t.Errorf("the origins are %v", origins)
	}
}

// The framework keeps the context of every call. While the log is off, that has none of Terraform's loggers: here, no
// request that follows from a call has what the call's context has. TestSecretsOfRunsThatFail has the log on.
func TestQuietContexts(t *testing.T) {
	t.Parallel()
	type loggers struct{}
	requests := map[string]int{} // by what called
	calls := ""
	env := underTest.NewVirtualEnv(func(_ http.ResponseWriter, c acctest.Call) bool {
		if requests[calls]++; c.Request.Context().Value(loggers{}) != nil {
			t.Errorf("%s: %s", calls, c.Path)
		}
		return false
	})
	c, config := env.Core(t, nil), onScaling(map[string]any{"replicas": 4})
	c.Context = context.WithValue(t.Context(), loggers{}, true)
	for _, call := range []struct {
		name string
		do   func() error
	}{
		{"plan", func() error { _, err := c.PlanAll(config); return err }},
		{"apply", func() error { _, err := c.Run(config); return err }},
		{"refresh", func() error { c.Walk(); return c.Refresh("pipe_scaling") }},
		{"look-up", func() error {
			_, err := c.LookUp("backups", map[string]string{"service_id": mockapi.ServiceID})
			return err
		}},
	} {
		calls = call.name
		if err := call.do(); err != nil || requests[calls] == 0 {
			t.Errorf("%s: %v, %d requests", calls, err, requests[calls])
		}
	}
}

// A call ends with its context.
func TestContextOfACall(t *testing.T) {
	t.Parallel()
	underTest.InVirtualTime(t, func(t *testing.T) {
		env := underTest.NewVirtualEnv(nil)
		env.Fail(mockapi.Fault{Kind: mockapi.FaultHang})
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := env.Core(t, nil)
		c.Context = ctx
		for kind, ids := range map[string]map[string]string{
			"service": {"service_id": mockapi.ServiceID}, "api_key": {"key_id": mockapi.APIKeyID},
			"pipe": {"service_id": mockapi.ServiceID, "pipe_id": mockapi.KafkaPipeID}, "backups": {"service_id": mockapi.ServiceID},
		} {
			if _, err := c.LookUp(kind, ids); err == nil || time.Since(began) > time.Second {
				t.Errorf("%s: after %s: %v", kind, time.Since(began), err)
			}
		}
		time.Sleep(5 * time.Minute) // others may wait for the reads, so they go on
	})
}
