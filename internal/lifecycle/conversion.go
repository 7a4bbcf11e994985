package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// Attributes are the top-level attributes of a resource by name: a
// configuration, a plan, a state, or what the API returned. In a response,
// unknown means that the API did not return the attribute.
type Attributes map[string]attr.Value

// objectType is the type of a resource's attributes together.
type objectType struct{ types.ObjectType }

// attributes converts a plan, a state or a validated configuration.
func (t objectType) attributes(raw tftypes.Value) Attributes {
	return valueOf(t.ObjectType, raw).(types.Object).Attributes()
}

// raw converts attributes to a plan or a state.
func (t objectType) raw(a Attributes) tftypes.Value {
	raw, _ := types.ObjectValueMust(t.AttrTypes, a).ToTerraformValue(context.Background()) // an object of valid values always converts
	return raw
}

func nullOf(typ attr.Type) attr.Value {
	return valueOf(typ, tftypes.NewValue(typ.TerraformType(context.Background()), nil))
}

// valueOf converts a value that the type can hold.
func valueOf(typ attr.Type, raw tftypes.Value) attr.Value {
	value, err := typ.ValueFromTerraform(context.Background(), raw)
	if err != nil {
		panic(fmt.Sprintf("no %s from %s", typ, raw.Type())) // without the value, which may be sensitive
	}
	return value
}

// pick keeps the attributes for which keep is true; the others become null.
func (a Attributes) pick(keep func(name string) bool) Attributes {
	picked := maps.Clone(a)
	for name, value := range a {
		if !keep(name) {
			picked[name] = nullOf(value.Type(context.Background()))
		}
	}
	return picked
}

// Text returns the text of a string, "" if it is null or unknown. It panics if there is no
// value at all, as for a misspelled name.
func Text(value attr.Value) string {
	mustExist(value)
	if s, ok := value.(interface{ ValueString() string }); ok {
		return s.ValueString()
	}
	return ""
}

// Elements returns the elements of a map by key and those of a set by their
// text; nil for any other value, and for one that is null or unknown. It panics like [Text].
func Elements(value attr.Value) map[string]attr.Value {
	mustExist(value)
	if !hasValue(value) {
		return nil
	}
	switch v := value.(type) {
	case interface{ Elements() map[string]attr.Value }:
		return v.Elements()
	case types.Set:
		byText := make(map[string]attr.Value, len(v.Elements()))
		for _, element := range v.Elements() {
			byText[Text(element)] = element
		}
		return byText
	}
	return nil
}

func mustExist(value attr.Value) {
	if value == nil {
		panic("no such attribute")
	}
}

// show completes what Fetch or Write returned, in the notation of prior, which has the ids:
// the prior state of a read, the plan of a write. What the API did not return is unknown. So
// is a null scalar that can be configured; a null list is empty.
func (d *Definition) show(returned Returned, prior Attributes) Attributes {
	shown := maps.Clone(d.notReturned)
	for _, id := range d.IDs {
		shown[id] = prior[id]
	}
	for name, value := range returned {
		attribute, ok := d.Schema.Attributes[name]
		if !ok { // only the look-up has it
			continue
		}
		switch typ := d.AttrTypes[name]; {
		case value == Mistyped: // stays unknown
		case value != nil:
			shown[name] = value
		case attribute.IsOptional() && isScalar(typ): // stays unknown
		default:
			shown[name] = emptyOf(typ)
		}
	}
	return d.keepNotation(prior, shown)
}

func hasValue(value attr.Value) bool { return value != nil && !value.IsNull() && !value.IsUnknown() }

// isEmptyValue reports whether a value is one that many APIs leave out as empty: also a zero, or switches that are off.
func isEmptyValue(value attr.Value) bool {
	switch v := value.(type) {
	case types.Int64:
		return v.ValueInt64() == 0
	case types.Float64:
		return v.ValueFloat64() == 0
	case types.Bool:
		return !v.ValueBool()
	case types.String:
		return v.ValueString() == ""
	}
	for _, element := range Elements(value) {
		if on, isSwitch := element.(types.Bool); !isSwitch || on.ValueBool() {
			return false
		}
	}
	return true
}

func isScalar(typ attr.Type) bool {
	_, isCollection := typ.(attr.TypeWithElementType)
	return !isCollection
}

// Mistyped is what a Fetch returns for an attribute that the API shows in another type than
// documented: that it has a value, but not which.
var Mistyped attr.Value = types.DynamicUnknown()

// ReturnedOf converts a struct of api.Values: the member numReplicas is the
// attribute num_replicas. It leaves out what was not returned, a list of objects, which has
// another shape as an attribute, and the object's own id, which has another name. nil is null.
func ReturnedOf(object any) Returned {
	returned := Returned{}
	value := reflect.ValueOf(object)
	for i, name := range attributeNames(value.Type()) {
		member := value.Field(i).Interface().(interface { // an api.Value of any type
			Any() any
			IsNull() bool
			IsMistyped() bool
		})
		switch converted := fromMember(member.Any()); {
		case name == "id":
		case member.IsMistyped():
			returned[name] = Mistyped
		case converted != nil || member.IsNull():
			returned[name] = converted
		}
	}
	return returned
}

