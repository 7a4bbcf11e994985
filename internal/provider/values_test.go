package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

func entries(pairs ...string) accessList {
	elements := map[string]attr.Value{}
	for i := 0; i < len(pairs); i += 2 {
		elements[pairs[i]] = types.StringValue(pairs[i+1])
	}
	return accessList{types.MapValueMust(types.StringType, elements)}
}

func at(s string) timestamp { return timestamp{types.StringValue(s)} }

func TestKeepNotation(t *testing.T) {
	t.Parallel()
	noDescription := accessList{types.MapValueMust(types.StringType, map[string]attr.Value{"10.0.0.1": types.StringNull()})}
	for name, test := range map[string]struct{ prior, remote, want adopt.Notation }{
		"the same instant at another offset": {at("2030-01-01T00:00:00Z"), at("2030-01-01T02:00:00.000+02:00"), at("2030-01-01T00:00:00Z")},
		"the same instant, other notations":  {at("2030-01-01T00:00:00Z"), at("2030-01-01 00:00:00"), at("2030-01-01T00:00:00Z")},
		"another instant":                    {at("2030-01-01T00:00:00Z"), at("2030-01-01T00:00:00.001Z"), at("2030-01-01T00:00:00.001Z")},
		"an instant taken away":              {at("2030-01-01T00:00:00Z"), at(""), at("")},
		"not an instant":                     {at("soon"), at("later"), at("later")},

		"an address with its prefix":      {entries("10.0.0.1", "a", "10.1.0.0/16", ""), entries("10.0.0.1/32", "a", "10.1.0.0/16", ""), entries("10.0.0.1", "a", "10.1.0.0/16", "")},
		"a prefix without its host bits":  {entries("10.1.2.3/16", ""), entries("10.1.0.0/16", ""), entries("10.1.2.3/16", "")},
		"another description":             {entries("10.0.0.1", "a"), entries("10.0.0.1/32", "b"), entries("10.0.0.1", "b")},
		"one entry more":                  {entries("10.0.0.1", "a"), entries("10.0.0.1/32", "a", "10.0.0.2/32", ""), entries("10.0.0.1", "a", "10.0.0.2/32", "")},
		"both notations stay two entries": {entries("10.0.0.1", "a"), entries("10.0.0.1/32", "b", "10.0.0.1", "a"), entries("10.0.0.1/32", "b", "10.0.0.1", "a")},
		"no description, null and empty":  {noDescription, entries("10.0.0.1/32", ""), noDescription},
		"a list taken away":               {entries("10.0.0.1", "a"), entries(), entries()},

		"digits that were not kept": {at("2030-01-01T00:00:00.123456Z"), at("2030-01-01T00:00:00.123Z"), at("2030-01-01T00:00:00.123456Z")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := test.remote.KeepNotation(test.prior)
			if !got.Equal(test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestSemanticEqual(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b adopt.Notation
		want bool
	}{
		{at("2030-01-01T00:00:00Z"), at("2030-01-01T02:00:00.000+02:00"), true},
		{at("2030-01-01T00:00:00Z"), at("2030-01-01t00:00:00z"), true},
		{at("2030-01-01T00:00:00.5Z"), at("2030-01-01T00:00:00Z"), false},
		{at("2030-01-01T00:00:00Z"), at(""), false},
		{at("soon"), at("later"), false},
		{entries("10.0.0.1", "a"), entries("10.0.0.1/32", "a"), true},
		{entries("10.0.0.1", "a"), entries("10.0.0.1", "b"), false},
		{entries("10.0.0.1", "a"), entries("10.0.0.1", "a", "10.0.0.1/32", "b"), false},
		{entries(), entries("10.0.0.1", ""), false},
	} {
		if got := test.a.SemanticEqual(test.b); got != test.want {
			t.Errorf("%s and %s: %t", test.a, test.b, got)
		}
	}
}

// Entries are the same in all notations of an address, with no description or
// an empty one.
func TestAccessListEntries(t *testing.T) {
	t.Parallel()
	one := accessList{types.MapValueMust(types.StringType, map[string]attr.Value{"10.0.0.1": types.StringNull(), "10.0.0.2": types.StringValue("b")})}
	if got, want := one.Entries(), entries("10.0.0.1/32", "", "10.0.0.2/32", "b").Entries(); len(got) != 2 || !maps.EqualFunc(got, want, attr.Value.Equal) {
		t.Errorf("%v, not %v", got, want)
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
	status := func(status, name, finished string) api.Object {
		finished = strings.ReplaceAll(fmt.Sprintf("%q", finished), `"null"`, "null")
		return api.Object{
			"backupName": json.RawMessage(`"` + name + `"`), "finishedAt": json.RawMessage(finished), "status": json.RawMessage(status),
		}
	}
	backup := func(name, finished string) api.Object { return status(`"null"`, name, finished) }
	for name, test := range map[string]struct {
		backups []api.Object
		want    string
	}{
		"none":                     {nil, ""},
		"none finished":            {[]api.Object{backup("a", "null"), backup("b", "")}, ""},
		"unordered":                {[]api.Object{backup("a", "2025-01-02T00:00:00Z"), backup("b", "2025-01-03T00:00:00Z"), backup("c", "2025-01-01T00:00:00Z")}, "b"},
		"by instant, not by text":  {[]api.Object{backup("a", "2025-01-01T09:00:00Z"), backup("b", "2025-01-01T05:00:00-05:00")}, "b"},
		"the first of two at once": {[]api.Object{backup("a", "2025-01-01T00:00:00Z"), backup("b", "2025-01-01T01:00:00+01:00")}, "a"},
		"an instant before text":   {[]api.Object{backup("a", "yesterday"), backup("b", "2025-01-01T00:00:00Z")}, "b"},
		"text":                     {[]api.Object{backup("a", "20250101"), backup("b", "20250102")}, "b"},
		"one unfinished among":     {[]api.Object{backup("a", "null"), backup("b", "2025-01-01T00:00:00Z"), backup("c", "null")}, "b"},
		"failed":                   {[]api.Object{status(`"done"`, "a", "2025-01-01T00:00:00Z"), status(`"error"`, "b", "2025-01-02T00:00:00Z")}, "a"},
		"in progress":              {[]api.Object{backup("a", "2025-01-01T00:00:00Z"), status(`"in_progress"`, "b", "2025-01-02T00:00:00Z")}, "a"},
		"of an unknown status":     {[]api.Object{status(`"archived"`, "a", "2025-01-01T00:00:00Z")}, "a"},
		"finished in the year 1":   {[]api.Object{backup("a", "0001-01-01T00:00:00Z"), backup("b", "0001-01-01 05:30:00+05:30")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if last := latest(test.backups); last != nil {
				got = last.Text("backupName")
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
