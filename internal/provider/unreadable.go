package provider

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// unreadable names the attributes of the unreadable members of an object.
func unreadable(object any) []string {
	var names []string
	for _, path := range api.Unreadable(object) {
		member := path
		if end := strings.IndexAny(path, ".["); end >= 0 {
			member = path[:end]
		}
		if name := snakeCase(member); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// unreadableMember names the attributes of the unreadable members of a member
// that is an object; all of them if it is no object.
func unreadableMember[T any](v api.Value[T]) []string {
	object, _ := v.Get()
	if !v.IsUnreadable() {
		return unreadable(object)
	}
	var names []string
	for field := range reflect.TypeFor[T]().Fields() {
		if name := attributeOf(field); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (pipeScaling) Unreadable(client *api.Client, a adopt.Attributes) []string {
	pipe := client.LatestPipe(adopt.Text(a["service_id"]), adopt.Text(a["pipe_id"]))
	if pipe == nil {
		return nil
	}
	return unreadableMember(pipe.Scaling)
}

func (pipeSettings) Unreadable(client *api.Client, a adopt.Attributes) []string {
	pipe := client.LatestPipe(adopt.Text(a["service_id"]), adopt.Text(a["pipe_id"]))
	if pipe == nil {
		return nil
	}
	return unreadableMember(pipe.Settings)
}

func (service) Unreadable(client *api.Client, a adopt.Attributes) []string {
	return unreadable(client.LatestService(adopt.Text(a["service_id"])))
}

func (apiKey) Unreadable(client *api.Client, a adopt.Attributes) []string {
	return unreadable(client.LatestKey(adopt.Text(a["key_id"])))
}
