package lifecycle

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// lacksInvalid refuses a set with the element "invalid".
type lacksInvalid struct{ validator.Set }

func (lacksInvalid) Check(value attr.Value) error {
	if Elements(value)["invalid"] != nil {
		return errors.New("it does")
	}
	return nil
}

// Nothing that a validator refuses is advised.
func TestConfirm(t *testing.T) {
	t.Parallel()
	two, four, title := types.Int64Value(2), types.Int64Value(4), types.StringValue("x")
	planned := Attributes{"id": title, "replicas": four, "name": title, "roles": set("a", "b")}
	shown := Attributes{"id": title, "replicas": types.Int64Unknown(), "name": types.StringUnknown(), "roles": set("a")}
	prior := Attributes{"id": title, "replicas": two, "name": title, "roles": set("a")}
	for name, test := range map[string]struct {
		response Attributes
		wrong    int
		says     string
	}{
		"as planned":           {Attributes{"replicas": four, "name": title, "roles": set("b", "a")}, 0, "[]"},
		"not returned":         {Attributes{"replicas": types.Int64Unknown(), "name": types.StringUnknown(), "roles": set("a", "b")}, 0, "[]"},
		"no longer returned":   {Attributes{"replicas": four, "name": title, "roles": types.SetUnknown(types.StringType)}, 1, "but no longer returns the attribute. Run"},
		"drift of what stayed": {Attributes{"replicas": four, "name": types.StringValue("y"), "roles": set("b")}, 0, "[]"},
		"one more":             {Attributes{"replicas": four, "name": title, "roles": set("a", "b", "c")}, 0, "The API also shows c in roles. To keep"},
		"the old value":        {Attributes{"replicas": two, "name": title, "roles": set("a", "b")}, 1, "returns 2 instead of 4. If that means the same"},
		"both old":             {Attributes{"replicas": two, "name": title, "roles": set("a")}, 2, "does not return b as planned. If that means the same"},
		"another form":         {Attributes{"replicas": four, "name": title, "roles": set("a", "B")}, 1, "returns B instead of b. If that means the same"},
		"an invalid form":      {Attributes{"replicas": four, "name": title, "roles": set("a", "invalid")}, 1, "returns invalid instead of b. It may still show"},
		"one more, invalid":    {Attributes{"replicas": four, "name": title, "roles": set("a", "b", "invalid")}, 0, "The API also shows invalid in roles. To keep"},
	} {
		definition := &Definition{
			Kind:   Kind{Noun: "thing", IDs: []string{"id"}},
			Schema: schema.Schema{Attributes: map[string]schema.Attribute{"roles": schema.SetAttribute{Validators: []validator.Set{lacksInvalid{}}}}},
		}
		diags := Change{Definition: definition, Planned: planned, Prior: prior, Shown: shown, Response: test.response}.confirm(0)
		if diags.ErrorsCount() != test.wrong || !strings.Contains(fmt.Sprint(diags), test.says) {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
