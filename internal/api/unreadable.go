package api

import (
	"fmt"
	"reflect"
	"strings"
)

// Unreadable returns the JSON paths of the unreadable members of object, which
// is a struct, a slice of structs or a pointer to one of them. Nested objects
// are included: "scaling.replicas", "columns[2].name".
func Unreadable(object any) []string {
	return unreadableIn(nil, "", reflect.ValueOf(object))
}

// A member is a Value of any type.
type member interface {
	IsUnreadable() bool
	content() any // nil: no value
}

func (v Value[T]) content() any {
	if v.state != present {
		return nil
	}
	return v.value
}

func unreadableIn(paths []string, at string, object reflect.Value) []string {
	for object.Kind() == reflect.Pointer && !object.IsNil() {
		object = object.Elem()
	}
	switch object.Kind() {
	case reflect.Slice:
		if object.Type().Elem().Kind() != reflect.Struct {
			return paths
		}
		for i := range object.Len() {
			paths = unreadableIn(paths, fmt.Sprintf("%s[%d]", at, i), object.Index(i))
		}
	case reflect.Struct:
		for field, value := range object.Fields() {
			if !field.IsExported() {
				continue
			}
			m, ok := reflect.TypeAssert[member](value)
			if !ok {
				continue
			}
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			path := strings.TrimPrefix(at+"."+name, ".")
			if m.IsUnreadable() {
				paths = append(paths, path)
			} else if content := m.content(); content != nil {
				paths = unreadableIn(paths, path, reflect.ValueOf(content))
			}
		}
	}
	return paths
}
