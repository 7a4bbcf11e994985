package acctest

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tfsdklog"
)

// A Core calls the provider's own server as Terraform's core does, and checks
// what Terraform's core checks: a plan keeps to the configuration, the second
// plan of an apply repeats the first, and the result keeps to the plan. It is
// for tests that would take too long with a CLI. A kind is a resource type
// without its prefix.
type Core struct {
	Connect func() tfprotov6.ProviderServer // starts the provider process of a walk
	Server  tfprotov6.ProviderServer        // of this walk
	// Warnings are those of this walk, as "summary: detail".
	Warnings []string
	Context  context.Context // of each call

	t         testing.TB
	schemas   *tfprotov6.GetProviderSchemaResponse
	instances map[string]*Instance // by kind
}

// An Instance is what Terraform keeps of a resource.
type Instance struct {
	State    tftypes.Value
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
}

// Configs are configurations by kind. A nil configuration is a destroy.
type Configs = map[string]map[string]any

// Core returns a core. settings are more arguments of the provider block.
func (e *Env) Core(tb testing.TB, settings map[string]any) *Core {
	tb.Helper()
	c := &Core{t: tb, Context: tb.Context(), schemas: e.provider.Schemas(tb), Connect: func() tfprotov6.ProviderServer { return e.Connect(tb, settings) }}
	if os.Getenv("TF_ACC_LOG_PATH") != "" {
		c.Context = tfsdklog.NewRootProviderLogger(tfsdklog.ContextWithTestLogging(c.Context, tb.Name()))
	}
	c.ForgetAll()
	c.Walk()
	return c
}

// Sibling returns a core with the same provider process and a state of its own.
func (c *Core) Sibling() *Core {
	other := *c
	other.ForgetAll()
	return &other
}

// ForgetAll removes everything from the state.
func (c *Core) ForgetAll() { c.instances = map[string]*Instance{} }

// Walk begins a walk of the graph, with a new provider process.
func (c *Core) Walk() { c.Server, c.Warnings = c.Connect(), nil }

// Type returns the type of a resource.
func (c *Core) Type(kind string) tftypes.Object {
	return c.schemas.ResourceSchemas["dbplatform_"+kind].ValueType().(tftypes.Object)
}

// Config returns a configuration; what is not set is null, and nil is the null
// configuration of a destroy.
func (c *Core) Config(kind string, set map[string]any) tftypes.Value {
	c.t.Helper()
	if set == nil {
		return tftypes.NewValue(c.Type(kind), nil)
	}
	return object(c.Type(kind), set)
}

// object returns an object in which everything that is not set is null.
func object(of tftypes.Object, set map[string]any) tftypes.Value {
	all := map[string]any{}
	for name := range of.AttributeTypes {
		all[name] = set[name]
	}
	return must(tftypes.ValueFromJSON(must(json.Marshal(all)), of)) //nolint:staticcheck // there is no other
}

// must is for errors that only a mistake in a test can cause.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Instance returns what the state has of a kind; its State is null if there is
// nothing.
func (c *Core) Instance(kind string) *Instance {
	if c.instances[kind] == nil {
		c.instances[kind] = &Instance{State: tftypes.NewValue(c.Type(kind), nil)}
	}
	return c.instances[kind]
}

// Attribute returns an attribute in the state.
func (c *Core) Attribute(kind, name string) tftypes.Value {
	c.t.Helper()
	return members(c.Instance(kind).State)[name]
}

// States returns the states by kind, as texts.
func (c *Core) States() map[string]string {
	texts := map[string]string{}
	for kind, i := range c.instances {
		texts[kind] = i.State.String()
	}
	return texts
}

// Refresh reads a resource.
func (c *Core) Refresh(kind string) error {
	c.t.Helper()
	i := c.Instance(kind)
	if i.State.IsNull() {
		return nil
	}
	read := must(c.Server.ReadResource(c.Context, &tfprotov6.ReadResourceRequest{
		TypeName: "dbplatform_" + kind, CurrentState: c.pack(kind, i.State), Private: i.Private, CurrentIdentity: i.Identity,
	}))
	if err := c.errorOf(read.Diagnostics); err != nil {
		return err
	}
	i.State, i.Private, i.Identity = c.Unpack(kind, read.NewState), read.Private, read.NewIdentity
	return nil
}

