package provider

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

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
		"shown against absence": {managed, endpoints(), `{"endpoints":[{"protocol":"https","enabled":false}]}`, managed},
		"an unmanaged protocol": {managed, endpoints("mysql", "other"), `{"endpoints":[{"protocol":"mysql"},{"protocol":"new","enabled":true}]}`, managed},
		"none managed":          {types.MapNull(types.BoolType), none, `{"endpoints":[{"protocol":"mysql"}]}`, unknown},
		"none managed, shown":   {types.MapNull(types.BoolType), none, `{"endpoints":[{"protocol":"mysql","enabled":true}]}`, switches(map[string]bool{"mysql": true})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var response api.Service
			if err := json.Unmarshal([]byte(test.response), &response); err != nil {
				t.Fatal(err)
			}
			got := enabledEndpoints(response.Endpoints, adopt.Attributes{"endpoints_enabled": test.managed, "endpoints": test.before})
			if !got.Equal(test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A source that is listed twice in a response is one entry whose description no
// configuration has by chance.
func TestAccessListFrom(t *testing.T) {
	t.Parallel()
	var response api.Service
	body := `{"ipAccessList":[{"source":"10.0.0.1","description":"b"},{"source":"10.0.0.1","description":"a"},{"source":"10.0.0.2","description":null},{"source":"10.0.0.3"}]}`
	if err := json.Unmarshal([]byte(body), &response); err != nil {
		t.Fatal(err)
	}
	list, _ := response.IPAccessList.Get()
	want := entries("10.0.0.1", "a | b", "10.0.0.2", "", "10.0.0.3", "")
	if got := newAccessListType().FromMember(list); !got.Equal(want) {
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
