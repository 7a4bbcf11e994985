package acctest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Run is a terraform apply: a walk that refreshes and plans everything, and
// one that applies what has changes. It returns the kinds that had changes.
func (c *Core) Run(configs Configs) (changed []string, err error) {
	c.t.Helper()
	plans, err := c.PlanAll(configs)
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	return slices.Sorted(maps.Keys(plans)), c.ApplyAll(plans)
}

// ApplyAll applies plans in a new walk, until one fails.
func (c *Core) ApplyAll(plans map[string]Plan) error {
	c.t.Helper()
	c.Walk()
	for _, kind := range slices.Sorted(maps.Keys(plans)) {
		if err := c.Apply(kind, plans[kind]); err != nil {
			return fmt.Errorf("applying %s: %w", kind, err)
		}
	}
	return nil
}

// PlanAll is a terraform plan: a walk that refreshes and plans everything. It
// returns the plans that change something. A plan that fails saves nothing.
func (c *Core) PlanAll(configs Configs) (plans map[string]Plan, err error) {
	c.t.Helper()
	saved := map[string]*Instance{}
	for kind, i := range c.instances {
		saved[kind] = new(*i)
	}
	defer func() {
		if err != nil {
			c.instances = saved
		}
	}()
	c.Walk()
	plans = map[string]Plan{}
	for _, kind := range slices.Sorted(maps.Keys(configs)) {
		if err := c.Refresh(kind); err != nil {
			return nil, fmt.Errorf("refreshing %s: %w", kind, err)
		}
		p, err := c.Plan(kind, c.Config(kind, configs[kind]))
		if err != nil {
			return nil, fmt.Errorf("planning %s: %w", kind, err)
		}
		if !p.Planned.Equal(c.Instance(kind).State) {
			plans[kind] = p
		}
	}
	return plans, nil
}

// MustPlan plans configurations, which has to succeed.
func (c *Core) MustPlan(configs Configs) map[string]Plan {
	c.t.Helper()
	plans, err := c.PlanAll(configs)
	if err != nil {
		c.t.Fatal(err)
	}
	return plans
}

// Must applies configurations, which has to succeed.
func (c *Core) Must(configs Configs) (changed []string) {
	c.t.Helper()
	changed, err := c.Run(configs)
	if err != nil {
		c.t.Fatal(err)
	}
	return changed
}

// ExpectNoChanges checks that configurations plan no change.
func (c *Core) ExpectNoChanges(configs Configs) {
	c.t.Helper()
	plans, err := c.PlanAll(configs)
	if err != nil {
		c.t.Error(err)
	}
	for kind := range plans {
		c.t.Errorf("the next plan changes %s: %v", kind, c.Changes(kind, configs[kind]))
	}
}

// Changes returns the attributes that a plan changes.
func (c *Core) Changes(kind string, config map[string]any) []string {
	c.t.Helper()
	p, err := c.Plan(kind, c.Config(kind, config))
	if err != nil {
		c.t.Fatal(err)
	}
	before := members(c.Instance(kind).State)
	var names []string
	for name, value := range members(p.Planned) {
		if !value.Equal(before[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Import imports a resource and reads it.
func (c *Core) Import(kind, id string) error {
	c.t.Helper()
	return c.ImportBy(kind, &tfprotov6.ImportResourceStateRequest{ID: id})
}

// ImportBy does what Import does, by an id or an identity.
func (c *Core) ImportBy(kind string, request *tfprotov6.ImportResourceStateRequest) error {
	c.t.Helper()
	request.TypeName = "dbplatform_" + kind
	response := must(c.Server.ImportResourceState(c.Context, request))
	if err := c.errorOf(response.Diagnostics); err != nil {
		return err
	}
	got := response.ImportedResources[0]
	c.instances[kind] = &Instance{State: c.Unpack(kind, got.State), Private: got.Private, Identity: got.Identity}
	return c.Refresh(kind)
}

// LookUp reads a data source.
func (c *Core) LookUp(kind string, set map[string]string) (tftypes.Value, error) {
	c.t.Helper()
	shape := c.schemas.DataSourceSchemas["dbplatform_"+kind].ValueType().(tftypes.Object)
	ids := map[string]any{}
	for name, id := range set {
		ids[name] = id
	}
	config := must(tfprotov6.NewDynamicValue(shape, object(shape, ids)))
	response := must(c.Server.ReadDataSource(c.Context, &tfprotov6.ReadDataSourceRequest{TypeName: "dbplatform_" + kind, Config: &config}))
	if err := c.errorOf(response.Diagnostics); err != nil {
		return tftypes.Value{}, err
	}
	return must(response.State.Unmarshal(shape)), nil
}
