package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

func entries(pairs ...string) accessList {
	elements := map[string]attr.Value{}
	for i := 0; i < len(pairs); i += 2 {
		elements[pairs[i]] = types.StringValue(pairs[i+1])
	}
	return accessList{types.MapValueMust(types.StringType, elements)}
}

func at(s string) timestamp { return timestamp{types.StringValue(s)} }

// What a response has in another notation keeps the prior one, value by value.
func TestNotations(t *testing.T) {
	t.Parallel()
	noDescription := accessList{types.MapValueMust(types.StringType, map[string]attr.Value{"10.0.0.1": types.StringNull()})}
	for name, test := range map[string]struct {
		prior, remote, want lifecycle.Notation
		equal               bool
	}{
		"the same instant at another offset": {at("2030-01-01T00:00:00Z"), at("2030-01-01T02:00:00.000+02:00"), at("2030-01-01T00:00:00Z"), true},
		"the same instant, other notations":  {at("2030-01-01T00:00:00Z"), at("2030-01-01 00:00:00"), at("2030-01-01T00:00:00Z"), true},
		"the same instant in small letters":  {at("2030-01-01T00:00:00Z"), at("2030-01-01t00:00:00z"), at("2030-01-01T00:00:00Z"), true},
		"another instant":                    {at("2030-01-01T00:00:00Z"), at("2030-01-01T00:00:00.001Z"), at("2030-01-01T00:00:00.001Z"), false},
		"an instant taken away":              {at("2030-01-01T00:00:00Z"), at(""), at(""), false},
		"not an instant":                     {at("soon"), at("later"), at("later"), false},
		"digits that were not kept":          {at("2030-01-01T00:00:00.123456Z"), at("2030-01-01T00:00:00.123Z"), at("2030-01-01T00:00:00.123456Z"), false},

		"an address with its prefix":     {entries("10.0.0.1", "a", "10.1.0.0/16", ""), entries("10.0.0.1/32", "a", "10.1.0.0/16", ""), entries("10.0.0.1", "a", "10.1.0.0/16", ""), true},
		"a prefix without its host bits": {entries("10.1.2.3/16", ""), entries("10.1.0.0/16", ""), entries("10.1.2.3/16", ""), true},
		"another description":            {entries("10.0.0.1", "a"), entries("10.0.0.1/32", "b"), entries("10.0.0.1", "b"), false},
		"one entry more":                 {entries("10.0.0.1", "a"), entries("10.0.0.1/32", "a", "10.0.0.2/32", ""), entries("10.0.0.1", "a", "10.0.0.2/32", ""), false},
		"no description, null and empty": {noDescription, entries("10.0.0.1/32", ""), noDescription, true},
		"a list taken away":              {entries("10.0.0.1", "a"), entries(), entries(), false},
	} {
		if got := test.remote.KeepNotation(test.prior); !got.Equal(test.want) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
		if got := test.prior.SemanticEqual(test.remote); got != test.equal {
			t.Errorf("%s: equal: %t", name, got)
		}
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
		"no instant":               {[]api.Object{backup("a", "yesterday"), backup("b", "2025-01-01T00:00:00Z"), backup("c", "20250102")}, "b"},
		"one unfinished among":     {[]api.Object{backup("a", "null"), backup("b", "2025-01-01T00:00:00Z"), backup("c", "null")}, "b"},
		"failed":                   {[]api.Object{status(`"done"`, "a", "2025-01-01T00:00:00Z"), status(`"error"`, "b", "2025-01-02T00:00:00Z")}, "a"},
		"in progress":              {[]api.Object{backup("a", "2025-01-01T00:00:00Z"), status(`"in_progress"`, "b", "2025-01-02T00:00:00Z")}, "a"},
		"of an unknown status":     {[]api.Object{status(`"archived"`, "a", "2025-01-01T00:00:00Z")}, "a"},
		"finished in the year 1":   {[]api.Object{backup("a", "0001-01-01T00:00:00Z"), backup("b", "0001-01-01 00:00:00-05:00")}, ""},
	} {
		got := ""
		if last := latest(test.backups); last != nil {
			got = last.Text("backupName")
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// An endpoint counts as switched outside of Terraform when it appears in or
// disappears from the endpoints, or when a response has it.
func TestEndpointsEnabled(t *testing.T) {
	t.Parallel()
	endpoints := func(protocols ...string) types.Map {
		byProtocol := map[string]attr.Value{}
		for _, protocol := range protocols {
			byProtocol[protocol] = types.ObjectValueMust(endpointShape, map[string]attr.Value{
				"host": types.StringNull(), "port": types.Int64Null(), "username": types.StringNull(),
			})
		}
		return types.MapValueMust(types.ObjectType{AttrTypes: endpointShape}, byProtocol)
	}
	none := types.MapNull(types.ObjectType{AttrTypes: endpointShape})
	unknown := types.MapUnknown(types.BoolType)
	managed := switches(map[string]bool{"mysql": true, "https": false})
	switched := func(mysql, https bool) types.Map { return switches(map[string]bool{"mysql": mysql, "https": https}) }

	for name, test := range map[string]struct {
		managed, before types.Map
		response        string
		want            types.Map
	}{
		"as before":             {managed, endpoints("mysql"), `{"endpoints":[{"protocol":"mysql"}]}`, managed},
		"disappeared":           {managed, endpoints("mysql"), `{"endpoints":[]}`, switched(false, false)},
		"appeared":              {managed, endpoints("mysql"), `{"endpoints":[{"protocol":"mysql"},{"protocol":"https"}]}`, switched(true, true)},
		"left out":              {managed, endpoints("mysql"), `{}`, managed},
		"nothing to compare":    {managed, none, `{"endpoints":[]}`, managed},
		"shown":                 {managed, none, `{"endpoints":[{"protocol":"mysql","enabled":false}]}`, switched(false, false)},
		"twice, first enabled":  {managed, none, `{"endpoints":[{"protocol":"mysql","enabled":true},{"protocol":"mysql","enabled":false}]}`, managed},
		"twice, last enabled":   {managed, none, `{"endpoints":[{"protocol":"mysql","enabled":false},{"protocol":"mysql","enabled":true}]}`, managed},
		"shown against absence": {managed, endpoints(), `{"endpoints":[{"protocol":"https","enabled":false}]}`, managed},
		"an unmanaged protocol": {managed, endpoints("mysql", "other"), `{"endpoints":[{"protocol":"mysql"},{"protocol":"new","enabled":true}]}`, managed},
		"none managed":          {types.MapNull(types.BoolType), none, `{"endpoints":[{"protocol":"mysql"}]}`, unknown},
		"none managed, shown":   {types.MapNull(types.BoolType), none, `{"endpoints":[{"protocol":"mysql","enabled":true}]}`, switches(map[string]bool{"mysql": true})},
	} {
		var response api.Service
		if err := json.Unmarshal([]byte(test.response), &response); err != nil {
			t.Fatal(err)
		}
		returned, err := showService(t.Context(), &response, nil)
		if err != nil {
			t.Fatal(err)
		}
		shown := lifecycle.Attributes{"endpoints": types.MapUnknown(types.ObjectType{AttrTypes: endpointShape}), "endpoints_enabled": unknown}
		maps.Copy(shown, returned)
		inferSwitches(shown, lifecycle.Attributes{"endpoints_enabled": test.managed, "endpoints": test.before})
		if got := shown["endpoints_enabled"]; !got.Equal(test.want) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// Of several endpoints of one protocol, the first by host is shown, in any order.
func TestEndpointsByProtocol(t *testing.T) {
	t.Parallel()
	list := []api.Endpoint{}
	for _, host := range []string{"b", "a", "c"} {
		list = append(list, api.Endpoint{Protocol: api.ValueOf("mysql"), Host: api.ValueOf(host)})
	}
	for range list {
		list = append(list[1:], list[0])
		shown := endpointsByProtocol(list).Elements()["mysql"].(types.Object)
		if host := shown.Attributes()["host"]; !host.Equal(types.StringValue("a")) {
			t.Errorf("%s is shown", host)
		}
	}
}

// An address that is listed twice in a response is one entry whose description no
// configuration has by chance.
func TestAccessListFrom(t *testing.T) {
	t.Parallel()
	var response api.Service
	body := `{"ipAccessList":[{"source":"10.0.0.1/32","description":"b"},{"source":"10.0.0.1","description":"a"},{"source":"10.0.0.1/32","description":"a"},{"source":"10.0.0.2","description":null},{"source":"10.0.0.3"}]}`
	if err := json.Unmarshal([]byte(body), &response); err != nil {
		t.Fatal(err)
	}
	list, _ := response.IPAccessList.Get()
	want := entries("10.0.0.1", "a | b", "10.0.0.2", "", "10.0.0.3", "")
	if got := accessListOf(list); !got.Equal(want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func switches(pairs map[string]bool) types.Map {
	elements := map[string]attr.Value{}
	for protocol, enabled := range pairs {
		elements[protocol] = types.BoolValue(enabled)
	}
	return types.MapValueMust(types.BoolType, elements)
}