// ObjectOf returns a struct of api.Values with the attributes that have a value. It leaves
// out maps: they have another shape in the API.
func ObjectOf[O any](a Attributes) (object O) {
	value := reflect.ValueOf(&object).Elem()
	for i, name := range attributeNames(value.Type()) {
		from := toMember(a[name])
		if from == nil {
			continue
		}
		member := value.Field(i).Addr().Interface().(interface{ Set(value any) bool })
		if !member.Set(from) {
			panic(fmt.Sprintf("%s is no value for the member %s of %s", a[name].Type(context.Background()), name, value.Type()))
		}
	}
	return object
}

// attributeNames are the names of the attributes that the fields of a struct are.
func attributeNames(object reflect.Type) []string {
	names := make([]string, object.NumField())
	for i := range names {
		member, _, _ := strings.Cut(object.Field(i).Tag.Get("json"), ",")
		names[i] = AttributeName(member)
	}
	return names
}

// AttributeName converts a member's name: replicaMemoryGb to replica_memory_gb.
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

// fromMember converts a value of the API, nil if it is none, or a list of objects. A text gets
// the normal form that Terraform gives to what is configured, and a fraction Terraform's precision:
// its 0.7 is not the float64 nearest to it.
func fromMember(member any) attr.Value {
	switch member := member.(type) {
	case string:
		return types.StringValue(norm.NFC.String(member))
	case bool:
		return types.BoolValue(member)
	case int64:
		return types.Int64Value(member)
	case float64:
		return valueOf(types.Float64Type, tftypes.NewValue(tftypes.Number, decimal(member)))
	case []string:
		return setOf(member)
	}
	return nil
}

// emptyOf is what a null of the API means: an empty list, or null.
func emptyOf(typ attr.Type) attr.Value {
	var empty any
	switch typ.TerraformType(context.Background()).(type) {
	case tftypes.Set:
		empty = []tftypes.Value{}
	case tftypes.Map:
		empty = map[string]tftypes.Value{}
	}
	return valueOf(typ, tftypes.NewValue(typ.TerraformType(context.Background()), empty))
}

// setOf converts a list without a meaningful order.
func setOf(list []string) attr.Value {
	elements := make([]attr.Value, 0, len(list))
	for _, s := range slices.Compact(slices.Sorted(slices.Values(list))) {
		elements = append(elements, types.StringValue(s))
	}
	return types.SetValueMust(types.StringType, elements)
}

func toMember(value attr.Value) any {
	if !hasValue(value) {
		return nil
	}
	switch v := value.(type) {
	case interface{ ValueString() string }:
		return v.ValueString()
	case interface{ ValueInt64() int64 }:
		return v.ValueInt64()
	case interface{ ValueFloat64() float64 }:
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
	return nil // a map
}

func decimal(f float64) *big.Float {
	const precision = 512
	number, _, _ := big.ParseFloat(strconv.FormatFloat(f, 'f', -1, 64), 10, precision, big.ToNearestEven) // JSON has no NaN
	return number
}

// FromObject converts an object that the API returned to attributes of these
// types: an attribute shows the member of the same name. What the API did not
// return is null, and so is what is of another type, except a number in quotes and a
// fraction, which is rounded, for a whole number.
func FromObject(attributes map[string]attr.Type, object api.Object) Attributes {
	a := Attributes{}
	for name, typ := range attributes {
		a[name] = nullOf(typ)
	}
	for _, member := range slices.Sorted(maps.Keys(object)) { // of two members of one attribute, always the last counts
		name, data := AttributeName(member), object[member]
		typ, ok := attributes[name]
		if !ok || string(data) == "null" {
			continue
		}
		if value := fromJSON(typ, data); value != nil {
			a[name] = value
		}
	}
	return a
}

// fromJSON converts JSON to an attribute's type, nil if it is of another type.
func fromJSON(typ attr.Type, data json.RawMessage) attr.Value {
	var scalar any
	switch typ := typ.(type) {
	case types.ObjectType:
		object, ok := decode[api.Object](data).(api.Object)
		if !ok {
			return nil
		}
		return types.ObjectValueMust(typ.AttrTypes, FromObject(typ.AttrTypes, object))
	case types.ListType:
		elements, ok := decode[[]json.RawMessage](data).([]json.RawMessage)
		if !ok {
			return nil
		}
		values := make([]attr.Value, len(elements))
		for i, element := range elements {
			if values[i] = fromJSON(typ.ElemType, element); values[i] == nil {
				return nil
			}
		}
		return types.ListValueMust(typ.ElemType, values)
	case basetypes.StringTypable:
		scalar = decode[string](data)
	case basetypes.BoolTypable:
		scalar = decode[bool](data)
	case basetypes.Float64Typable:
		scalar = decode[float64](data)
	case basetypes.Int64Typable:
		if scalar = decode[int64](data); scalar == nil {
			if f, ok := decode[float64](data).(float64); ok && math.Abs(f) < math.MaxInt64 {
				scalar = int64(math.Round(f))
			}
		}
	}
	if scalar == nil {
		return nil
	}
	return fromMember(scalar)
}

// decode reads JSON as an [api.Value] does, without the nulls of a list. It returns nil for
// another type.
func decode[T any](data json.RawMessage) any {
	var value api.Value[T]
	_ = value.UnmarshalJSON(data) // never fails
	return value.Any()
}
