package lifecycle

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// kindWith returns a kind with an attribute x: a map is managed by key.
func kindWith(x attr.Value) (k Kind) {
	if _, isMap := x.(types.Map); isMap {
		k.ManagedByKey = []string{"x"}
	}
	return k
}

// Each row is one attribute; the question is whether it is sent.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	one, two, three := types.Int64Value(1), types.Int64Value(2), types.Int64Value(3)
	for name, test := range map[string]struct {
		planned, base, remote attr.Value
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
		unsent := kindWith(test.planned).unshown([]string{"x"}, Attributes{"x": test.planned}, Attributes{"x": test.base}, Attributes{"x": test.remote})
		if sent := isPlannedChange(test.planned, test.base) && len(unsent) == 1; sent != test.sent {
			t.Errorf("%s: sent is %t", name, sent)
		}
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	two, four, title := types.Int64Value(2), types.Int64Value(4), types.StringValue("x")
	planned := Attributes{"replicas": four, "name": title, "roles": set("a", "b")}
	base := Attributes{"replicas": two, "name": title, "roles": set("a")}
	for name, test := range map[string]struct {
		response Attributes
		wrong    int
	}{
		"as planned":           {Attributes{"replicas": four, "name": title, "roles": set("b", "a")}, 0},
		"not returned":         {Attributes{"replicas": types.Int64Unknown(), "name": types.StringUnknown(), "roles": types.SetUnknown(types.StringType)}, 0},
		"drift of what stayed": {Attributes{"replicas": four, "name": types.StringValue("y"), "roles": set("a", "b", "c")}, 0},
		"the old value":        {Attributes{"replicas": two, "name": title, "roles": set("a", "b")}, 1},
		"both old":             {Attributes{"replicas": two, "name": title, "roles": set("a")}, 2},
	} {
		if diags := (&managedResource{resourceType: &resourceType{}}).confirm([]string{"replicas", "roles"}, planned, base, test.response, 0); len(diags) != test.wrong {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// Of a collection, a message names the entries that are wrong.
func TestDescribeWrong(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][3]attr.Value{
		"2":                  {types.Int64Value(4), types.Int64Value(3), types.Int64Value(2)},
		"no value":           {types.StringValue("a"), types.StringValue("b"), types.StringNull()},
		"the previous value": {types.Int64Value(4), types.Int64Value(777), types.Int64Value(777)},
		`2 entries (different: a has "0" instead of "1")`: {list("a", "1", "b", "2"), list(), list("a", "0", "b", "2")},
		"1 entry (missing: a)":                            {list("a", "1"), list("b", "2"), list("b", "2")}, // which is not managed any more
		"3 entries (left over: b)":                        {set("a"), set("a", "b"), set("a", "b", "c")},
	} {
		if got := kindWith(values[0]).describeWrong("x", Attributes{"x": values[0]}, Attributes{"x": values[1]}, Attributes{"x": values[2]}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A name from the API must not change what a terminal shows.
func TestDescribeOld(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][2]attr.Value{
		"was 2":                 {types.Int64Value(2), types.Int64Value(4)},
		"was 1.5":               {types.Float64Value(1.5), types.Float64Value(0.5)},
		`was "slow"`:            {types.StringValue("slow"), types.StringValue("fast")},
		"current value unknown": {types.StringNull(), types.StringValue("fast")},
		"1 added, 1 changed":    {list("a", "1", "b", "2"), list("a", "2", "d", "")},
		"current value unknown, other entries may be removed": {types.SetNull(types.StringType), set("a")},
		"was empty, 1 added":                              {set(), set("a")},
		"was 1 entry, which may be removed":               {set("admin"), types.SetUnknown(types.StringType)},
		"1 added, removes admin":                          {set("admin"), set("developer")},
		"removes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9":            {set(strings.Split("0123456789", "")...), set()},
		"removes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more": {set(strings.Split("0123456789a", "")...), set()},
		`was "a\x1b\u202e\n"`:                             {types.StringValue("a\x1b\u202e\n"), types.StringValue("fast")},
		`removes a\x1b\u202e\n`:                           {set("a\x1b\u202e\n"), set()},
		`removes a \"b\"`:                                 {set(`a "b"`), set()},
		"was 2 entries, which may be removed":             {set("a", "b"), types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()})},
	} {
		if got := kindWith(values[1]).describeOld("x", Attributes{"x": values[0]}, Attributes{"x": values[1]}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