// A Plan is a planned change of a resource.
type Plan struct {
	Config, Planned tftypes.Value
	// ApplyConfig is the configuration during the apply, which ignore_changes
	// leaves as it is.
	ApplyConfig tftypes.Value
	// Replaces says that the resource is destroyed and created again. Planned is
	// what is created.
	Replaces bool

	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// Plan plans a resource. A replacement is planned twice, as Terraform does: as a
// change, and as a creation.
func (c *Core) Plan(kind string, config tftypes.Value) (Plan, error) {
	c.t.Helper()
	p, err := c.plan(kind, config, *c.Instance(kind))
	if err == nil && p.Replaces {
		return c.planCreation(kind, p)
	}
	return p, err
}

// PlanReplace plans a resource as with -replace.
func (c *Core) PlanReplace(kind string, config tftypes.Value) (Plan, error) {
	c.t.Helper()
	p, err := c.plan(kind, config, *c.Instance(kind))
	if err == nil {
		return c.planCreation(kind, p)
	}
	return p, err
}

// planCreation plans the second half of a replacement. Terraform drops its warnings.
func (c *Core) planCreation(kind string, change Plan) (Plan, error) {
	c.t.Helper()
	warnings := c.Warnings
	p, err := c.plan(kind, change.Config, Instance{State: tftypes.NewValue(c.Type(kind), nil), Private: change.private})
	p.Replaces = true
	if err == nil {
		c.Warnings = warnings
	}
	return p, err
}

func (c *Core) plan(kind string, config tftypes.Value, prior Instance) (Plan, error) {
	c.t.Helper()
	if config.IsNull() && prior.State.IsNull() { // which Terraform does not plan
		return Plan{Config: config, Planned: config}, nil
	}
	response := must(c.Server.PlanResourceChange(c.Context, &tfprotov6.PlanResourceChangeRequest{
		TypeName: "dbplatform_" + kind, Config: c.pack(kind, config), PriorState: c.pack(kind, prior.State),
		ProposedNewState: c.pack(kind, c.proposed(kind, config, prior.State)), PriorPrivate: prior.Private, PriorIdentity: prior.Identity,
	}))
	p := Plan{
		Config: config, ApplyConfig: config, Replaces: len(response.RequiresReplace) > 0 && !prior.State.IsNull(),
		private: response.PlannedPrivate, identity: response.PlannedIdentity,
	}
	if err := c.errorOf(response.Diagnostics); err != nil {
		return p, err
	}
	p.Planned = c.Unpack(kind, response.PlannedState)
	if !p.Replaces {
		c.checkPlan(kind, p, prior.State)
	}
	return p, nil
}

// Apply applies a plan: it plans again, except a destroy, and then does what is
// planned.
func (c *Core) Apply(kind string, p Plan) error {
	c.t.Helper()
	if p.Planned.IsNull() || p.Replaces && !c.Instance(kind).State.IsNull() {
		if err := c.Destroy(kind, p); err != nil || p.Planned.IsNull() {
			return err
		}
	}
	again, err := c.Plan(kind, p.Config)
	if err != nil {
		return err
	}
	c.checkKept(kind, "the second plan", p.Planned, again.Planned)
	again.ApplyConfig = p.ApplyConfig
	return c.ApplyPlanned(kind, again)
}

// Destroy does the first part of a replacement, or all of a destroy.
func (c *Core) Destroy(kind string, p Plan) error {
	c.t.Helper()
	null := tftypes.NewValue(c.Type(kind), nil)
	return c.ApplyPlanned(kind, Plan{ApplyConfig: null, Planned: null, private: p.private})
}

// ApplyPlanned applies a plan without planning it again.
func (c *Core) ApplyPlanned(kind string, p Plan) error {
	c.t.Helper()
	i := c.Instance(kind)
	response := must(c.Server.ApplyResourceChange(c.Context, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "dbplatform_" + kind, PriorState: c.pack(kind, i.State), PlannedState: c.pack(kind, p.Planned),
		Config: c.pack(kind, p.ApplyConfig), PlannedPrivate: p.private, PlannedIdentity: p.identity,
	}))
	state := c.Unpack(kind, response.NewState)
	if err := c.errorOf(response.Diagnostics); err != nil {
		if i.State.IsNull() && !state.IsNull() {
			c.t.Errorf("%s: a create that failed left a state, which taints it", kind)
		}
		if !i.State.IsNull() {
			i.State, i.Private = state, response.Private
		}
		return err
	}
	c.checkKept(kind, "the result", p.Planned, state)
	if !state.IsFullyKnown() {
		c.t.Errorf("%s: after apply not all is known: %s", kind, state)
	}
	i.State, i.Private, i.Identity = state, response.Private, response.NewIdentity
	return nil
}
