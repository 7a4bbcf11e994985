package acctest

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// checkPlan checks that a plan has what is configured, or a prior value that
// means the same.
func (c *Core) checkPlan(kind string, p Plan, state tftypes.Value) {
	c.t.Helper()
	config, prior, planned := members(p.Config), members(state), members(p.Planned)
	for name, want := range config {
		before, exists := prior[name]
		keepsPrior := exists && !before.IsNull() && planned[name].Equal(before)
		if !want.IsNull() && !planned[name].Equal(want) && !keepsPrior {
			c.t.Errorf("%s: %s is configured as %s and planned as %s", kind, name, want, planned[name])
		}
	}
}

// checkKept checks that what a plan knew has come true.
func (c *Core) checkKept(kind, what string, planned, got tftypes.Value) {
	c.t.Helper()
	if planned.IsNull() != got.IsNull() {
		c.t.Errorf("%s: %s is %s where %s was planned", kind, what, got, planned)
		return
	}
	values := members(got)
	for name, want := range members(planned) {
		if want.IsFullyKnown() && !values[name].Equal(want) {
			c.t.Errorf("%s: %s has %s = %s where %s was planned", kind, what, name, values[name], want)
		}
	}
}

// proposed is what Terraform proposes as the new state: the configuration, and
// the prior state for what is computed and not configured.
func (c *Core) proposed(kind string, config, state tftypes.Value) tftypes.Value {
	c.t.Helper()
	if config.IsNull() {
		return config
	}
	proposed, prior := members(config), members(state)
	for _, attribute := range c.schemas.ResourceSchemas["dbplatform_"+kind].Block.Attributes {
		if before, ok := prior[attribute.Name]; ok && attribute.Computed && proposed[attribute.Name].IsNull() {
			proposed[attribute.Name] = before
		}
	}
	return tftypes.NewValue(c.Type(kind), proposed)
}

// errorOf returns the errors among diagnostics as one, as "summary: detail
// attribute", and keeps the warnings.
func (c *Core) errorOf(diagnostics []*tfprotov6.Diagnostic) error {
	var all []error
	for _, d := range diagnostics {
		text := d.Summary + ": " + d.Detail
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			c.Warnings = append(c.Warnings, text)
			continue
		}
		if d.Attribute != nil {
			text += "\n" + d.Attribute.String()
		}
		all = append(all, errors.New(text))
	}
	return errors.Join(all...)
}

func (c *Core) pack(kind string, value tftypes.Value) *tfprotov6.DynamicValue {
	packed := must(tfprotov6.NewDynamicValue(c.Type(kind), value))
	return &packed
}

// Unpack decodes a state of a resource.
func (c *Core) Unpack(kind string, packed *tfprotov6.DynamicValue) tftypes.Value {
	return must(packed.Unmarshal(c.Type(kind)))
}

// members returns the attributes of a state; none for null.
func members(value tftypes.Value) map[string]tftypes.Value {
	all := map[string]tftypes.Value{}
	if !value.IsNull() {
		if err := value.As(&all); err != nil {
			panic(err)
		}
	}
	return maps.Clone(all) // As shares the value's own
}

// Plain returns a value in Go's types, with sets in order; unknown is
// "(unknown)".
func Plain(value tftypes.Value) any {
	if value.IsNull() {
		return nil
	}
	if !value.IsKnown() {
		return "(unknown)"
	}
	var (
		text   string
		number big.Float
		truth  bool
		many   []tftypes.Value
	)
	switch {
	case value.As(&text) == nil:
		return text
	case value.As(&number) == nil:
		f, _ := number.Float64()
		return f
	case value.As(&truth) == nil:
		return truth
	case value.As(&many) == nil:
		all := []any{}
		for _, one := range many {
			all = append(all, Plain(one))
		}
		if !value.Type().Is(tftypes.Set{}) {
			return all
		}
		slices.SortFunc(all, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return all
	}
	all := map[string]any{}
	for name, member := range members(value) {
		all[name] = Plain(member)
	}
	return all
}
