package provider

import (
	"context"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func entries(pairs ...string) accessList {
	elements := map[string]attr.Value{}
	for i := 0; i < len(pairs); i += 2 {
		elements[pairs[i]] = types.StringValue(pairs[i+1])
	}
	return accessList{types.MapValueMust(types.StringType, elements)}
}

func number(s string) types.Float64 {
	parsed, _, _ := big.ParseFloat(s, 10, 512, big.ToNearestEven)
	value, err := types.Float64Type.ValueFromTerraform(context.Background(), tftypes.NewValue(tftypes.Number, parsed))
	if err != nil {
		panic(err)
	}
	return value.(types.Float64)
}

func at(s string) timestamp { return timestamp{types.StringValue(s)} }

func switches(pairs map[string]bool) types.Map {
	elements := map[string]attr.Value{}
	for protocol, enabled := range pairs {
		elements[protocol] = types.BoolValue(enabled)
	}
	return types.MapValueMust(types.BoolType, elements)
}

func stringsSet(values ...string) types.Set {
	elements := []attr.Value{}
	for _, value := range values {
		elements = append(elements, types.StringValue(value))
	}
	return types.SetValueMust(types.StringType, elements)
}

func TestFill(t *testing.T) {
	t.Parallel()
	plan := attributes{
		"known":   types.Int64Value(1),
		"null":    types.Int64Null(),
		"unknown": types.Int64Unknown(),
		"twice":   types.StringUnknown(),
	}
	known := attributes{
		"known":   types.Int64Value(2),
		"null":    types.Int64Value(2),
		"unknown": types.Int64Value(2),
		"twice":   types.StringUnknown(),
	}
	want := attributes{
		"known":   types.Int64Value(1),
		"null":    types.Int64Null(),
		"unknown": types.Int64Value(2),
		"twice":   types.StringUnknown(),
	}
	if diff := cmp.Diff(want, fill(plan, known)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !plan["unknown"].IsUnknown() {
		t.Error("the plan itself was changed")
	}
}

func TestSettle(t *testing.T) {
	t.Parallel()
	noDescription := accessList{types.MapValueMust(types.StringType, map[string]attr.Value{"10.0.0.1": types.StringNull()})}
	for name, test := range map[string]struct{ prior, remote, want attr.Value }{
		"the same instant at another offset": {at("2030-01-01T00:00:00Z"), at("2030-01-01T02:00:00.000+02:00"), at("2030-01-01T00:00:00Z")},
		"the same instant, other notations":  {at("2030-01-01T00:00:00Z"), at("2030-01-01 00:00:00"), at("2030-01-01T00:00:00Z")},
		"another instant":                    {at("2030-01-01T00:00:00Z"), at("2030-01-01T00:00:00.001Z"), at("2030-01-01T00:00:00.001Z")},
		"an instant taken away":              {at("2030-01-01T00:00:00Z"), at(""), at("")},
		"not an instant":                     {at("soon"), at("later"), at("later")},
		"nothing known before":               {timestamp{types.StringNull()}, at("2030-01-01T00:00:00Z"), at("2030-01-01T00:00:00Z")},
		"not stated":                         {at("2030-01-01T00:00:00Z"), timestamp{types.StringUnknown()}, timestamp{types.StringUnknown()}},

		"an address with its prefix":      {entries("10.0.0.1", "a", "10.1.0.0/16", ""), entries("10.0.0.1/32", "a", "10.1.0.0/16", ""), entries("10.0.0.1", "a", "10.1.0.0/16", "")},
		"a prefix without its host bits":  {entries("10.1.2.3/16", ""), entries("10.1.0.0/16", ""), entries("10.1.2.3/16", "")},
		"another description":             {entries("10.0.0.1", "a"), entries("10.0.0.1/32", "b"), entries("10.0.0.1", "b")},
		"one entry more":                  {entries("10.0.0.1", "a"), entries("10.0.0.1/32", "a", "10.0.0.2/32", ""), entries("10.0.0.1", "a", "10.0.0.2/32", "")},
		"both notations stay two entries": {entries("10.0.0.1", "a"), entries("10.0.0.1/32", "b", "10.0.0.1", "a"), entries("10.0.0.1/32", "b", "10.0.0.1", "a")},
		"no description, null and empty":  {noDescription, entries("10.0.0.1/32", ""), noDescription},
		"a list taken away":               {entries("10.0.0.1", "a"), entries(), entries()},

		"a number with more digits": {number("0.7"), types.Float64Value(0.7), number("0.7")},
		"another number":            {number("0.7"), types.Float64Value(0.8), types.Float64Value(0.8)},
		"digits that were not kept": {at("2030-01-01T00:00:00.123456Z"), at("2030-01-01T00:00:00.123Z"), at("2030-01-01T00:00:00.123456Z")},

		"a set in another order": {stringsSet("a", "b"), stringsSet("b", "a"), stringsSet("a", "b")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := settle(attributes{"x": test.prior}, attributes{"x": test.remote})["x"]
			if !got.Equal(test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	want := attributes{
		"unmanaged":        types.Int64Null(),
		"as it is":         types.Int64Value(3),
		"changed":          types.Int64Value(3),
		"not stated":       types.StringValue("fast"),
		"other words":      at("2030-01-01T00:00:00Z"),
		"never":            at(""),
		"one protocol":     switches(map[string]bool{"mysql": true}),
		"another protocol": switches(map[string]bool{"mysql": true, "https": true}),
		"more digits":      number("0.7"),
	}
	known := attributes{
		"unmanaged":        types.Int64Value(1),
		"as it is":         types.Int64Value(3),
		"changed":          types.Int64Value(2),
		"not stated":       types.StringNull(),
		"other words":      at("2029-12-31T23:00:00-01:00"),
		"never":            at("2030-01-01T00:00:00Z"),
		"one protocol":     switches(map[string]bool{"mysql": true}),
		"another protocol": switches(map[string]bool{"mysql": true}),
		"more digits":      types.Float64Value(0.7),
	}
	if diff := cmp.Diff([]string{"another protocol", "changed", "never", "not stated"}, difference(want, known)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	asked := attributes{"replicas": types.Int64Value(4), "name": types.StringNull(), "list": entries("10.0.0.1", "a")}
	for name, test := range map[string]struct {
		said attributes
		want []string
	}{
		"as asked":        {attributes{"replicas": types.Int64Value(4), "name": types.StringValue("x"), "list": entries("10.0.0.1/32", "a")}, nil},
		"left out":        {attributes{"replicas": types.Int64Unknown(), "name": types.StringUnknown(), "list": accessList{types.MapUnknown(types.StringType)}}, nil},
		"another value":   {attributes{"replicas": types.Int64Value(2), "name": types.StringNull(), "list": entries("10.0.0.1", "a")}, []string{"still reports replicas = 2."}},
		"a list not kept": {attributes{"replicas": types.Int64Value(4), "name": types.StringNull(), "list": entries()}, []string{"still reports list = {}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := confirm(asked, test.said)
			if len(diags) != len(test.want) {
				t.Fatalf("got %v, want %q", diags, test.want)
			}
			for i, d := range diags {
				says(t, d.Detail(), test.want[i])
			}
		})
	}
}

func TestInstant(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"2030-01-31T12:00:00Z", "2030-01-31T12:00:00.000Z", "2030-01-31T13:00:00+01:00", "2030-01-31T13:00:00+0100", "2030-01-31T13:00:00+01",
		"2030-01-31 12:00:00Z", "2030-01-31T12:00Z", "2030-01-31T12:00:00", "2030-01-31 12:00:00.000",
	} {
		got, ok := instant(s)
		if !ok || got.Unix() != 1896091200 {
			t.Errorf("%s: %v %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "never", "1896091200", "2030-02-30T00:00:00Z"} {
		if got, ok := instant(s); ok {
			t.Errorf("%q is %v", s, got)
		}
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	backup := func(name, finished string) backupModel {
		value := types.StringValue(finished)
		if finished == "null" {
			value = types.StringNull()
		}
		return backupModel{BackupName: types.StringValue(name), FinishedAt: value}
	}
	for name, test := range map[string]struct {
		backups []backupModel
		want    string
	}{
		"none":                     {nil, ""},
		"none finished":            {[]backupModel{backup("a", "null"), backup("b", "")}, ""},
		"unordered":                {[]backupModel{backup("a", "2025-01-02T00:00:00Z"), backup("b", "2025-01-03T00:00:00Z"), backup("c", "2025-01-01T00:00:00Z")}, "b"},
		"by instant, not by text":  {[]backupModel{backup("a", "2025-01-01T09:00:00Z"), backup("b", "2025-01-01T05:00:00-05:00")}, "b"},
		"the first of two at once": {[]backupModel{backup("a", "2025-01-01T00:00:00Z"), backup("b", "2025-01-01T01:00:00+01:00")}, "a"},
		"an instant before text":   {[]backupModel{backup("a", "yesterday"), backup("b", "2025-01-01T00:00:00Z")}, "b"},
		"text":                     {[]backupModel{backup("a", "20250101"), backup("b", "20250102")}, "b"},
		"one unfinished among":     {[]backupModel{backup("a", "null"), backup("b", "2025-01-01T00:00:00Z"), backup("c", "null")}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if last := latest(test.backups); last != nil {
				got = last.BackupName.ValueString()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDescribeChange(t *testing.T) {
	t.Parallel()
	for want, change := range map[string][2]attr.Value{
		"2 → 4":                         {types.Int64Value(2), types.Int64Value(4)},
		"1.5 → 0.5":                     {types.Float64Value(1.5), types.Float64Value(0.5)},
		"(now not stated)":              {types.StringNull(), types.StringValue("fast")},
		"1 added, 1 changed, 2 removed": {entries("a", "1", "b", "2", "c", "3"), entries("a", "2", "d", "")},
		"2 added":                       {accessList{types.MapNull(types.StringType)}, entries("a", "", "b", "")},
		"→ (known after apply)":         {stringsSet("admin"), types.SetUnknown(types.StringType)},
		"2 → (known after apply)":       {types.Int64Value(2), types.Int64Unknown()},
		"1 added, 1 removed":            {stringsSet("admin"), stringsSet("developer")},
		"https → true, mysql → false":   {switches(map[string]bool{"mysql": true, "other": true}), switches(map[string]bool{"mysql": false, "https": true, "other": true})},
	} {
		if got := describeChange(change[0], change[1]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
