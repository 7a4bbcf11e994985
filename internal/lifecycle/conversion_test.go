package lifecycle

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// gadget is an object of the API.
type gadget struct {
	NumReplicas api.Value[int64] `json:"numReplicas,omitzero"`
}

// An API may list a role twice.
func TestSetOf(t *testing.T) {
	t.Parallel()
	if got := setOf([]string{"b", "a", "b"}); !got.Equal(set("a", "b")) {
		t.Errorf("%s", got)
	}
}

// A value in an undocumented form, such as a Kubernetes quantity, is there, but not known.
func TestReturnedOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Returned{
		`{}`:                     {},
		`{"numReplicas":null}`:   {"num_replicas": nil},
		`{"numReplicas":"5.0"}`:  {"num_replicas": types.Int64Value(5)},
		`{"numReplicas":"500m"}`: {"num_replicas": Mistyped},
	} {
		var object gadget
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, ReturnedOf(object)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Unknown sets no member. An attribute of a type that its member cannot have is a mistake
// in the code.
func TestObjectOf(t *testing.T) {
	t.Parallel()
	if object := ObjectOf[gadget](Attributes{"num_replicas": types.Int64Unknown()}); object.NumReplicas.IsKnown() {
		t.Errorf("%+v", object)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "num_replicas") || !strings.Contains(text, "gadget") {
			t.Errorf("the panic does not name attribute and object: %s", text)
		}
	}()
	ObjectOf[gadget](Attributes{"num_replicas": types.StringValue("3")})
}

// A name that no schema has is a mistake in the code. Only a look-up may have all that a
// Fetch returns: TestLookUps notices other names.
func TestMisspelledName(t *testing.T) {
	t.Parallel()
	misspelled := lamp
	misspelled.SharedLists = []string{"typo"}
	for place, use := range map[string]func(){
		"Text":       func() { Text(Attributes{}["typo"]) },
		"Elements":   func() { Elements(Attributes{}["typo"]) },
		"Sets":       func() { Change{}.Sets("typo") },
		"Definition": func() { NewResource(misspelled) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes any name", place)
				}
			}()
			use()
		}()
	}
}

// What the API did not return, and what is of another type, is null.
func TestFromObject(t *testing.T) {
	t.Parallel()
	inner := map[string]attr.Type{"port": types.Int64Type}
	innerType := types.ObjectType{AttrTypes: inner}
	port := func(n int64) types.Object {
		return types.ObjectValueMust(inner, map[string]attr.Value{"port": types.Int64Value(n)})
	}
	texts := func(values ...attr.Value) types.List { return types.ListValueMust(types.StringType, values) }
	a, b := types.StringValue("a"), types.StringValue("b")
	for _, test := range []struct {
		member string
		want   attr.Value
	}{
		{`"x"`, types.StringValue("x")},
		{`"e\u0301"`, types.StringValue("é")},
		{`null`, types.StringNull()},
		{`5`, types.StringNull()},
		{`true`, types.BoolValue(true)},
		{`"true"`, types.BoolValue(true)},
		{`0`, types.BoolValue(false)},
		{`"yes"`, types.BoolNull()},
		{`5`, types.Int64Value(5)},
		{`9007199254740991`, types.Int64Value(9007199254740991)},
		{`"5"`, types.Int64Value(5)},
		{`5e0`, types.Int64Value(5)},
		{`5.0`, types.Int64Value(5)},
		{`2.5`, types.Int64Value(3)},
		{`"2.4"`, types.Int64Value(2)},
		{`"250m"`, types.Int64Null()},
		{`1e300`, types.Int64Null()},
		{`0.7`, manyDigits(t, "0.7")},
		{`"0.7"`, manyDigits(t, "0.7")},
		{`[]`, types.Float64Null()},
		{`["a",null,"b"]`, texts(a, b)},
		{`[]`, texts()},
		{`["a",5]`, types.ListNull(types.StringType)},
		{`{}`, types.ListNull(types.StringType)},
		{`{"port":5,"new":1}`, port(5)},
		{`{"port":"x"}`, types.ObjectValueMust(inner, map[string]attr.Value{"port": types.Int64Null()})},
		{`[]`, types.ObjectNull(inner)},
		{`[{"port":1},{"port":2}]`, types.ListValueMust(innerType, []attr.Value{port(1), port(2)})},
	} {
		shape := map[string]attr.Type{"the_member": test.want.Type(t.Context()), "absent": types.StringType}
		got := FromObject(shape, api.Object{"theMember": json.RawMessage(test.member), "unknown": json.RawMessage("1")})
		if diff := cmp.Diff(Attributes{"the_member": test.want, "absent": types.StringNull()}, got); diff != "" {
			t.Errorf("%s as %s (-want +got):\n%s", test.member, test.want.Type(t.Context()), diff)
		}
	}
}

// A number keeps the digits that Terraform computed. A null of the API is unknown only for a
// scalar that can be configured.
func TestShown(t *testing.T) {
	t.Parallel()
	computed := manyDigits(t, "0.7")
	if kept := (&Definition{}).keepNotation(Attributes{"x": computed}, Attributes{"x": types.Float64Value(0.7)}); !kept["x"].Equal(computed) {
		t.Errorf("%s", kept["x"])
	}
	r := Definition{Schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Optional: true}, "host": schema.StringAttribute{Computed: true},
		"roles": schema.SetAttribute{Optional: true, ElementType: types.StringType},
	}}}.prepared()
	got := r.show(Returned{"name": nil, "host": nil, "roles": nil}, nil)
	if !got["name"].IsUnknown() || !got["host"].IsNull() || !got["roles"].Equal(set()) {
		t.Errorf("%v", got)
	}
}
