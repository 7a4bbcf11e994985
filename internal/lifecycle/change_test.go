package lifecycle

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// manyDigits is a number as Terraform computes it.
func manyDigits(t *testing.T, s string) types.Float64 {
	t.Helper()
	parsed, _, err := big.ParseFloat(s, 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	value, err := types.Float64Type.ValueFromTerraform(t.Context(), tftypes.NewValue(tftypes.Number, parsed))
	if err != nil {
		t.Fatal(err)
	}
	return value.(types.Float64)
}

func set(values ...string) types.Set {
	elements := []attr.Value{}
	for _, value := range values {
		elements = append(elements, types.StringValue(value))
	}
	return types.SetValueMust(types.StringType, elements)
}

func list(pairs ...string) types.Map {
	elements := map[string]attr.Value{}
	for i := 0; i < len(pairs); i += 2 {
		elements[pairs[i]] = types.StringValue(pairs[i+1])
	}
	return types.MapValueMust(types.StringType, elements)
}

// changeOf is a change of an attribute x: a map is managed by key.
func changeOf(planned, prior, shown attr.Value) Change {
	typ := &resourceType{}
	if _, isMap := planned.(types.Map); isMap {
		typ.kind.ManagedByKey = []string{"x"}
	}
	return Change{resourceType: typ, Config: Attributes{"x": types.StringNull()}, Planned: Attributes{"x": planned}, Prior: Attributes{"x": prior}, Shown: Attributes{"x": shown}}
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
		"a switch":                           {list("a", "on", "b", "on"), list("a", "on"), list("a", "on"), true},
		"an element removed, and all gone":   {set("a"), set("a", "b"), set(), true},
		"a switch that is no longer managed": {list("a", "on"), list("a", "on", "b", "on"), list("a", "on", "b", "on"), false},
		"an element added":                   {set("a", "b"), set("a"), set("a"), true},
		"an element added beside drift":      {set("a", "b"), set("a"), set("a", "b", "c"), false},
		"an element removed":                 {set("a"), set("a", "b"), set("a", "b", "c"), true},
		"a set in another order":             {set("a", "b"), set("b", "a"), set(), false},
	} {
		if sent := len(changeOf(test.planned, test.prior, test.shown).sent()) == 1; sent != test.sent {
			t.Errorf("%s: sent is %t", name, sent)
		}
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	two, four, title := types.Int64Value(2), types.Int64Value(4), types.StringValue("x")
	planned := Attributes{"id": title, "replicas": four, "name": title, "roles": set("a", "b")}
	prior := Attributes{"id": title, "replicas": two, "name": title, "roles": set("a")}
	for name, test := range map[string]struct {
		response Attributes
		wrong    int
		says     string
	}{
		"as planned":           {Attributes{"replicas": four, "name": title, "roles": set("b", "a")}, 0, "[]"},
		"not returned":         {Attributes{"replicas": types.Int64Unknown(), "name": types.StringUnknown(), "roles": types.SetUnknown(types.StringType)}, 0, "[]"},
		"drift of what stayed": {Attributes{"replicas": four, "name": types.StringValue("y"), "roles": set("b")}, 0, "[]"},
		"one more":             {Attributes{"replicas": four, "name": title, "roles": set("a", "b", "c")}, 0, "The API also shows c in roles."},
		"the old value":        {Attributes{"replicas": two, "name": title, "roles": set("a", "b")}, 1, "returns 2 instead of 4. It may still show"},
		"both old":             {Attributes{"replicas": two, "name": title, "roles": set("a")}, 2, "does not return b. It may still show"},
		"another form":         {Attributes{"replicas": four, "name": title, "roles": set("a", "B")}, 1, "returns B instead of b. If that means the same, write it as the API returns it."},
	} {
		typ := &resourceType{kind: Kind{Noun: "thing", IDs: []string{"id"}}}
		diags := Change{resourceType: typ, Planned: planned, Prior: prior, Shown: prior}.confirm(test.response, 0)
		if diags.ErrorsCount() != test.wrong || !strings.Contains(fmt.Sprint(diags), test.says) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// A message says what the API returns, and advises to wait only if that may be an old value.
func TestDescribeWrong(t *testing.T) {
	t.Parallel()
	text := func(s string) attr.Value { return types.StringValue(s) }
	for want, test := range map[string]struct {
		planned, prior, shown attr.Value
		isOtherForm           bool
	}{
		"returns 2 instead of 4":                                       {types.Int64Value(4), types.Int64Value(3), types.Int64Value(2), false}, // a number that is late in coming
		`returns no value instead of "a"`:                              {text("a"), text("b"), types.StringNull(), false},
		`returns "b" instead of "a"`:                                   {text("a"), text("b"), text("b"), false},
		`returns "a" instead of "a\n"`:                                 {text("a\n"), text("b"), text("a"), true},
		`returns "0" instead of "1" for a`:                             {list("a", "1", "b", "2"), list("a", "0"), list("a", "0", "b", "2"), false},
		`returns "&amp;" instead of "&" for a`:                         {list("a", "&", "b", "2"), list("a", "0"), list("a", "&amp;", "b", "2"), true},
		"does not return a":                                            {list("a", "1"), list("b", "2"), list("b", "2"), false}, // b is not managed any more
		"returns b instead of an empty list":                           {set(), set("a", "b"), set("b"), true},                  // which may open by itself
		"still returns b":                                              {set("a"), set("a", "b"), set("a", "b", "c"), false},
		"does not return a, b":                                         {set("a", "b"), set("a"), set(), false}, // although a stays: an empty list becomes the planned one
		"returns A, c instead of a":                                    {set("a", "b"), set("b", "c"), set("A", "b", "c"), true},
		"returns c instead of a":                                       {set("a"), set("c"), set("c"), true}, // the next apply says so, too
		"returns 0 instead of 1, 2, 3, 4, 5, 6, 7, 8, 9, a and 1 more": {set(strings.Split("123456789ab", "")...), set(), set("0"), true},
	} {
		got, remedy := changeOf(test.planned, test.prior, test.shown).describeWrong("x")
		if got != want || strings.Contains(remedy, "update_timeout") == test.isOtherForm {
			t.Errorf("got %q with %q, want %q", got, remedy, want)
		}
	}
}

// A name from the API must not change what a terminal shows.
func TestDescribeOld(t *testing.T) {
	t.Parallel()
	partlyUnknown := types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()})
	for want, values := range map[string][2]attr.Value{
		"was 2":                 {types.Int64Value(2), types.Int64Value(4)},
		"was 1.5":               {types.Float64Value(1.5), types.Float64Value(0.5)},
		`was "slow"`:            {types.StringValue("slow"), types.StringValue("fast")},
		"current value unknown": {types.StringNull(), types.StringValue("fast")},
		`adds d, a was "1"`:     {list("a", "1", "b", "2"), list("a", "2", "d", "")},
		"current value unknown, other entries may be removed": {types.SetNull(types.StringType), set("a")},
		"was empty, adds a":                    {set(), set("a")},
		"was admin":                            {set("admin"), types.SetUnknown(types.StringType)},
		"was empty":                            {set(), partlyUnknown},
		"adds developer, removes admin":        {set("admin"), set("developer")},
		"removes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9": {set(strings.Split("0123456789", "")...), set()},
		"removes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more": {set(strings.Split("0123456789a", "")...), set()},
		`was "a\x1b\u202e\n"`:                             {types.StringValue("a\x1b\u202e\n"), types.StringValue("fast")},
		`removes a\x1b\u202e\n`:                           {set("a\x1b\u202e\n"), set()},
		`removes a \"b\"`:                                 {set(`a "b"`), set()},
		"was a, b":                                        {set("a", "b"), partlyUnknown},
	} {
		if got := changeOf(values[1], values[0], values[0]).describeOld("x"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	shared := changeOf(partlyUnknown, set("a", "b"), set("a", "b"))
	shared.kind.SharedLists = []string{"x"}
	if got := shared.describeOld("x"); got != "was a, b, and the apply fails if one is missing" {
		t.Error(got)
	}
}

// A number keeps the digits that Terraform computed. A null of the API is unknown only for a
// scalar that can be configured.
func TestShown(t *testing.T) {
	t.Parallel()
	computed := manyDigits(t, "0.7")
	if kept := keepNotation(Attributes{"x": computed}, Attributes{"x": types.Float64Value(0.7)}); !kept["x"].Equal(computed) {
		t.Errorf("%s", kept["x"])
	}
	r := newResourceType(Definition{Schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Optional: true}, "host": schema.StringAttribute{Computed: true},
		"roles": schema.SetAttribute{Optional: true, ElementType: types.StringType},
	}}})
	got := r.show(Attributes{"name": nil, "host": nil, "roles": nil}, nil)
	if !got["name"].IsUnknown() || !got["host"].IsNull() || !got["roles"].Equal(set()) {
		t.Errorf("%v", got)
	}
}
