package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

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

func switches(pairs map[string]bool) types.Map {
	elements := map[string]attr.Value{}
	for protocol, enabled := range pairs {
		elements[protocol] = types.BoolValue(enabled)
	}
	return types.MapValueMust(types.BoolType, elements)
}
