package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// core does with the provider's own server what Terraform's core does with
// it, and holds it to what Terraform's core demands: a plan that keeps to the
// configuration, the same plan again during apply, and a result that keeps to
// the plan. It is for suites that a CLI would make too long.
type core struct {
	t       *testing.T
	connect func() tfprotov6.ProviderServer // a new one for each walk
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse

	states map[string]*instance // by type
}

// instance is what Terraform keeps of a resource.
type instance struct {
	state    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

func newCore(t *testing.T, connect func() tfprotov6.ProviderServer) *core {
	t.Helper()
	c := &core{t: t, connect: connect, server: connect(), states: map[string]*instance{}}
	schemas, err := c.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	c.schemas = schemas
	return c
}

// walk begins a walk of the graph: a new process of the provider.
func (c *core) walk() { c.server = c.connect() }

func (c *core) shape(kind string) tftypes.Object {
	return c.schemas.ResourceSchemas["dbplatform_"+kind].ValueType().(tftypes.Object)
}

// config is a configuration; what is not in it is null.
func (c *core) config(kind string, set map[string]any) tftypes.Value {
	c.t.Helper()
	all := map[string]any{}
	for name := range c.shape(kind).AttributeTypes {
		all[name] = set[name]
	}
	body, err := json.Marshal(all)
	if err != nil {
		c.t.Fatal(err)
	}
	value, err := tftypes.ValueFromJSON(body, c.shape(kind)) //nolint:staticcheck // there is no other
	if err != nil {
		c.t.Fatal(err)
	}
	return value
}

func (c *core) pack(kind string, value tftypes.Value) *tfprotov6.DynamicValue {
	c.t.Helper()
	packed, err := tfprotov6.NewDynamicValue(c.shape(kind), value)
	if err != nil {
		c.t.Fatal(err)
	}
	return &packed
}

func (c *core) unpack(kind string, packed *tfprotov6.DynamicValue) tftypes.Value {
	c.t.Helper()
	value, err := packed.Unmarshal(c.shape(kind))
	if err != nil {
		c.t.Fatal(err)
	}
	return value
}

func members(c *core, value tftypes.Value) map[string]tftypes.Value {
	c.t.Helper()
	members := map[string]tftypes.Value{}
	if !value.IsNull() {
		if err := value.As(&members); err != nil {
			c.t.Fatal(err)
		}
	}
	return maps.Clone(members) // As shares the value's own
}

func (c *core) instance(kind string) *instance {
	if c.states[kind] == nil {
		c.states[kind] = &instance{state: tftypes.NewValue(c.shape(kind), nil)}
	}
	return c.states[kind]
}

// failed tells what errors there are among diagnostics.
func failed(diagnostics []*tfprotov6.Diagnostic) error {
	var errors []string
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errors = append(errors, d.Summary+": "+d.Detail)
		}
	}
	if errors == nil {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(errors, "\n"))
}

