package adopt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// lines is a list in the API and one text in Terraform.
type linesType struct{ attr.Type }

type lines struct{ basetypes.StringValue }

func (linesType) FromMember(member any) attr.Value {
	list, _ := member.([]string)
	return lines{types.StringValue(strings.Join(list, "\n"))}
}

func (l lines) Equal(other attr.Value) bool { return l == other }

func (l lines) Member() any { return strings.Split(l.ValueString(), "\n") }

// gadget is an object of the API with a member of each type.
type gadget struct {
	ID          string
	Name        api.Value[string]   `json:"name,omitzero"`
	NumReplicas api.Value[int64]    `json:"numReplicas,omitzero"`
	MemoryGB    api.Value[float64]  `json:"memoryGb,omitzero"`
	IsPrimary   api.Value[bool]     `json:"isPrimary,omitzero"`
	Roles       api.Value[[]string] `json:"roles,omitzero"`
	Comment     api.Value[[]string] `json:"comment,omitzero"`
	Unmanaged   api.Value[string]   `json:"unmanaged,omitzero"`
	Dropped     api.Value[string]   `json:"-"`
}

// A value of each type gets into an object of the API and out of it again.
func TestMembers(t *testing.T) {
	t.Parallel()
	want := Attributes{
		"name": types.StringValue("x"), "num_replicas": types.Int64Value(3), "memory_gb": manyDigits(t, "0.7"),
		"is_primary": types.BoolValue(false), "roles": set("a", "b"), "comment": lines{types.StringValue("a\nb")},
	}
	object := objectOf[gadget](want)
	if object.NumReplicas != api.ValueOf(int64(3)) || object.MemoryGB != api.ValueOf(0.7) || object.Unmanaged.IsKnown() {
		t.Errorf("the object is %+v", object)
	}
	got := Attributes{}
	for name, member := range membersOf(&object) {
		switch {
		case !member.IsKnown():
		case name == "comment":
			got[name] = fromMember(t.Context(), linesType{types.StringType}, member.Any())
		default:
			got[name] = fromMember(t.Context(), want[name].Type(t.Context()), member.Any())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	untouched := objectOf[gadget](Attributes{"name": types.StringNull(), "num_replicas": types.Int64Unknown(), "other": types.StringValue("x")})
	if untouched.Name.IsKnown() || untouched.NumReplicas.IsKnown() {
		t.Errorf("null or unknown sets a member: %+v", untouched)
	}
}

// Null is an empty set, an empty shape of its own, and null elsewhere.
func TestFromMember(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		typ    attr.Type
		member any
		want   attr.Value
	}{
		{types.StringType, nil, types.StringNull()},
		{types.Int64Type, nil, types.Int64Null()},
		{types.SetType{ElemType: types.StringType}, nil, set()},
		{types.SetType{ElemType: types.StringType}, []string{"b", "a", "b"}, set("b", "a")},
		{linesType{types.StringType}, nil, lines{types.StringValue("")}},
	} {
		if got := fromMember(t.Context(), test.typ, test.member); !got.Equal(test.want) {
			t.Errorf("%v as %s is %s, not %s", test.member, test.typ, got, test.want)
		}
	}
}

// An attribute of a type that its member cannot have is a mistake in the code.
func TestWrongTypeOfAnAttribute(t *testing.T) {
	t.Parallel()
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "num_replicas") || !strings.Contains(text, "gadget") {
			t.Errorf("the panic does not name attribute and object: %s", text)
		}
	}()
	objectOf[gadget](Attributes{"num_replicas": types.StringValue("3")})
}
