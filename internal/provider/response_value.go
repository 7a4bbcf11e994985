package provider

import (
	"reflect"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The data sources pipe and backups have no models. An attribute shows the
// member of the same name, which is in camel case in the API.

// responseValue converts part of a response to a value of the type that the
// schema gives it. nil, which is any member without a value, becomes null.
func responseValue(typ tftypes.Type, part any) tftypes.Value {
	switch value := reflect.Indirect(reflect.ValueOf(part)); value.Kind() {
	case reflect.Invalid: // nil
		return tftypes.NewValue(typ, nil)
	case reflect.Struct:
		return tftypes.NewValue(typ, responseAttributes(typ.(tftypes.Object), part))
	case reflect.Slice:
		element := typ.(tftypes.List).ElementType
		list := make([]tftypes.Value, value.Len())
		for i := range list {
			list[i] = responseValue(element, value.Index(i).Interface())
		}
		return tftypes.NewValue(typ, list)
	case reflect.Float64:
		return tftypes.NewValue(typ, terraformNumber(value.Float()))
	default: // string, int64, bool
		return tftypes.NewValue(typ, part)
	}
}

// responseAttributes converts the members of a struct that have an attribute.
func responseAttributes(typ tftypes.Object, object any) map[string]tftypes.Value {
	attributes := map[string]tftypes.Value{}
	for field, value := range reflect.Indirect(reflect.ValueOf(object)).Fields() {
		name := attributeOf(field)
		if attribute, ok := typ.AttributeTypes[name]; ok {
			member := value.Interface().(interface{ Any() any }) // an api.Value
			attributes[name] = responseValue(attribute, member.Any())
		}
	}
	return attributes
}

// attributeOf is the name of the attribute for a field of an API object, "" if the
// field is no member of the JSON.
func attributeOf(field reflect.StructField) string {
	member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return snakeCase(member)
}

func snakeCase(member string) string {
	var name strings.Builder
	for _, r := range member {
		if unicode.IsUpper(r) {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}
