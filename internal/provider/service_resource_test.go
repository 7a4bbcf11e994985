package provider

import (
	"cmp"
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// Of several endpoints of one protocol, the first by host, port and user name is shown, in any order.
func TestEndpointsByProtocol(t *testing.T) {
	t.Parallel()
	list := []api.Endpoint{}
	for _, e := range []struct {
		host, username string
		port           int64
	}{{"b", "a", 1}, {"a", "a", 2}, {"a", "a", 1}, {"a", "b", 1}, {"c", "a", 1}} {
		list = append(list, api.Endpoint{
			Protocol: api.ValueOf("mysql"), Host: api.ValueOf(e.host), Port: api.ValueOf(e.port), Username: api.ValueOf(e.username),
		})
	}
	for range list {
		list = append(list[1:], list[0])
		shown := endpointsByProtocol(list).Elements()["mysql"].String()
		if want := `{"host":"a","port":1,"username":"a"}`; shown != want {
			t.Errorf("%s is shown, not %s", shown, want)
		}
	}
}

func switches(pairs map[string]bool) types.Map {
	elements := map[string]attr.Value{}
	for protocol, enabled := range pairs {
		elements[protocol] = types.BoolValue(enabled)
	}
	return types.MapValueMust(types.BoolType, elements)
}

// An endpoint counts as switched outside of Terraform when it appears in or disappears from the endpoints, or
// when a response has its switch.
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
	none, unknown := types.MapNull(types.ObjectType{AttrTypes: endpointShape}), types.MapUnknown(types.BoolType)
	afterUpdate := types.MapUnknown(types.ObjectType{AttrTypes: endpointShape})
	managed := switches(map[string]bool{"mysql": true, "https": false})
	switched := func(mysql, https bool) types.Map { return switches(map[string]bool{"mysql": mysql, "https": https}) }
	for name, test := range map[string]struct {
		managed, before types.Map
		response        string
		want            types.Map
	}{
		"as before":              {managed, endpoints("mysql"), `{"endpoints":[{"protocol":"mysql"}]}`, unknown},
		"disappeared":            {managed, endpoints("mysql"), `{"endpoints":[]}`, switched(false, false)},
		"appeared":               {managed, endpoints("mysql"), `{"endpoints":[{"protocol":"mysql"},{"protocol":"https"}]}`, switched(true, true)},
		"left out":               {managed, endpoints("mysql"), `{"name":"n"}`, unknown},
		"nothing to compare":     {managed, none, `{"endpoints":[]}`, unknown},
		"shown":                  {managed, none, `{"endpoints":[{"protocol":"mysql","enabled":false}]}`, switched(false, false)},
		"twice, first enabled":   {managed, none, `{"endpoints":[{"protocol":"mysql","enabled":true},{"protocol":"mysql","enabled":false}]}`, managed},
		"twice, last enabled":    {managed, none, `{"endpoints":[{"protocol":"mysql","enabled":false},{"protocol":"mysql","enabled":true}]}`, managed},
		"shown against absence":  {managed, endpoints(), `{"endpoints":[{"protocol":"https","enabled":false}]}`, managed},
		"an unmanaged protocol":  {managed, endpoints("mysql", "other"), `{"endpoints":[{"protocol":"mysql"},{"protocol":"new","enabled":true}]}`, unknown},
		"listed after an update": {switched(false, true), afterUpdate, `{"endpoints":[{"protocol":"https"}]}`, switched(false, true)},
		"not as planned":         {switched(false, true), afterUpdate, `{"endpoints":[{"protocol":"mysql"}]}`, unknown},
		"none after an update":   {switched(false, false), afterUpdate, `{"ipAccessList":[]}`, switched(false, false)},
		"nothing of the lists":   {switched(false, false), afterUpdate, `{"name":"n"}`, unknown},
		"none managed":           {types.MapNull(types.BoolType), none, `{"endpoints":[{"protocol":"mysql"}]}`, unknown},
		"none managed, shown":    {types.MapNull(types.BoolType), none, `{"endpoints":[{"protocol":"mysql","enabled":true}]}`, switches(map[string]bool{"mysql": true})},
	} {
		var response api.Service
		if err := json.Unmarshal([]byte(test.response), &response); err != nil {
			t.Fatal(err)
		}
		returned := showService(&response, lifecycle.Attributes{"endpoints_enabled": test.managed, "endpoints": test.before})
		if got := cmp.Or(returned["endpoints_enabled"], attr.Value(unknown)); !got.Equal(test.want) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// Only endpoints that are switched are sent, of all that are configured.
func TestOnlySwitchedEndpointsAreSent(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	c := env.Core(t, nil)
	for _, step := range []struct {
		enabled map[string]any
		sent    string
	}{
		{map[string]any{"mysql": true, "https": false}, `{"endpoints":[{"protocol":"https","enabled":false},{"protocol":"mysql","enabled":true}]}`}, // no response shows them
		{map[string]any{"mysql": true, "https": true}, `{"endpoints":[{"protocol":"https","enabled":true}]}`},
		{map[string]any{"mysql": false, "https": true, "native": true}, `{"endpoints":[{"protocol":"mysql","enabled":false},{"protocol":"native","enabled":true}]}`},
		{map[string]any{"https": true}, ""},
	} {
		env.ResetRequests()
		config := onService(map[string]any{"endpoints_enabled": step.enabled})
		c.Must(config)
		env.ExpectWrites(t, "updateService", oneOrNone(step.sent)...)
		c.ExpectNoChanges(config)
		if got := acctest.Plain(c.Attribute("service", "endpoints_enabled")); asJSON(got) != asJSON(step.enabled) {
			t.Errorf("the state has %v, not %v", got, step.enabled)
		}
	}
}

// An endpoint disappears between plan and apply, so that its switch is known for once. An update of another one need not
// return the switches.
func TestInferredSwitch(t *testing.T) {
	t.Parallel()
	env, silent := newSilentEnv()
	on := func(protocols ...string) acctest.Configs {
		switches := map[string]any{}
		for _, protocol := range protocols {
			switches[protocol] = true
		}
		return onService(map[string]any{"endpoints_enabled": switches})
	}
	c := env.Core(t, nil)
	c.Must(on("mysql"))
	plans := c.MustPlan(on("mysql", "https"))
	silent.reads, silent.writes = with("endpoints", []any{}), with("endpoints", []any{})
	if err := c.ApplyAll(plans); err != nil {
		t.Error(err)
	}
	silent.reads = nil
	c.ExpectNoChanges(on("mysql", "https"))
}
