package adopt

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A Member is an [api.Value] of any type.
type Member interface {
	Any() any         // the value, nil for none
	IsKnown() bool    // returned, as a value or null
	IsNull() bool     // returned as null
	IsMistyped() bool // returned, but of another type than documented
}

// A MemberType is the type of an attribute whose shape differs from that of its
// member: an access list is an array in the API and a map in Terraform.
type MemberType interface {
	attr.Type
	// FromMember converts what the API returned; nil is null.
	FromMember(member any) attr.Value
}

// A MemberValue is a value of a [MemberType].
type MemberValue interface {
	attr.Value
	// Member converts a value for the API.
	Member() any
}

// membersOf yields the members of an API object, a struct of api.Values, by the
// names of their attributes.
func membersOf[O any](object *O) iter.Seq2[string, Member] {
	return func(yield func(string, Member) bool) {
		value := reflect.ValueOf(object).Elem()
		for i, name := range attributeNames(value.Type()) {
			if name != "" && !yield(name, value.Field(i).Interface().(Member)) {
				return
			}
		}
	}
}

// objectOf returns an API object, a struct of api.Values, whose members are the
// attributes that have a value.
func objectOf[O any](a Attributes) (object O) {
	value := reflect.ValueOf(&object).Elem()
	for i, name := range attributeNames(value.Type()) {
		if !hasValue(a[name]) {
			continue
		}
		member := value.Field(i).Addr().Interface().(interface{ Set(value any) bool })
		if !member.Set(toMember(a[name])) {
			panic(fmt.Sprintf("%s is no value for the member %s of %s", a[name].Type(context.Background()), name, value.Type()))
		}
	}
	return object
}

// attributeNames are the attributes' names of the fields of a struct, "" for a
// field that is no member.
func attributeNames(object reflect.Type) []string {
	names := make([]string, object.NumField())
	for i := range names {
		member, _, _ := strings.Cut(object.Field(i).Tag.Get("json"), ",")
		if member != "-" {
			names[i] = AttributeName(member)
		}
	}
	return names
}

// AttributeName is the name of a member's attribute: replica_memory_gb for
// replicaMemoryGb.
func AttributeName(member string) string {
	var name strings.Builder
	for _, r := range member {
		if unicode.IsUpper(r) {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}

// fromMember converts what the API returned to an attribute's type; nil is null,
// or an empty collection. No member is a map: a resource shows its maps itself.
func fromMember(ctx context.Context, typ attr.Type, member any) attr.Value {
	switch typ := typ.(type) {
	case MemberType:
		return typ.FromMember(member)
	case types.SetType:
		return setOf(member)
	case types.MapType:
		return types.MapValueMust(typ.ElemType, map[string]attr.Value{})
	}
	switch member := member.(type) {
	case nil:
		return nullOf(ctx, typ)
	case string:
		return valueOf(ctx, typ, tftypes.NewValue(tftypes.String, member))
	case bool:
		return types.BoolValue(member)
	case int64:
		return types.Int64Value(member)
	case float64:
		return valueOf(ctx, typ, tftypes.NewValue(tftypes.Number, decimal(member)))
	}
	panic(fmt.Sprintf("no %s from a %T", typ, member))
}

// setOf converts a list without a meaningful order.
func setOf(member any) attr.Value {
	list, _ := member.([]string)
	elements := make([]attr.Value, 0, len(list))
	for _, s := range slices.Compact(slices.Sorted(slices.Values(list))) {
		elements = append(elements, types.StringValue(s))
	}
	return types.SetValueMust(types.StringType, elements)
}

// toMember converts a value for the API.
func toMember(value attr.Value) any {
	switch v := value.(type) {
	case MemberValue:
		return v.Member()
	case interface{ ValueString() string }:
		return v.ValueString()
	case types.Int64:
		return v.ValueInt64()
	case types.Float64:
		return v.ValueFloat64()
	case types.Bool:
		return v.ValueBool()
	case types.Set:
		list := make([]string, 0, len(v.Elements()))
		for _, element := range v.Elements() {
			list = append(list, Text(element))
		}
		return list
	}
	return nil
}

// decimal has as many digits as Terraform reads from text. To Terraform, 0.7 is
// not the float64 nearest to it.
func decimal(f float64) *big.Float {
	const precision = 512
	number, _, _ := big.ParseFloat(strconv.FormatFloat(f, 'f', -1, 64), 10, precision, big.ToNearestEven) // JSON has no NaN
	return number
}
