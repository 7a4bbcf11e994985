package provider

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// schemas are the provider's, asked for once: that takes longer than a run of
// one resource.
var schemas = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	server, err := factories["dbplatform"]()
	if err != nil {
		return nil, err
	}
	return server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

func schemasOf(t *testing.T) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// connected is the provider's own server, configured for the environment with
// settings of the provider block besides those that reach it.
func (w *env) connected(t *testing.T, more map[string]any) tfprotov6.ProviderServer {
	t.Helper()
	server, err := factories["dbplatform"]()
	if err != nil {
		t.Fatal(err)
	}
	w.configure(t, server, more)
	return server
}

// configure begins a run of the server's, as Terraform does.
func (w *env) configure(t *testing.T, server tfprotov6.ProviderServer, more map[string]any) {
	t.Helper()
	settings := map[string]any{
		"base_url": w.url, "organization_id": mockapi.OrganizationID, "key_id": mockapi.KeyID, "key_secret": mockapi.KeySecret,
	}
	maps.Copy(settings, more)
	shape := schemasOf(t).Provider.ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, kind := range shape.AttributeTypes {
		values[name] = tftypes.NewValue(kind, settings[name])
	}
	config, err := tfprotov6.NewDynamicValue(shape, tftypes.NewValue(shape, values))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.15.0", Config: &config})
	if err != nil || len(answer.Diagnostics) > 0 {
		t.Fatalf("%v %+v", err, answer.Diagnostics)
	}
}

// lookUp reads a data source.
func (c *core) lookUp(kind string, set map[string]string) (tftypes.Value, error) {
	c.t.Helper()
	shape := c.schemas.DataSourceSchemas["dbplatform_"+kind].ValueType().(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, of := range shape.AttributeTypes {
		values[name] = tftypes.NewValue(of, nil)
		if value, ok := set[name]; ok {
			values[name] = tftypes.NewValue(of, value)
		}
	}
	config, err := tfprotov6.NewDynamicValue(shape, tftypes.NewValue(shape, values))
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := c.server.ReadDataSource(c.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: "dbplatform_" + kind, Config: &config})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := failed(answer.Diagnostics); err != nil {
		return tftypes.Value{}, err
	}
	state, err := answer.State.Unmarshal(shape)
	if err != nil {
		c.t.Fatal(err)
	}
	return state, nil
}

// inParallel runs tests that mostly wait, many more at a time than there are
// processors.
func inParallel[E any](cases []E, run func(E)) {
	next := make(chan E)
	var all sync.WaitGroup
	for range 48 {
		all.Go(func() {
			for c := range next {
				run(c)
			}
		})
	}
	for _, c := range cases {
		next <- c
	}
	close(next)
	all.Wait()
}

// peers are many resources in one provider, each with a core of its own, that
// go through a walk side by side as Terraform has them do.
type peers struct {
	t       *testing.T
	connect func() tfprotov6.ProviderServer
	cores   []*core
	configs []configs // one resource each
}

func newPeers(t *testing.T, connect func() tfprotov6.ProviderServer, resources []configs) *peers {
	t.Helper()
	p := &peers{t: t, connect: connect, configs: resources}
	for range resources {
		p.cores = append(p.cores, &core{t: t, schemas: schemasOf(t), states: map[string]*instance{}})
	}
	return p
}

// walk begins a walk and visits all resources, thirty at a time, and answers
// what went wrong with each.
func (p *peers) walk(visit func(i int, c *core, kind string, config map[string]any) error) []error {
	server := p.connect()
	errs := make([]error, len(p.cores))
	places := make(chan struct{}, 30)
	var all sync.WaitGroup
	for i, c := range p.cores {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			c.server = server
			for kind, config := range p.configs[i] {
				errs[i] = visit(i, c, kind, config)
			}
		})
	}
	all.Wait()
	return errs
}

// apply plans all resources and, unless a plan fails, applies them. It answers
// how many had changes, and what went wrong.
func (p *peers) apply() (changed int, errs []error) {
	p.t.Helper()
	plans := make([]*plan, len(p.cores))
	errs = p.walk(func(i int, c *core, kind string, config map[string]any) error {
		if err := c.refresh(kind); err != nil {
			return err
		}
		planned, err := c.plan(kind, c.config(kind, config))
		if err == nil && !planned.planned.Equal(c.instance(kind).state) {
			plans[i] = &planned
		}
		return err
	})
	for _, one := range plans {
		if one != nil {
			changed++
		}
	}
	if changed == 0 || slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
		return changed, errs
	}
	return changed, p.walk(func(i int, c *core, kind string, _ map[string]any) error {
		if plans[i] == nil {
			return nil
		}
		return c.apply(kind, *plans[i])
	})
}
