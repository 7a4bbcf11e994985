package provider

import (
	"context"
	"slices"
	"strings"
	"unicode"

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

// snakeCase is the attribute of a member of the API.
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

func (pipeScaling) Unreadable(ctx context.Context, client *api.Client, a adopt.Attributes) []string {
	pipe, err := client.Pipe(ctx, adopt.Text(a["service_id"]), adopt.Text(a["pipe_id"]))
	if err != nil {
		return nil
	}
	scaling, _ := pipe.Scaling.Get()
	return unreadable(scaling)
}

func (pipeSettings) Unreadable(ctx context.Context, client *api.Client, a adopt.Attributes) []string {
	pipe, err := client.Pipe(ctx, adopt.Text(a["service_id"]), adopt.Text(a["pipe_id"]))
	if err != nil {
		return nil
	}
	settings, _ := pipe.Settings.Get()
	return unreadable(settings)
}

func (service) Unreadable(ctx context.Context, client *api.Client, a adopt.Attributes) []string {
	object, err := client.Service(ctx, adopt.Text(a["service_id"]))
	if err != nil {
		return nil
	}
	return unreadable(object)
}

func (apiKey) Unreadable(ctx context.Context, client *api.Client, a adopt.Attributes) []string {
	object, err := client.Key(ctx, adopt.Text(a["key_id"]))
	if err != nil {
		return nil
	}
	return unreadable(object)
}
