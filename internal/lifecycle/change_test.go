package lifecycle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// switches is a map of switches that are on.
func switches(names ...string) types.Map {
	elements := map[string]attr.Value{}
	for _, name := range names {
		elements[name] = types.BoolValue(true)
	}
	return types.MapValueMust(types.BoolType, elements)
}

// Each row is one attribute; the question is whether it is sent.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	one, two, three := types.Int64Value(1), types.Int64Value(2), types.Int64Value(3)
	for name, test := range map[string]struct {
		planned, prior, shown attr.Value
		sent                  bool
	}{
		"unmanaged":                          {types.Int64Null(), one, one, false},
		"known after apply":                  {types.Int64Unknown(), one, one, false},
		"unchanged":                          {one, one, one, false},
		"changed":                            {two, one, one, true},
		"changed to what the API shows":      {two, one, two, false},
		"changed, and drifted elsewhere":     {two, one, three, true},
		"drifted after the plan":             {one, one, two, false},
		"new, and not returned":              {types.StringValue("fast"), types.StringNull(), types.StringNull(), true},
		"a number with more digits":          {manyDigits(t, "0.7"), types.Float64Value(0.7), types.Float64Value(0.7), false},
		"a number with fewer digits":         {types.Float64Value(0.7), types.Float64Value(0.699999988079071), types.Float64Value(0.699999988079071), false},
		"nearly the same number":             {types.Float64Value(0.7), types.Float64Value(0.70001), types.Float64Value(0.70001), true},
		"a switch":                           {switches("a", "b"), switches("a"), switches("a"), true},
		"an element removed, and all gone":   {set("a"), set("a", "b"), set(), true},
		"a switch that is no longer managed": {switches("a"), switches("a", "b"), switches("a", "b"), false},
		"an element added":                   {set("a", "b"), set("a"), set("a"), true},
		"an element added beside drift":      {set("a", "b"), set("a"), set("a", "b", "c"), false},
		"an element removed":                 {set("a"), set("a", "b"), set("a", "b", "c"), true},
		"a set in another order":             {set("a", "b"), set("b", "a"), set(), false},
	} {
		if sent := changeOf(test.planned, test.prior, test.shown).sends("x"); sent != test.sent {
			t.Errorf("%s: sent is %t", name, sent)
		}
	}
}

// What the plan does not know is as the response shows it, or else as the API last showed it.
func TestState(t *testing.T) {
	t.Parallel()
	unknown, one, two, three, four := types.Int64Unknown(), types.Int64Value(1), types.Int64Value(2), types.Int64Value(3), types.Int64Value(4)
	for name, test := range map[string]struct {
		planned, response, shown, prior, want attr.Value
	}{
		"planned":              {four, three, two, one, four},
		"in the response":      {unknown, three, two, one, three},
		"not in the response":  {unknown, unknown, two, one, two},
		"nothing was sent":     {unknown, nil, two, one, two},
		"the object is hidden": {unknown, nil, unknown, one, one},
	} {
		c := changeOf(test.planned, test.prior, test.shown)
		if test.response != nil {
			c.Response = Attributes{"x": test.response}
		}
		if got := c.state()["x"]; !got.Equal(test.want) {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// An update only adds to a list that no plan has shown. A creation replaces it.
func TestBase(t *testing.T) {
	t.Parallel()
	definition := Definition{Schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Optional: true}, "list": schema.SetAttribute{Optional: true, ElementType: types.StringType},
	}}}.prepared()
	null := Attributes{"name": types.StringNull(), "list": types.SetNull(types.StringType)}
	for creates, want := range map[bool]Attributes{true: null, false: {"name": types.StringNull(), "list": set()}} {
		c := definition.change(nil, null, null)
		c.Creates = creates
		if diff := cmp.Diff(want, c.Base()); diff != "" {
			t.Errorf("creates: %t (-want +got):\n%s", creates, diff)
		}
	}
}

// After an update that does not show, the state has what the API shows. What no refresh will
// show is null, so that the next apply sends it again.
func TestFailedState(t *testing.T) {
	t.Parallel()
	definition := Definition{
		SharedLists: []string{"list"},
		Schema: schema.Schema{Attributes: map[string]schema.Attribute{
			"name":    schema.StringAttribute{Optional: true, Computed: true},
			"channel": schema.StringAttribute{Optional: true},
			"list":    schema.SetAttribute{Optional: true, Computed: true, ElementType: types.StringType},
		}},
	}.prepared()
	text := types.StringValue
	of := func(name, channel attr.Value, list attr.Value) Attributes {
		return Attributes{"name": name, "channel": channel, "list": list}
	}
	prior, planned := of(text("a"), text("slow"), set("x")), of(text("b"), text("fast"), set("x", "y"))
	unknown := of(types.StringUnknown(), types.StringUnknown(), types.SetUnknown(types.StringType))
	for name, test := range map[string]struct {
		shown          Attributes
		response, want Attributes
	}{
		"shown":                  {unknown, of(text("c"), text("default"), set()), of(text("c"), text("default"), set())},
		"shown before":           {of(text("a"), types.StringUnknown(), set("x")), unknown, of(text("a"), types.StringNull(), set("x"))},
		"not shown before":       {unknown, unknown, of(types.StringNull(), types.StringNull(), set("x"))},
		"shown, and not managed": {unknown, of(text("c"), text("default"), set("x")), of(text("c"), text("default"), set("x"))},
	} {
		c := definition.change(planned, prior, planned)
		c.Shown, c.Response = test.shown, test.response
		if diff := cmp.Diff(test.want, c.failedState()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	definition.SendsWholeLists = true // from null, the list is sent whole again
	c := definition.change(planned, prior, planned)
	c.Shown, c.Response = unknown, unknown
	if list := c.failedState()["list"]; !list.IsNull() {
		t.Error(list)
	}
}

// What a response has in another notation keeps the prior one, key by key and value by value.
func TestKeepNotation(t *testing.T) {
	t.Parallel()
	kind := &Definition{Canonical: map[string]func(string) string{"x": strings.ToLower}}
	null := types.MapValueMust(types.StringType, map[string]attr.Value{"a": types.StringNull()})
	for name, test := range map[string]struct {
		prior, shown, want attr.Value
		same               bool
	}{
		"a text":              {types.StringValue("A"), types.StringValue("a"), types.StringValue("A"), true},
		"another text":        {types.StringValue("A"), types.StringValue("b"), types.StringValue("b"), false},
		"a key":               {list("A", "1"), list("a", "1"), list("A", "1"), true},
		"another value":       {list("A", "1"), list("a", "2"), list("A", "2"), false},
		"one entry more":      {list("A", "1"), list("a", "1", "b", "2"), list("A", "1", "b", "2"), false},
		"an empty value":      {null, list("A", ""), null, true},
		"beside another one":  {null, list("A", "", "b", "2"), types.MapValueMust(types.StringType, map[string]attr.Value{"a": types.StringNull(), "b": types.StringValue("2")}), false},
		"a list that is gone": {list("A", "1"), list(), list(), false},
		"a set":               {set("A", "b"), set("a", "B"), set("A", "b"), true},
		"another set":         {set("A", "b"), set("a", "c"), set("A", "c"), false},
	} {
		if got := kind.keepNotation(Attributes{"x": test.prior}, Attributes{"x": test.shown})["x"]; !got.Equal(test.want) {
			t.Errorf("%s: %s", name, got)
		}
		if same := kind.same("x", test.prior, test.shown); same != test.same {
			t.Errorf("%s: the same: %t", name, same)
		}
	}
}