// refresh reads a resource.
func (c *core) refresh(kind string) error {
	c.t.Helper()
	i := c.instance(kind)
	if i.state.IsNull() {
		return nil
	}
	read, err := c.server.ReadResource(c.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: "dbplatform_" + kind, CurrentState: c.pack(kind, i.state), Private: i.private, CurrentIdentity: i.identity,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := failed(read.Diagnostics); err != nil {
		return err
	}
	i.state, i.private, i.identity = c.unpack(kind, read.NewState), read.Private, read.NewIdentity
	return nil
}

type plan struct {
	config, planned tftypes.Value
	whole           tftypes.Value // the configuration of an apply, which ignore_changes leaves as it is
	private         []byte
	identity        *tfprotov6.ResourceIdentityData
}

// plan plans a resource. A configuration of null is a destruction.
func (c *core) plan(kind string, config tftypes.Value) (plan, error) {
	c.t.Helper()
	i := c.instance(kind)
	answer, err := c.server.PlanResourceChange(c.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "dbplatform_" + kind, Config: c.pack(kind, config), PriorState: c.pack(kind, i.state),
		ProposedNewState: c.pack(kind, c.proposed(kind, config)), PriorPrivate: i.private, PriorIdentity: i.identity,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	p := plan{config: config, whole: config, private: answer.PlannedPrivate, identity: answer.PlannedIdentity}
	if err := failed(answer.Diagnostics); err != nil {
		return p, err
	}
	p.planned = c.unpack(kind, answer.PlannedState)
	c.holdPlan(kind, p)
	return p, nil
}

// proposed is what Terraform proposes: the configuration, and for what is
// computed and not configured the prior state.
func (c *core) proposed(kind string, config tftypes.Value) tftypes.Value {
	c.t.Helper()
	if config.IsNull() {
		return config
	}
	proposed, prior := members(c, config), members(c, c.instance(kind).state)
	for _, attribute := range c.schemas.ResourceSchemas["dbplatform_"+kind].Block.Attributes {
		if before, ok := prior[attribute.Name]; ok && attribute.Computed && proposed[attribute.Name].IsNull() {
			proposed[attribute.Name] = before
		}
	}
	return tftypes.NewValue(c.shape(kind), proposed)
}

// holdPlan demands of a plan that what is configured is planned, or the prior
// value that says the same.
func (c *core) holdPlan(kind string, p plan) {
	c.t.Helper()
	config, prior, planned := members(c, p.config), members(c, c.instance(kind).state), members(c, p.planned)
	for name, want := range config {
		before, known := prior[name]
		keepsPrior := known && !before.IsNull() && planned[name].Equal(before)
		if !want.IsNull() && !planned[name].Equal(want) && !keepsPrior {
			c.t.Errorf("%s: %s is configured as %s and planned as %s", kind, name, want, planned[name])
		}
	}
}

// apply applies a plan: plans it again, and then does it.
func (c *core) apply(kind string, p plan) error {
	c.t.Helper()
	i := c.instance(kind)
	again, err := c.plan(kind, p.config)
	if err != nil {
		return err
	}
	c.holdTo(kind, "the second plan", p.planned, again.planned)

	answer, err := c.server.ApplyResourceChange(c.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "dbplatform_" + kind, PriorState: c.pack(kind, i.state), PlannedState: c.pack(kind, again.planned),
		Config: c.pack(kind, p.whole), PlannedPrivate: again.private, PlannedIdentity: again.identity,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	state := c.unpack(kind, answer.NewState)
	if err := failed(answer.Diagnostics); err != nil {
		if i.state.IsNull() && !state.IsNull() {
			c.t.Errorf("%s: a create that failed left a state, which taints it", kind)
		}
		if !i.state.IsNull() {
			i.state = state
		}
		return err
	}
	c.holdTo(kind, "the result", again.planned, state)
	if !state.IsFullyKnown() {
		c.t.Errorf("%s: after apply not all is known: %s", kind, state)
	}
	i.state, i.private, i.identity = state, answer.Private, answer.NewIdentity
	return nil
}

// holdTo demands that what a plan knew has come true.
func (c *core) holdTo(kind, what string, planned, got tftypes.Value) {
	c.t.Helper()
	if planned.IsNull() != got.IsNull() {
		c.t.Errorf("%s: %s is %s where %s was planned", kind, what, got, planned)
		return
	}
	values := members(c, got)
	for name, want := range members(c, planned) {
		if want.IsFullyKnown() && !values[name].Equal(want) {
			c.t.Errorf("%s: %s has %s = %s where %s was planned", kind, what, name, values[name], want)
		}
	}
}

// run is a terraform apply of some resources: a walk that refreshes and plans
// all, and one that applies what has changes. It answers what had.
func (c *core) run(configs map[string]map[string]any) (changed []string, err error) {
	c.t.Helper()
	c.walk()
	plans := map[string]plan{}
	for _, kind := range sortedKinds(configs) {
		if err := c.refresh(kind); err != nil {
			return nil, fmt.Errorf("refreshing %s: %w", kind, err)
		}
		config := tftypes.NewValue(c.shape(kind), nil)
		if configs[kind] != nil {
			config = c.config(kind, configs[kind])
		}
		p, err := c.plan(kind, config)
		if err != nil {
			return nil, fmt.Errorf("planning %s: %w", kind, err)
		}
		if !p.planned.Equal(c.instance(kind).state) {
			plans[kind] = p
		}
	}
	c.walk()
	for _, kind := range sortedKinds(configs) {
		if p, ok := plans[kind]; ok {
			changed = append(changed, kind)
			if err := c.apply(kind, p); err != nil {
				return changed, fmt.Errorf("applying %s: %w", kind, err)
			}
		}
	}
	return changed, nil
}

// differing names the attributes of a resource that a plan would change.
func (c *core) differing(kind string, config map[string]any) []string {
	c.t.Helper()
	p, err := c.plan(kind, c.config(kind, config))
	if err != nil {
		c.t.Fatal(err)
	}
	before := members(c, c.instance(kind).state)
	var names []string
	for name, value := range members(c, p.planned) {
		if !value.Equal(before[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// importAs imports a resource and reads it.
func (c *core) importAs(kind, id string) error {
	c.t.Helper()
	answer, err := c.server.ImportResourceState(c.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "dbplatform_" + kind, ID: id})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := failed(answer.Diagnostics); err != nil {
		return err
	}
	got := answer.ImportedResources[0]
	c.states[kind] = &instance{state: c.unpack(kind, got.State), private: got.Private, identity: got.Identity}
	return c.refresh(kind)
}

func sortedKinds(configs map[string]map[string]any) []string {
	var kinds []string
	for _, kind := range []string{"service", "pipe_scaling", "pipe_settings", "api_key"} {
		if _, ok := configs[kind]; ok {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
