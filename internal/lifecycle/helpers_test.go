package lifecycle

import (
	"context"
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var lamp = Definition{
	Kind:   Kind{TypeName: "lamp", Noun: "lamp", IDs: []string{"lamp_id"}},
	Schema: schema.Schema{Attributes: map[string]schema.Attribute{"lamp_id": schema.StringAttribute{Required: true}}},
}

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

// changeOf is a change of an attribute x.
func changeOf(planned, prior, shown attr.Value) Change {
	definition := &Definition{}
	definition.AttrTypes = map[string]attr.Type{"x": planned.Type(context.Background())}
	return Change{Definition: definition, Config: Attributes{"x": types.StringNull()}, Planned: Attributes{"x": planned}, Prior: Attributes{"x": prior}, Shown: Attributes{"x": shown}}
}
